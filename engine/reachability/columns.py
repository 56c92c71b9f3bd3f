"""Columns of the design matrix: what an atom is on the training rows, in a scaled inner parameter theta.

A parametric column is known up to a positive factor only, because its leading coefficient is always
fitted with it: exponentials are shifted and powers are scaled so that nothing overflows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.reachability import generic
from engine.reachability.atoms import Atom

Array = NDArray[np.float64]

# Bounds and grids of theta; ../shared notes and measurements, not the paper, which gives none.
LEAST_PHASE = 0.05  # sine, cosine: theta = a * range; below, a sine mimics a cubic with a huge coefficient
PHASE_STEP = 0.75  # radians between grid points: a cycle is met about eight times
MOST_PHASES = 430  # grid points, so that 51 cycles over the training range can be found
LEAST_RATE, RATES = 0.05, 100  # exponential: theta = a * max|v|
MOST_RATE = 300.0  # decays within three of 800 even rows; at 60, transients of one unit in 60 were cut off
LOG_SHIFT_LOW, LOG_SHIFTS = -9.0, 60  # a = max|v| * exp(theta)
LOG_SHIFT_HIGH = np.log(10.0)  # beyond, the logarithm is a straight line that stands in for an intercept
POWER_LOW, POWER_HIGH, POWER_STEP = 0.02, 6.0, 0.08  # |v|**a
NEGATIVE_POWER_LOW = -6.0
NEGATIVE_POWER_RATIO = 1e-2  # a < 0 only where min|v| > ratio * max|v|: unseen rows may lie nearer to 0
ZERO_LOGARITHM = -1e6  # stands for log(0): every positive power of it is an exact zero


@dataclass(frozen=True, slots=True)
class Kernel:
    """Atoms of one shape on the training rows, stacked so that a batch over them is one NumPy call.

    Attributes
    ----------
    shape
        The atoms' shape.
    base
        (c, n) scaled argument of the parametric function.
    factor
        (c, n) what multiplies the function.
    offset
        (c,) logarithm of the scale of the feature (logarithm only).
    """

    shape: str
    base: Array
    factor: Array
    offset: Array


def evaluated(text: str, X: Array) -> Array:
    """Evaluate an atom's text without an inner constant.

    Parameters
    ----------
    text
        Infix over ``x0, x1, ...``.
    X
        (n, d) rows.

    Returns
    -------
    ndarray
        (n,) values; NaN or infinite where undefined.
    """
    from engine.expression import evaluate, parse

    if text == "1":
        return np.ones(len(X))
    return evaluate(parse(text, [f"x{index}" for index in range(X.shape[1])]), X)


def fits_domain(atom: Atom, X: Array) -> Atom:
    """Fit an unprotected logarithm or power as written where its feature is negative somewhere.

    ``x0**a`` with all ``x0 >= 0`` is the same column as ``abs(x0)**a``; elsewhere it is not.

    Parameters
    ----------
    atom
        Any atom.
    X
        (n, d) training rows.

    Returns
    -------
    Atom
        The atom, as ``generic`` if its quick form would be another function.
    """
    if atom.shape in ("logarithm", "power") and not atom.protected and float(X[:, atom.column].min()) < 0.0:
        return Atom(atom.text, atom.normal, "generic", -1, 1, "1", protected=False)
    return atom


def scale(atom: Atom, X: Array) -> float:
    """Return the unit of the atom's feature: its range for sine and cosine, else its largest magnitude."""
    values = X[:, atom.column]
    size = float(np.ptp(values)) if atom.shape in ("sine", "cosine") else float(np.abs(values).max())
    return size if size > 0.0 else 1.0


def box(atom: Atom, X: Array) -> tuple[float, float]:
    """Return the least and the largest theta of a parametric atom on these rows."""
    if atom.shape in ("sine", "cosine"):
        return LEAST_PHASE, LEAST_PHASE + PHASE_STEP * (MOST_PHASES - 1)
    if atom.shape == "exponential":
        return LEAST_RATE, MOST_RATE
    if atom.shape == "logarithm":
        return LOG_SHIFT_LOW, float(LOG_SHIFT_HIGH)
    if atom.shape == "power":
        values = np.abs(X[:, atom.column])
        steep = float(values.min()) > NEGATIVE_POWER_RATIO * float(values.max())
        return (NEGATIVE_POWER_LOW if steep else POWER_LOW), POWER_HIGH
    reach = float(np.arcsinh(generic.MOST / generic.UNIT))
    return -reach, reach


def grid(atom: Atom, X: Array) -> Array:
    """Return the theta values at which a parametric atom is tabulated, once for a task."""
    low, high = box(atom, X)
    if atom.shape in ("sine", "cosine"):
        return np.concatenate([np.linspace(low, PHASE_STEP, 6)[:-1], np.arange(PHASE_STEP, high, PHASE_STEP)])
    if atom.shape == "exponential":
        return np.geomspace(low, high, RATES)
    if atom.shape == "logarithm":
        return np.linspace(low, high, LOG_SHIFTS)
    if atom.shape == "power":
        return np.arange(low, high + POWER_STEP / 2, POWER_STEP)
    return np.linspace(low, high, generic.POINTS)


def constant(atom: Atom, theta: float, X: Array) -> float:
    """Return the inner constant ``a`` that a theta stands for, in the units of the data."""
    if atom.shape in ("sine", "cosine", "exponential"):
        return theta / scale(atom, X)
    if atom.shape == "logarithm":
        return scale(atom, X) * float(np.exp(theta))
    if atom.shape == "power":
        return theta
    return generic.UNIT * float(np.sinh(theta))


def multiplied(atom: Atom, theta: float, factor: float) -> float:
    """Return the theta of an inner constant that is a positive multiple of another's."""
    if atom.shape == "logarithm":
        return theta + float(np.log(factor))
    if atom.shape == "generic":
        return float(np.arcsinh(factor * np.sinh(theta)))
    return theta * factor


def kernel(atoms: Sequence[Atom], X: Array) -> Kernel:
    """Stack atoms of one quick shape over the training rows.

    Parameters
    ----------
    atoms
        Atoms of one and the same shape, none generic or static.
    X
        (n, d) training rows.

    Returns
    -------
    Kernel
    """
    base = np.empty((len(atoms), len(X)))
    offset = np.zeros(len(atoms))
    factor = np.stack([_sized(evaluated(one.factor, X)) for one in atoms])
    for row, one in enumerate(atoms):
        values = X[:, one.column] / scale(one, X)
        if one.shape == "exponential":
            base[row] = one.sign * values
        elif one.shape in ("sine", "cosine"):
            base[row] = values
        else:
            base[row] = np.abs(values)
            offset[row] = np.log(scale(one, X))
    if atoms[0].shape == "power":
        zero = base == 0.0
        base = np.where(zero, ZERO_LOGARITHM, np.log(np.where(zero, 1.0, base)))
    return Kernel(atoms[0].shape, base, factor, offset)


def columns(stack: Kernel, rows: NDArray[np.intp], theta: Array) -> tuple[Array, Array]:
    """Return columns and their slopes in theta, up to a positive factor of each column.

    Parameters
    ----------
    stack
        Atoms of one shape.
    rows
        (b,) which atom of the stack each problem has.
    theta
        (b,) scaled inner parameters.

    Returns
    -------
    values, slopes : ndarray
        (b, n) each. A slope may differ from the exact one by a multiple of its own column, which variable
        projection ignores.
    """
    base, factor, at = stack.base[rows], stack.factor[rows], theta[:, None]
    if stack.shape == "sine":
        return np.sin(at * base) * factor, np.cos(at * base) * base * factor
    if stack.shape == "cosine":
        return np.cos(at * base) * factor, -np.sin(at * base) * base * factor
    if stack.shape == "logarithm":
        shifted = base + np.exp(at)
        return (np.log(shifted) + stack.offset[rows][:, None]) * factor, np.exp(at) / shifted * factor
    exponent = at * base
    exponent -= exponent.max(axis=1, keepdims=True)
    values = np.exp(exponent) * factor
    if stack.shape == "exponential":
        return values, base * values
    return values, np.where(base == ZERO_LOGARITHM, 0.0, base) * values


@dataclass(frozen=True, slots=True)
class Field:
    """All atoms of one task on one set of rows.

    Attributes
    ----------
    atoms
        Candidates, fitted in this order.
    X, y
        Training rows: (n, d) and (n,).
    kernels
        One stack for each quick shape that occurs.
    place
        (c,) row of each atom in its stack; for a static atom, in ``static``.
    static
        (s, n) columns without an inner constant.
    """

    atoms: tuple[Atom, ...]
    X: Array
    y: Array
    kernels: dict[str, Kernel]
    place: NDArray[np.intp]
    static: Array


def field(atoms: Sequence[Atom], X: Array, y: Array) -> Field:
    """Lay out atoms over training rows.

    Parameters
    ----------
    atoms
        Candidates; those that are undefined on some row wherever their constant lies stay in and are never
        chosen.
    X
        (n, d) rows.
    y
        (n,) target.

    Returns
    -------
    Field
    """
    settled = tuple(fits_domain(one, X) for one in atoms)
    place = np.zeros(len(settled), dtype=np.intp)
    by_shape: dict[str, list[Atom]] = {}
    for index, one in enumerate(settled):
        group = by_shape.setdefault(one.shape, [])
        place[index] = len(group)
        group.append(one)
    static = [_sized(evaluated(one.text, X)) for one in by_shape.pop("static", [])]
    by_shape.pop("generic", None)
    with np.errstate(all="ignore"):
        kernels = {shape: kernel(group, X) for shape, group in by_shape.items()}
    return Field(settled, X, y, kernels, place, np.stack(static) if static else np.empty((0, len(X))))


def thinned(field: Field, rows: NDArray[np.intp]) -> Field:
    """Keep some rows of a field; theta keeps its meaning.

    Parameters
    ----------
    field
        Atoms on rows.
    rows
        Row numbers.

    Returns
    -------
    Field
    """
    kernels = {
        shape: Kernel(shape, stack.base[:, rows], stack.factor[:, rows], stack.offset)
        for shape, stack in field.kernels.items()
    }
    return Field(field.atoms, field.X[rows], field.y[rows], kernels, field.place, field.static[:, rows])


def _sized(values: Array) -> Array:
    """Scale a column to largest magnitude 1, so that no sum of squares overflows."""
    size = float(np.abs(values).max())
    return values / size if 0.0 < size < np.inf else values


def design(field: Field, which: NDArray[np.intp], theta: Array) -> tuple[Array, Array]:
    """Return the columns of a batch of atoms and their slopes in theta.

    Parameters
    ----------
    field
        Atoms on rows.
    which
        (b,) index of each problem's atom.
    theta
        (b,) scaled inner parameters, ignored where there is none.

    Returns
    -------
    values, slopes : ndarray
        (b, n) each; slopes are zero for static atoms.
    """
    values = np.empty((len(which), len(field.y)))
    slopes = np.zeros_like(values)
    shapes = np.array([field.atoms[index].shape for index in which])
    with np.errstate(all="ignore"):
        _fill(field, which, theta, shapes, values, slopes)
    return values, slopes


def _fill(
    field: Field,
    which: NDArray[np.intp],
    theta: Array,
    shapes: NDArray[np.str_],
    values: Array,
    slopes: Array,
) -> None:
    for shape in dict.fromkeys(shapes.tolist()):
        here = np.flatnonzero(shapes == shape)
        rows = field.place[which[here]]
        if shape == "static":
            values[here] = field.static[rows]
        elif shape == "generic":
            for index in dict.fromkeys(which[here].tolist()):
                part = here[which[here] == index]
                values[part], slopes[part] = generic.column(field.atoms[index].text, theta[part], field.X)
        else:
            values[here], slopes[here] = columns(field.kernels[shape], rows, theta[here])
