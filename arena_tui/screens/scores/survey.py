"""What the Scores screen asks the engine for: a campaign's scores, and how they lie side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.scoring.analysis import Comparison, NoiseChange
    from engine.scoring.campaign import Scores
    from engine.scoring.correlation import Correlation
    from engine.scoring.evidence import Evidence
    from engine.scoring.rows import RunScore
    from engine.scoring.tradeoffs import Measure, Point

Record = Mapping[str, Any]

DETERMINISTIC = "deterministic"
EXPORTS = (
    ("latex", "tables for a paper"),
    ("csv", "every run and method"),
    ("parquet", "the same tables as Parquet"),
    ("plots", "figures, PNG and SVG"),
    ("bundle", "all of it, to share"),
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A campaign's scores, its methods as records on the 0 to 100 scale, and the paper's rows."""

    folder: Path
    scores: "Scores"
    methods: Sequence[Record]
    published: Sequence[Record]

    def runs(self, condition: str, label: str | None = None, task: str | None = None) -> "list[RunScore]":
        """List the runs of a condition; of one method or task only when they are given."""
        return [
            run
            for run in self.scores.runs
            if run.condition == condition and label in (None, run.label) and task in (None, run.task)
        ]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two methods compared on an axis, with both means of every task they share, in [0, 1]."""

    found: "Comparison"
    cells: Sequence[tuple[str, float, float]]


@dataclass(frozen=True, slots=True)
class Relations:
    """How the axes go together over the campaign's methods, and over the paper's."""

    condition: str
    own: "Sequence[Correlation]"
    published: "Sequence[Correlation]"


def read(folder: Path) -> Scored | None:
    """Read the tables that an earlier scoring left.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.

    Returns
    -------
    Scored or None
        None when it has not been scored yet.
    """
    from engine.scoring.restoring import restored

    scores = restored(folder)
    return None if scores is None else _scored(folder, scores)


def compute(folder: Path, told: Callable[[str, int, int], None]) -> Scored:
    """Score the campaign with the deterministic judge; what was judged before is reused.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.
    told : callable
        Told (stage, done, total) from the thread that scores.

    Returns
    -------
    Scored
    """
    from engine.scoring import tables
    from engine.scoring.campaign import score

    scores = score(folder, progress=told)
    tables.save(scores)
    return _scored(folder, scores)


def ended_since(scored: Scored) -> int:
    """Count the runs that have ended, or ended otherwise, since the campaign was scored."""
    from engine.running import reader

    known = {run.id: run.status for run in scored.scores.runs}
    return sum(
        run.ended and run.status != known.get(run.id) for run in reader.read_campaign(scored.folder).runs
    )


def replaced(scored: Scored | None) -> str | None:
    """Say what scoring with the deterministic judge would put aside; None when nothing."""
    if scored is None:
        return None
    scores = scored.scores
    if scores.judge != DETERMINISTIC:
        return f"These scores are by the judge: {scores.judge}."
    if any(run.sa is not None for run in scores.runs):
        return "These scores have SA, which is decided by arena-tui score --sa only."
    return None


def export_as(folder: Path, kind: str, out: Path, with_published: bool) -> list[Path]:
    """Write a campaign's tables or figures as they are shown, by whoever judged; scored first if need be.

    Parameters
    ----------
    folder : pathlib.Path
        The campaign.
    kind : str
        One of `EXPORTS`.
    out : pathlib.Path
        The folder to write into.
    with_published : bool
        Whether the paper's rows are added, marked.

    Returns
    -------
    list of pathlib.Path
        The files written.
    """
    from engine.scoring import tables
    from engine.scoring.campaign import score
    from engine.scoring.export import export
    from engine.scoring.restoring import restored

    scores = restored(folder)
    if scores is None:
        scores = score(folder)
        tables.save(scores)
    return export(scores, kind, out.expanduser(), with_published=with_published)


def pairs(scored: Scored, condition: str) -> tuple[Pair, ...]:
    """Compare all methods with one another, axis by axis and task by task.

    Parameters
    ----------
    scored : Scored
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    tuple of Pair
    """
    from engine.scoring.analysis import comparisons, task_means
    from engine.scoring.rows import AXES

    names = {run.task: run.name for run in scored.scores.runs}
    means = {axis: task_means(scored.scores, axis, condition) for axis in AXES}
    made = []
    for found in comparisons(scored.scores, condition):
        a, b = means[found.axis][found.a], means[found.axis][found.b]
        common = sorted(a.keys() & b.keys(), key=lambda task, a=a, b=b: (-abs(a[task] - b[task]), task))  # type: ignore[misc]
        made.append(Pair(found, [(names[task], a[task], b[task]) for task in common]))
    return tuple(made)


def relations(scored: Scored, condition: str) -> Relations:
    """Correlate the axes over the methods of the campaign, and over the paper's.

    Parameters
    ----------
    scored : Scored
        A campaign's scores.
    condition : str
        Training condition.

    Returns
    -------
    Relations
    """
    from engine.scoring.correlation import between_axes

    own = [record for record in scored.methods if record["condition"] == condition]
    theirs = [record for record in scored.published if record["condition"] == condition]
    return Relations(condition, between_axes(own), between_axes(theirs))


def noise(scored: Scored) -> "tuple[NoiseChange, ...]":
    """Compare every noisy condition with clean, method by method and axis by axis."""
    from engine.scoring.analysis import noise_changes

    return noise_changes(scored.scores)


def trade_offs(
    scored: Scored, condition: str, measure: "Measure", task: str | None = None
) -> "tuple[Point, ...]":
    """Lay out what accuracy costs.

    Parameters
    ----------
    scored : Scored
        A campaign's scores.
    condition : str
        Training condition.
    measure : str
        See `engine.scoring.tradeoffs.points`.
    task : str, optional
        The task whose runs are laid out, for the measure ``task``.

    Returns
    -------
    tuple of Point
    """
    from engine.scoring.tradeoffs import points

    return points(scored.runs(condition, task=task if measure == "task" else None), measure)


def evidence(folder: Path) -> "Evidence":
    """Read every frozen judgment of a campaign."""
    from engine.scoring.evidence import Evidence

    return Evidence(folder)


def _scored(folder: Path, scores: "Scores") -> Scored:
    from engine.scoring.published import published

    theirs = [
        {"label": row.algorithm, "condition": row.condition, "paradigm": row.paradigm, **row.axes}
        for row in published()
    ]
    return Scored(folder, scores, [method.flat() for method in scores.methods], theirs)
