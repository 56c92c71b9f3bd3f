"""The rewrites of :mod:`engine.expression.simplify`, on SymPy expressions, smallest result first.

They are algebra over the reals that holds wherever both sides are defined: merging constants, dividing common
factors out of sums, cancelling quotients, dropping absolute values of what cannot be negative. Constants are
carried with guard digits and rounded to doubles once, at the end.
"""

from collections.abc import Iterator

from engine.expression.factoring import balanced, grouped, size
from engine.expression.symbolic import FAILURES, Sympy

# Digits that constants are carried with; a double has 17.
DIGITS = 34
# Beyond these node counts the slower rewrites are not tried.
LARGEST_EXPANDED = 160
LARGEST_CANCELLED = 140
MOST_GROWTH = 12
# A symbol, or a function of one, cannot become smaller.
SMALLEST = 2
# Whole numbers beyond this come from cleared denominators, not from a formula.
LARGEST_EXACT = 10**6


def rewrites(expression: Sympy) -> Iterator[Sympy]:
    """Yield forms of an expression that are equal to it."""
    import sympy

    first = tidy(expression)
    yield first
    seen = {first}
    best = first
    for trial in (divided, sympy.factor_terms, multiplied_out, cancelled):
        # Constants that were merged no longer divide exactly, so some rewrites start from the original.
        starts = (
            (best,)
            if trial is sympy.factor_terms
            else (expression, best)
            if trial is divided
            else (expression,)
        )
        for start in dict.fromkeys(starts):
            if size(best) <= SMALLEST:
                return
            try:
                changed = trial(start)
            except (sympy.PolynomialError, *FAILURES):
                # SymPy's own limits; another rewrite may do.
                continue
            if changed == start or size(changed) > MOST_GROWTH * size(first):
                continue
            form = tidy(changed)
            if form in seen:
                continue
            seen.add(form)
            if size(form) < size(best):
                best = form
            yield form


def exact(expression: Sympy) -> Sympy:
    """Return the expression with its floats as the decimals they are written as."""
    import sympy

    return expression.xreplace(
        {each: sympy.Rational(repr(float(each))) for each in expression.atoms(sympy.Float)}
    )


def widened(expression: Sympy, like: Sympy | None = None) -> Sympy:
    """Return the expression with its floats at ``DIGITS`` digits, as the decimals they are written as.

    Fractions that do not occur in ``like``, where the expression came from, become floats again.
    """
    import sympy

    numbers: dict[Sympy, Sympy] = {
        each: sympy.Float(repr(float(each)), DIGITS) for each in expression.atoms(sympy.Float)
    }
    if like is not None:
        kept = like.atoms(sympy.Rational) | {sympy.S.Half, -sympy.S.Half}
        for each in expression.atoms(sympy.Rational) - kept:
            if not each.is_Integer or abs(each) > LARGEST_EXACT:
                numbers[each] = sympy.Float(each, DIGITS)
    return expression.xreplace(numbers)


def tidy(expression: Sympy) -> Sympy:
    """Return the expression with the local rewrites done everywhere, from the leaves to the root."""
    done: dict[Sympy, Sympy] = {}
    stack = [expression]
    while stack:
        current = stack[-1]
        if current in done:
            stack.pop()
            continue
        waiting = [part for part in current.args if part not in done]
        if waiting:
            stack.extend(waiting)
            continue
        done[current] = _local(current, [done[part] for part in current.args])
        stack.pop()
    return done[expression]


def _local(original: Sympy, args: list[Sympy]) -> Sympy:
    import sympy

    current = original
    if args and tuple(args) != original.args:
        current = original.func(*args)
    for _ in range(4):
        before = current
        if current.is_Float:
            return current
        if current.is_Add:
            current = grouped(current)
        elif current.is_Mul:
            current = balanced(current)
        elif current.is_Pow:
            current = _power(current)
        elif isinstance(current, sympy.Abs) and nonnegative(current.args[0]):
            current = current.args[0]
        elif isinstance(current, sympy.log) and isinstance(current.args[0], sympy.exp):
            current = current.args[0].args[0]
        elif isinstance(current, sympy.Max):
            current = _greatest(current)
        if current == before:
            break
    return current


def _power(power: Sympy) -> Sympy:
    import sympy

    base, exponent = power.args
    if exponent.is_Float:
        half = 2 * float(exponent)
        if half.is_integer() and abs(half) < 2**31:
            exponent = sympy.Rational(int(half), 2)
    if base.is_Number and exponent.is_Number and (base.is_Float or exponent.is_Float) and base.is_positive:
        return sympy.Float(base, DIGITS) ** exponent
    if exponent.is_Integer and int(exponent) % 2 == 0 and isinstance(base, sympy.Abs):
        base = base.args[0]
    return base**exponent


def _greatest(greatest: Sympy) -> Sympy:
    """Max(u, Abs(u)) is Abs(u)."""
    import sympy

    absolute = {part.args[0] for part in greatest.args if isinstance(part, sympy.Abs)}
    kept = [part for part in greatest.args if part not in absolute]
    return greatest if len(kept) == len(greatest.args) else sympy.Max(*kept)


def nonnegative(part: Sympy) -> bool:
    """Tell whether an expression cannot be negative where it has a real value, by its form alone."""
    import sympy

    if part.is_Number or part.is_NumberSymbol:
        return bool(part >= 0)
    if isinstance(part, sympy.Abs | sympy.exp | sympy.cosh):
        return True
    if part.is_Pow:
        base, exponent = part.args
        even = exponent.is_Rational and (exponent.p % 2 == 0 or exponent.q % 2 == 0)
        return bool(even or nonnegative(base))
    if part.is_Add or part.is_Mul:
        return all(nonnegative(each) for each in part.args)
    if isinstance(part, sympy.Max):
        return any(nonnegative(each) for each in part.args)
    if isinstance(part, sympy.Min):
        return all(nonnegative(each) for each in part.args)
    if isinstance(part, sympy.log):
        inside = part.args[0]
        return bool(inside.is_Add and any(each.is_Number and each >= 1 for each in inside.args)
                    and nonnegative(inside))  # fmt: skip
    return False


def divided(expression: Sympy) -> Sympy:
    """Divide sums by the sums below them where that leaves a simple rest: (a*x + b*y)/(x + c*y)."""
    import sympy

    def quotient(product: Sympy) -> Sympy:
        above, below = product.as_numer_denom()
        coefficient, above = above.as_coeff_Mul()
        if not (above.is_Add and below.is_Add):
            return product
        (whole,), rest = sympy.reduced(exact(above), [exact(below)], order="grevlex")
        if whole == 0:
            return product
        form = coefficient * (widened(whole, product) + widened(rest, product) / below)
        return form if size(form) < size(product) else product

    return expression.replace(lambda part: part.is_Mul, quotient)


def cancelled(expression: Sympy) -> Sympy:
    """Bring a rational expression to one quotient without common factors."""
    import sympy

    if size(expression) > LARGEST_CANCELLED or not any(map(_denominator, expression.atoms(sympy.Pow))):
        return expression
    return widened(sympy.cancel(exact(expression)), expression)


def _denominator(power: Sympy) -> bool:
    return bool(power.exp.is_Integer and power.exp.is_negative and power.base.free_symbols)


def multiplied_out(expression: Sympy) -> Sympy:
    """Multiply out products of sums, where that stays small."""
    import sympy

    if size(expression) > LARGEST_EXPANDED or not _expandable(expression):
        return expression
    return sympy.expand(expression, power_base=False, power_exp=False, log=False, basic=False, complex=False)


def _expandable(expression: Sympy) -> bool:
    """Tell whether multiplying out stays within bounds."""
    import sympy

    terms = 1
    if not any(
        factor.is_Add for product in expression.atoms(sympy.Mul, sympy.Pow) for factor in product.args
    ):
        return False
    for power in expression.atoms(sympy.Pow):
        base, exponent = power.args
        if base.is_Add and exponent.is_Integer and exponent > 1:
            terms *= len(base.args) ** min(int(exponent), 12)
    for product in expression.atoms(sympy.Mul):
        for factor in product.args:
            if factor.is_Add:
                terms *= len(factor.args)
    return terms <= 2000
