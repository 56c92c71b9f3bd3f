"""What a method may learn about a task: anonymous names, and declared meanings as a separate input (I.3)."""

from dataclasses import dataclass

from tasks.schema import OWN_FAMILY, Splits, Table, Task, Variable

GENERIC = "Find the mathematical function skeleton that represents {target}, given data on {features}."
"""Background for tasks without declared meanings (paper 1, I.3)."""
HIDDEN_ROLES = (
    "There are {count} candidate variables in an unknown order. "
    "The unordered semantic-role multiset is: {roles}. "
    "The mapping from semantic roles to variable names is intentionally hidden; "
    "do not assume which x_i corresponds to which semantic role."
)
"""Background for tasks with distractors (paper 1, I.3)."""
DISTRACTOR_ROLE = "distractor variable"
UNKNOWN_ROLE = "variable without a declared meaning"


@dataclass(frozen=True, slots=True)
class Description:
    """A semantic description as a method receives it; it never holds a formula or a test target.

    ``features`` maps x0, x1, ... to a meaning or ``None``; it is empty where roles must stay unordered, and
    then ``roles`` lists them in alphabetical order, which says nothing about the columns.
    """

    background: str
    target: str | None
    features: tuple[tuple[str, str | None], ...]
    roles: tuple[str, ...]


def anonymous_names(count: int) -> tuple[str, ...]:
    """Return x0, x1, ... for a number of features; the target is always y."""
    return tuple(f"x{index}" for index in range(count))


def anonymized(splits: Splits) -> Splits:
    """Return the same rows with the features called x0, x1, ... in their order."""

    def renamed(table: Table | None) -> Table | None:
        return None if table is None else Table(anonymous_names(len(table.names)), table.X, table.y)

    train = renamed(splits.train)
    assert train is not None
    return Splits(train, renamed(splits.valid), renamed(splits.id), renamed(splits.ood))


def _meaning(task: Task, variable: Variable) -> str | None:
    if variable.description is None:
        if task.family == OWN_FAMILY:
            # Who brings a table describes its columns by their headings.
            return f"called {variable.name}"
        if variable.unit == "1":
            return "dimensionless"
        told = variable.symbol is not None and variable.symbol != variable.name
        return f"quantity written {variable.symbol}" if told else None
    unit = f" ({variable.unit})" if variable.unit not in (None, "1") else ""
    return variable.description + unit


def describe(task: Task) -> Description:
    """Return the semantic description of a task under anonymous names.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    Description
        Meanings by column where they are declared; the generic background where none is; and for tasks with
        distractors only the unordered multiset of roles.
    """
    names = anonymous_names(len(task.features))
    target = _meaning(task, task.target)
    if task.has_dummies:
        roles = sorted(
            DISTRACTOR_ROLE if variable.dummy else _meaning(task, variable) or UNKNOWN_ROLE
            for variable in task.features
        )
        text = HIDDEN_ROLES.format(count=len(names), roles=", ".join(roles))
        return Description(text, target, (), tuple(roles))
    meanings = tuple(zip(names, (_meaning(task, variable) for variable in task.features), strict=True))
    declared = [f"{name} ({meaning})" if meaning else name for name, meaning in meanings]
    text = GENERIC.format(target=f"y ({target})" if target else "y", features=", ".join(declared))
    return Description(text, target, meanings, ())


def as_request(task: Task) -> dict[str, object]:
    """Return the semantic description of a task as the JSON that a worker's request holds.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    dict
        ``features`` in the order of the columns and ``target``, each with ``description`` and ``unit``. For
        tasks with distractors no feature has a meaning; ``background`` tells the unordered roles instead, and
        ``roles`` lists them.
    """
    told = describe(task)

    def entry(variable: Variable, *, shown: bool) -> dict[str, str | None]:
        words = variable.description or (None if variable.unit is not None else _meaning(task, variable))
        return {
            "description": words if shown else None,
            "unit": variable.unit if shown else None,
        }

    request: dict[str, object] = {
        "features": [entry(variable, shown=not task.has_dummies) for variable in task.features],
        "target": entry(task.target, shown=True),
    }
    if task.has_dummies:
        request.update(background=told.background, roles=list(told.roles))
    return request
