"""Follows the record of one attempt: new incumbents, and whether and how the method returned."""

import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.running import layout, store
from engine.running.checkpoints import evaluation_of, incumbent_of, number
from engine.running.records import Evaluation, Incumbent


class Tail:
    """What the engine has read of one attempt, and which incumbents it has still to evaluate.

    Parameters
    ----------
    attempt : pathlib.Path
        The attempt's folder. What earlier engines evaluated is read back from it.
    """

    def __init__(self, attempt: Path) -> None:
        self.attempt = attempt
        self.incumbents: list[Incumbent] = []
        self.evaluations: dict[int, Evaluation] = {}
        self.by_text: dict[str, Evaluation] = {}
        self.pending: deque[Incumbent] = deque()
        self.began = False
        self.final: dict[str, Any] | None = None
        self.returned: float | None = None
        self.failure: dict[str, Any] | None = None
        self._path = str(attempt / layout.INCUMBENTS)
        self._offset = 0
        self._known = {
            record["index"]: evaluation_of(record)
            for record in store.read_lines(attempt / layout.EVALUATIONS, ended=True).records
            if isinstance(record.get("index"), int)
        }

    def read(self, *, ended: bool = False) -> bool:
        """Read what the worker wrote since the last call.

        Parameters
        ----------
        ended : bool
            Whether the worker is gone, so that a torn last line will not be finished.

        Returns
        -------
        bool
            Whether there was anything.
        """
        try:
            if os.stat(self._path).st_size <= self._offset:  # noqa: PTH116 - two hundred runs, five times a second
                return False
        except OSError:
            return False
        lines = store.read_lines(Path(self._path), self._offset, ended=ended)
        self._offset = lines.offset
        for line in lines.records:
            self._take(line)
        return bool(lines.records)

    def _take(self, line: Mapping[str, Any]) -> None:
        event = line.get("event")
        if event == "incumbent":
            incumbent = incumbent_of(line, len(self.incumbents))
            if incumbent is not None:
                self.incumbents.append(incumbent)
                known = self._known.get(incumbent.index)
                if known is None:
                    self.pending.append(incumbent)
                else:
                    self.store(incumbent, known)
        elif event == "fit-began":
            self.began = True
        elif event == "final":
            self.final = dict(line)
            self._returned(number(line.get("t")))
        elif event == "fit-ended":
            self._returned(number(line.get("ended", line.get("t"))))
        elif event == "failed":
            self.failure = dict(line)

    def _returned(self, t: float | None) -> None:
        if t is not None:
            self.returned = t if self.returned is None else min(self.returned, t)

    def store(self, incumbent: Incumbent, evaluation: Evaluation) -> None:
        """Note an incumbent's evaluation.

        Parameters
        ----------
        incumbent : Incumbent
            The incumbent.
        evaluation : Evaluation
            What was found.
        """
        self.evaluations[incumbent.index] = evaluation
        self.by_text[incumbent.text] = evaluation

    def last_auditable(self, budget: float) -> Incumbent | None:
        """Find the last incumbent at or before the end of the budget that can be read as an expression.

        Parameters
        ----------
        budget : float
            Seconds.

        Returns
        -------
        Incumbent or None
            The last one that parses; where none does, the last one at all.
        """
        within = [incumbent for incumbent in self.incumbents if incumbent.t <= budget]
        for incumbent in reversed(within):
            evaluation = self.evaluations.get(incumbent.index)
            if evaluation is not None and evaluation.status != "unparsable":
                return incumbent
        return within[-1] if within else None
