"""What a judge says about a pair of expressions, and on what evidence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Word = Literal["equivalent", "same_structure", "different", "undetermined", "not_applicable"]
# SPEC 3. ``canonical``: equal normal forms; ``symbolic``: a proof; ``numerical``: agreement to 1e-12 at 64
# digits at many points of the domain; ``witness``: a point where the two differ; ``structure``: equal after
# the constants are abstracted; ``model``: a language model's judgment.
Evidence = Literal["canonical", "symbolic", "numerical", "witness", "structure", "model", "none"]


@dataclass(frozen=True, slots=True)
class Witness:
    """A point where two expressions differ, with both values to twenty digits or ``undefined``."""

    point: Mapping[str, float]
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict with its evidence.

    ``same_structure`` carries the witness that refutes equivalence as well.
    """

    verdict: Word
    evidence: Evidence
    detail: str
    witness: Witness | None = None

    @property
    def consistent(self) -> bool:
        """Whether STAB counts the pair (paper 1, E.5)."""
        return self.verdict in {"equivalent", "same_structure"}

    def record(self) -> dict[str, Any]:
        """Return the verdict as a JSON object."""
        return asdict(self)


def read_verdict(record: Mapping[str, Any]) -> Verdict:
    """Return the verdict of a JSON object."""
    witness = record.get("witness")
    return Verdict(
        record["verdict"],
        record["evidence"],
        record["detail"],
        None if witness is None else Witness(witness["point"], witness["a"], witness["b"]),
    )
