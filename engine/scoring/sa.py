"""Symbolic accuracy (SA) of finished runs: by the deterministic verdict, or by ten votes of a model."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.judging import representable, votes
from engine.models.client import Client

SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A prediction as it was found, and the ground truth it is held against."""

    truth: str
    prediction: str
    features: tuple[str, ...]
    domain: tuple[tuple[str, float, float], ...]

    def record(self) -> dict[str, Any]:
        """Return the claim as a JSON object."""
        return {
            "truth": self.truth,
            "prediction": self.prediction,
            "features": list(self.features),
            "domain": [list(bound) for bound in self.domain],
        }


class Arbiter(Protocol):
    """Decides claims; an outcome holds ``correct`` and the evidence."""

    def dependencies(self, claim: Claim) -> Mapping[str, Any]:
        """Return everything the outcome depends on."""

    def decide(self, claims: list[Claim]) -> Iterable[tuple[Claim, dict[str, Any]]]:
        """Yield an outcome for every claim, each as soon as it is known."""


class DeterministicArbiter:
    """The offline verdict ``representable`` (SPEC 7), in killable children."""

    def dependencies(self, claim: Claim) -> Mapping[str, Any]:
        """Return the verdict's version with the claim itself."""
        return {"measure": "sa", "by": "representable", "version": representable.VERSION, **claim.record()}

    def decide(self, claims: list[Claim]) -> Iterator[tuple[Claim, dict[str, Any]]]:
        """Decide two at a time; what does not end in time is not correct, and says so."""
        from engine.expression.children import shared

        jobs = [(claim,) for claim in claims]
        for claim, outcome in zip(claims, shared().map(decided, jobs, seconds=SECONDS), strict=True):
            if outcome.status == "ok":
                yield claim, outcome.value
            else:
                yield claim, {"correct": False, "verdict": "undetermined", "detail": outcome.reason}


class VotingArbiter:
    """Ten votes of a model, unanimity counts (second paper, B.2)."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def dependencies(self, claim: Claim) -> Mapping[str, Any]:
        """Return model and number of votes with the claim itself."""
        return {
            "measure": "sa",
            "by": "votes",
            "model": self._client.endpoint.model,
            "votes": votes.VOTES,
            "temperature": votes.TEMPERATURE,
            **claim.record(),
        }

    def decide(self, claims: list[Claim]) -> Iterator[tuple[Claim, dict[str, Any]]]:
        """Ask claim by claim; raw votes are kept with the outcome, every reply in the journal."""
        for claim in claims:
            found = votes.poll(self._client, claim.truth, claim.prediction, claim.features)
            yield (
                claim,
                {
                    "correct": found.correct,
                    "verdict": found.label,
                    "detail": found.skeleton,
                    "votes": list(found.votes),
                    "responses": [reply.response_sha256 for reply in found.replies],
                },
            )


def decided(claim: Claim) -> dict[str, Any]:
    """Decide one claim; for child processes.

    Parameters
    ----------
    claim : Claim
        What to decide.

    Returns
    -------
    dict
        ``correct`` with the record of the verdict.
    """
    bounds = {name: (low, high) for name, low, high in claim.domain} or None
    found = representable.representable(claim.truth, claim.prediction, claim.features, domain=bounds)
    return {"correct": found.verdict == "representable", **found.record(), "constants": list(found.constants)}
