"""A child process that lays tasks out for the engine as plain arrays, so that the engine stays small.

Reads task ids, one a line; makes ``FOLDER/ID/{train,id,ood}-{X,y}.npy`` and ``facts.json``; answers with one
line of JSON each. Started as ``python -m engine.running.preparing FOLDER CAMPAIGN``.
"""

import errno
import json
import sys
from pathlib import Path

import numpy as np

from engine.errors import EngineError
from engine.running import user_data
from tasks import semantics
from tasks.errors import TaskError

FACTS = "facts.json"
SPLITS = ("train", "id", "ood")
_OF_THE_MACHINE = {
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE,
    errno.ENOMEM,
}  # fmt: skip


def prepare(folder: Path, campaign: Path, identifier: str) -> None:
    """Lay one task out.

    Parameters
    ----------
    folder : pathlib.Path
        Where the arrays go.
    campaign : pathlib.Path
        The campaign, for its own copies of users' tables.
    identifier : str
        Task id.
    """
    task = user_data.task(campaign, identifier)
    splits = user_data.splits(campaign, identifier)
    home = folder / identifier
    home.mkdir(parents=True, exist_ok=True)
    for name in SPLITS:
        table = getattr(splits, name)
        if table is not None and table.rows:
            np.save(home / f"{name}-X.npy", np.ascontiguousarray(table.X, dtype=np.float64))
            np.save(home / f"{name}-y.npy", np.ascontiguousarray(table.y, dtype=np.float64))
    facts = {
        "id": task.id,
        "name": task.name,
        "features": list(task.feature_names),
        "target": task.target.name,
        "noise_key": user_data.noise_key(task, splits),
        # never the variables themselves: which column is a distractor must not reach a worker
        "descriptions": semantics.as_request(task),
    }
    (home / FACTS).write_text(json.dumps(facts, allow_nan=False), encoding="utf-8")


def is_the_machines(error: BaseException) -> bool:
    """Tell an error of this machine, which is over once somebody has seen to it, from one of the task.

    Parameters
    ----------
    error : BaseException
        What kept a task from being laid out.

    Returns
    -------
    bool
        True for a full or read-only disk, lacking rights, files or memory, behind whatever sentence.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError) or (isinstance(cause, OSError) and cause.errno in _OF_THE_MACHINE):
            return True
        cause = cause.__cause__
    return False


def main() -> None:
    """Serve requests until the input ends."""
    folder, campaign = Path(sys.argv[1]), Path(sys.argv[2])
    for line in sys.stdin:
        identifier = line.strip()
        try:
            prepare(folder, campaign, identifier)
            answer: dict[str, object] = {"ok": True}
        except (TaskError, EngineError, OSError, MemoryError) as error:
            answer = {"ok": False, "reason": str(error), "machine": is_the_machines(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
