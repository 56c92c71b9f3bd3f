"""From a model's answer to candidates: the JSON contract, safe parsing, cross-state products, merging."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.expression import ExpressionError, infix, parse
from engine.expression.nodes import Apply, Constant, Node, Number, variables
from engine.reachability.atoms import PARAMETER, Atom, atom
from engine.reachability.libraries import fitted
from engine.reachability.prompts import ATOMS_ASKED

MOST_PRODUCTS = 20  # paper 2, 3.1
LONGEST_ATOM = 400  # characters; a term of a menu is short


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item of an answer that did not become a candidate, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Menu:
    """What an answer gave.

    Attributes
    ----------
    proposed
        How many items the answer listed.
    atoms
        Usable atoms over ``x0, x1, ...`` and ``a``, each normalized form once.
    dropped
        The rest, with reasons.
    reason
        Why there is no list at all; None where there is one.
    """

    proposed: int
    atoms: tuple[str, ...]
    dropped: tuple[Dropped, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates of one arm and where they came from.

    Attributes
    ----------
    atoms
        Candidates.
    bank, proposed, shared
        Candidates that come from the library only, from proposals only, and from both.
    """

    atoms: tuple[Atom, ...] = field(repr=False)
    bank: int
    proposed: int
    shared: int


def menu(answer: str, names: Sequence[str], symbol: str = PARAMETER) -> Menu:
    """Read an answer under the JSON contract ``{"atoms": [text, ...]}``.

    Parameters
    ----------
    answer
        The model's text; a fenced block around the object is allowed, anything else is not JSON.
    names
        What the inputs were called in the question, in column order.
    symbol
        What the inner constant was called.

    Returns
    -------
    Menu
        At most the asked number of atoms: later items are dropped and counted.
    """
    found, reason = _listed(answer)
    if reason is not None:
        return Menu(0, (), (), reason)
    return read_atoms(found, names, symbol)


def read_atoms(items: Sequence[object], names: Sequence[str], symbol: str = PARAMETER) -> Menu:
    """Parse the items of a menu; see `menu` for the parameters."""
    kept: dict[str, str] = {}
    dropped: list[Dropped] = []
    for place, item in enumerate(items):
        shown = item if isinstance(item, str) else json.dumps(item)
        if place >= ATOMS_ASKED:
            dropped.append(Dropped(shown[:LONGEST_ATOM], f"beyond the menu of {ATOMS_ASKED}"))
            continue
        text, why = _positional(item, names, symbol)
        if text is None:
            dropped.append(Dropped(shown[:LONGEST_ATOM], why))
            continue
        normal = atom(text).normal
        if normal in kept:
            dropped.append(Dropped(shown, f"the same as {kept[normal]}"))
        else:
            kept[normal] = text
    return Menu(len(items), tuple(kept.values()), tuple(dropped))


def products(atoms: Sequence[str]) -> tuple[str, ...]:
    """Multiply atoms of different inputs: the cross-state products of paper 2, 3.1.

    Parameters
    ----------
    atoms
        Usable atoms, in the order of the menu.

    Returns
    -------
    tuple of str
        At most 20 products of two atoms that depend on one input each, on different ones, with at most one
        inner constant between them, in the order of the pairs; none that is an atom already.
    """
    features = _features(atoms)
    names = [f"x{place}" for place in range(features)]
    single = []
    for text in atoms:
        used = variables(parse(text, [*names, PARAMETER]))
        inputs = used - {features}
        if len(inputs) == 1:
            single.append((text, next(iter(inputs)), features in used))
    seen = {atom(text).normal for text in atoms}
    found: list[str] = []
    for place, (text, one, free) in enumerate(single):
        for other_text, other, other_free in single[place + 1 :]:
            if one == other or (free and other_free):
                continue
            product = f"({text}) * ({other_text})"
            normal = atom(product).normal
            if normal not in seen and len(found) < MOST_PRODUCTS:
                seen.add(normal)
                found.append(infix(parse(product, [*names, PARAMETER]), [*names, PARAMETER]))
    return tuple(found)


def over_names(atoms: Sequence[str], names: Sequence[str], symbol: str) -> tuple[str, ...]:
    """Write atoms over ``x0, x1, ...`` and ``a`` in the names of a question.

    Parameters
    ----------
    atoms
        Usable atoms.
    names, symbol
        What inputs and inner constant are called in the question.

    Returns
    -------
    tuple of str
    """
    own = [*(f"x{place}" for place in range(len(names))), PARAMETER]
    return tuple(infix(parse(text, own), [*names, symbol]) for text in atoms)


def pool(bank: Sequence[str], proposed: Sequence[str]) -> Pool:
    """Merge a library's candidates and proposals; equal normalized forms are one candidate.

    Parameters
    ----------
    bank
        Library candidates; empty for an arm without a library.
    proposed
        Atoms and products; empty for BANK.

    Returns
    -------
    Pool
        The library's candidates first; a shared one is fitted in the library's spelling.
    """
    own = {one.normal for one in fitted(bank)}
    theirs = {one.normal for one in fitted(proposed)}
    merged = fitted([*bank, *proposed])
    return Pool(merged, len(own - theirs), len(theirs - own), len(own & theirs))


def _listed(answer: str) -> tuple[list[object], str | None]:
    text = answer.strip()
    fenced = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
    if fenced:
        text = fenced.group(1)
    if not text:
        return [], "the answer is empty"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return [], f"the answer is not JSON: {str(error)[:120]}"
    if not isinstance(value, dict) or not isinstance(value.get("atoms"), list):
        return [], 'the answer has no list "atoms"'
    return value["atoms"], None


def _positional(item: object, names: Sequence[str], symbol: str) -> tuple[str | None, str]:
    """Return an item over ``x0, x1, ...`` and ``a``, or the reason why it is dropped."""
    if not isinstance(item, str):
        return None, "not a text"
    if len(item) > LONGEST_ATOM:
        return None, f"longer than {LONGEST_ATOM} characters"
    try:
        node = parse(item, [*names, symbol], "sympy")
    except ExpressionError as error:
        return None, str(error)
    if isinstance(node, Number | Constant) or not variables(node) - {len(names)}:
        return None, "depends on no input"
    bare = _without_scale(node, len(names))
    text = infix(bare, [*(f"x{place}" for place in range(len(names))), PARAMETER])
    return text, ""


def _without_scale(node: Node, parameter: int) -> Node:
    """Take numbers and inner constants that only scale a term out of it: its coefficient does that."""
    if not isinstance(node, Apply):
        return node
    if node.op == "neg":
        return _without_scale(node.args[0], parameter)
    if node.op == "div" and not variables(node.args[1]) - {parameter}:
        return _without_scale(node.args[0], parameter)
    if node.op == "mul":
        kept = tuple(part for part in node.args if variables(part) - {parameter})
        if len(kept) < len(node.args):
            return _without_scale(kept[0], parameter) if len(kept) == 1 else Apply("mul", kept)
    return node


def _features(atoms: Sequence[str]) -> int:
    """Return one more than the largest feature index that occurs."""
    return max((int(found) for text in atoms for found in re.findall(r"\bx(\d+)\b", text)), default=-1) + 1
