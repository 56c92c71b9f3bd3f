"""Rows and words of the Tasks screen, made from the catalogue."""

from collections.abc import Sequence

from arena_tui.widgets.plain import printable
from arena_tui.widgets.table import Column, Row
from tasks import catalogue, labels
from tasks.schema import Task, Variable

_DIFFICULTY = ("easy", "medium", "hard", "extreme")
_DASH = "–"


def _text(value: object) -> str:
    return _DASH if value is None else str(value)


def _difficulty_order(value: object) -> object:
    return _DIFFICULTY.index(str(value)) if value in _DIFFICULTY else len(_DIFFICULTY)


def _difficulty_tone(value: object) -> str:
    return {"easy": "good", "hard": "fair", "extreme": "bad"}.get(str(value), "")


COLUMNS = (
    Column("id", "id", 6),
    Column("name", "name", 18, grow=3),
    Column("family", "family", 13, grow=1),
    Column("subgroup", "subgroup", 15, grow=1),
    Column("d", "d", 3, right=True, show=_text),
    Column("ops", "ops", 4, right=True, show=_text),
    Column("type", "type", 16, grow=1),
    Column("difficulty", "difficulty", 10, tone=_difficulty_tone, order=_difficulty_order, show=_text),
    Column("failure", "failure", 16, show=_text),
    Column("probe", "winner", 10, show=_text),
    Column("core50", "core50", 6, show=lambda value: "★" if value else ""),
    Column("cal", "cal", 4, show=lambda value: str(value or "")),
    Column("train", "train", 7, right=True, show=_text),
    Column("test", "id test", 7, right=True, show=_text),
    Column("ood", "ood", 7, right=True, show=_text),
    Column("shift", "ood shift", 22, show=_text),
    Column("eligibility", "eligibility", 13, show=_text),
    Column("data", "data", 10, show=_text),
    Column("formula", "formula", 24, show=_text),
    Column("duplicates", "duplicate group", 40, show=_text),
)


def rows() -> list[Row]:
    """Make one row for each task of the full set.

    Returns
    -------
    list of Row
        In the order of the ids; the key is the id.
    """
    return [_row(task) for task in catalogue.full()]


def _row(task: Task) -> Row:
    known = labels.of(task.id)
    return Row(
        task.id,
        {
            "id": task.id,
            "name": task.name,
            "family": task.family,
            "subgroup": task.subgroup,
            "d": len(task.features),
            "ops": task.complexity,
            "type": task.formula_type,
            "difficulty": known.difficulty if known else None,
            "failure": known.failure_mode if known else None,
            "probe": known.winning_probe if known else None,
            "core50": "core50" if known and known.core50 else None,
            "cal": known.calibration_group if known else None,
            "train": task.sizes.train,
            "test": task.sizes.id,
            "ood": task.sizes.ood,
            "shift": task.ood_type,
            "eligibility": known.eligibility if known else None,
            "data": task.provenance.data,
            "formula": task.formula,
            "duplicates": task.duplicate_group,
        },
    )


def _range(variable: Variable) -> str:
    if variable.low is None or variable.high is None:
        return "not known"
    return f"{variable.low:.4g} … {variable.high:.4g}"


def _variable(variable: Variable, role: str) -> str:
    words = [f"{role:<8}{variable.name:<10} {_range(variable):<22}"]
    about = [variable.description or "", f"[{variable.unit}]" if variable.unit else ""]
    about += ["dummy" if variable.dummy else "", f"({variable.known})" if variable.low is not None else ""]
    return (words[0] + " " + " ".join(word for word in about if word)).rstrip()


def variables(task: Task) -> str:
    """List a task's target and features with ranges, units and what they mean.

    Parameters
    ----------
    task : Task
        A task.

    Returns
    -------
    str
        One line for each.
    """
    lines = [_variable(task.target, "target")]
    lines += [_variable(variable, "feature") for variable in task.features]
    return "\n".join(lines)


def _pairs(pairs: Sequence[tuple[str, object]]) -> str:
    return "\n".join(
        f"{name:<14}{printable(_text(value))}" for name, value in pairs if value not in (None, "")
    )


def facts(task: Task) -> str:
    """List what is known of a task beside its formula and variables.

    Parameters
    ----------
    task : Task
        A task.

    Returns
    -------
    str
        Sizes, classification, published labels, provenance; one line for each.
    """
    known = labels.of(task.id)
    origin = task.provenance
    sizes = task.sizes
    pairs: list[tuple[str, object]] = [
        ("family", f"{task.family} / {task.subgroup}"),
        ("type", f"{task.formula_type}, {task.complexity_group} ({_text(task.complexity)} operators)"),
        (
            "rows",
            f"train {sizes.train}  valid {_text(sizes.valid)}  id {_text(sizes.id)}  ood {_text(sizes.ood)}",
        ),
        ("ood", task.ood_type),
    ]
    if known:
        pairs += [
            ("published", f"{known.difficulty}, {known.failure_mode}, {known.eligibility}"),
            ("", None),
            ("winner", known.winning_probe),
            ("sets", ", ".join(_sets(known)) or None),
        ]
    pairs += [
        ("source", origin.source),
        ("licence", origin.licence),
        ("known how", f"formula {origin.formula}, constants {origin.constants}, ranges {origin.ranges}"),
        ("data", origin.data),
        ("note", origin.note),
        ("disputed", task.disputed),
        ("duplicates", task.duplicate_group),
    ]
    if task.constants:
        named = ", ".join(f"{item.name} = {item.value:.6g} ({item.known})" for item in task.constants)
        pairs.append(("constants", named))
    if task.source_formula and task.source_formula != task.formula:
        pairs.append(("source text", task.source_formula))
    return _pairs(pairs)


def _sets(known: labels.Labels) -> list[str]:
    return [
        *(["@core50"] if known.core50 else []),
        *([f"@calibration200 group {known.calibration_group}"] if known.calibration_group else []),
    ]
