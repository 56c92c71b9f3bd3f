"""The shunting-yard that turns the tokens of infix text into a tree, by the rules of a grammar."""

import difflib
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.expression.errors import ExpressionError
from engine.expression.nodes import MAX_DEPTH, MAX_NODES, Node, Number, Var, apply, number
from engine.expression.operands import Operands
from engine.expression.operators import COMPARISONS
from engine.expression.spelling import PREFIXES, call, is_function, named_constant
from engine.expression.tokens import Token

if TYPE_CHECKING:
    from engine.expression.parse import Grammar

_COMPARED = {sign: op for op, sign in COMPARISONS.items()}
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


class Parser:
    """Shunting-yard over a list of tokens: no recursion, so nesting costs no stack."""

    def __init__(self, found: list[Token], grammar: "Grammar") -> None:
        self.tokens = found
        self.grammar = grammar
        self.place = 0
        self.operands = Operands()
        self.pending: list[_Pending | _Open] = []
        self.open = 0
        if len(found) > 3 * MAX_NODES:
            raise ExpressionError(f"the expression has {len(found)} tokens; at most {3 * MAX_NODES} are read")

    def whole(self) -> Node:
        """Read all tokens as one expression."""
        complete = False
        while True:
            token = self.tokens[self.place]
            if token.kind == "end" and complete:
                break
            self.place += 1
            complete = self._after_operand(token) if complete else self._operand(token)
        self._reduce(_TERNARY)
        if self.pending:
            raise self._unclosed(self.tokens[-1])
        return self.operands.pop()

    @property
    def _peek(self) -> Token:
        return self.tokens[self.place]

    def _next_is(self, *texts: str) -> bool:
        token = self._peek
        return token.kind == "symbol" and token.text in texts

    def _operand(self, token: Token) -> bool:
        """Read a token where an operand has to come; tell whether it completed one."""
        if token.kind == "number":
            self.operands.push(literal(token.text))
            return True
        if token.kind == "quoted":
            self.operands.push(self._variable(token))
            return True
        if token.kind == "name":
            if token.text == "not" and self.grammar.resolve("not") is None:
                self.pending.append(_Pending("not", _NOT, prefix=True))
                return False
            return self._name(token)
        if token.text in ("-", "+"):
            self.pending.append(_Pending(token.text, _SIGN, prefix=True))
            return False
        if token.text == "(":
            inside = self.pending[-1] if self.pending else None
            piecewise = isinstance(inside, _Open) and inside.name in ("piecewise", "Piecewise")
            self._begin("pair" if piecewise else "(", token)
            return False
        if token.text == "|":
            self._begin("|", token)
            return False
        if token.text == ")":
            return self._close(token, empty=True)
        if token.kind == "end":
            raise ExpressionError("the text ends too early; a number, a name or a bracket should follow")
        raise ExpressionError(f"unexpected {token}; expected a number, a name or an opening bracket")

    def _begin(self, kind: str, token: Token, name: str = "") -> None:
        self.open += 1
        if self.open > MAX_DEPTH:
            raise ExpressionError(
                f"the brackets at {token} are nested more than {MAX_DEPTH} deep; flatten them"
            )
        self.pending.append(_Open(kind, token, len(self.operands), name))

    def _name(self, token: Token) -> bool:
        known = self.grammar.resolve(token.text)
        if known is not None and not self._next_is("(", ".", "["):
            self.operands.push(known)
            return True
        if isinstance(known, Var) and not (self._next_is("(") and self._callable(token.text)):
            hint = "write * for a product" if self._next_is("(") else "it is a column, and has no parts"
            raise ExpressionError(f"unexpected {self._peek} after the feature {token.text!r}; {hint}")
        if token.text in PREFIXES and self._next_is("."):
            return self._prefixed()
        if self._next_is("("):
            return self._call(token)
        if self._next_is("[") and token.text in self.grammar.indexed:
            self.operands.push(self.grammar.indexed[token.text](self._index()))
            return True
        self.operands.push(self._variable(token))
        return True

    def _callable(self, name: str) -> bool:
        return name in self.grammar.functions or is_function(name)

    def _call(self, token: Token) -> bool:
        if not self._callable(token.text):
            call(token.text, (), f" at position {token.position}")
        self.place += 1
        self._begin("call", token, self.grammar.functions.get(token.text, token.text))
        return False

    def _prefixed(self) -> bool:
        """Read what follows a module's name: ``np.sin(``, ``np.pi``, ``scipy.special.expit(``."""
        token = self._peek
        while self._next_is("."):
            token = self.tokens[self.place + 1]
            self.place += 2
            if token.kind != "name":
                raise ExpressionError(f"unexpected {token} after a module's point; expected a function name")
        if self._next_is("("):
            return self._call(token)
        constant = named_constant(token.text)
        if constant is None:
            raise ExpressionError(f"the name {token} is neither a function with its bracket nor a constant")
        self.operands.push(constant)
        return True

    def _index(self) -> int:
        first, index, last = self.tokens[self.place : self.place + 3]
        if not (index.kind == "number" and index.text.isdigit() and last.text == "]"):
            raise ExpressionError(f"expected a whole number in brackets after {first}")
        self.place += 3
        return int(index.text)

    def _after_operand(self, token: Token) -> bool:
        """Read a token after a complete operand; tell whether the operand before it is still complete."""
        sign = self._sign(token)
        if sign in _BINARY:
            self._binary(sign)
            return False
        if sign in ("if", "else"):
            self._ternary(sign, token)
            return False
        if sign in (")", "|"):
            return self._close(token, empty=False)
        if sign == ",":
            self._comma(token)
            return False
        starts = token.kind in ("number", "name", "quoted") or token.text == "("
        if self.grammar.juxtaposed and starts:
            self.place -= 1
            self._binary("*")
            return False
        raise ExpressionError(f"unexpected {token}; expected an operator or the end")

    def _sign(self, token: Token) -> str:
        """Return the sign a token stands for; '' when it is none."""
        if token.kind == "symbol":
            return token.text
        if token.kind == "name" and self.grammar.resolve(token.text) is None:
            word = self.grammar.words.get(token.text, token.text)
            return word if word in _BINARY or word in ("if", "else") else ""
        return ""

    def _binary(self, sign: str) -> None:
        level = _BINARY[sign]
        # A power waits for the power to its right; everything else folds from the left.
        self._reduce(level + 1 if level in (_POWER, _COMPARISON) else level)
        top = self.pending[-1] if self.pending else None
        if level == _COMPARISON and isinstance(top, _Pending) and top.chain:
            top.chain.append(sign)
            return
        self.pending.append(_Pending(sign, level, chain=[sign] if level == _COMPARISON else []))

    def _ternary(self, sign: str, token: Token) -> None:
        self._reduce(_TERNARY + 1)
        top = self.pending[-1] if self.pending else None
        if sign == "if":
            self.pending.append(_Pending("if", _TERNARY))
        elif isinstance(top, _Pending) and top.sign == "if":
            top.sign = "else"
        else:
            raise ExpressionError(f"unexpected {token} without an 'if' before it")

    def _comma(self, token: Token) -> None:
        self._reduce(_TERNARY)
        top = self.pending[-1] if self.pending else None
        if not isinstance(top, _Open) or top.kind in ("(", "|"):
            raise ExpressionError(f"unexpected {token} outside the arguments of a function")
        if top.kind == "pair" and self._next_is(")"):
            raise ExpressionError(f"expected a condition before {self._peek}")

    def _close(self, token: Token, *, empty: bool) -> bool:
        if not empty:
            self._reduce(_TERNARY)
        top = self.pending[-1] if self.pending else None
        if isinstance(top, _Pending) or (empty and isinstance(top, _Open) and top.kind != "call"):
            raise ExpressionError(f"unexpected {token}; expected a number, a name or an opening bracket")
        if not isinstance(top, _Open) or (token.text == "|") != (top.kind == "|"):
            if isinstance(top, _Open):
                raise self._unclosed(token)
            raise ExpressionError(f"unexpected {token}: nothing is open that it could close")
        self.pending.pop()
        self.open -= 1
        if top.kind == "|":
            self.operands.push(apply("abs", self.operands.pop()))
        elif top.kind == "call":
            args = self.operands.pop_all(len(self.operands) - top.start)
            self.operands.push(call(top.name, args, f" at position {top.token.position}"))
        elif top.kind == "pair" and len(self.operands) - top.start > 2:
            raise ExpressionError(f"the pair that ends with {token} is not (value, condition)")
        return True

    def _unclosed(self, token: Token) -> ExpressionError:
        opened = next(entry for entry in reversed(self.pending) if isinstance(entry, _Open))
        what = "bar" if opened.kind == "|" else "bracket"
        return ExpressionError(f"the {what} of {opened.token} is not closed before {token}")

    def _reduce(self, level: int) -> None:
        """Apply the waiting operators that bind at least as tightly as ``level``."""
        while self.pending:
            top = self.pending[-1]
            if isinstance(top, _Open) or top.level < level:
                return
            self.pending.pop()
            self._combine(top)

    def _combine(self, operator: _Pending) -> None:
        operands = self.operands
        last = operands.pop()
        if operator.prefix:
            sign = operator.sign
            operands.push(last if sign == "+" else apply("not" if sign == "not" else "neg", last))
        elif operator.sign == "if":
            raise ExpressionError(f"expected 'else' before {self._peek}")
        elif operator.sign == "else":
            value, condition = operands.pop_all(2)
            operands.push(apply("where", condition, value, last))
        elif operator.chain:
            parts = (*operands.pop_all(len(operator.chain)), last)
            pairs = zip(operator.chain, pairwise(parts), strict=True)
            tests = [apply(_COMPARED[sign], *pair) for sign, pair in pairs]
            operands.push(tests[0] if len(tests) == 1 else apply("and", *tests))
        elif operator.sign == "-":
            operands.join("add", apply("neg", last))
        elif operator.sign == "//":
            operands.push(apply("floor", apply("div", operands.pop(), last)))
        else:
            operands.join(_OPS[operator.sign], last)

    def _variable(self, token: Token) -> Node:
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


def literal(text: str) -> Node:
    """Return the node of a number token; Julia's ``f`` exponents are written with ``e``."""
    text = text.replace("f", "e").replace("F", "e")
    if text.isdigit():
        return number(int(text))
    return Number(float(text), False, text)
