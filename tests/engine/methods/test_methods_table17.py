"""Paper 1, table 17: every value it states is a default, or the adapter's own fixed choice."""

import pytest

from adapters.drsr.wrapper import BFGS, STARTS
from adapters.interface import Request
from adapters.pysr.wrapper import search_options
from engine.methods import registry
from engine.methods.settings import merge

ARITHMETIC = ["add", "sub", "mul", "div"]
SAMPLING = {"max_tokens": 1024, "temperature": 0.6, "top_p": 0.3, "top_k": 30}
TABLE_17 = {
    "gplearn": {
        "population_size": 1000,
        "function_set": [*ARITHMETIC, "sqrt", "log", "sin", "cos"],
        "tournament_size": 20,
        "init_depth_min": 2,
        "init_depth_max": 6,
        "metric": "mean absolute error",
        "parsimony_coefficient": 0.001,
        "p_crossover": 0.9,
        "p_subtree_mutation": 0.01,
        "p_hoist_mutation": 0.01,
        "p_point_mutation": 0.01,
    },
    "pyoperon": {
        "population_size": 500,
        "pool_size": 500,
        "max_length": 50,
        "max_depth": 10,
        "tournament_size": 5,
        "reinserter": "keep-best",
        "optimizer": "lm",
        "local_search_probability": 1.0,
        "allowed_symbols": [
            *ARITHMETIC,
            "aq",
            "exp",
            "log",
            "sin",
            "cos",
            "tanh",
            "sqrt",
            "square",
            "constant",
            "variable",
        ],
    },
    "pysr": {
        "populations": 8,
        "population_size": 64,
        "ncycles_per_iteration": 500,
        "binary_operators": list("+-*/"),
        "unary_operators": ["square", "cube", "exp", "log", "sin", "cos"],
        "maxsize": 30,
        "maxdepth": 10,
        "parsimony": 0.001,
        "precision": 32,
        "model_selection": "best",
    },
    "qlattice": {"criterion": "bic", "kind": "regression", "significant_digits": 4},
    "dso": {
        "batch_size": 1000,
        "function_set": [*ARITHMETIC, "sin", "cos", "exp", "log"],
        "metric": "inv_nrmse",
        "epsilon": 0.05,
        "learning_rate": 5e-4,
        "entropy_weight": 0.03,
        "min_length": 4,
        "max_length": 64,
    },
    "udsr": {
        "batch_size": 1000,
        "gp_population": 100,
        "gp_generations": 20,
        "metric": "inv_nrmse",
        "epsilon": 0.05,
        "learning_rate": 5e-4,
        "entropy_weight": 0.03,
        "min_length": 4,
        "max_length": 100,
        "function_set": [*ARITHMETIC, "sin", "cos", "exp", "log", "sqrt", "1.0", "const", "poly"],
    },
    "imcts": {
        "K": 500,
        "max_depth": 6,
        "ops": [*"+-*/", "sin", "cos", "exp", "log", "R"],
        "c": 4.0,
        "gamma": 0.5,
        "gp_rate": 0.2,
        "mutation_rate": 0.1,
        "exploration_rate": 0.2,
        "max_constants": 10,
    },
    "e2esr": {
        "max_input_points": 200,
        "max_number_bags": 10,
        "n_trees_to_refine": 10,
        "stop_refinement_after": 1.0,
        "rescale": True,
    },
    "tpsr": {
        "max_input_points": 200,
        "max_number_bags": 10,
        "n_trees_to_refine": 10,
        "beam_size": 10,
        "width": 3,
        "rollout": 3,
        "horizon": 200,
        "num_beams": 1,
        "lam": 0.1,
    },
    "llm-sr": {"samples_per_iteration": 4, "max_nparams": 10, "semantics": True} | SAMPLING,
    "drsr": {"samples_per_iteration": 4, "max_nparams": 10, "max_samples": 400_000, "semantics": True}
    | SAMPLING,
    "llm-sr-upstream": {"samples_per_prompt": 4, "max_params": 10} | SAMPLING,
    "drsr-upstream": {"samples_per_iteration": 4, "proposals": 400_000} | SAMPLING,
    "ragsr": {
        "n_pop": 200,
        "gene_num": 10,
        "select": "AutomaticLexicase",
        "cross_pb": 0.9,
        "mutation_pb": 0.1,
        "max_height": 10,
        "base_learner": "RidgeCV",
        "normalize": "MinMax",
        "score_func": "R2",
        "external_archive": True,
        "number_of_invokes": 0,
        "basic_primitives": [
            "Add",
            "Sub",
            "Mul",
            "AQ",
            "Sqrt",
            "AbsLog",
            "Abs",
            "Square",
            "RSin",
            "RCos",
            "Max",
            "Min",
            "Neg",
        ],
    },
    "symbolfit": {
        "maxsize": 25,
        "binary_operators": list("+-*/"),
        "unary_operators": ["sin", "cos", "exp", "log"],
        "model_selection": "accuracy",
        "input_rescale": True,
        "scale_y_by": "mean",
        "max_stderr": 20.0,
    },
    "fepysr": {
        "experiments": 8,
        "epochs": 30,
        "batch_size": 64,
        "populations": 4,
        "population_size": 40,
        "ncycles_per_iteration": 100,
        "binary_operators": list("+-*/"),
        "unary_operators": ["sin", "cos", "exp", "log"],
        "learning_rate": 0.1,
        "extracted_features": 10,
        "pysr_features": 6,
        "maxsize": 20,
        "maxdepth": 8,
    },
    "jaxsr": {
        "max_terms": 5,
        "cv_folds": 5,
        "strategy": "greedy_forward",
        "polynomial_degree": 3,
        "interaction_order": 2,
        "transcendental": [],
        "information_criterion": "bic",
    },
}
THREADS = {
    "gplearn": 1,
    "pyoperon": 4,
    "pysr": 1,
    "qlattice": 4,
    "dso": 4,
    "udsr": 1,
    "e2esr": 1,
    "tpsr": 4,
    "ragsr": 4,
    "symbolfit": 1,
    "fepysr": 4,
}


@pytest.mark.parametrize("name", TABLE_17)
def test_the_defaults_are_the_tables(name):
    method = registry.get(name)
    values = merge(method, {})
    assert {key: values[key] for key in TABLE_17[name]} == TABLE_17[name]
    assert method.threads == THREADS.get(name, 1)
    said = {one.name for one in method.schema if "table 17" in one.source or "I.1" in one.source}
    assert set(TABLE_17[name]) <= said, "each is marked as the paper's"


def test_a_serial_julia_search_is_deterministic(tmp_path):
    for name in ("pysr", "symbolfit"):
        method = registry.get(name)
        request = Request(520, method.threads, 60.0, None, ("x0",), "y", tmp_path)
        options = search_options(merge(method, {}), request)
        assert options["parallelism"] == "serial"
        assert options["deterministic"] is True
        assert options["random_state"] == 520


def test_drsr_fits_from_five_starts_with_the_papers_options():
    assert (STARTS, BFGS) == (5, {"maxiter": 200, "gtol": 1e-10, "eps": 1e-12})
