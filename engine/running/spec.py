"""What a campaign is made of: methods under labels, and the grid of runs they are to make."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.errors import EngineError
from engine.running.records import CLEAN, RunKey

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# Seeds go to back ends that take 32-bit seeds (gplearn, Operon, NumPy's legacy generator).
SEED_LIMIT = 2**32

DEFAULT_GRACE_S = 10.0
DEFAULT_STARTUP_S = 600.0


@dataclass(frozen=True, slots=True)
class MethodEntry:
    """One method of a campaign under its label; ``seeds`` None means the campaign's own."""

    label: str
    method: str
    settings: Mapping[str, object] = field(default_factory=dict)
    seeds: tuple[int, ...] | None = None
    threads: int = 1
    evaluation_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A full product of labels, tasks, seeds and conditions.

    ``names`` stand beside the task ids for people; ``seeds`` None means each method's own.
    """

    labels: tuple[str, ...]
    tasks: tuple[str, ...]
    names: tuple[str, ...]
    seeds: tuple[int, ...] | None
    conditions: tuple[str, ...] = (CLEAN,)


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds every run of a campaign (seconds, bytes) and how many run at once."""

    budget_s: float
    interval_s: float
    grace_s: float = DEFAULT_GRACE_S
    startup_s: float = DEFAULT_STARTUP_S
    memory_bytes: int | None = None
    workers: int = 1


@dataclass(frozen=True, slots=True)
class CampaignSpec:
    """A campaign: identity, methods, blocks of runs, limits, and what the methods may be told.

    ``semantics`` tells methods what the variables x0, x1 ... and y mean, as far as it is declared;
    ``pin`` binds every run to cores of its own; ``model`` is lent to the methods that ask one.
    """

    id: str
    created: str
    methods: tuple[MethodEntry, ...]
    blocks: tuple[Block, ...]
    limits: Limits
    preset: str | None = None
    name: str | None = None
    semantics: bool = False
    oversubscribe: bool = False
    pin: bool = False
    executor: str = "local"
    executor_settings: Mapping[str, object] = field(default_factory=dict)
    model: Mapping[str, object] = field(default_factory=dict)

    def method(self, label: str) -> MethodEntry:
        """Find a method by its label.

        Parameters
        ----------
        label : str
            The label.

        Returns
        -------
        MethodEntry
            Its entry.

        Raises
        ------
        EngineError
            When the campaign has no such label.
        """
        for entry in self.methods:
            if entry.label == label:
                return entry
        raise EngineError(f"the campaign has no method labelled {label!r}: it has {', '.join(self.labels)}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the order in which they were added."""
        return tuple(entry.label for entry in self.methods)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Every task id of every block, once, in order."""
        return tuple(dict.fromkeys(task for block in self.blocks for task in block.tasks))

    @property
    def task_names(self) -> dict[str, str]:
        """The name beside every task id."""
        return {
            task: name for block in self.blocks for task, name in zip(block.tasks, block.names, strict=True)
        }

    @property
    def conditions(self) -> tuple[str, ...]:
        """Every condition of every block, once, in order."""
        return tuple(dict.fromkeys(name for block in self.blocks for name in block.conditions))

    def seeds_of(self, label: str) -> tuple[int, ...]:
        """Every seed a label is planned with, once, in order.

        Parameters
        ----------
        label : str
            A method's label.

        Returns
        -------
        tuple of int
            Its seeds over all blocks.
        """
        return tuple(dict.fromkeys(key.seed for key in self.grid() if key.label == label))

    def grid(self) -> tuple[RunKey, ...]:
        """Every planned run, once.

        Returns
        -------
        tuple of RunKey
            Block by block; inside a block by condition, seed, task and label, so that early results
            already cover every method.
        """
        entries = {entry.label: entry for entry in self.methods}
        keys: dict[RunKey, None] = {}
        for block in self.blocks:
            seeds = {
                label: block.seeds if block.seeds is not None else entries[label].seeds or ()
                for label in block.labels
            }
            order = tuple(dict.fromkeys(seed for label in block.labels for seed in seeds[label]))
            for condition in block.conditions:
                for seed in order:
                    for task in block.tasks:
                        for label in block.labels:
                            if seed in seeds[label]:
                                keys[RunKey(label, task, seed, condition)] = None
        return tuple(keys)


def check(spec: CampaignSpec) -> CampaignSpec:
    """Refuse a campaign that cannot be run as it stands.

    Parameters
    ----------
    spec : CampaignSpec
        The campaign.

    Returns
    -------
    CampaignSpec
        The same campaign.

    Raises
    ------
    EngineError
        With one sentence on the first thing that is wrong.
    """
    labels = spec.labels
    for label in labels:
        if not LABEL.fullmatch(label):
            raise EngineError(
                f"the label {label!r} cannot name a folder: use letters, digits, '.', '_' and '-'"
            )
        if labels.count(label) > 1:
            raise EngineError(f"the label {label!r} stands twice: give one of them another label")
    for entry in spec.methods:
        if entry.threads < 1:
            raise EngineError(f"{entry.label} has threads = {entry.threads}: at least 1 is needed")
        if entry.evaluation_limit is not None and entry.evaluation_limit < 1:
            raise EngineError(
                f"{entry.label} has evaluation_limit = {entry.evaluation_limit}: at least 1 is needed"
            )
    limits = spec.limits
    if limits.interval_s > limits.budget_s:
        raise EngineError(
            f"the interval ({limits.interval_s:g} s) is longer than the budget ({limits.budget_s:g} s): "
            "shorten it, so that a run has at least one checkpoint"
        )
    if limits.workers < 1:
        raise EngineError(f"workers = {limits.workers}: at least 1 is needed")
    if limits.memory_bytes is not None and limits.memory_bytes < 16 * 2**20:
        raise EngineError("the memory limit is below 16 MiB, where no interpreter starts: raise it")
    for key in spec.grid():
        if not 0 <= key.seed < SEED_LIMIT:
            raise EngineError(f"the seed {key.seed} of {key.label} is outside 0 ... {SEED_LIMIT - 1}")
    if not spec.grid():
        raise EngineError("the campaign has no runs: name at least one method, one task and one seed")
    return spec
