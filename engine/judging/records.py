"""Frozen judgments: append-only, keyed by a hash of all they depend on, corrected by linked records only.

A campaign has ``judgments/simplifications.jsonl``, ``verdicts.jsonl``, ``measures.jsonl`` and
``corrections.jsonl``. The first record of a key stands; a correction names the key, leaves the original in
place and is what aggregation uses (paper 1, E.3).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from engine.errors import EngineError
from engine.judging.verdict import Verdict, read_verdict
from engine.models.journal import Journal, lines
from engine.models.request import sha256

FOLDER = "judgments"
Kind = Literal["simplifications", "verdicts", "measures"]
KINDS: tuple[Kind, ...] = ("simplifications", "verdicts", "measures")
CORRECTIONS = "corrections"


@dataclass(frozen=True, slots=True)
class Frozen:
    """One record: its key, what it depends on, and what was decided."""

    key: str
    dependencies: Mapping[str, Any]
    outcome: Mapping[str, Any]
    frozen: str
    corrected: bool = False


def key_of(dependencies: Mapping[str, Any]) -> str:
    """Return the key of a record: the SHA-256 of its dependencies as canonical JSON."""
    return sha256(dict(dependencies))


class Records:
    """The frozen judgments of one campaign.

    Parameters
    ----------
    campaign : Path
        The campaign folder; ``judgments`` is made below it on the first write.
    """

    def __init__(self, campaign: Path) -> None:
        self.folder = campaign / FOLDER
        self._kept: dict[Kind, dict[str, Frozen]] = {kind: {} for kind in KINDS}
        for kind in KINDS:
            for line in lines(self._file(kind)):
                if _whole(line):
                    self._kept[kind].setdefault(
                        line["key"],
                        Frozen(line["key"], line["dependencies"], line["outcome"], line["frozen"]),
                    )
        self._corrections = {
            line["key"]: line for line in lines(self._file(CORRECTIONS)) if isinstance(line.get("key"), str)
        }

    def get(self, kind: Kind, dependencies: Mapping[str, Any]) -> Frozen | None:
        """Find the record with exactly these dependencies.

        Parameters
        ----------
        kind : str
            Which file.
        dependencies : mapping
            Everything the outcome depends on.

        Returns
        -------
        Frozen or None
            With the outcome of its latest correction, when there is one.
        """
        found = self._kept[kind].get(key_of(dependencies))
        return None if found is None else self._current(kind, found)

    def freeze(self, kind: Kind, dependencies: Mapping[str, Any], outcome: Mapping[str, Any]) -> Frozen:
        """Keep an outcome for ever; a key that is frozen already keeps what it has.

        Parameters
        ----------
        kind : str
            Which file.
        dependencies, outcome : mapping
            JSON objects.

        Returns
        -------
        Frozen
            The record that stands.
        """
        key = key_of(dependencies)
        known = self._kept[kind].get(key)
        if known is not None:
            return known
        record = Frozen(key, dict(dependencies), dict(outcome), _now())
        Journal(self._file(kind)).append(
            {
                "key": key,
                "dependencies": record.dependencies,
                "outcome": record.outcome,
                "frozen": record.frozen,
            }
        )
        self._kept[kind][key] = record
        return record

    def correct(self, key: str, verdict: Verdict, *, reason: str, by: str) -> None:
        """Link a correction to a frozen verdict, which itself stays as it is.

        Parameters
        ----------
        key : str
            The verdict's key.
        verdict : Verdict
            What the audit found.
        reason, by : str
            Why, and who.

        Raises
        ------
        EngineError
            When there is no such verdict.
        """
        if key not in self._kept["verdicts"]:
            raise EngineError(f"no frozen verdict has the key {key[:16]}: see {self._file('verdicts')}")
        line = {"key": key, "outcome": verdict.record(), "reason": reason, "by": by, "time": _now()}
        Journal(self._file(CORRECTIONS)).append(line)
        self._corrections[key] = line

    def verdict(self, dependencies: Mapping[str, Any]) -> Verdict | None:
        """Return the verdict that stands for these dependencies."""
        found = self.get("verdicts", dependencies)
        return None if found is None else read_verdict(found.outcome)

    def all(self, kind: Kind) -> Iterator[Frozen]:
        """Yield every record of a kind, corrections applied."""
        for record in self._kept[kind].values():
            yield self._current(kind, record)

    def _current(self, kind: Kind, record: Frozen) -> Frozen:
        correction = self._corrections.get(record.key) if kind == "verdicts" else None
        if correction is None:
            return record
        return Frozen(
            record.key, record.dependencies, correction["outcome"], correction["time"], corrected=True
        )

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"


def intransitive(verdicts: Mapping[tuple[int, int], Verdict], count: int) -> list[tuple[int, int, int]]:
    """List the triples of runs whose pair verdicts contradict each other (paper 1, E.5).

    Parameters
    ----------
    verdicts : mapping of (i, j), i < j, to Verdict
        Pair verdicts of one group of repeated runs.
    count : int
        Number of runs.

    Returns
    -------
    list of (int, int, int)
        Triples in which exactly two of three pairs are consistent.
    """
    triples = []
    for i in range(count):
        for j in range(i + 1, count):
            for k in range(j + 1, count):
                sides = [verdicts.get(pair) for pair in ((i, j), (j, k), (i, k))]
                if sum(side is not None and side.consistent for side in sides) == 2:
                    triples.append((i, j, k))
    return triples


def _whole(line: Mapping[str, Any]) -> bool:
    return (
        isinstance(line.get("key"), str)
        and isinstance(line.get("dependencies"), dict)
        and isinstance(line.get("outcome"), dict)
        and isinstance(line.get("frozen"), str)
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
