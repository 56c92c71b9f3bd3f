"""The rows that scoring makes: one per run, one per task and method, and what an axis says about a method."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.scoring.search import Stability

AXES = ("ID", "OOD", "SYM", "MIN", "EFF", "STAB")
RUN_AXES = AXES[:5]
# Scores are shown times this (paper 1, E: the 0 to 100 display scale).
DISPLAY_SCALE = 100.0


@dataclass(frozen=True, slots=True)
class RunScore:
    """One planned run and its scores; None where a score does not exist, with the reason in ``notes``.

    ``state`` is ``scored``, or ``missing`` for a run that has not ended (or was cancelled): a missing run has
    no scores and is never counted as zero.
    """

    label: str
    method: str
    task: str
    name: str
    seed: int
    condition: str
    status: str
    state: str
    valid: bool = False
    scores: Mapping[str, float | None] = field(default_factory=dict)
    train_nmse: float | None = None
    id_nmse: float | None = None
    ood_nmse: float | None = None
    expression: str | None = None
    processed: str | None = None
    simplification: str | None = None
    verdict: str | None = None
    evidence: str | None = None
    c_ref: int | None = None
    c_pred: int | None = None
    tree_similarity: float | None = None
    variable_f1: float | None = None
    operator_f1: float | None = None
    acc_001: bool | None = None
    acc_0001: bool | None = None
    strict: bool | None = None
    solution: bool | None = None
    sa: bool | None = None
    elapsed: float | None = None
    cpu_s: float | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """``LABEL/TASK/SEED[-CONDITION]``."""
        cell = str(self.seed) if self.condition == "clean" else f"{self.seed}-{self.condition}"
        return f"{self.label}/{self.task}/{cell}"

    def flat(self) -> dict[str, Any]:
        """Return the row as a flat JSON object, one field per axis."""
        values: dict[str, Any] = {
            name: getattr(self, name) for name in self.__slots__ if name not in {"scores", "notes"}
        }
        values |= {axis: self.scores.get(axis) for axis in RUN_AXES}
        return {"run": self.id, **values, "notes": "; ".join(self.notes)}


@dataclass(frozen=True, slots=True)
class TaskScore:
    """STAB of one task for one method and condition, over all its seeds."""

    label: str
    task: str
    name: str
    condition: str
    seeds: tuple[int, ...]
    stability: Stability | None
    note: str | None = None
    intransitive: tuple[tuple[int, int, int], ...] = ()

    def flat(self) -> dict[str, Any]:
        """Return the row as a flat JSON object."""
        found = self.stability
        return {
            "label": self.label,
            "task": self.task,
            "name": self.name,
            "condition": self.condition,
            "seeds": " ".join(map(str, self.seeds)),
            "STAB": None if found is None else found.value,
            "N": None if found is None else found.numerical,
            "V": None if found is None else found.validity,
            "C": None if found is None else found.structural,
            "note": self.note,
            "intransitive": len(self.intransitive),
        }


@dataclass(frozen=True, slots=True)
class AxisScore:
    """One axis of one method under one condition: the mean over n of N planned runs (tasks, for STAB)."""

    value: float | None
    n: int
    of: int
    low: float | None = None
    high: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class MethodScore:
    """All that is said about one method under one condition."""

    label: str
    method: str
    condition: str
    axes: Mapping[str, AxisScore]
    rates: Mapping[str, AxisScore]
    degradation: AxisScore

    def flat(self) -> dict[str, Any]:
        """Return the row as a flat JSON object on the 0 to 100 display scale."""
        row: dict[str, Any] = {"label": self.label, "method": self.method, "condition": self.condition}
        for name, score in self.axes.items():
            row |= _displayed(name, score)
        for name, score in self.rates.items():
            row |= _displayed(name, score)
        row["degradation"] = self.degradation.value
        row["degradation_n"] = self.degradation.n
        return row


def _displayed(name: str, score: AxisScore) -> dict[str, Any]:
    def shown(value: float | None) -> float | None:
        return None if value is None else value * DISPLAY_SCALE

    return {
        name: shown(score.value),
        f"{name}_low": shown(score.low),
        f"{name}_high": shown(score.high),
        f"{name}_n": score.n,
        f"{name}_of": score.of,
        f"{name}_note": score.note,
    }
