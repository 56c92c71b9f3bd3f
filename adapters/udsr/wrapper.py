"""Binds uDSR's trunk: DSO with GP meld and the poly token, from the same checkout."""

from typing import Any

from adapters.dso.wrapper import Dso
from adapters.interface import Request

# Upstream's config_regression_gp.json, where table 17 names no value.
GP_MELD = {
    "run_gp_meld": True,
    "crossover_operator": "cxOnePoint",
    "p_crossover": 0.5,
    "mutation_operator": "multi_mutate",
    "p_mutate": 0.5,
    "tournament_size": 5,
    "train_n": 50,
    "mutate_tree_max": 3,
    "verbose": False,
    "parallel_eval": False,
}


def udsr(settings: dict[str, Any], request: Request) -> Dso:
    """Return DSO with what makes it the paper's uDSR."""
    meld = GP_MELD | {
        "population_size": settings["gp_population"],
        "generations": settings["gp_generations"],
    }
    wrapper = Dso(settings, request, {"gp_meld": meld})
    wrapper.config["task"]["poly_optimizer_params"] = {"degree": settings["poly_degree"]}
    return wrapper
