"""Pairs of expressions made from the catalogue's formulas, with known answers."""

import random
from dataclasses import dataclass

from engine.expression import Apply, Constant, Number, Var, apply, infix, number, parse
from engine.expression.nodes import postorder, preorder, rebuild, variables

HALF_PI = apply("div", Constant("pi"), number(2))


@dataclass(frozen=True)
class Pair:
    task: str
    rewrite: str
    a: str
    b: str
    features: tuple
    domain: dict


def usable_tasks():
    """Tasks whose formula is known over declared ranges."""
    from tasks.catalogue import full

    for task in full():
        if task.formula is None or len(task.formula) > 400:
            continue
        bounds = {v.name: (v.low, v.high) for v in task.features if v.low is not None and v.high is not None}
        if len(bounds) == len(task.features):
            yield task, tuple(v.name for v in task.features), bounds


def once(node, match, replace, rng):
    """Replace one random node that matches; None when none does."""
    found = [n for n in preorder(node) if match(n)]
    if not found:
        return None
    target = rng.choice(found)
    done = False

    def swap(current):
        nonlocal done
        if not done and current == target:
            done = True
            return replace(current)
        return current

    return rebuild(node, swap)


def is_column(i):
    return lambda n: n == Var(i)


def constantly(value):
    return lambda _: value


def op(name):
    return lambda n: isinstance(n, Apply) and n.op == name


def square(x):
    return apply("pow", x, number(2))


def minus(a, b):
    return apply("add", a, apply("neg", b))


def sine(n):
    half = apply("div", n.args[0], number(2))
    return apply("mul", number(2), apply("sin", half), apply("cos", half))


def shifted_sine(n):
    return apply("cos", minus(HALF_PI, n.args[0]))


def cosine(n):
    return minus(number(1), apply("mul", number(2), square(apply("sin", apply("div", n.args[0], number(2))))))


def tangent(n):
    u = apply("exp", apply("mul", number(2), n.args[0]))
    return apply("div", minus(u, number(1)), apply("add", u, number(1)))


def logarithm(n):
    return apply("neg", apply("log", apply("div", number(1), n.args[0])))


def exponential(n):
    half = apply("div", n.args[0], number(2))
    return apply("mul", apply("exp", half), apply("exp", half))


def distributed(n):
    factors = list(n.args)
    index = next(i for i, f in enumerate(factors) if op("add")(f))
    total = factors.pop(index)
    return apply("add", *(apply("mul", term, *factors) for term in total.args))


def has_sum_factor(n):
    return op("mul")(n) and any(op("add")(f) for f in n.args)


def common_denominator(n):
    index = next(i for i, t in enumerate(n.args) if op("div")(t))
    quotient = n.args[index]
    rest = [t for i, t in enumerate(n.args) if i != index]
    total = rest[0] if len(rest) == 1 else apply("add", *rest)
    top = apply("add", quotient.args[0], apply("mul", total, quotient.args[1]))
    return apply("div", top, quotient.args[1])


def has_quotient_term(n):
    return op("add")(n) and any(op("div")(t) for t in n.args)


def difference_of_squares(n):
    a, b = n.args[0].args[0], n.args[1].args[0].args[0]
    return apply("mul", minus(a, b), apply("add", a, b))


def is_difference_of_squares(n):
    def squared(x):
        return op("pow")(x) and isinstance(x.args[1], Number) and x.args[1].value == 2

    return (
        op("add")(n)
        and len(n.args) == 2
        and squared(n.args[0])
        and op("neg")(n.args[1])
        and squared(n.args[1].args[0])
    )


def plain_number(n):
    return isinstance(n, Number) and 1e-12 < abs(n.value) < 1e12 and not n.is_integer


def make_rewrites(rng):
    def split(n):
        part = round(rng.uniform(1.1, 3.0), 3)
        return apply("mul", number(part), number(n.value / part))

    def added(n):
        part = n.value * round(rng.uniform(0.1, 0.9), 2)
        return apply("add", number(part), number(n.value - part))

    return {
        "sin double angle": lambda f: once(f, op("sin"), sine, rng),
        "sin as cos": lambda f: once(f, op("sin"), shifted_sine, rng),
        "cos half angle": lambda f: once(f, op("cos"), cosine, rng),
        "tanh by exp": lambda f: once(f, op("tanh"), tangent, rng),
        "log of inverse": lambda f: once(f, op("log"), logarithm, rng),
        "exp split": lambda f: once(f, op("exp"), exponential, rng),
        "distribute": lambda f: once(f, has_sum_factor, distributed, rng),
        "common denominator": lambda f: once(f, has_quotient_term, common_denominator, rng),
        "difference of squares": lambda f: once(f, is_difference_of_squares, difference_of_squares, rng),
        "constant product": lambda f: once(f, plain_number, split, rng),
        "constant sum": lambda f: once(f, plain_number, added, rng),
        "times one": lambda f: apply("mul", f, one(f)),
        "log of exp": lambda f: once(f, lambda n: isinstance(n, Var), log_exp, rng),
    }


def one(f):
    x = Var(min(variables(f)))
    return apply("add", square(apply("sin", x)), square(apply("cos", x)))


def log_exp(n):
    small = apply("div", n, number(1024))
    return apply("mul", number(1024), apply("log", apply("exp", small)))


def positives(count, seed=520):
    """Equivalent pairs, none of which is equal as a built tree."""
    rng = random.Random(seed)
    rewrites = make_rewrites(rng)
    pool = list(usable_tasks())
    pairs = []
    used = dict.fromkeys(rewrites, 0)
    while len(pairs) < count:
        task, features, domain = rng.choice(pool)
        node = parse(task.formula, features)
        if not variables(node):
            continue
        for name in sorted(rewrites, key=lambda n: (used[n], rng.random())):
            if name == "log of exp" and max(abs(b) for bs in domain.values() for b in bs) > 1e5:
                continue
            other = rewrites[name](node)
            if other is not None and other != node:
                used[name] += 1
                pairs.append(
                    Pair(task.id, name, infix(node, features), infix(other, features), features, domain)
                )
                break
    return pairs


def near_misses(count, seed=521):
    """Pairs that differ by a term of relative size 1e-8, a swapped variable or a shifted constant."""
    import numpy as np

    from tasks.materialize import splits

    rng = random.Random(seed)
    pool = [entry for entry in usable_tasks() if len(entry[1]) > 1]
    pairs = []
    while len(pairs) < count:
        task, features, domain = rng.choice(pool)
        node = parse(task.formula, features)
        kind = ("tiny term", "swapped variable", "shifted constant")[len(pairs) % 3]
        if kind == "tiny term":
            size = float(np.mean(np.abs(splits(task).id.y)))
            if not 0 < size < 1e200:
                continue
            other = apply("add", node, number(size * 1e-8))
        elif kind == "swapped variable":
            seen = sorted(variables(node))
            if len(seen) < 2:
                continue
            i, j = rng.sample(seen, 2)
            low, high = domain[features[i]], domain[features[j]]
            other = once(node, is_column(i), constantly(Var(j)), rng)
            if max(low[0], high[0]) > min(low[1], high[1]):
                continue
        else:
            other = once(node, plain_number, lambda n: number(n.value * (1 + 1e-6)), rng)
        if other is None or other == node or symmetric(node, other):
            continue
        pairs.append(Pair(task.id, kind, infix(node, features), infix(other, features), features, domain))
    return pairs


def symmetric(a, b):
    """Whether a swap changed nothing, by plain evaluation at random points."""
    import numpy as np

    from engine.expression import evaluate

    X = np.random.default_rng(0).uniform(0.5, 2.0, (50, 1 + max(variables(a) | variables(b), default=0)))
    left, right = evaluate(a, X), evaluate(b, X)
    return bool(np.array_equal(left, right, equal_nan=True))


SWAPS = {"sin": "cos", "cos": "sin", "exp": "sin", "log": "exp", "tanh": "sin", "sqrt": "log", "abs": "sin"}


def structure_pairs(count, same, seed=522):
    """Pairs of equal structure with other constants, or with one function or variable exchanged as well."""
    rng = random.Random(seed)
    pool = [entry for entry in usable_tasks() if len(entry[1]) > 1]
    pairs = []
    while len(pairs) < count:
        task, features, domain = rng.choice(pool)
        node = parse(task.formula, features)
        jittered = rebuild(
            node, lambda n: number(float(f"{n.value * rng.uniform(0.5, 1.9):.6g}")) if plain_number(n) else n
        )
        if jittered == node:
            continue
        if same:
            pairs.append(
                Pair(task.id, "jitter", infix(node, features), infix(jittered, features), features, domain)
            )
            continue
        functions = [n for n in postorder(node) if isinstance(n, Apply) and n.op in SWAPS]
        if functions:
            other = once(jittered, lambda n: isinstance(n, Apply) and n.op in SWAPS, exchanged, rng)
        else:
            i, j = rng.sample(range(len(features)), 2)
            other = once(jittered, is_column(i), constantly(square(Var(j))), rng)
        if other is not None and not symmetric(jittered, other):
            pairs.append(
                Pair(task.id, "exchange", infix(node, features), infix(other, features), features, domain)
            )
    return pairs


def exchanged(n):
    return Apply(SWAPS[n.op], n.args)
