"""Rows and words of the Tasks screen, made from the catalogue."""

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
        return "range not known"
    return f"{variable.low:.4g} … {variable.high:.4g} ({variable.known})"


def _variable(variable: Variable) -> str:
    parts = [variable.description or "", f"in {variable.unit}" if variable.unit else ""]
    parts += ["dummy: the target does not depend on it" if variable.dummy else "", _range(variable)]
    return ", ".join(part for part in parts if part)


def variables(task: Task) -> list[tuple[str, object]]:
    """List a task's target and features with ranges, units and what they mean.

    Parameters
    ----------
    task : Task
        A task.

    Returns
    -------
    list of (str, object)
        Names and descriptions.
    """
    about = ", ".join(part for part in (task.target.description, task.target.unit) if part)
    pairs: list[tuple[str, object]] = [(task.name, ""), (f"→ {task.target.name}", about or "the target")]
    return pairs + [(f"  {variable.name}", _variable(variable)) for variable in task.features]


def facts(task: Task) -> list[tuple[str, object]]:
    """List what is known of a task beside its formula and variables.

    Parameters
    ----------
    task : Task
        A task.

    Returns
    -------
    list of (str, object)
        Sizes, classification, published labels, provenance.
    """
    known = labels.of(task.id)
    origin, sizes = task.provenance, task.sizes
    rows = f"train {sizes.train}, valid {_text(sizes.valid)}, id {_text(sizes.id)}, ood {_text(sizes.ood)}"
    named = ", ".join(f"{item.name} = {item.value:.6g} ({item.known})" for item in task.constants)
    other = task.source_formula if task.source_formula != task.formula else None
    return [
        ("family", f"{task.family} / {task.subgroup}"),
        ("type", f"{task.formula_type}, {task.complexity_group}, {_text(task.complexity)} operators"),
        ("rows", rows),
        ("ood", task.ood_type),
        ("published", f"{known.difficulty}, {known.failure_mode}, {known.eligibility}" if known else None),
        ("winner", known.winning_probe if known else None),
        ("sets", (", ".join(_sets(known)) or None) if known else None),
        ("constants", named or None),
        ("source", origin.source),
        ("licence", origin.licence),
        ("known how", f"formula {origin.formula}, constants {origin.constants}, ranges {origin.ranges}"),
        ("data", origin.data),
        ("note", origin.note),
        ("disputed", task.disputed),
        ("duplicates", task.duplicate_group),
        ("source text", other),
    ]


def _sets(known: labels.Labels) -> list[str]:
    return [
        *(["@core50"] if known.core50 else []),
        *([f"@calibration200 group {known.calibration_group}"] if known.calibration_group else []),
    ]
