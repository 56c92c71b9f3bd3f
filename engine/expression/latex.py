"""Writing a tree as LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.expression.infix import literal_text
from engine.expression.nodes import Apply, Constant, Node, Number, Parameter, Var, postorder

_OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(9)
_COMPARISONS = {"lt": "<", "le": r"\leq", "gt": ">", "ge": r"\geq", "eq": "=", "ne": r"\neq"}
_CONSTANTS = {"pi": r"\pi", "e": "e", "inf": r"\infty", "nan": r"\mathrm{nan}"}
_KNOWN = frozenset(["sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max"])
_INVERSE = {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "gamma": r"\Gamma"}
_FORMS = {
    "sqrt": (r"\sqrt{#}", _ATOM),
    "gp_sqrt": (r"\sqrt{\left|#\right|}", _ATOM),
    "cbrt": (r"\sqrt[3]{#}", _ATOM),
    "abs": (r"\left|#\right|", _ATOM),
    "exp": (r"e^{#}", _POWER),
    "floor": (r"\left\lfloor # \right\rfloor", _ATOM),
    "ceil": (r"\left\lceil # \right\rceil", _ATOM),
}
_LOGICAL = {"and": r"\land", "or": r"\lor"}
_GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
    ]
)


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    level: int
    negated: "_Part | None" = None

    def within(self, least: int) -> str:
        return self.text if self.level >= least else rf"\left({self.text}\right)"


def latex(node: Node, features: Sequence[str]) -> str:
    """Write a tree as LaTeX.

    Parameters
    ----------
    node : Node
        The tree.
    features : sequence of str
        The columns' names; ``x0`` becomes ``x_{0}``, ``theta`` a Greek letter, longer words upright text.

    Returns
    -------
    str
        Mathematics without delimiters. Constants keep all digits.
    """
    done: list[_Part] = []
    for current in postorder(node):
        if isinstance(current, Apply):
            count = len(current.args)
            args = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(_applied(current, args))
        else:
            done.append(_leaf(current, features))
    return done[0].text


def _leaf(node: Node, features: Sequence[str]) -> _Part:
    match node:
        case Number():
            return _literal(literal_text(node))
        case Constant(name):
            return _Part(_CONSTANTS[name], _ATOM)
        case Var(index):
            return _Part(symbol(features[index] if index < len(features) else f"x{index}"), _ATOM)
        case Parameter(index):
            return _Part(f"p_{{{index}}}", _ATOM)
        case _:
            raise AssertionError(node)


def _literal(text: str) -> _Part:
    mantissa, _, exponent = text.partition("e")
    level = _SIGN if text.startswith("-") else _ATOM
    if not exponent:
        return _Part(text, level)
    return _Part(rf"{mantissa} \cdot 10^{{{int(exponent)}}}", min(level, _PRODUCT))


def symbol(name: str) -> str:
    """Return a name as LaTeX: subscripts after an underscore or a final number, Greek letters by name."""
    match = re.fullmatch(r"([^\W\d_]+)_?(\w*)", name)
    if match is None:
        return rf"\mathrm{{{_escaped(name)}}}"
    stem, below = match[1], match[2].strip("_")
    plain = stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
    head = rf"\{stem}" if stem in _GREEK else plain
    if not below:
        return head
    below = below if len(below) == 1 or below.isdigit() else rf"\mathrm{{{_escaped(below)}}}"
    return f"{head}_{{{below}}}"


def _escaped(text: str) -> str:
    return re.sub(r"([#$%&_{}])", r"\\\1", text.replace("\\", "/")).replace("^", r"\hat{}").replace("~", " ")


def _applied(node: Apply, args: list[_Part]) -> _Part:
    op = node.op
    if op in _FORMS:
        form, level = _FORMS[op]
        return _Part(form.replace("#", args[0].text), level)
    if op in _COMPARISONS:
        return _Part(f"{args[0].within(_SUM)} {_COMPARISONS[op]} {args[1].within(_SUM)}", _COMPARED)
    match op:
        case "add":
            return _Part(args[0].within(_SUM) + "".join(_term(arg) for arg in args[1:]), _SUM)
        case "mul":
            return _Part(_product(args), _PRODUCT)
        case "div":
            return _Part(rf"\frac{{{args[0].text}}}{{{args[1].text}}}", _ATOM)
        case "mod":
            return _Part(rf"{args[0].within(_SIGN)} \bmod {args[1].within(_SIGN)}", _PRODUCT)
        case "neg":
            return _Part(f"-{args[0].within(_PRODUCT)}", _SUM, args[0])
        case "pow":
            # A fraction is an atom on the line, but not under an exponent.
            fraction = getattr(node.args[0], "op", "") == "div"
            base = rf"\left({args[0].text}\right)" if fraction else args[0].within(_ATOM)
            return _Part(rf"{base}^{{{args[1].text}}}", _POWER)
        case "where":
            return _cases([(args[1].text, args[0].text), (args[2].text, r"\text{otherwise}")])
        case "piecewise":
            return _cases(
                [(value.text, test.text) for value, test in zip(args[::2], args[1::2], strict=True)]
            )
        case "and" | "or":
            return _Part(
                f" {_LOGICAL[op]} ".join(arg.within(_NOT) for arg in args), _AND if op == "and" else _OR
            )
        case "not":
            return _Part(rf"\lnot {args[0].within(_SUM)}", _NOT)
        case _:
            return _Part(rf"{_function(op)}\left({', '.join(arg.text for arg in args)}\right)", _ATOM)


def _function(op: str) -> str:
    if op in _KNOWN:
        return rf"\{op}"
    if op in ("log2", "log10"):
        return rf"\log_{{{op[3:]}}}"
    return _INVERSE.get(op) or rf"\operatorname{{{_escaped(op)}}}"


def _term(part: _Part) -> str:
    if part.negated is not None:
        return f" - {part.negated.within(_PRODUCT)}"
    return f" + {part.within(_PRODUCT)}"


def _product(args: list[_Part]) -> str:
    text = args[0].text if args[0].negated is not None else args[0].within(_PRODUCT)
    for arg in args[1:]:
        factor = arg.within(_SIGN)
        # Two numbers side by side would read as one.
        joint = r" \cdot " if factor[0].isdigit() or factor.startswith("-") else " "
        text += joint + factor
    return text


def _cases(rows: list[tuple[str, str]]) -> _Part:
    inside = r" \\ ".join(f"{value} & {test}" for value, test in rows)
    return _Part(rf"\begin{{cases}} {inside} \end{{cases}}", _ATOM)
