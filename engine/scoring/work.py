"""How much symbolic postprocessing a campaign needs, counted without doing any."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from engine.running import reader
from engine.running.records import CANCELLED
from engine.scoring.references import references
from engine.scoring.search import pairs


@dataclass(frozen=True, slots=True)
class Work:
    """Distinct expressions to simplify, distinct pairs to judge, and the characters in all of them."""

    expressions: int
    pairs: int
    characters: int


def work_of(folder: Path) -> Work:
    """Count the work of a campaign; what is frozen already is counted as well.

    Parameters
    ----------
    folder : Path
        The campaign folder.

    Returns
    -------
    Work
        An upper bound: simplification makes some pairs equal.
    """
    campaign = reader.read_campaign(folder)
    tasks, _ = references(campaign.folder, sorted({run.task for run in campaign.runs}))
    texts: set[tuple[str, str]] = set()
    asked: set[tuple[str, str, str]] = set()
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for run in campaign.runs:
        task = tasks.get(run.task)
        if not run.ended or run.status == CANCELLED or run.final_status != "ok" or task is None:
            continue
        expression = run.expression or ""
        texts.add((run.task, expression))
        groups[run.label, run.condition, run.task].append(expression)
        if task.formula is not None:
            texts.add((run.task, task.formula))
            asked.add((run.task, expression, task.formula))
    for (_, _, name), found in groups.items():
        for i, j in pairs(len(found)):
            first, second = sorted((found[i], found[j]))
            asked.add((name, first, second))
    characters = sum(len(text) for _, text in texts) + sum(len(a) + len(b) for _, a, b in asked)
    return Work(len(texts), len(asked), characters)
