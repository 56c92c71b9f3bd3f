"""LSR-Transform: a Feynman equation solved for another variable, uniform inputs, non-real rows dropped."""

from tasks.generators import ranges
from tasks.generators.rows import accepted, cut, every_feature_outside, join
from tasks.outside import linear
from tasks.randomness import Stream
from tasks.schema import Splits, Task


def generate(task: Task) -> Splits:
    """Generate an LSR-Transform task.

    Rows are drawn until as many as the published set holds have a finite real target. The OOD split lies five
    per cent outside the declared range of every input, on both sides, without a guard at zero.

    Parameters
    ----------
    task : Task
        A task whose recipe has the rule ``lsr-transform``.

    Returns
    -------
    Splits
        The four splits.
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
    intervals = [linear(sampling["low"], sampling["high"], guard=False) for sampling in samplings]
    ood = accepted(task, sizes.ood, every_feature_outside(intervals, Stream(task.id, "ood")))
    return join(train, valid, inside, ood)
