"""Dividing out of sums what their terms share, and moving constants to where they cost least.

All on SymPy expressions; what is smaller is decided by the number of nodes.
"""

from collections import Counter
from functools import lru_cache

from engine.expression.symbolic import Sympy

MOST_TERMS = 60
MOST_FACTORS = 24
# Above this power a base is not taken apart.
LARGEST_POWER = 8


@lru_cache(maxsize=200_000)
def size(expression: Sympy) -> int:
    """Return the number of nodes."""
    return 1 + sum(size(part) for part in expression.args)


def balanced(product: Sympy) -> Sympy:
    """Move constants between a product and the sums among its factors to wherever they cost least."""
    import sympy

    product = _trigonometric(product)
    coefficient, factors = product.as_coeff_mul(rational=False)
    if coefficient.is_Float and float(coefficient) == 1.0:
        coefficient = sympy.Integer(1)
    best = sympy.Mul(coefficient, *factors)
    for place, factor in enumerate(factors):
        base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, sympy.Integer(1))
        if not (base.is_Add and exponent.is_Integer and abs(exponent) <= 4 and len(base.args) <= MOST_TERMS):
            continue
        others = factors[:place] + factors[place + 1 :]
        scales = {abs(term.as_coeff_Mul()[0]) for term in base.args}
        if abs(exponent) == 1 and coefficient != 1:
            scales |= {coefficient**-exponent, -(coefficient**-exponent)}
        for scale in sorted(scales, key=float):
            if scale in (0, 1) or not scale.is_finite:
                continue
            inner = sympy.Add(*(_scaled(term, scale) for term in base.args))
            outer = coefficient * scale**exponent
            if outer.is_Float and float(outer) == 1.0:
                outer = sympy.Integer(1)
            form = sympy.Mul(outer, inner**exponent, *others)
            if size(form) < size(best):
                best = form
    return best


def _trigonometric(product: Sympy) -> Sympy:
    """Put tan(u) for sin(u)/cos(u) and sin(2*u)/2 for sin(u)*cos(u)."""
    import sympy

    factors = dict(factor.as_base_exp() for factor in sympy.Mul.make_args(product))
    for base, exponent in factors.items():
        if not isinstance(base, sympy.sin):
            continue
        below = factors.get(sympy.cos(base.args[0]))
        if below is not None and below == -exponent:
            changed = product / (base**exponent * sympy.cos(base.args[0]) ** below)
            return changed * sympy.tan(base.args[0]) ** exponent
        if below == 1 and exponent == 1:
            return product / (base * sympy.cos(base.args[0])) * sympy.sin(2 * base.args[0]) / 2
    return product


def _scaled(term: Sympy, scale: Sympy) -> Sympy:
    """Return term / scale; where that gives a product a coefficient, a sum inside it takes it."""
    import sympy

    coefficient, rest = term.as_coeff_Mul()
    ratio = coefficient / scale
    if ratio.is_Float:
        nearest = round(float(ratio))
        if abs(float(ratio) - nearest) <= 4e-16 * abs(nearest) and abs(nearest) < 2**53:
            ratio = sympy.Integer(nearest)
    if ratio == 1:
        return rest
    if coefficient == 1 and rest.is_Mul:
        for place, factor in enumerate(rest.args):
            if factor.is_Add:
                inner = sympy.Add(*(_scaled(each, 1 / ratio) for each in factor.args))
                form = sympy.Mul(*rest.args[:place], inner, *rest.args[place + 1 :])
                if size(form) <= size(rest):
                    return form
    return ratio * rest


def grouped(total: Sympy) -> Sympy:
    """Divide common factors out of the terms of a sum, the best first, as long as that makes it smaller."""
    import sympy

    if not total.is_Add or len(total.args) > MOST_TERMS:
        return total
    total = _pythagoras(total)
    if not total.is_Add:
        return total
    best = total
    for factor in _common(total):
        inside: list[Sympy] = []
        outside: list[Sympy] = []
        for term in total.args:
            (inside if _divides(factor, term) else outside).append(term)
        if len(inside) < 2:
            continue
        if factor.is_Number:
            inner = sympy.Add(*(_scaled(term, factor) for term in inside))
        else:
            factor = _whole(inside)
            inner = sympy.Add(*(term / factor for term in inside))
        inner = grouped(inner) if inner.is_Add and len(inner.args) < len(total.args) else inner
        form = sympy.Add(sympy.Mul(factor, inner), *outside)
        if size(form) < size(best):
            best = form
    return grouped(best) if best is not total and best.is_Add else best


def _pythagoras(total: Sympy) -> Sympy:
    """Put c for c*sin(u)**2 + c*cos(u)**2 among the terms of a sum."""
    import sympy

    squares: dict[tuple[Sympy, Sympy], Sympy] = {}
    for term in total.args:
        for factor in sympy.Mul.make_args(term):
            if factor.is_Pow and factor.exp == 2 and isinstance(factor.base, sympy.sin | sympy.cos):
                rest = term / factor
                key = (factor.base.args[0], rest)
                other = squares.get(key)
                if other is not None and other[0] != factor.base.func:
                    return sympy.Add(total - term - other[1], rest)
                squares[key] = (factor.base.func, term)
    return total


def _common(total: Sympy) -> list[Sympy]:
    """Return what at least two terms of a sum share: powers of the same base, and constants up to sign."""
    import sympy

    shared: Counter[Sympy] = Counter()
    for term in total.args:
        coefficient, rest = term.as_coeff_Mul()
        if abs(coefficient) != 1 and coefficient.is_Number:
            shared[abs(coefficient)] += 1
        for factor in sympy.Mul.make_args(rest):
            if factor.is_Number:
                continue
            base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, sympy.Integer(1))
            if exponent.is_Integer and abs(exponent) <= LARGEST_POWER:
                step = 1 if exponent > 0 else -1
                for power in range(1, abs(int(exponent)) + 1):
                    shared[base ** (step * power)] += 1
            else:
                shared[factor] += 1
    found = [factor for factor, count in shared.items() if count >= 2]
    return sorted(found, key=lambda factor: (-shared[factor], size(factor), str(factor)))[:MOST_FACTORS]


def _whole(terms: list[Sympy]) -> Sympy:
    """Return the product of all powers that every term has."""
    import sympy

    shared: dict[Sympy, Sympy] | None = None
    for term in terms:
        own = dict(factor.as_base_exp() for factor in sympy.Mul.make_args(term.as_coeff_Mul()[1]))
        if shared is None:
            shared = own
            continue
        shared = {base: power for base, power in shared.items() if _lesser(power, own.get(base)) is not None}
        shared = {base: _lesser(power, own[base]) for base, power in shared.items()}
    assert shared is not None
    return sympy.Mul(*(base**power for base, power in shared.items()))


def _lesser(first: Sympy, second: Sympy | None) -> Sympy | None:
    """Return the power that both powers of one base contain, or None."""
    if second is None:
        return None
    if first.is_Integer and second.is_Integer:
        if first > 0 and second > 0:
            return min(first, second)
        return max(first, second) if first < 0 and second < 0 else None
    return first if first == second else None


def _divides(factor: Sympy, term: Sympy) -> bool:
    import sympy

    coefficient, rest = term.as_coeff_Mul()
    if factor.is_Number:
        return bool(abs(coefficient) == factor)
    base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, sympy.Integer(1))
    for each in sympy.Mul.make_args(rest):
        own, power = each.as_base_exp() if each.is_Pow else (each, sympy.Integer(1))
        if own == base:
            if exponent.is_Integer and power.is_Integer:
                return bool(power >= exponent) if exponent > 0 else bool(power <= exponent)
            return bool(power == exponent)
    return False
