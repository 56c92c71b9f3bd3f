"""What a task is: variables, ground truth, provenance, sizes and the four splits (paper 1, table 3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks import classification

KNOWN = ("published", "derived", "inferred", "drawn", "observed", "unknown")
"""How a fact is known, from the firmest to the weakest: what provenance fields may say."""

OWN_FAMILY = "user"
"""The family of tables that a user brings."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One column of a task.

    ``low`` and ``high`` bound the training domain where it is known; ``known`` says how it is known.
    ``dummy`` marks a feature that the target does not depend on by construction (SRSD's distractors).
    """

    name: str
    description: str | None = None
    unit: str | None = None
    symbol: str | None = None
    dummy: bool = False
    low: float | None = None
    high: float | None = None
    known: str = "unknown"


@dataclass(frozen=True, slots=True)
class Constant:
    """A named constant of a ground truth and how its value is known."""

    name: str
    value: float
    known: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a task comes from and how each kind of fact about it is known.

    ``data`` is ``generated`` (target computed from the ground truth), ``observed`` (real measurements, the
    formula is a nominal law), ``stand-in`` (the original rows are not available; rows drawn as ``note``
    says) or ``imported`` (rows read from a file).
    """

    source: str
    licence: str
    formula: str
    constants: str
    ranges: str
    data: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Sizes:
    """Rows of each split; ``None`` where a split does not exist."""

    train: int
    valid: int | None
    id: int | None
    ood: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the Full Task Set, an imported task or a user's table.

    ``formula`` is Python-syntax infix over the task's own feature names (``None`` when no ground truth is
    known) and is what makes the target; ``source_formula`` keeps the source's own text. ``recipe`` holds
    every parameter from which the splits are regenerated. Tasks are equal when all their facts are.
    """

    id: str
    name: str
    family: str
    subgroup: str
    features: tuple[Variable, ...]
    target: Variable
    formula: str | None
    source_formula: str | None
    provenance: Provenance
    constants: tuple[Constant, ...]
    sizes: Sizes
    ood_type: str
    duplicate_group: str | None
    recipe: Mapping[str, Any] = field(hash=False)
    disputed: str | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The feature columns in order."""
        return tuple(variable.name for variable in self.features)

    @property
    def has_dummies(self) -> bool:
        """Whether some feature is a declared distractor."""
        return any(variable.dummy for variable in self.features)

    @property
    def formula_type(self) -> str:
        """Type by the functions and operators of the formula, see :mod:`tasks.classification`."""
        return classification.formula_type(self.formula)

    @property
    def complexity(self) -> int | None:
        """Operator count C_i of the formula (paper 1, B.3); ``None`` without a ground truth."""
        return None if self.formula is None else classification.operator_count(self.formula)

    @property
    def complexity_group(self) -> str:
        """``simple``, ``moderate`` or ``complex`` by the paper's boundaries; else ``unknown``."""
        return classification.complexity_group(self.complexity)

    @property
    def variable_bin(self) -> str:
        """Bin of the feature count: ``1``, ``2``, ``3``, ``4-5`` or ``6+``."""
        return classification.variable_bin(len(self.features))


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of one split: ``names`` in column order, ``X`` of shape (n, d), ``y`` of shape (n,); float64."""

    names: tuple[str, ...]
    X: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.y)


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """The four splits of a task; only ``train`` always exists."""

    train: Table
    valid: Table | None = None
    id: Table | None = None
    ood: Table | None = None

    def named(self) -> tuple[tuple[str, Table], ...]:
        """Return the existing splits with their names, in the order train, valid, id, ood."""
        pairs = (("train", self.train), ("valid", self.valid), ("id", self.id), ("ood", self.ood))
        return tuple((name, table) for name, table in pairs if table is not None)
