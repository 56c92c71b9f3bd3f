"""A child process that lays tasks out for the engine as plain arrays, so that the engine stays small.

Reads task ids, one a line; makes ``FOLDER/ID/{train,id,ood}-{X,y}.npy`` and ``facts.json``; answers with one
line of JSON each. Started as ``python -m engine.running.preparing FOLDER CAMPAIGN``.
"""

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


def main() -> None:
    """Serve requests until the input ends."""
    folder, campaign = Path(sys.argv[1]), Path(sys.argv[2])
    for line in sys.stdin:
        identifier = line.strip()
        try:
            prepare(folder, campaign, identifier)
            answer = {"ok": True}
        except (TaskError, EngineError, OSError, MemoryError) as error:
            answer = {"ok": False, "reason": str(error)}  # type: ignore[dict-item]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
