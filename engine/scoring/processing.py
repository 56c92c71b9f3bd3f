"""Symbolic postprocessing in stages: simplify, measure, judge. Each outcome is frozen and never redone."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from engine.judging.judges import Judge, Question
from engine.judging.records import Records
from engine.judging.verdict import Verdict
from engine.scoring.sa import Arbiter, Claim
from engine.scoring.symbolic import Measures, measured, read_measures

Progress = Callable[[str, int, int], None]
Domain = tuple[tuple[str, float, float], ...]

# Versions of our own procedures: a change makes new records and leaves the old ones in place.
SIMPLIFICATION_VERSION = 1
MEASURES_VERSION = 1
SIMPLIFY_SECONDS = 2.0
MEASURE_SECONDS = 10.0
# As many as the shared pool has children; more would only wait for them.
THREADS = 2


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression over a task's own names, with the domain it is declared on."""

    text: str
    features: tuple[str, ...]
    domain: Domain


@dataclass(frozen=True, slots=True)
class Processed:
    """The outcome of simplification; one that did not succeed keeps the original and says so."""

    text: str
    status: str
    reason: str | None


class Simplifier(Protocol):
    """Shortens expressions without changing their meaning."""

    def dependencies(self, expression: Expression) -> Mapping[str, Any]:
        """Return everything the outcome depends on."""

    def process(self, expressions: list[Expression]) -> Iterable[tuple[Expression, Processed]]:
        """Yield an outcome for every expression, in any order, each as soon as it is known."""


class DeterministicSimplifier:
    """Our own simplification, in killable children under a hard limit (issue 4)."""

    def dependencies(self, expression: Expression) -> Mapping[str, Any]:
        """Return the procedure's version with the expression itself."""
        return {
            "simplifier": "deterministic",
            "version": SIMPLIFICATION_VERSION,
            "text": expression.text,
            "features": list(expression.features),
            "domain": [list(bound) for bound in expression.domain],
        }

    def process(self, expressions: list[Expression]) -> Iterable[tuple[Expression, Processed]]:
        """Simplify two at a time."""
        with ThreadPoolExecutor(THREADS) as pool:
            yield from zip(expressions, pool.map(_simplified, expressions), strict=True)


class Postprocessing:
    """The three stages over one campaign's frozen records.

    Parameters
    ----------
    records : Records
        Where outcomes are kept.
    progress : callable
        Told (stage, done, total).
    """

    def __init__(self, records: Records, progress: Progress) -> None:
        self.records = records
        self._progress = progress

    def simplified(
        self, expressions: Iterable[Expression], simplifier: Simplifier
    ) -> dict[Expression, Processed]:
        """Simplify every distinct expression that is not frozen yet.

        Parameters
        ----------
        expressions : iterable of Expression
            Predictions and references alike.
        simplifier : Simplifier
            The procedure.

        Returns
        -------
        dict of Expression to Processed
            One for each.
        """
        wanted = list(dict.fromkeys(expressions))
        found: dict[Expression, Processed] = {}
        fresh: list[Expression] = []
        for expression in wanted:
            known = self.records.get("simplifications", simplifier.dependencies(expression))
            if known is None:
                fresh.append(expression)
            else:
                found[expression] = Processed(**known.outcome)
        for done, (expression, processed) in enumerate(simplifier.process(fresh), 1):
            outcome = {"text": processed.text, "status": processed.status, "reason": processed.reason}
            self.records.freeze("simplifications", simplifier.dependencies(expression), outcome)
            found[expression] = processed
            self._progress("simplifying", done, len(fresh))
        return found

    def measures(
        self, pairs: Iterable[tuple[Expression, str]]
    ) -> dict[tuple[Expression, str], Measures | None]:
        """Measure every distinct pair of a processed prediction and its processed reference.

        Parameters
        ----------
        pairs : iterable of (Expression, str)
            The processed prediction, and the reference's text over the same columns.

        Returns
        -------
        dict of pair to Measures or None
            None where the canonical trees could not be built within the limit.
        """
        from engine.expression.children import shared

        found: dict[tuple[Expression, str], Measures | None] = {}
        fresh: list[tuple[Expression, str]] = []
        for pair in dict.fromkeys(pairs):
            known = self.records.get("measures", _measure_dependencies(pair))
            if known is None:
                fresh.append(pair)
            else:
                found[pair] = None if "failed" in known.outcome else read_measures(known.outcome)
        jobs = [(p.text, reference, p.features, _bounds(p.domain)) for p, reference in fresh]
        outcomes = shared().map(measured, jobs, seconds=MEASURE_SECONDS)
        for done, (pair, outcome) in enumerate(zip(fresh, outcomes, strict=True), 1):
            record = outcome.value if outcome.status == "ok" else {"failed": outcome.reason}
            self.records.freeze("measures", _measure_dependencies(pair), record)
            found[pair] = read_measures(record) if outcome.status == "ok" else None
            self._progress("measuring", done, len(fresh))
        return found

    def accuracies(self, claims: Iterable[Claim], arbiter: Arbiter) -> dict[Claim, bool]:
        """Decide SA of every distinct claim that is not frozen yet.

        Parameters
        ----------
        claims : iterable of Claim
            Predictions as found, with their truths.
        arbiter : Arbiter
            Who decides.

        Returns
        -------
        dict of Claim to bool
            Whether the prediction counts as symbolically correct.
        """
        found: dict[Claim, bool] = {}
        fresh: list[Claim] = []
        for claim in dict.fromkeys(claims):
            known = self.records.get("measures", arbiter.dependencies(claim))
            if known is None:
                fresh.append(claim)
            else:
                found[claim] = bool(known.outcome["correct"])
        for done, (claim, outcome) in enumerate(arbiter.decide(fresh), 1):
            self.records.freeze("measures", arbiter.dependencies(claim), outcome)
            found[claim] = bool(outcome["correct"])
            self._progress("deciding SA", done, len(fresh))
        return found

    def verdicts(self, questions: Iterable[Question], judge: Judge) -> dict[Question, Verdict]:
        """Judge every distinct question that is not frozen yet.

        Parameters
        ----------
        questions : iterable of Question
            Equivalence with references, and structure of seed pairs.
        judge : Judge
            Who decides.

        Returns
        -------
        dict of Question to Verdict
            Corrections applied.
        """
        found: dict[Question, Verdict] = {}
        fresh: list[Question] = []
        for question in dict.fromkeys(questions):
            known = self.records.verdict(judge.dependencies(question))
            if known is None:
                fresh.append(question)
            else:
                found[question] = known
        for done, (question, verdict) in enumerate(judge.decide(fresh), 1):
            self.records.freeze("verdicts", judge.dependencies(question), verdict.record())
            found[question] = verdict
            self._progress("judging", done, len(fresh))
        return found


def _simplified(expression: Expression) -> Processed:
    from engine.expression.simplify import simplify

    outcome = simplify(
        expression.text, expression.features, seconds=SIMPLIFY_SECONDS, domain=_bounds(expression.domain)
    )
    return Processed(outcome.text, outcome.status, outcome.reason)


def _bounds(domain: Domain) -> dict[str, tuple[float, float]] | None:
    return {name: (low, high) for name, low, high in domain} or None


def _measure_dependencies(pair: tuple[Expression, str]) -> dict[str, Any]:
    import sympy

    prediction, reference = pair
    return {
        "version": MEASURES_VERSION,
        "sympy": sympy.__version__,
        "prediction": prediction.text,
        "reference": reference,
        "features": list(prediction.features),
        "domain": [list(bound) for bound in prediction.domain],
    }
