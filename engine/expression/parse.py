"""The safe parser of infix text: own tokens, own grammar, no evaluation of foreign code anywhere."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.expression.errors import ExpressionError
from engine.expression.nodes import MAX_DEPTH, MAX_NODES, Node, Number, Var, apply, checked, number
from engine.expression.operators import COMPARISONS
from engine.expression.spelling import PREFIXES, call, flat, is_function, named_constant
from engine.expression.tokens import Token, tokens

_COMPARED = {sign: op for op, sign in COMPARISONS.items()}


@dataclass(frozen=True, slots=True)
class Grammar:
    """What differs between the infix dialects.

    Attributes
    ----------
    resolve : callable
        Gives the node a bare name stands for, or None when the dialect does not know it.
    allowed : str
        The names it knows, in words, for the error.
    julia : bool
        Whether ``1.5f-3`` is a number.
    words : mapping
        Operators written as words between their arguments (``a mul b``), as signs.
    juxtaposed : bool
        Whether two factors may stand side by side (``1.0 x0``).
    functions : mapping
        Function names with a meaning of their own in the dialect, as names of ours.
    indexed : mapping
        Arrays that may be indexed (``x[2]``), and what an index of each means.
    """

    resolve: Callable[[str], Node | None]
    allowed: str
    julia: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    juxtaposed: bool = False
    functions: Mapping[str, str] = field(default_factory=dict)
    indexed: Mapping[str, Callable[[int], Node]] = field(default_factory=dict)


def named(features: Sequence[str]) -> Callable[[str], Node | None]:
    """Return the resolver of texts that use the features' own names; they win over library names."""
    columns = {name: Var(index) for index, name in enumerate(features)}

    def resolve(name: str) -> Node | None:
        return columns.get(name) or named_constant(name)

    return resolve


def parse_infix(text: str, features: Sequence[str]) -> Node:
    """Read infix text over the features' own names."""
    return read(text, Grammar(named(features), listed(features)))


def listed(features: Sequence[str]) -> str:
    """Return the allowed names in words, shortened."""
    if not features:
        return "there are no features"
    shown = ", ".join(features[:12]) + (", ..." if len(features) > 12 else "")
    return f"the features are {shown}"


def read(text: str, grammar: Grammar) -> Node:
    """Read one infix expression.

    Parameters
    ----------
    text : str
        The expression.
    grammar : Grammar
        The dialect's names and literals.

    Returns
    -------
    Node
        Its tree.

    Raises
    ------
    ExpressionError
        With the offending token and its position.
    """
    return checked(_Parser(tokens(text, julia=grammar.julia), grammar).whole())


# How tightly each form binds, as in Python.
_TERNARY, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _POWER = range(9)
_BINARY = {
    "or": _OR,
    "and": _AND,
    "&": _AND,
    "+": _SUM,
    "-": _SUM,
    **dict.fromkeys(("*", "/", "%", "//"), _PRODUCT),
    "**": _POWER,
    "^": _POWER,
    **dict.fromkeys(_COMPARED, _COMPARISON),
}
_OPS = {
    "or": "or",
    "and": "and",
    "&": "and",
    "+": "add",
    "*": "mul",
    "/": "div",
    "%": "mod",
    "**": "pow",
    "^": "pow",
}


@dataclass(slots=True)
class _Pending:
    """An operator that waits for what stands to its right; a chain of comparisons is one of them."""

    sign: str
    level: int
    prefix: bool = False
    chain: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """An opening bracket, bar or call that waits for its end; ``start`` counts the operands before it."""

    kind: str
    token: Token
    start: int
    name: str = ""


class _Parser:
    """Shunting-yard over a list of tokens: no recursion, so nesting costs no stack."""

    def __init__(self, found: list[Token], grammar: Grammar) -> None:
        self.tokens = found
        self.grammar = grammar
        self.place = 0
        self.operands: list[Node] = []
        self.pending: list[_Pending | _Open] = []
        self.open = 0
        if len(found) > 3 * MAX_NODES:
            raise ExpressionError(f"the expression has {len(found)} tokens; at most {3 * MAX_NODES} are read")

    def whole(self) -> Node:
        complete = False
        while True:
            token = self.tokens[self.place]
            if token.kind == "end" and complete:
                break
            self.place += 1
            complete = self.after_operand(token) if complete else self.operand(token)
        self.reduce(_TERNARY)
        if self.pending:
            raise self.unclosed(self.tokens[-1])
        return self.operands[0]

    @property
    def peek(self) -> Token:
        return self.tokens[self.place]

    def next_is(self, *texts: str) -> bool:
        token = self.peek
        return token.kind == "symbol" and token.text in texts

    def operand(self, token: Token) -> bool:
        """Read a token where an operand has to come; tell whether it completed one."""
        if token.kind == "number":
            self.operands.append(literal(token.text))
            return True
        if token.kind == "quoted":
            self.operands.append(self.variable(token))
            return True
        if token.kind == "name":
            if token.text == "not" and self.grammar.resolve("not") is None:
                self.pending.append(_Pending("not", _NOT, prefix=True))
                return False
            return self.name(token)
        if token.text in ("-", "+"):
            self.pending.append(_Pending(token.text, _SIGN, prefix=True))
            return False
        if token.text == "(":
            inside = self.pending[-1] if self.pending else None
            piecewise = isinstance(inside, _Open) and inside.name in ("piecewise", "Piecewise")
            self.begin("pair" if piecewise else "(", token)
            return False
        if token.text == "|":
            self.begin("|", token)
            return False
        if token.text == ")":
            return self.close(token, empty=True)
        raise ExpressionError(f"unexpected {token}; expected a number, a name or an opening bracket")

    def begin(self, kind: str, token: Token, name: str = "") -> None:
        self.open += 1
        if self.open > MAX_DEPTH:
            raise ExpressionError(
                f"the brackets at {token} are nested more than {MAX_DEPTH} deep; flatten them"
            )
        self.pending.append(_Open(kind, token, len(self.operands), name))

    def name(self, token: Token) -> bool:
        known = self.grammar.resolve(token.text)
        if known is not None and not self.next_is("(", ".", "["):
            self.operands.append(known)
            return True
        if isinstance(known, Var) and not (self.next_is("(") and self.callable(token.text)):
            hint = "write * for a product" if self.next_is("(") else "it is a column, and has no parts"
            raise ExpressionError(f"unexpected {self.peek} after the feature {token.text!r}; {hint}")
        if token.text in PREFIXES and self.next_is("."):
            return self.prefixed()
        if self.next_is("("):
            return self.call(token)
        if self.next_is("[") and token.text in self.grammar.indexed:
            self.operands.append(self.grammar.indexed[token.text](self.index()))
            return True
        self.operands.append(self.variable(token))
        return True

    def callable(self, name: str) -> bool:
        return name in self.grammar.functions or is_function(name)

    def call(self, token: Token) -> bool:
        if not self.callable(token.text):
            call(token.text, (), f" at position {token.position}")
        self.place += 1
        self.begin("call", token, self.grammar.functions.get(token.text, token.text))
        return False

    def prefixed(self) -> bool:
        """Read what follows a module's name: ``np.sin(``, ``np.pi``, ``scipy.special.expit(``."""
        token = self.peek
        while self.next_is("."):
            token = self.tokens[self.place + 1]
            self.place += 2
            if token.kind != "name":
                raise ExpressionError(f"unexpected {token} after a module's point; expected a function name")
        if self.next_is("("):
            return self.call(token)
        constant = named_constant(token.text)
        if constant is None:
            raise ExpressionError(f"the name {token} is neither a function with its bracket nor a constant")
        self.operands.append(constant)
        return True

    def index(self) -> int:
        first, index, last = self.tokens[self.place : self.place + 3]
        if not (index.kind == "number" and index.text.isdigit() and last.text == "]"):
            raise ExpressionError(f"expected a whole number in brackets after {first}")
        self.place += 3
        return int(index.text)

    def after_operand(self, token: Token) -> bool:
        """Read a token after a complete operand; tell whether the operand before it is still complete."""
        sign = self.sign(token)
        if sign in _BINARY:
            self.binary(sign)
            return False
        if sign in ("if", "else"):
            self.ternary(sign, token)
            return False
        if sign in (")", "|"):
            return self.close(token, empty=False)
        if sign == ",":
            self.comma(token)
            return False
        starts = token.kind in ("number", "name", "quoted") or token.text == "("
        if self.grammar.juxtaposed and starts:
            self.place -= 1
            self.binary("*")
            return False
        raise ExpressionError(f"unexpected {token}; expected an operator or the end")

    def sign(self, token: Token) -> str:
        """Return the sign a token stands for; '' when it is none."""
        if token.kind == "symbol":
            return token.text
        if token.kind == "name" and self.grammar.resolve(token.text) is None:
            word = self.grammar.words.get(token.text, token.text)
            return word if word in _BINARY or word in ("if", "else") else ""
        return ""

    def binary(self, sign: str) -> None:
        level = _BINARY[sign]
        # A power waits for the power to its right; everything else folds from the left.
        self.reduce(level + 1 if level in (_POWER, _COMPARISON) else level)
        top = self.pending[-1] if self.pending else None
        if level == _COMPARISON and isinstance(top, _Pending) and top.chain:
            top.chain.append(sign)
            return
        self.pending.append(_Pending(sign, level, chain=[sign] if level == _COMPARISON else []))

    def ternary(self, sign: str, token: Token) -> None:
        self.reduce(_TERNARY + 1)
        top = self.pending[-1] if self.pending else None
        if sign == "if":
            self.pending.append(_Pending("if", _TERNARY))
        elif isinstance(top, _Pending) and top.sign == "if":
            top.sign = "else"
        else:
            raise ExpressionError(f"unexpected {token} without an 'if' before it")

    def comma(self, token: Token) -> None:
        self.reduce(_TERNARY)
        top = self.pending[-1] if self.pending else None
        if not isinstance(top, _Open) or top.kind in ("(", "|"):
            raise ExpressionError(f"unexpected {token} outside the arguments of a function")
        if top.kind == "pair" and self.next_is(")"):
            raise ExpressionError(f"expected a condition before {self.peek}")

    def close(self, token: Token, *, empty: bool) -> bool:
        if not empty:
            self.reduce(_TERNARY)
        top = self.pending[-1] if self.pending else None
        if isinstance(top, _Pending) or (empty and isinstance(top, _Open) and top.kind != "call"):
            raise ExpressionError(f"unexpected {token}; expected a number, a name or an opening bracket")
        if not isinstance(top, _Open) or (token.text == "|") != (top.kind == "|"):
            if isinstance(top, _Open):
                raise self.unclosed(token)
            raise ExpressionError(f"unexpected {token}: nothing is open that it could close")
        self.pending.pop()
        self.open -= 1
        args = tuple(self.operands[top.start :])
        if top.kind == "|":
            self.operands[top.start :] = [apply("abs", args[0])]
        elif top.kind == "call":
            self.operands[top.start :] = [call(top.name, args, f" at position {top.token.position}")]
        elif top.kind == "pair" and len(args) > 2:
            raise ExpressionError(
                f"the pair that ends with {token} has {len(args)} parts; write (value, condition)"
            )
        return True

    def unclosed(self, token: Token) -> ExpressionError:
        opened = next(entry for entry in reversed(self.pending) if isinstance(entry, _Open))
        what = "bar" if opened.kind == "|" else "bracket"
        return ExpressionError(f"the {what} of {opened.token} is not closed before {token}")

    def reduce(self, level: int) -> None:
        """Apply the waiting operators that bind at least as tightly as ``level``."""
        while self.pending:
            top = self.pending[-1]
            if isinstance(top, _Open) or top.level < level:
                return
            self.pending.pop()
            self.combine(top)

    def combine(self, operator: _Pending) -> None:
        operands = self.operands
        last = operands.pop()
        if operator.prefix:
            operands.append(
                last if operator.sign == "+" else apply("not" if operator.sign == "not" else "neg", last)
            )
        elif operator.sign == "if":
            raise ExpressionError(f"expected 'else' before {self.peek}")
        elif operator.sign == "else":
            condition, value = operands.pop(), operands.pop()
            operands.append(apply("where", condition, value, last))
        elif operator.chain:
            operands.append(last)
            count = len(operator.chain) + 1
            parts = operands[-count:]
            tests = [
                apply(_COMPARED[sign], left, right)
                for sign, left, right in zip(operator.chain, parts, parts[1:], strict=False)
            ]
            operands[-count:] = [tests[0] if len(tests) == 1 else apply("and", *tests)]
        else:
            operands.append(_joined(operator.sign, operands.pop(), last))

    def variable(self, token: Token) -> Node:
        node = self.grammar.resolve(token.text)
        if node is not None:
            return node
        if is_function(token.text):
            raise ExpressionError(f"the function {token} has no argument in brackets")
        near = difflib.get_close_matches(
            token.text, [word.strip(",") for word in self.grammar.allowed.split()], 1
        )
        hint = f" (close: {near[0]})" if near else ""
        raise ExpressionError(f"the name {token} is not known; {self.grammar.allowed}{hint}")


def _joined(sign: str, left: Node, right: Node) -> Node:
    if sign == "-":
        return flat("add", (left, apply("neg", right)))
    if sign == "//":
        return apply("floor", apply("div", left, right))
    return flat(_OPS[sign], (left, right))


def literal(text: str) -> Node:
    """Return the node of a number token; Julia's ``f`` exponents are written with ``e``."""
    text = text.replace("f", "e").replace("F", "e")
    if text.isdigit():
        return number(int(text))
    return Number(float(text), False, text)


__all__ = ["Grammar", "listed", "literal", "named", "parse_infix", "read"]
