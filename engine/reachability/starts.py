"""Where fits start: peaks of a candidate's one-parameter profile, and keyed draws near the model and away."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.reachability.columns import Array, Field, design, grid, multiplied

INDEPENDENT = 1e-9  # squared length that a tabulated unit column must keep after projection
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
BLOCK = 512  # tabulated columns worked on at once
NEARBY = 4.0  # an inner constant that is drawn nearby lies within this factor of where it was
MOST_KEPT = 16_000_000  # entries of a table that is kept between rounds; a larger one is computed anew


@dataclass(frozen=True, slots=True)
class Table:
    """Every parametric atom of a field over its grid of theta.

    Attributes
    ----------
    field
        Atoms on rows.
    owner
        (g,) which atom a grid point belongs to.
    theta
        (g,) scaled inner parameter of a grid point.
    kept
        Blocks of columns of length 1, zero where not finite; None where they would take too much memory.
    parts
        For each parametric atom, the slice of its grid points.
    """

    field: Field
    owner: NDArray[np.intp]
    theta: Array
    kept: tuple[Array, ...] | None
    parts: dict[int, slice]


def tabulate(field: Field) -> Table:
    """Tabulate the parametric atoms of a field.

    Parameters
    ----------
    field
        Atoms on rows.

    Returns
    -------
    Table
    """
    owners, thetas = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    parts: dict[int, slice] = {}
    at = 0
    for index, one in enumerate(field.atoms):
        if one.parametric:
            points = grid(one, field.X)
            owners.append(np.full(len(points), index, dtype=np.intp))
            thetas.append(points)
            parts[index] = slice(at, at + len(points))
            at += len(points)
    table = Table(field, np.concatenate(owners), np.concatenate(thetas), None, parts)
    if at * len(field.y) > MOST_KEPT:
        return table
    kept = tuple(_block(table, begin) for begin in range(0, at, BLOCK))
    return Table(field, table.owner, table.theta, kept, parts)


def _block(table: Table, begin: int) -> Array:
    part = slice(begin, begin + BLOCK)
    values = design(table.field, table.owner[part], table.theta[part])[0]
    values[~np.isfinite(values).all(axis=1)] = 0.0
    length = np.sqrt(np.vecdot(values, values))
    values /= np.where(length > 0.0, length, 1.0)[:, None]
    return values


def gains(table: Table, span: Array, residual: Array) -> Array:
    """Return by how much each tabulated column alone would lower the sum of squares.

    Parameters
    ----------
    table
        Tabulated columns.
    span
        (m, n) orthonormal basis of the current model's columns.
    residual
        (n,) current residual.

    Returns
    -------
    ndarray
        (g,) gains; 0 for a column that the model already spans.
    """
    found = np.empty(len(table.theta))
    for place, begin in enumerate(range(0, len(found), BLOCK)):
        unit = table.kept[place] if table.kept is not None else _block(table, begin)
        left = 1.0 - np.square(unit @ span.T).sum(axis=1)
        gain = np.square(unit @ residual) / np.maximum(left, INDEPENDENT)
        found[begin : begin + BLOCK] = np.where(left > INDEPENDENT, gain, 0.0)
    return found


def peaks(gain: Array, most: int) -> NDArray[np.intp]:
    """Return the highest local maxima of a profile, best first.

    Parameters
    ----------
    gain
        (g,) profile over a grid.
    most
        How many at most.

    Returns
    -------
    ndarray
        Grid positions.
    """
    padded = np.concatenate([[-1.0], gain, [-1.0]])
    local = np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] > padded[2:]) & (gain > 0.0))
    return local[np.argsort(-gain[local], kind="stable")][:most]


def drawn(table: Table, index: int, share: float) -> float:
    """Return the theta at a share of an atom's grid, so that rates spread by ratio and frequencies evenly.

    Parameters
    ----------
    table
        Tabulated columns.
    index
        A parametric atom.
    share
        From 0 to 1.

    Returns
    -------
    float
    """
    points = table.theta[table.parts[index]]
    return float(np.interp(share * (len(points) - 1), np.arange(len(points)), points))


def moved(
    table: Table, members: Sequence[int], warm: Sequence[float], place: int, shares: Array
) -> list[float]:
    """Return another start of the current model's inner parameters.

    A joint minimum with one more term mostly lies where every constant has moved somewhat, or where one term
    has taken another part in the sum; drawn all anew at once, the parameters hardly ever come near either.

    Parameters
    ----------
    table
        Tabulated columns.
    members
        The model's parametric atoms.
    warm
        Their theta now.
    place
        Number of the start: even ones draw one member anew, in turn, odd ones every member nearby.
    shares
        (p,) or longer, one of [0, 1) for each member.

    Returns
    -------
    list of float
    """
    if place % 2:
        atoms = table.field.atoms
        return [
            multiplied(atoms[index], theta, NEARBY ** (2.0 * share - 1.0))
            for index, theta, share in zip(members, warm, shares, strict=False)
        ]
    again = list(warm)
    turn = place // 2 % len(members)
    again[turn] = drawn(table, members[turn], float(shares[turn]))
    return again


def halton(count: int, dimensions: int, key: str) -> Array:
    """Return points of a Halton sequence in the unit cube, shifted by a key.

    Parameters
    ----------
    count
        Points.
    dimensions
        At most 13.
    key
        Text that fixes the shift (Cranley-Patterson), independent of hash order and platform.

    Returns
    -------
    ndarray
        (count, dimensions) in [0, 1).
    """
    digest = hashlib.sha512(key.encode()).digest()
    points = np.empty((count, dimensions))
    for axis in range(dimensions):
        shift = int.from_bytes(digest[4 * axis : 4 * axis + 4], "big") / 2.0**32
        points[:, axis] = [
            (_radical_inverse(index + 1, PRIMES[axis]) + shift) % 1.0 for index in range(count)
        ]
    return points


def _radical_inverse(index: int, base: int) -> float:
    value, weight = 0.0, 1.0 / base
    while index:
        index, digit = divmod(index, base)
        value += digit * weight
        weight /= base
    return value
