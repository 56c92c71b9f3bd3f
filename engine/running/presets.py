"""The budgets and seeds of the papers' own campaigns (paper 1, section 4.1; SPEC 4)."""

from dataclasses import dataclass

from engine.errors import EngineError

CONSTRUCTION_SEEDS = (520, 521, 522)  # paper 1, section 4.1
FIDELITY_SINGLE_SEED = 1314  # paper 1, section 4.1: PySR and LLM-SR
FORMAL_BUDGET_S = 3 * 3600.0  # paper 1, section 4.1 and D.3: 180 minutes, one checkpoint a minute
FIDELITY_BUDGET_S = 3600.0  # paper 1, section 4.1
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Preset:
    """Defaults of a campaign; whatever the user states wins."""

    name: str
    budget_s: float
    interval_s: float
    seeds: tuple[int, ...]
    method_seeds: tuple[tuple[str, tuple[int, ...]], ...] = ()
    table17_threads: bool = False

    def seeds_of(self, method: str) -> tuple[int, ...]:
        """Seeds for a method.

        Parameters
        ----------
        method : str
            The method's registered name.

        Returns
        -------
        tuple of int
            Its own seeds where the paper gives it some, else the preset's.
        """
        return dict(self.method_seeds).get(method, self.seeds)


# The paper gives no budget for calibration and construction runs; the fidelity hour stands in for it.
PRESETS = (
    Preset("calibration", FIDELITY_BUDGET_S, MINUTE_S, (CONSTRUCTION_SEEDS[0],)),
    Preset("construction", FIDELITY_BUDGET_S, MINUTE_S, CONSTRUCTION_SEEDS),
    Preset(
        "fidelity",
        FIDELITY_BUDGET_S,
        MINUTE_S,
        CONSTRUCTION_SEEDS,
        (
            ("pysr", (FIDELITY_SINGLE_SEED,)),
            ("llm-sr", (FIDELITY_SINGLE_SEED,)),
            ("llm_sr", (FIDELITY_SINGLE_SEED,)),
        ),
    ),
    Preset("formal", FORMAL_BUDGET_S, MINUTE_S, CONSTRUCTION_SEEDS, table17_threads=True),
)


def preset(name: str) -> Preset:
    """Find a preset.

    Parameters
    ----------
    name : str
        ``calibration``, ``construction``, ``fidelity`` or ``formal``.

    Returns
    -------
    Preset
        Its defaults.

    Raises
    ------
    EngineError
        When there is none of that name.
    """
    for candidate in PRESETS:
        if candidate.name == name:
            return candidate
    names = ", ".join(candidate.name for candidate in PRESETS)
    raise EngineError(f"the preset {name!r} is unknown: use {names}")
