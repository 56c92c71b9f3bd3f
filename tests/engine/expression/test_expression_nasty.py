"""A thousand expressions built to be nasty: every step ends within its limit, with an answer or a status."""

import random
import time

import numpy as np
import pytest

from engine.expression import ExpressionError, evaluate, infix, latex, numpy_source, parse, sympy_source
from engine.expression.canonical import tree
from engine.expression.children import PRELOAD_DISTANCE, Children
from engine.expression.similarity import compare
from engine.expression.simplify import simplify

FEATURES = ["x0", "x1"]
TABLE = np.array([[0.5, -1.5], [0.0, 0.0], [1e300, -1e-300], [-2.0, 3.0]])
# Limits of single steps; a busy machine may add a little.
TREE_SECONDS = 2.0
SIMPLIFY_SECONDS = 2.0
SLACK = 2.0


def nasty(count):
    """Return ``count`` different expressions, the same at every call."""
    rng = random.Random(20260728)
    constants = [
        "1e308",
        "-1e308",
        "5e-324",
        "1e-300",
        "0",
        "0.0",
        "1",
        "-1",
        "2",
        "0.5",
        "1/3",
        "9",
        "10",
        "1e16",
        "pi",
    ]

    def value(depth):
        if depth == 0:
            return rng.choice([*constants, "x0", "x1", "x0", "x1"])
        kind = rng.randrange(11)
        a, b = value(depth - 1), value(rng.randrange(depth))
        return [
            f"({a})**({b})",
            f"({a})**({b})**({value(0)})",
            f"({a})/({b})",
            f"(({a})**2 - ({b})**2)/(({a}) - ({b}))",
            f"{rng.choice(['log', 'sqrt', 'asin', 'acosh', 'gamma', 'tan', 'atanh'])}({a})",
            f"exp(exp({a}))",
            f"sin({a})/({a})",
            f"where({a} > {b}, 1/({a}), log({b}))",
            f"gp_div({a}, {b}) - pdiv({a}, {b})",
            f"({a}) % ({b}) + abs({a}) - max({a}, {b}, 1)",
            f"({a}) * ({b}) - ({a})",
        ][kind]

    fixed = [
        "9**9**9*x0",
        "10**10**10",
        "10**10**10*x0 + 1",
        "2**2**2**2**2**2**2",
        "x0**x0**x0**x0**x0**x1",
        "x0**(10**10**10)",
        "(-8)**(1/3)",
        "0**0 + 0**-1",
        "x0/x0 + sin(x0)/x0",
        "sqrt(x0**2) - abs(x0)",
        "log(x0**2) - 2*log(x0)",
        "(x0 + x1 + 1)**60",
        "1e308*1e308*x0 - 1e308*1e308",
        "inf - inf + nan",
        "(" * 5000 + "x0" + ")" * 5000,
        "(" * 190 + "x0" + ")" * 190,
        "sin(" * 190 + "x0" + ")" * 190,
        "sin(" * 5000 + "x0" + ")" * 5000,
        "-" * 5000 + "x0",
        "x0**" * 5000 + "x0",
        "x0" + " + x0*x1" * 5000,
        "x0" + "*x1" * 5000,
        "x0" + "/x1" * 5000,
        "1" * 790,
        "1" * 5000,
        "x0" + "**2" * 150,
        "|" * 400 + "x0" + "|" * 400,
        "factorial(10**10)",
        "x0 if x1 else " * 100 + "x0",
        "0 < x0 < x1 < 1 < 2",
        "x0,x1",
        "\x00x0",
        "x0 + \N{GREEK SMALL LETTER ALPHA}",
    ]
    found = dict.fromkeys(fixed)
    while len(found) < count:
        found[value(rng.randrange(1, 5))] = None
    return list(found)


def test_reading_evaluating_and_printing_a_thousand():
    refused = 0
    for text in nasty(1000):
        start = time.perf_counter()
        try:
            node = parse(text, FEATURES)
        except ExpressionError as error:
            refused += 1 + 1000 * ("\n" in str(error))
        else:
            assert evaluate(node, TABLE).shape == (4,)
            again = parse(infix(node, FEATURES), FEATURES)
            assert np.array_equal(evaluate(again, TABLE), evaluate(node, TABLE), equal_nan=True)
            for printer in (latex, numpy_source, sympy_source):
                assert printer(node, FEATURES)
        assert time.perf_counter() - start < SLACK, text[:60]
    assert refused < 30


def judged(texts):
    """Run every command's work on the texts that can be read; count what became of them."""
    found = {}
    with Children(count=2, preload=PRELOAD_DISTANCE) as pool:
        for text in texts:
            try:
                parse(text, FEATURES)
            except ExpressionError:
                continue
            start = time.perf_counter()
            built = pool.run(tree, text, tuple(FEATURES), seconds=TREE_SECONDS)
            alike = pool.run(compare, "x0 + sin(x1)", text, tuple(FEATURES), seconds=TREE_SECONDS)
            shorter = simplify(text, FEATURES, seconds=SIMPLIFY_SECONDS, children=pool)
            spent = time.perf_counter() - start
            # Three limits, and three replacements of a killed child on a busy machine.
            assert spent < 2 * TREE_SECONDS + SIMPLIFY_SECONDS + SLACK, text[:60]
            assert built.status in ("ok", "timeout", "memory", "error")
            assert alike.status == built.status or "timeout" in (alike.status, built.status)
            assert shorter.status in ("simplified", "unchanged", "unable")
            if shorter.status == "unable":
                assert shorter.text == text
                assert shorter.reason
            found[built.status] = found.get(built.status, 0) + 1
            found[shorter.status] = found.get(shorter.status, 0) + 1
    return found


def test_trees_and_simplification_of_some():
    found = judged(nasty(1000)[:60])
    assert found["ok"] >= 40


@pytest.mark.slow
def test_trees_and_simplification_of_a_thousand():
    found = judged(nasty(1000))
    print(found)
    assert sum(found.get(status, 0) for status in ("simplified", "unchanged")) >= 900
