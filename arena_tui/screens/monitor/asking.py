"""What the Monitor asks the engine about one expression, and the words and steps of its views."""

from dataclasses import replace
from typing import TYPE_CHECKING

from arena_tui.screens.monitor.trajectories import METRICS, TITLES, View

if TYPE_CHECKING:
    from engine.expression.canonical import Tree
    from engine.running.records import Run


def changed(view: View, what: str) -> View:
    """Return the view after a key.

    Parameters
    ----------
    view : View
        What is drawn now.
    what : str
        ``metric`` for the next value (errors then on a logarithmic axis, others not), or the switch to turn:
        ``log``, ``best``, ``bands``, ``budget``, ``front``.

    Returns
    -------
    View
        What is drawn next. Any key but ``front`` leaves the Pareto front.
    """
    if what == "front":
        return replace(view, pareto=not view.pareto)
    view = replace(view, pareto=False)
    if what == "metric":
        after = METRICS[(METRICS.index(view.metric) + 1) % len(METRICS)]
        return replace(view, metric=after, log=after in ("id", "ood"))
    switches = {"log": view.log, "best": view.best, "bands": view.bands, "budget": view.budget}
    switches[what] = not switches[what]
    return View(view.metric, **switches)


def recalled(kept: object) -> View:
    """Return the view of the last sitting.

    Parameters
    ----------
    kept : object
        What was remembered.

    Returns
    -------
    View
        The usual one where nothing sensible was.
    """
    if not isinstance(kept, dict) or kept.get("metric") not in METRICS:
        return View()
    switches = {name: kept.get(name) is True for name in ("log", "best", "bands", "budget", "pareto")}
    return View(str(kept["metric"]), **switches)


def chart_title(view: View) -> str:
    """Name what the chart shows.

    Parameters
    ----------
    view : View
        Value and switches.

    Returns
    -------
    str
        For the pane's border.
    """
    if view.pareto:
        return "Pareto front: ID NMSE against nodes"
    words = [TITLES[view.metric]]
    words += ["log"] if view.log and view.metric != "q" else []
    words += ["best so far"] if view.best else []
    words += ["median and range of seeds"] if view.bands else []
    return ", ".join(words)


def simplified(run: "Run") -> tuple[str, str]:
    """Simplify a run's expression in a killable child.

    Parameters
    ----------
    run : Run
        A run with an expression.

    Returns
    -------
    tuple of str
        The simplified text and how it went.
    """
    from engine.expression.simplify import simplify
    from tasks import catalogue
    from tasks.errors import TaskError

    try:
        features = catalogue.get(run.task).feature_names
        text = run.expression or ""
    except TaskError:
        text = run.positional or ""
        features = tuple(f"x{index}" for index in range(_width(text)))
    found = simplify(text, features, seconds=10.0)
    return found.text, str(found.status)


def _width(positional: str) -> int:
    import re

    return 1 + max((int(digits) for digits in re.findall(r"\bx(\d+)\b", positional)), default=0)


def truth(run: "Run") -> tuple[str, str]:
    """Find the ground truth of a run's task and measure the expression against it.

    Parameters
    ----------
    run : Run
        A run, with or without an expression.

    Returns
    -------
    tuple of str
        The truth's formula, and the distance between the two canonical trees in words.

    Raises
    ------
    TaskError
        When the task is not in the catalogue.
    """
    from tasks import catalogue

    task = catalogue.get(run.task)
    if task.formula is None:
        return "not known", "the task holds observed data; there is no ground truth to compare with"
    if not run.expression:
        return task.formula, "the run has no expression to compare"
    from engine.expression.canonical import canonical_tree

    ours = canonical_tree(run.expression, task.feature_names)
    theirs = canonical_tree(task.formula, task.feature_names)
    return task.formula, difference(ours, theirs)


def difference(found: "Tree", true: "Tree") -> str:
    """Say how a found expression differs from the truth.

    Parameters
    ----------
    found, true : Tree
        Their canonical trees.

    Returns
    -------
    str
        Some lines: distance, sizes, F1 scores, and what only one of them has.
    """
    from engine.expression.similarity import similarity

    alike = similarity(true, found)
    sizes = f"{alike.predicted_complexity} nodes against {alike.reference_complexity}"
    scores = f"F1 of variables {alike.variables:.3f}, of operators {alike.operators:.3f}"
    lines = [
        f"normalized edit distance {1.0 - alike.tree:.3f} (0 is the same tree)",
        f"{sizes}; {scores}",
    ]
    ours, theirs = found.symbols | found.operators, true.symbols | true.operators
    for name, only in (("only found", ours - theirs), ("only in the truth", theirs - ours)):
        if only:
            lines.append(f"{name}: {', '.join(sorted(only))}")
    return "\n".join(lines)
