"""An expression in two dimensions: fractions over a bar, raised powers, roots, cases; folded to a width."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena_tui.widgets.boxes import (
    Box,
    barred,
    beside,
    braced,
    bracketed,
    fraction,
    raised,
    rooted,
    stacked,
    word,
)
from engine.expression.infix import feature_name, literal_text
from engine.expression.nodes import Apply, Constant, Node, Number, Parameter, Var

# How tightly each form binds, as on paper: a fraction is held together by its bar.
_OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _POWER, _ATOM = range(8)
_COMPARISONS = {"lt": "<", "le": "≤", "gt": ">", "ge": "≥", "eq": "=", "ne": "≠"}
_CONSTANTS = {"pi": "π", "e": "e", "inf": "∞", "nan": "nan"}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Longer exponents of e are read better in the brackets of exp.
_LONGEST_EXPONENT = 24
_TALLEST = 40


@dataclass(frozen=True, slots=True)
class _Part:
    box: Box
    level: int

    def within(self, least: int) -> Box:
        return self.box if self.level >= least else bracketed(self.box)


def typeset(node: Node, features: Sequence[str], width: int) -> Box | None:
    """Lay an expression out in two dimensions.

    Parameters
    ----------
    node : Node
        The tree, in the order in which it was written.
    features : sequence of str
        The columns' names.
    width : int
        Cells that are there. Sums, products and arguments that are wider go on in further lines.

    Returns
    -------
    Box or None
        None when it cannot be folded to the width, or would be so high that one long line is read better.
    """
    found = _Setter(tuple(features)).fitted(node, _OR, width)
    return found if found is not None and found.height <= _TALLEST else None


def _unsigned(node: Node) -> tuple[bool, Node]:
    """Take a leading minus off a negation, a product or a fraction."""
    match node:
        case Apply("neg", (inner,)):
            return True, inner
        case Apply("mul" | "div" as op, (first, *rest)):
            negative, inner = _unsigned(first)
            return negative, Apply(op, (inner, *rest)) if negative else node
        case _:
            return False, node


@dataclass(slots=True)
class _Setter:
    features: tuple[str, ...]
    _parts: dict[Node, _Part] = field(default_factory=dict)

    # -- as wide as it likes -------------------------------------------------------------------------------

    def part(self, node: Node) -> _Part:
        if node not in self._parts:
            self._parts[node] = self._applied(node) if isinstance(node, Apply) else self._leaf(node)
        return self._parts[node]

    def _leaf(self, node: Node) -> _Part:
        match node:
            case Number():
                return _literal(literal_text(node))
            case Constant(name):
                return _Part(word(_CONSTANTS[name], "name"), _ATOM)
            case Var(index):
                return _Part(word(feature_name(self.features[index]), "name"), _ATOM)
            case Parameter(index):
                return _Part(word(f"params[{index}]", "name"), _ATOM)
            case _:
                raise AssertionError(node)

    def _applied(self, node: Apply) -> _Part:
        args = node.args
        match node.op:
            case "add" | "neg" | "mul" | "div" | "pow":
                return self._arithmetic(node)
            case "where" | "piecewise" | "and" | "or" | "not":
                return self._logical(node)
            case "exp":
                return self._exponential(args[0])
            case "sqrt":
                return _Part(rooted(self.part(args[0]).box), _ATOM)
            case "abs":
                return _Part(barred(self.part(args[0]).box), _ATOM)
            case "mod":
                return _Part(_joined([self.part(arg).within(_POWER) for arg in args], " mod "), _PRODUCT)
            case op if op in _COMPARISONS:
                sides = [self.part(arg).within(_SUM) for arg in args]
                return _Part(_joined(sides, f" {_COMPARISONS[op]} "), _COMPARED)
            case op:
                inside = _joined([self.part(arg).box for arg in args], ", ")
                return _Part(beside(word(op, "call"), bracketed(inside)), _ATOM)

    def _arithmetic(self, node: Apply) -> _Part:
        negative, inner = _unsigned(node)
        if negative:
            return _Part(beside(word("-", "operator"), self.part(inner).within(_PRODUCT)), _SUM)
        match node.op:
            case "add":
                return _Part(beside(*self._terms(node)), _SUM)
            case "mul":
                return _Part(beside(*self._factors(node)), _PRODUCT)
            case "div":
                return _Part(fraction(*(self.part(arg).box for arg in node.args)), _ATOM)
            case _:
                return _Part(self._power(node, self._base(node)), _POWER)

    def _logical(self, node: Apply) -> _Part:
        args = node.args
        match node.op:
            case "where":
                return self._cases([(args[1], args[0]), (args[2], None)])
            case "piecewise":
                return self._cases(list(zip(args[::2], args[1::2], strict=True)))
            case "not":
                return _Part(beside(word("not ", "operator"), self.part(args[0]).within(_SUM)), _NOT)
            case op:
                level = _AND if op == "and" else _OR
                return _Part(_joined([self.part(arg).within(level + 1) for arg in args], f" {op} "), level)

    def _terms(self, node: Apply) -> list[Box]:
        """Set each term of a sum behind its sign."""
        terms = []
        for at, arg in enumerate(node.args):
            negative, inner = _unsigned(arg)
            terms.append(beside(_sign(at, negative=negative), self.part(inner).within(_PRODUCT)))
        return terms

    def _factors(self, node: Apply) -> list[Box]:
        dot = word("·", "operator")
        factors = [self.part(arg).within(_PRODUCT if at == 0 else _POWER) for at, arg in enumerate(node.args)]
        return [factors[0], *(beside(dot, factor) for factor in factors[1:])]

    def _base(self, node: Apply) -> Box:
        part = self.part(node.args[0])
        # A bar holds a fraction together on the line, but not under an exponent.
        bar = isinstance(node.args[0], Apply) and node.args[0].op in ("div", "sqrt")
        return bracketed(part.box) if bar else part.within(_ATOM)

    def _power(self, node: Apply, base: Box) -> Box:
        small = _superscript(node.args[1])
        if small is None:
            return raised(base, self._exponent(node.args[1]))
        if base.height == 1:
            return beside(base, small)
        return beside(base, Box(small.lines, small.width, base.base))

    def _exponent(self, node: Node) -> Box:
        """Set a fraction of two numbers on one line: it is small enough as it stands."""
        match node:
            case Apply("div", (Number() as above, Number() as below)):
                parts = (self.part(above).within(_POWER), self.part(below).within(_ATOM))
                return _joined(parts, "/")
            case _:
                return self.part(node).box

    def _exponential(self, argument: Node) -> _Part:
        inside = self.part(argument).box
        if inside.height > 1 or inside.width > _LONGEST_EXPONENT:
            return _Part(beside(word("exp", "call"), bracketed(inside)), _ATOM)
        return _Part(raised(word("e", "call"), inside), _POWER)

    def _cases(self, pairs: Sequence[tuple[Node, Node | None]]) -> _Part:
        values = [self.part(value).box for value, _ in pairs]
        widest = max(box.width for box in values)
        lines = []
        for (_, test), value in zip(pairs, values, strict=True):
            gap = word(" " * (widest - value.width + 2), "other")
            if test is None or (isinstance(test, Number) and test.value == 1):
                said = word("otherwise", "operator")
            else:
                said = beside(word("if ", "operator"), self.part(test).box)
            lines.append(beside(value, gap, said))
        return _Part(braced(stacked(lines)), _ATOM)

    # -- folded to a width ---------------------------------------------------------------------------------

    def fitted(self, node: Node, least: int, width: int) -> Box | None:
        part = self.part(node)
        box = part.within(least)
        if box.width <= width:
            return box
        brackets = part.level < least
        inner = self._folded(node, width - 2 * brackets)
        return bracketed(inner) if inner is not None and brackets else inner

    def _folded(self, node: Node, width: int) -> Box | None:
        if width < 1 or not isinstance(node, Apply):
            return None
        negative, inner = _unsigned(node)
        if negative:
            body = self.fitted(inner, _PRODUCT, width - 1)
            return body and beside(word("-", "operator"), body)
        fit = self.fitted
        match node.op:
            case "add":
                return self._folded_sum(node, width)
            case "mul":
                return self._folded_product(node, width)
            case "div":
                above, below = (fit(arg, _OR, width) for arg in node.args)
                return fraction(above, below) if above and below else None
            case "pow":
                around = self._power(node, word("", "other")).width
                base = fit(node.args[0], _ATOM, width - around)
                return base and self._power(node, base)
            case "abs":
                inside = fit(node.args[0], _OR, width - 2)
                return inside and barred(inside)
            case op if len(node.args) == 1 and op != "not":
                inside = fit(node.args[0], _OR, width - len(op) - 2)
                return inside and beside(word(op, "call"), bracketed(inside))
            case _:
                return None

    def _folded_sum(self, node: Apply, width: int) -> Box | None:
        terms = []
        for at, arg in enumerate(node.args):
            negative, inner = _unsigned(arg)
            sign = _sign(at, negative=negative)
            body = self.fitted(inner, _PRODUCT, width - sign.width)
            if body is None:
                return None
            terms.append(beside(sign, body))
        return _packed(terms, width)

    def _folded_product(self, node: Apply, width: int) -> Box | None:
        factors = []
        for at, arg in enumerate(node.args):
            dot = word("·" if at else "", "operator")
            body = self.fitted(arg, _POWER if at else _PRODUCT, width - dot.width)
            if body is None:
                return None
            factors.append(beside(dot, body))
        return _packed(factors, width)


def _sign(at: int, *, negative: bool) -> Box:
    """Return a term's sign with the blanks around it; none before a first term that is positive."""
    if at == 0:
        return word("-" if negative else "", "operator")
    return word(" - " if negative else " + ", "operator")


def _joined(boxes: Sequence[Box], between: str) -> Box:
    joint = word(between, "operator")
    return beside(boxes[0], *(piece for box in boxes[1:] for piece in (joint, box)))


def _packed(boxes: Sequence[Box], width: int) -> Box:
    """Set boxes in as few rows as they fit into."""
    rows: list[list[Box]] = [[]]
    room = width
    for box in boxes:
        if rows[-1] and box.width > room:
            rows.append([])
            room = width
        rows[-1].append(box)
        room -= box.width
    lines = [beside(*row) for row in rows]
    return stacked(lines) if len(lines) > 1 else lines[0]


def _literal(text: str) -> _Part:
    mantissa, _, exponent = text.partition("e")
    if not exponent or not exponent.lstrip("+-").isdigit():
        return _Part(word(text, "number"), _ATOM if not text.startswith("-") else _SUM)
    power = str(int(exponent)).translate(_SUPERSCRIPTS)
    return _Part(word(f"{mantissa}·10{power}", "number"), _PRODUCT)


def _superscript(node: Node) -> Box | None:
    """Return a whole exponent in small digits."""
    negative, inner = _unsigned(node)
    if not isinstance(inner, Number) or not inner.is_integer or not inner.text.isdigit():
        return None
    text = ("-" if negative else "") + inner.text
    return word(text.translate(_SUPERSCRIPTS), "number")
