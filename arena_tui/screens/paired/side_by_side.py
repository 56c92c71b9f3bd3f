"""The greedy paths of the arms of one task and seed, side by side, round by round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from arena_tui.screens.paired.lines import Line
from arena_tui.screens.paired.sheets import words
from arena_tui.widgets.plain import fit

if TYPE_CHECKING:
    from arena_tui.screens.paired.survey import Opened
    from engine.reachability.branches import Branch, Choice
    from engine.reachability.outcomes import Cell

_GAP = 3
_NARROWEST = 22  # cells of a column; below that the arms stand under one another
_SAME = 1e-3  # relative; a constant that moved less is not written twice
_STOPPED = {
    "rounds": "no round is left",
    "reduction": "no term lowers the error enough",
    "stop": "the error is below the stop",
    "candidates": "no candidate is left",
    "thresholds": "sequential thresholds",
    "cut": "cut",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """The arms of one task and seed, with what they have in common."""

    name: str
    seed: int
    domain: str
    truth: str | None
    names: tuple[str, ...]
    branches: tuple["Branch", ...]


def short(arm: str) -> str:
    """Write an arm without its level: ``UNION`` for ``union-l1``."""
    return arm.removesuffix("-l1").removesuffix("-l2").upper()


def compare(opened: "Opened", cell: "Cell", level: str | None) -> Compared:
    """Collect the paths of BANK, LLM and UNION, or of a knockout's conditions. Call it beside the loop.

    Parameters
    ----------
    opened : Opened
        The study.
    cell : (str, int)
        Task and seed.
    level : str or None
        ``l1`` or ``l2``; None where the study has no arm with a level.

    Returns
    -------
    Compared
    """
    from engine.reachability.branches import branch
    from engine.reachability.libraries import Library

    found = opened.outcomes
    arms = [arm for arm in found.arms if opened.knockout or arm in ("bank", f"llm-{level}", f"union-{level}")]
    kept = opened.plan["library"]
    templates = {key: tuple(kept[key]) for key in ("single", "ordered", "unordered") if key in kept}
    library = Library(kept.get("name", ""), kept["title"], **templates) if "single" in templates else None
    names = _names(cell[0])
    units = [found.units.get((arm, cell)) for arm in arms]
    branches = tuple(branch(arm, unit, names, library) for arm, unit in zip(arms, units, strict=True))
    truth = next((unit["truth"] for unit in units if unit is not None), None)
    return Compared(opened.names[cell[0]], cell[1], found.domains[cell[0]], truth, names, branches)


def _names(task: str) -> tuple[str, ...]:
    from tasks import catalogue
    from tasks.errors import TaskError

    try:
        return catalogue.get(task).feature_names
    except TaskError:
        return ()


def folded(compared: Compared, chosen: int, digits: int | None, width: int) -> list[Line]:
    """Fold the paths: one column for each arm, or one under another where columns would be too narrow.

    Parameters
    ----------
    compared : Compared
        The paths.
    chosen : int
        Place of the arm that is marked.
    digits : int or None
        Significant digits of numbers; None for all.
    width : int
        Cells of a line.

    Returns
    -------
    list of Line
        Nothing is cut.
    """
    branches = compared.branches
    heads = [f"{'▸ ' if place == chosen else '  '}{one.arm.upper()}" for place, one in enumerate(branches)]
    lines = _band([[(head, "strong")] for head in heads], heads, width)
    lines += _band([_outcome(one) for one in branches], heads, width)
    rounds = max((len(one.choices) for one in branches), default=0)
    if any(one.unit is not None and one.unit.get("first_nmse") is not None for one in branches):
        lines += [(), (("start: the first-order terms " + ", ".join(compared.names), "quiet"),)]
        lines += _band([_first(one, digits) for one in branches], heads, width)
    for number in range(1, rounds + 1):
        text, parted = parting(branches, number)
        lines += [(), *(((line, "fair" if parted else "quiet"),) for line in words(text, width))]
        lines += _band([_choice(one, number, branches, digits) for one in branches], heads, width)
    lines += [(), *(((line, "quiet"),) for line in words(_ending(branches, rounds), width))]
    return lines + _band([_stopped(one) for one in branches], heads, width)


def parting(branches: Sequence["Branch"], number: int) -> tuple[str, bool]:
    """Say which arms still share their path in a round, and whether some part in it.

    Parameters
    ----------
    branches : sequence of Branch
        The arms.
    number : int
        The round, from 1.

    Returns
    -------
    (str, bool)
        A heading, and whether arms that had come the same way part here.
    """
    from engine.reachability.branches import together

    now, before = together(branches, number), together(branches, number - 1)
    parts = []
    for group in before:
        if len(group) > 1:
            inside = [tuple(arm for arm in one if arm in group) for one in now]
            pieces = [one for one in inside if one]
            gone = [short(arm) for arm in group if not any(arm in one for one in pieces)]
            if len(pieces) > 1 and not any(len(one) > 1 for one in pieces):
                parts.append(f"{_and([short(arm) for one in pieces for arm in one])} part")
            elif len(pieces) > 1:
                most = max(pieces, key=len)
                left = [short(arm) for one in pieces if one is not most for arm in one]
                parts.append(f"{_and(left)} parts from {_and([short(arm) for arm in most])}")
            if gone and pieces:
                parts.append(f"{_and(gone)} {'stops' if len(gone) == 1 else 'stop'}")
    same = [" = ".join(map(short, group)) for group in now if len(group) > 1]
    alone = [short(group[0]) for group in now if len(group) == 1]
    ran = sum(one.unit is not None for one in branches)
    words_ = [f"◆ {'; '.join(parts)}"] if parts else []
    if same:
        words_.append(", ".join(same) + (" (the same path so far)" if not parts else ""))
    elif not parts and len(alone) > 1:
        words_.append("each on its own path")
    elif not parts and ran > 1:
        words_.append(f"only {_and(alone)} goes on")
    return f"round {number}   {'   '.join(words_)}".rstrip(), bool(parts)


def _ending(branches: Sequence["Branch"], rounds: int) -> str:
    from engine.reachability.branches import together

    same = [" = ".join(map(short, group)) for group in together(branches, rounds) if len(group) > 1]
    return f"end   {', '.join(same)} (the same path to the end)" if same else "end"


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


# -- the cells of a band -----------------------------------------------------------------------------------


def _outcome(one: "Branch") -> list[tuple[str, str]]:
    unit = one.unit
    if unit is None:
        return [("not run", "quiet")]
    if unit["status"] != "ok":
        return [(f"{unit['status']}: {unit.get('reason')}", "bad")]
    marks = "  ".join(
        f"{title} {_sign(_solved(unit, key))}" for key, title in (("acc0.01", "1%"), ("acc0.001", ".1%"))
    )
    more = "  ".join(
        f"{title} {_sign(_solved(unit, key))}" for key, title in (("strict", "strict"), ("sa", "SA"))
    )
    errors = f"ID {_error(unit.get('id_nmse'))}  OOD {_error(unit.get('ood_nmse'))}"
    return [(marks, ""), (more, ""), (errors, "")]


def _solved(unit: "Mapping[str, Any]", metric: str) -> bool | None:
    from engine.reachability.outcomes import METRICS

    return METRICS[metric](unit)


def _sign(value: bool | None) -> str:
    return "–" if value is None else "✓" if value else "✗"


def _error(value: object) -> str:
    return f"{value:.1e}" if isinstance(value, float) else "–"


def _number(value: float | None, digits: int | None) -> str:
    if value is None:
        return "–"
    return repr(value) if digits is None else f"{value:.{digits}g}"


def _nmse(value: float | None, digits: int | None) -> str:
    if value is None:
        return "NMSE –"
    return f"NMSE {value!r}" if digits is None else f"NMSE {value:.2e}"


def _first(one: "Branch", digits: int | None) -> list[tuple[str, str]]:
    value = None if one.unit is None else one.unit.get("first_nmse")
    return [] if value is None else [(_nmse(value, digits), "")]


def _choice(
    one: "Branch", number: int, branches: Sequence["Branch"], digits: int | None
) -> list[tuple[str, str]]:
    if len(one.choices) < number:
        return [("·", "quiet")] if one.choices else []
    choice = one.choices[number - 1]
    cells = [(f"+ {choice.text}", "strong")]
    cells += [(text, "") for text in _constant(choice, digits)]
    cells.append((_nmse(choice.nmse, digits), ""))
    origin = _origin(choice)
    if origin and one.arm.startswith("union"):
        cells.append((origin, "good" if origin == "proposed only" else "quiet"))
    other = [
        f"{short(them.arm)} round {place}"
        for them in branches
        if them is not one
        for place, theirs in enumerate(them.choices, start=1)
        if theirs.normal == choice.normal and place != number
    ]
    return [*cells, *((f"= {text}", "quiet") for text in other)]


def _constant(choice: "Choice", digits: int | None) -> list[str]:
    then, final = choice.constant, choice.final
    if then is None and final is None:
        return []
    if then is None:
        return [f"a = {_number(final, digits)} in the end"]
    moved = final is not None and abs(final - then) > _SAME * abs(then)
    # All digits are asked for to compare: then both stand there.
    return [
        f"a = {_number(then, digits)}",
        *(
            [f"  → {_number(final, digits)} in the end"]
            if moved or (digits is None and final is not None)
            else []
        ),
    ]


def _origin(choice: "Choice") -> str:
    if choice.in_library and choice.proposed:
        return "library and proposed"
    return "library only" if choice.in_library else "proposed only" if choice.proposed else ""


def _stopped(one: "Branch") -> list[tuple[str, str]]:
    unit = one.unit
    if unit is None or unit["status"] != "ok":
        return []
    why = unit.get("stopped")
    return [
        (f"{len(unit.get('terms', ()))} terms", ""),
        (_STOPPED.get(str(why), str(why)), ""),
        (f"verdict: {unit.get('representable') or '–'}", ""),
    ]


# -- laying out --------------------------------------------------------------------------------------------


def _band(cells: Sequence[Sequence[tuple[str, str]]], heads: Sequence[str], width: int) -> list[Line]:
    """Lay cells side by side, every piece folded in its column; or one after another under their arms."""
    column = (width - _GAP * (len(cells) - 1)) // max(1, len(cells))
    if column < _NARROWEST:
        stacked: list[Line] = []
        for head, cell in zip(heads, cells, strict=True):
            if [text for text, _ in cell] != [head]:
                stacked.append(((head, "quiet"),))
                stacked += [
                    ((f"    {line}", kind),) for text, kind in cell for line in words(text, max(1, width - 4))
                ]
        return stacked
    folded_ = [[(line, kind) for text, kind in cell for line in words(text, column)] for cell in cells]
    lines: list[Line] = []
    for place in range(max(map(len, folded_), default=0)):
        pieces: list[tuple[str, str]] = []
        for at, cell in enumerate(folded_):
            text, kind = cell[place] if place < len(cell) else ("", "")
            last = at == len(folded_) - 1
            pieces.append((text if last and cell_len(text) <= column else fit(text, column), kind))
            if not last:
                pieces.append((" │ ", "quiet"))
        lines.append(tuple(pieces))
    return lines
