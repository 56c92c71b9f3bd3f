"""What is asked of a selection: the fields of the form, and the command that does the same."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the form: its name, its title, what stands in it at first, a hint."""

    name: str
    title: str
    value: str
    hint: str


FIELDS = (
    Field("responses", "responses", "", "a table of probe responses, or a campaign's folder"),
    Field("size", "size", "50", "tasks to select"),
    Field("weights", "weights", ".45,.35,.20", "of Coverage, MeanInfo, Balance; they sum to one"),
    Field("fidelity", "fidelity", "0.05", "most |A_p(S) - A_p(D)| of any probe, or off"),
    Field("within", "within", "", "select inside @NAME or a file of members"),
    Field("without", "without", "", "kinds of constraints to leave out, such as winner"),
    Field("time", "time", "120s", "limit; what is proven by then is kept"),
    Field("seed", "seed", "0", "of the swap starts"),
    Field("name", "name", "", "saved as @NAME; distilledSIZE when empty"),
)


def words(values: Mapping[str, str]) -> list[str]:
    """Write the words after ``arena-tui`` that ask for this selection.

    Parameters
    ----------
    values : mapping of str to str
        By field name; empty ones are left to the command's defaults.

    Returns
    -------
    list of str
        For example ``["distill", "core", "--responses", "FILE", "--size", "50"]``.
    """
    line = ["distill", "core"]
    for field in FIELDS:
        value = values.get(field.name, "").strip()
        if value:
            line += [f"--{field.name}", value]
    return line


def saved_name(values: Mapping[str, str]) -> str:
    """Return the name under which the selection will be saved.

    Parameters
    ----------
    values : mapping of str to str
        By field name.

    Returns
    -------
    str
        Without ``@``.
    """
    return values.get("name", "").strip() or f"distilled{values.get('size', '').strip() or '50'}"
