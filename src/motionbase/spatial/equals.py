"""Choices among equal values that do not depend on how a processor rounds.

Linear algebra libraries add in an order that depends on the processor, so values that are equal in exact arithmetic
(the wheels of a symmetric layout, the bearings of mirrored legs, two bending modes of a round beam) differ in their
last digits, differently on each machine. Code that picks the largest value, sorts, or uses vectors of a decomposition
therefore treats values that differ by less than `ALIKE` as equal, and a rule decides among them: the first in the
order of the list; for directions the one further along x, then y, then z; for vectors that span a space, see `settled`.
"""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import AnyArray, Array, Flags, Indices

ALIKE = 1e-9  # relative; a few thousand roundings add up to 1e-12, and no model is known to nine digits


def first_largest(values: ArrayLike, floor: float = 0.0) -> int:
    """Index of the largest number, the first among equals; a NaN is chosen only if all are NaN.

    Equal are numbers that differ from the largest by at most `ALIKE` relative to it, or by `floor` if it is near zero.
    """
    x = np.asarray(values, dtype=np.float64).ravel()
    x = np.where(np.isnan(x), -np.inf, x)
    most = float(x.max())
    return int(np.argmax(x >= most - max(ALIKE * abs(most), floor)) if np.isfinite(most) else np.argmax(x))


def first_least(values: ArrayLike, floor: float = 0.0) -> int:
    """Index of the least number, chosen as in `first_largest`."""
    return first_largest(-np.asarray(values, dtype=np.float64), floor)


def first_largest_of_rows(values: Array, floor: float = 0.0) -> Indices:
    """(n,) `first_largest` of each row of (n, k) numbers without NaN."""
    most = values.max(axis=1, keepdims=True)
    within = np.where(np.isfinite(most), np.maximum(ALIKE * np.abs(most), floor), 0.0)
    return np.asarray((values >= most - within).argmax(axis=1))


def runs(ascending: ArrayLike, floor: float = 0.0) -> list[slice]:
    """Runs of equal numbers in a sorted list: neighbours differ by at most `ALIKE` relative, or by `floor`."""
    x = np.asarray(ascending, dtype=np.float64)
    ends = np.flatnonzero(_apart(x, floor)) + 1
    return [slice(int(a), int(b)) for a, b in zip([0, *ends], [*ends, len(x)], strict=True)] if len(x) else []


def _apart(ascending: Array, floor: float) -> Flags:
    """(n - 1,) whether each number starts a new run after its predecessor; infinities are equal."""
    low, high = ascending[:-1], ascending[1:]
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (low != high) & ~(high - low <= np.maximum(ALIKE * np.minimum(np.abs(low), np.abs(high)), floor))
        )


def ranked(values: ArrayLike, floor: float = 0.0) -> Indices:
    """Indices in ascending order of the values; equal values stay in the order of the list."""
    x = np.asarray(values, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    apart = _apart(x[order], floor)
    if apart.all():
        return order
    return np.asarray(order[np.lexsort((order, np.concatenate([np.zeros(1), np.cumsum(apart)])))])


def directions_of(vectors: ArrayLike, within: float = ALIKE) -> Array:
    """(k, 3) distinct unit vectors along (n, 3) vectors: the furthest along x first, then y, then z.

    Args:
        within: components that differ by at most this are equal
    """
    v = np.asarray(vectors, dtype=np.float64)

    def further(a: Array, b: Array) -> int:
        apart = np.flatnonzero(np.abs(a - b) > within)
        return 0 if not len(apart) else -1 if a[apart[0]] > b[apart[0]] else 1

    found = list[Array]()
    for one in sorted(v / np.linalg.norm(v, axis=1)[:, None], key=cmp_to_key(further)):
        if not found or further(found[-1], one):
            found.append(one)
    return np.array(found)


def axes_of(vectors: ArrayLike) -> Array:
    """As `directions_of`, but a vector and its opposite count as one: x is positive; if x is 0, y; if both are 0, z."""
    v = np.asarray(vectors, dtype=np.float64)
    first = (np.abs(v) > ALIKE * np.linalg.norm(v, axis=1)[:, None]).argmax(axis=1)
    return directions_of(v * np.sign(v[np.arange(len(v)), first])[:, None])


def pivots(X: AnyArray) -> tuple[list[int], AnyArray]:
    """For (n, k) independent columns: k pivot rows, and (k, k) orthonormal columns that span these rows.

    Each pivot row is the longest (the first among equals) after projecting out the rows chosen before.
    """
    left, rows, kept = X.copy(), list[int](), []
    for _ in range(X.shape[1]):
        row = first_largest(np.linalg.norm(left, axis=1))
        direction = left[row].conj() / np.linalg.norm(left[row])
        left = left - np.outer(left @ direction, direction.conj())
        rows.append(row)
        kept.append(direction)
    return rows, np.array(kept, dtype=X.dtype).reshape(X.shape[1], X.shape[1]).T


def settled(X: AnyArray, groups: list[slice] | None = None) -> AnyArray:
    """(k, k) matrix T such that the columns of X T span the same spaces but do not depend on the choice of X.

    X has orthonormal columns, and those of one group span a space (eigenvectors of equal eigenvalues, say; without
    groups, all columns are one group). In the row where the space extends furthest, its first vector has the largest
    possible component, with a positive sign, and the others have zero; the same rule then applies to the other vectors.
    """
    T = np.zeros((X.shape[1], X.shape[1]), dtype=X.dtype)
    for group in groups if groups is not None else [slice(0, X.shape[1])]:
        T[group, group] = pivots(X[:, group])[1]
    return T
