"""Feynman equations of SRBench 1.0: uniform rows on the published ranges, cut 8:1:1."""

from tasks.generators import ranges
from tasks.generators.rows import accepted, cut, every_feature_outside, join
from tasks.randomness import Stream
from tasks.schema import Splits, Task


def generate(task: Task) -> Splits:
    """Generate a Feynman task: as many rows as the arena used, and an OOD split with every feature outside.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``feynman``.

    Returns
    -------
    Splits
        The four splits; rows without a finite target are redrawn.
    """
    sizes = task.sizes
    assert sizes.valid is not None
    assert sizes.id is not None
    assert sizes.ood is not None
    samplings = [task.recipe["sampling"][name] for name in task.feature_names]
    parts = (sizes.train, sizes.valid, sizes.id)
    stream = Stream(task.id, "inside")
    whole = accepted(task, sum(parts), lambda count: ranges.rows(samplings, stream, count))
    train, valid, inside = cut(whole, Stream(task.id, "split").permutation(whole.rows), parts)
    intervals = ranges.outside_training(samplings, train)
    ood = accepted(task, sizes.ood, every_feature_outside(intervals, Stream(task.id, "ood")))
    return join(train, valid, inside, ood)
