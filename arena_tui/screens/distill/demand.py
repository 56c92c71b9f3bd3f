"""What is asked of a selection: the fields of the form, and the command that does the same."""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena_tui.commands import distill_options as options


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the form: its name, what stands in it at first, what an empty one means, a hint."""

    name: str
    value: str
    empty: str
    hint: str


FIELDS = (
    Field("responses", "", "none yet", "a table of probe responses, or a campaign's folder (o chooses one)"),
    Field(
        "labels", "", "as there are", "published or computed; if empty, published when all tasks have them"
    ),
    Field("size", "50", "50", "tasks to select"),
    Field("weights", ".45,.35,.20", ".45,.35,.20", "of coverage, mean info and balance; they sum to one"),
    Field("fidelity", "0.05", "0.05", "most |A_p(S) - A_p(D)| of any probe, or off"),
    Field("within", "", "all tasks", "select inside @NAME or a file of members"),
    Field("without", "", "nothing left out", "kinds of constraints to leave out (l lists them)"),
    Field("time", "120s", "120s", "limit; what is proven by then is kept"),
    Field("seed", "0", "0", "of the swap starts"),
    Field("name", "", "distilledSIZE", "saved as @NAME; distilledSIZE when empty"),
)

_PARTS = ("coverage", "mean info", "balance")
# What each kind of constraint demands of 50 tasks (SymbolicArena, C.3); other sizes scale it.
KINDS = (
    ("duplicate", "at most one task of each duplicate group"),
    ("basename", "at most one task of each name"),
    ("subgroup", "at most 6 of a subgroup"),
    ("family", "each family near its smoothed share"),
    ("difficulty", "4-10 easy, 14-24 medium, 12-22 hard, 3-6 extreme"),
    ("limited", "at most 8 limited-quota tasks"),
    ("failure", "at most 2 one-sided, 5 unstable, 5 all-struggle"),
    ("winner", "3 to 20 tasks won by each probe"),
    ("fidelity", "the fidelity bound of every probe"),
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
            # A shell would have done this; the form is none.
            place = value.startswith("~") and field.name in ("responses", "within")
            line += [f"--{field.name}", str(Path(value).expanduser()) if place else value]
    return line


def problem(name: str, text: str) -> str:
    """Check one line of the form as it is typed.

    Parameters
    ----------
    name, text : str
        Field and what stands in it; an empty one means the command's default.

    Returns
    -------
    str
        What is wrong with it in one sentence; empty when nothing is.
    """
    checks: dict[str, Callable[[str], object]] = {
        "labels": _source,
        "size": lambda value: _least(value, 1),
        "weights": _weights,
        "fidelity": _bound,
        "without": _known_kinds,
        "time": options.seconds,
        "seed": lambda value: _least(value, 0),
    }
    if not text.strip() or name not in checks:
        return ""
    try:
        checks[name](text.strip())
    except (argparse.ArgumentTypeError, ValueError) as error:
        return str(error)
    return ""


def _source(text: str) -> None:
    if text not in ("published", "computed"):
        raise ValueError(f"{text!r} is neither published nor computed")


def _least(text: str, least: int) -> None:
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ValueError(f"{text!r} is not a whole number of at least {least}")


def _weights(text: str) -> None:
    found = options.numbers(text)
    if len(found) != len(_PARTS) or not all(0 <= weight <= 1 for weight in found):
        raise ValueError(f"give three numbers of at least 0: {', '.join(_PARTS)}")
    if abs(math.fsum(found) - 1) > 1e-9:
        raise ValueError(f"they sum to {math.fsum(found):g}, not to one")


def _bound(text: str) -> None:
    found = options.delta(text)
    if found is not None and not 0 < found < math.inf:
        raise ValueError(f"{text} is not a positive number, nor off")


def _known_kinds(text: str) -> None:
    known = [kind for kind, _ in KINDS]
    odd = [kind for kind in options.words(text) if kind not in known]
    if odd:
        raise ValueError(f"there is no kind {odd[0]}: {', '.join(known)}")


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


def options_of(document: Mapping[str, Any]) -> dict[str, str]:
    """Read the options of the command that made a selection.

    Parameters
    ----------
    document : mapping
        Its manifest.

    Returns
    -------
    dict of str to str
        By name; empty for a manifest of a version that did not keep the command.
    """
    line: Sequence[str] = document.get("command", ())[2:]
    return {name.removeprefix("--"): value for name, value in zip(line[::2], line[1::2], strict=False)}


def study_words(
    step: str, name: str, document: Mapping[str, Any], responses: str, more: Sequence[str]
) -> list[str]:
    """Write the words that study a selection under its own demand.

    Parameters
    ----------
    step : str
        ``compare`` or ``sensitivity``.
    name : str
        Of the selection, without ``@``.
    document : mapping
        Its manifest.
    responses : str
        Where responses are, when its own are no longer there.
    more : sequence of str
        Further words of the step.

    Returns
    -------
    list of str
        For ``arena-tui``; empty without responses.
    """
    place = responses_of(document) or in_full(responses)
    if not place:
        return []
    asked, own = document["demand"], options_of(document)
    line = ["distill", step, "--responses", place, "--members", f"@{name}", "--labels", asked["labels"]]
    line += ["--weights", ",".join(f"{weight:g}" for weight in asked["weights"])]
    line += ["--fidelity", "off" if asked["fidelity"] is None else f"{asked['fidelity']:g}"]
    if asked["without"]:
        line += ["--without", ",".join(asked["without"])]
    if "facts" in own:
        line += ["--facts", own["facts"]]
    return [*line, *more]


def in_full(place: str) -> str:
    """Return a typed place with the home folder written out; empty when nothing is there."""
    path = Path(place.strip()).expanduser()
    return str(path) if place.strip() and path.exists() else ""


def responses_of(document: Mapping[str, Any]) -> str:
    """Return where a selection's responses are, if they are still there; else an empty text."""
    place = options_of(document).get("responses", "")
    return place if place and Path(place).exists() else ""


def with_origin(comparison: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Note in a comparison whether it was made on the responses that the selection was made from.

    Parameters
    ----------
    comparison : mapping
        As ``arena-tui distill compare --json`` prints it.
    document : mapping
        The selection's manifest.

    Returns
    -------
    mapping
        With ``foreign``: the probes or their means on the whole set are others.
    """
    here = dict(zip(comparison["probes"], comparison["A_full"], strict=True))
    made = document.get("A_full", {})
    same = here.keys() == made.keys() and all(math.isclose(here[name], made[name]) for name in here)
    return {**comparison, "foreign": not same}


def same_pool(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two manifests come from the same responses: equal sizes and equal means of every probe."""
    return one.get("pool") == other.get("pool") and one.get("A_full") == other.get("A_full")
