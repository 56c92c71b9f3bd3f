"""Tasks and their rows as pandas DataFrames, for notebooks and scripts.

Examples
--------
>>> from tasks import frames
>>> int(frames.tasks("@core50").groupby("family").size()["keijzer"])
2
>>> list(frames.rows("Nguyen-1", "train").columns)
['x1', 'target']
"""

import pandas as pd

from tasks import catalogue, materialize, selections, summaries
from tasks.errors import TaskError
from tasks.schema import Table


def tasks(*words: str) -> pd.DataFrame:
    """Return one row per task.

    Parameters
    ----------
    *words : str
        Ids, names and ``@sets``; the Full Task Set when nothing is given.

    Returns
    -------
    pandas.DataFrame
        Indexed by id, with the columns of :func:`tasks.summaries.row`.
    """
    chosen = selections.resolve(words or ("@full",))
    return pd.DataFrame([summaries.row(task) for task in chosen]).set_index("id")


def _frame(table: Table, target: str) -> pd.DataFrame:
    frame = pd.DataFrame(table.X, columns=list(table.names))
    frame[target] = table.y
    return frame


def rows(key: str, split: str | None = None, *, max_rows: int | None = None) -> pd.DataFrame:
    """Return the rows of a task.

    Parameters
    ----------
    key : str
        Id or unique name.
    split : str, optional
        ``train``, ``valid``, ``id`` or ``ood``; all of them when omitted, told apart by a column ``split``.
    max_rows : int, optional
        Cap on each test split, see :func:`tasks.materialize.splits`.

    Returns
    -------
    pandas.DataFrame
        Feature columns in order, then the target.

    Raises
    ------
    TaskError
        When the task or the split does not exist.
    """
    task = catalogue.get(key)
    tables = dict(materialize.splits(task, max_rows=max_rows).named())
    if split is None:
        parts = {name: _frame(table, task.target.name) for name, table in tables.items()}
        return pd.concat(parts, names=["split"]).reset_index(level="split").reset_index(drop=True)
    if split not in tables:
        raise TaskError(f"{task.id} {task.name} has no split {split!r}; it has {', '.join(tables)}")
    return _frame(tables[split], task.target.name)
