"""A pool of tasks with everything measured about it: the ground every selection and selector stands on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.distilling import labels as labelling
from engine.distilling.descriptors import response_descriptors, similarity, structural_descriptors
from engine.distilling.facts import TaskFacts
from engine.distilling.information import Information, measure
from engine.distilling.labels import Labels, LabelSource
from engine.distilling.responses import Responses
from engine.errors import EngineError


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """N tasks in id order, their responses and what follows from them.

    Attributes
    ----------
    facts : tuple of TaskFacts
        N facts.
    responses : Responses
        Of P probes.
    information : Information
        Disc, Stab, Info, Difficulty.
    labels : Labels
        Published or computed.
    structural, response : numpy.ndarray
        (N, N) similarities.
    notes : tuple of str
        Sentences for the user, such as which tasks were excluded.
    """

    facts: tuple[TaskFacts, ...]
    responses: Responses
    information: Information
    labels: Labels
    structural: NDArray[np.floating]
    response: NDArray[np.floating]
    notes: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Task ids in order."""
        return self.responses.tasks

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which tasks have a valid response of at least one probe; the others are never selected (C.3)."""
        return np.asarray((self.responses.valid > 0).any(axis=1))

    def places(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """Return the rows of tasks.

        Parameters
        ----------
        ids : sequence of str
            Task ids.

        Returns
        -------
        numpy.ndarray
            int64, sorted, each once.

        Raises
        ------
        EngineError
            When an id is not in the pool or occurs twice.
        """
        place = {task: row for row, task in enumerate(self.ids)}
        unknown = [task for task in ids if task not in place]
        if unknown:
            raise EngineError(
                f"{len(unknown)} of {len(ids)} tasks have no responses in this pool, the first {unknown[0]}"
            )
        rows = sorted({place[task] for task in ids})
        if len(rows) < len(ids):
            twice = next(task for index, task in enumerate(ids) if task in ids[:index])
            raise EngineError(
                f"task {twice} is listed twice: {len(ids)} entries hold {len(rows)} distinct ids"
            )
        return np.asarray(rows, dtype=np.int64)


def build_pool(facts: Sequence[TaskFacts], responses: Responses, labels: LabelSource = "published") -> Pool:
    """Join facts and responses, and measure everything.

    Parameters
    ----------
    facts : sequence of TaskFacts
        Facts about at least the tasks of `responses`.
    responses : Responses
        Of every probe on every task of the pool.
    labels : str
        ``published`` or ``computed``.

    Returns
    -------
    Pool
        The pool is the set of tasks with responses.

    Raises
    ------
    EngineError
        When a task with responses is unknown, an id occurs twice, or labels are missing.
    """
    known = {fact.id: fact for fact in facts}
    if len(known) < len(facts):
        ids = [fact.id for fact in facts]
        twice = next(task for index, task in enumerate(ids) if task in ids[:index])
        raise EngineError(f"task {twice} occurs twice among the task facts; keep one")
    unknown = [task for task in responses.tasks if task not in known]
    if unknown:
        raise EngineError(
            f"{len(unknown)} tasks with responses are not known, the first {unknown[0]}; "
            "they are neither in the catalogue nor in the facts table (--facts)"
        )
    own = tuple(known[task] for task in responses.tasks)
    if len(own) < 2:
        raise EngineError("the pool has a single task; there is nothing to distill")
    empty = [fact for fact in own if not (responses.valid[responses.tasks.index(fact.id)] > 0).any()]
    notes = []
    if empty:
        shown = ", ".join(fact.id for fact in empty[:8]) + (", ..." if len(empty) > 8 else "")
        notes.append(
            f"{len(empty)} task{'s have' if len(empty) > 1 else ' has'} no valid response of any probe and "
            f"cannot be selected: {shown}"
        )
    chosen = labelling.published(own, responses) if labels == "published" else labelling.computed(responses)
    return Pool(
        facts=own,
        responses=responses,
        information=measure(responses),
        labels=chosen,
        structural=similarity(structural_descriptors(own)[0]),
        response=similarity(response_descriptors(responses)[0]),
        notes=tuple(notes),
    )
