"""Benchmarks of the expression core: evaluation against lambdify, tree distance, scoring of many pairs.

Run with: pytest -m slow tests/bench/test_bench_expression.py -s
"""

import json
import math
import random
import re
import time
from functools import partial

import numpy as np
import pytest

from engine.expression import ExpressionError, evaluate, parse
from engine.expression.canonical import Tree, tree_of
from engine.expression.children import PRELOAD_DISTANCE, Children
from engine.expression.distance import compile_seconds, tree_distance
from engine.expression.evaluate import compiled
from engine.expression.names import inferred
from engine.expression.similarity import compare
from engine.expression.symbolic import to_sympy

pytestmark = pytest.mark.slow
ROWS = 100_000
CATALOGUE = ("classic", "feynman_srbench", "srsd", "strogatz", "lsr_synth_formulas", "lsr_transform_ranges")


def formulas(published):
    found = {}
    for name in CATALOGUE:
        with published(f"catalogue/{name}.jsonl").open() as lines:
            for row in map(json.loads, lines):
                text = row.get("formula")
                try:
                    names = inferred([text]) if text else ()
                    parse(text or "", names)
                except ExpressionError:
                    continue
                if names:
                    found[text] = names
    return found


def best(work, repeats=5):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def test_evaluation_is_at_least_as_fast_as_lambdify(published):
    import sympy

    spelled = {"arcsin": "asin", "arccos": "acos"}
    warm, cold = [], []
    rng = np.random.default_rng(0)
    for text, names in sorted(formulas(published).items())[::3]:
        X = rng.uniform(1.0, 2.0, (ROWS, len(names)))
        columns = [X[:, place] for place in range(len(names))]
        symbols = {name: sympy.Symbol(name) for name in names}
        start = time.perf_counter()
        compiled.cache_clear()
        node = parse(text, names)
        with np.errstate(all="ignore"):
            evaluate(node, X)
            ours = time.perf_counter() - start
            start = time.perf_counter()
            theirs_text = re.sub(r"\b(arcsin|arccos)\b", lambda match: spelled[match[0]], text)
            try:
                function = sympy.lambdify(
                    list(symbols.values()), sympy.sympify(theirs_text, locals=symbols), "numpy"
                )
                function(*columns)
            except (TypeError, NameError, sympy.SympifyError):
                continue
            cold.append((time.perf_counter() - start) / ours)
            warm.append(best(partial(function, *columns)) / best(partial(evaluate, node, X)))
    print(
        f"\n{len(warm)} formulas, {ROWS} rows: lambdify takes {geometric_mean(warm):.2f} x our time warm, ",
        end="",
    )
    print(f"{geometric_mean(cold):.1f} x cold")
    assert geometric_mean(warm) >= 1.0
    assert geometric_mean(cold) >= 1.0


def grown(seed: int, nodes: int) -> Tree:
    rnd = random.Random(seed)

    def text(count):
        if count <= 1:
            return rnd.choice(["x0", "x1", "x2", f"{rnd.random():.3f}"])
        if count == 2:
            return f"sin({text(1)})"
        left = rnd.randint(1, count - 2)
        return rnd.choice(["({} + {})", "({}*{})", "({}**{})"]).format(text(left), text(count - 1 - left))

    built = to_sympy(parse(text(nodes), ("x0", "x1", "x2")), evaluate=False)
    return tree_of(built, evaluated=False, version="")


def test_tree_distance_of_150_nodes_takes_under_100_ms():
    print(f"\nkernel loaded or compiled in {compile_seconds():.2f} s", end="")
    trees = [grown(seed, 150) for seed in range(8)]
    pairs = [(a, b) for a in trees for b in trees if a is not b]
    slowest = max(best(partial(tree_distance, *pair), 3) for pair in pairs)
    smallest = min(tree.complexity for tree in trees)
    print(f"; slowest of {len(pairs)} pairs of {smallest} nodes or more: {slowest * 1e3:.1f} ms")
    assert slowest < 0.1


def test_2250_pairs_take_under_a_minute(published):
    with published("reference/scored_runs.jsonl").open() as lines:
        rows = [json.loads(line) for line in lines]
    rng = random.Random(0)

    def jittered(text):
        """Every pair is a new text, so that nothing is answered from a cache."""
        return re.sub(
            r"(?<![\w.])\d+\.\d+", lambda match: repr(float(match[0]) * rng.uniform(0.9, 1.1)), text
        )

    jobs = []
    while len(jobs) < 2250:
        for row in rows:
            truth, prediction = jittered(row["truth_simplified"]), jittered(row["simplified"])
            jobs.append((truth, prediction, inferred([truth, prediction])))
    with Children(count=2, preload=PRELOAD_DISTANCE) as pool:
        pool.run(compare, "x0", "x0", ("x0",), seconds=120)
        start = time.perf_counter()
        outcomes = list(pool.map(compare, jobs[:2250], seconds=20))
        spent = time.perf_counter() - start
    failed = sum(outcome.status != "ok" for outcome in outcomes)
    print(f"\n2250 pairs of canonical trees in {spent:.1f} s on two children, {failed} without an answer")
    assert failed == 0
    assert spent < 60
