"""The values that a campaign's files hold, as its readers see them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CLEAN = "clean"

# What a run can be before it has a result, in the order in which it passes through them.
PLANNED = "planned"
STARTING = "starting"
RUNNING = "running"
ENDING = "ending"
INTERRUPTED = "interrupted"
UNFINISHED = (PLANNED, STARTING, RUNNING, ENDING, INTERRUPTED)

# What a run can have ended as.
COMPLETED = "completed"
TIMEOUT = "timeout"
MEMORY = "memory"
CRASHED = "crashed"
START_FAILED = "start failed"
INVALID = "invalid output"
CANCELLED = "cancelled"
ENDED = (COMPLETED, TIMEOUT, MEMORY, CRASHED, START_FAILED, INVALID, CANCELLED)
FAILED = (MEMORY, CRASHED, START_FAILED, INVALID, CANCELLED)


@dataclass(frozen=True, slots=True, order=True)
class RunKey:
    """What names a run inside a campaign: method label, task id, seed and condition."""

    label: str
    task: str
    seed: int
    condition: str = CLEAN

    @property
    def cell(self) -> str:
        """The last folder name: ``SEED``, or ``SEED-CONDITION`` when not clean."""
        return str(self.seed) if self.condition == CLEAN else f"{self.seed}-{self.condition}"

    @property
    def id(self) -> str:
        """``LABEL/TASK/SEED[-CONDITION]``."""
        return f"{self.label}/{self.task}/{self.cell}"


@dataclass(frozen=True, slots=True)
class Incumbent:
    """One native best of a run, as the worker wrote it (``t`` in seconds since the fit began)."""

    index: int
    t: float
    text: str
    native: str
    score: float | None
    score_name: str
    evaluations: int | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the engine found when it parsed and evaluated one expression.

    ``status`` is ``ok``, ``unparsable``, ``nonfinite`` or ``timeout``; a split's own status is ``ok``,
    ``nonfinite`` or ``no split``. Denominators are ``split`` or ``train`` (SPEC 1).
    """

    status: str
    reason: str | None = None
    expression: str | None = None
    positional: str | None = None
    train_nmse: float | None = None
    id_nmse: float | None = None
    ood_nmse: float | None = None
    id_status: str = "no split"
    ood_status: str = "no split"
    denominator_id: str | None = None
    denominator_ood: str | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One telemetry sample of a run's whole process tree (seconds, CPU seconds, bytes)."""

    t: float
    cpu_s: float
    rss: int
    processes: int
    threads: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One point of a run's grid: the newest incumbent discovered at or before ``t``.

    ``status`` is ``ok``, ``none`` (nothing found yet), ``unparsable``, ``nonfinite``, ``timeout``,
    ``pending`` (not evaluated yet) or ``unavailable`` (its record is lost or corrupt).
    """

    index: int
    t: float
    discovered: float | None
    expression: str | None
    id_nmse: float | None
    ood_nmse: float | None
    q: float | None
    status: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Run:
    """One cell of a campaign and the state of its latest attempt.

    ``id_nmse``, ``ood_nmse`` and ``expression`` are the final ones of an ended run and the latest
    evaluated incumbent's of a running one. ``elapsed`` is in seconds since the fit began, ``startup`` in
    seconds before that; ``cpu_s`` counts both. ``rss`` and ``peak_rss`` are in bytes.
    """

    key: RunKey
    method: str
    name: str
    status: str
    attempt: int
    attempts: int
    folder: Path | None
    budget: float
    interval: float
    threads: int
    reason: str | None = None
    elapsed: float | None = None
    startup: float | None = None
    cpu_s: float | None = None
    rss: int | None = None
    peak_rss: int | None = None
    incumbents: int = 0
    expression: str | None = None
    positional: str | None = None
    native: str | None = None
    final_source: str | None = None
    final_status: str | None = None
    final_t: float | None = None
    train_nmse: float | None = None
    id_nmse: float | None = None
    ood_nmse: float | None = None
    id_status: str | None = None
    ood_status: str | None = None
    denominator_id: str | None = None
    denominator_ood: str | None = None
    native_gap: float | None = None
    native_gap_flag: bool = False
    claimed: Mapping[str, object] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, object] = field(default_factory=dict)
    exit_code: int | None = None
    signal: int | None = None
    segment: Path | None = None
    damage: str | None = None

    @property
    def id(self) -> str:
        """``LABEL/TASK/SEED[-CONDITION]``."""
        return self.key.id

    @property
    def label(self) -> str:
        """The method's label in this campaign."""
        return self.key.label

    @property
    def task(self) -> str:
        """The task's id."""
        return self.key.task

    @property
    def seed(self) -> int:
        """The seed."""
        return self.key.seed

    @property
    def condition(self) -> str:
        """``clean`` or the noise condition's name."""
        return self.key.condition

    @property
    def ended(self) -> bool:
        """Whether the latest attempt has a result."""
        return self.status in ENDED
