"""What scoring asks of any judge, and the deterministic one in that role."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from engine.judging import deterministic
from engine.judging.points import Domain
from engine.judging.verdict import Verdict

Asked = Literal["equivalence", "structure"]
Progress = Callable[[str, int, int], None]
# The shared pool has two children for proofs; more threads would only wait for them.
THREADS = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to be judged: a processed prediction with its reference, or two predictions of a seed pair.

    A ``structure`` question never holds the ground truth (paper 1, E.3). ``protocol`` carries what else a
    judgment must not outlive: operator semantics and provenance that a model judge is told.
    """

    kind: Asked
    a: str
    b: str
    features: tuple[str, ...]
    domain: tuple[tuple[str, float, float], ...] = ()

    def bounds(self) -> Domain | None:
        """Return the declared domain as a mapping; None when nothing is declared."""
        return {name: (low, high) for name, low, high in self.domain} or None

    def record(self) -> dict[str, Any]:
        """Return the question as a JSON object."""
        return {
            "kind": self.kind,
            "a": self.a,
            "b": self.b,
            "features": list(self.features),
            "domain": [list(bound) for bound in self.domain],
        }


class Judge(Protocol):
    """Decides questions; the same dependencies always mean that the same verdict may be reused."""

    @property
    def name(self) -> str:
        """Short name for tables."""

    def dependencies(self, question: Question) -> Mapping[str, Any]:
        """Return everything a verdict on the question depends on."""

    def decide(self, questions: Sequence[Question]) -> Iterator[tuple[Question, Verdict]]:
        """Yield a verdict for every question, in any order, each as soon as it is known."""


class DeterministicJudge:
    """The default judge (SPEC 3)."""

    name = "deterministic"

    def dependencies(self, question: Question) -> Mapping[str, Any]:
        """Return the judge's name and version with the question itself."""
        return {"judge": self.name, "version": deterministic.VERSION, **question.record()}

    def decide(self, questions: Sequence[Question]) -> Iterator[tuple[Question, Verdict]]:
        """Judge every question, two at a time."""
        with ThreadPoolExecutor(THREADS) as pool:
            yield from zip(questions, pool.map(_decided, questions), strict=True)


def _decided(question: Question) -> Verdict:
    return deterministic.judge(question.a, question.b, question.features, domain=question.bounds())
