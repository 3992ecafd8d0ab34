"""Choices among equals that do not hang on how a processor rounds.

Libraries of linear algebra add in an order that depends on the processor, so what is equal in exact arithmetic (the
wheels of an even layout, the bearings of mirrored legs, two bending modes of a round beam) differs in its last digits,
on one machine this way, on another that way. Whoever names the largest, sorts, or takes vectors of a decomposition
counts values as equal that differ by less than `ALIKE`, and lets a rule decide among them: the first in the order of
the list; for directions the one further along x, then y, then z; for vectors that span a space, see `settled`.
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.arrays import Array, Flags

Ints = NDArray[np.intp]
ALIKE = 1e-9  # relative; a few thousand roundings come to 1e-12, and no model is known to nine digits


def first_largest(values: ArrayLike, floor: float = 0.0) -> int:
    """The place of the largest of some numbers, the first of those that are alike; not of a NaN where there are others.

    Alike are numbers that differ from the largest by no more than `ALIKE` of it, or than `floor` where it is near zero.
    """
    x = np.asarray(values, dtype=np.float64).ravel()
    x = np.where(np.isnan(x), -np.inf, x)
    most = float(x.max())
    return int(np.argmax(x >= most - max(ALIKE * abs(most), floor)) if np.isfinite(most) else np.argmax(x))


def first_least(values: ArrayLike, floor: float = 0.0) -> int:
    """The place of the least, as `first_largest`."""
    return first_largest(-np.asarray(values, dtype=np.float64), floor)


def first_largest_of_rows(values: Array, floor: float = 0.0) -> Ints:
    """(n,) for each row of (n, k) numbers, none of them NaN, as `first_largest`."""
    most = values.max(axis=1, keepdims=True)
    within = np.where(np.isfinite(most), np.maximum(ALIKE * np.abs(most), floor), 0.0)
    return np.asarray((values >= most - within).argmax(axis=1))


def runs(ascending: ArrayLike, floor: float = 0.0) -> list[slice]:
    """Runs of sorted numbers that are alike: each differs from the last by no more than `ALIKE` of it, or `floor`."""
    x = np.asarray(ascending, dtype=np.float64)
    ends = np.flatnonzero(_apart(x, floor)) + 1
    return [slice(int(a), int(b)) for a, b in zip([0, *ends], [*ends, len(x)], strict=True)] if len(x) else []


def _apart(ascending: Array, floor: float) -> Flags:
    """(n - 1,) whether each number begins a run after the one before; infinities are alike."""
    low, high = ascending[:-1], ascending[1:]
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (low != high) & ~(high - low <= np.maximum(ALIKE * np.minimum(np.abs(low), np.abs(high)), floor))
        )


def ranked(values: ArrayLike, floor: float = 0.0) -> Ints:
    """Places in ascending order of their values; those of a run in the order of the list."""
    x = np.asarray(values, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    apart = _apart(x[order], floor)
    if apart.all():
        return order
    return np.asarray(order[np.lexsort((order, np.concatenate([np.zeros(1), np.cumsum(apart)])))])


def directions_of(vectors: ArrayLike, within: float = ALIKE) -> Array:
    """(k, 3) unit vectors along (n, 3) vectors, each once: the furthest along x first, then y, then z.

    Args:
        within: parts that differ by no more are alike
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
    """As `directions_of`, where a vector and its opposite are the same: x is positive; where it is 0, y; or z."""
    v = np.asarray(vectors, dtype=np.float64)
    first = (np.abs(v) > ALIKE * np.linalg.norm(v, axis=1)[:, None]).argmax(axis=1)
    return directions_of(v * np.sign(v[np.arange(len(v)), first])[:, None])


def pivots(X: NDArray[Any]) -> tuple[list[int], NDArray[Any]]:
    """Of (n, k) independent columns: k rows, each the longest (the first of equals) after the earlier ones are taken
    out, and (k, k) orthonormal columns, what is left of these rows.
    """
    left, rows, kept = X.copy(), list[int](), []
    for _ in range(X.shape[1]):
        row = first_largest(np.linalg.norm(left, axis=1))
        direction = left[row].conj() / np.linalg.norm(left[row])
        left = left - np.outer(left @ direction, direction.conj())
        rows.append(row)
        kept.append(direction)
    return rows, np.array(kept, dtype=X.dtype).reshape(X.shape[1], X.shape[1]).T


def settled(X: NDArray[Any], groups: list[slice] | None = None) -> NDArray[Any]:
    """(k, k) matrix T: columns of X T are vectors of the same spaces that do not depend on the choice of X.

    X has orthonormal columns, and those of one group span a space (eigenvectors of equal eigenvalues, say; one group
    where none are given). Its first vector has the largest part any has in the row where the space has most, and
    positive; the next has none there, and the largest in the row where the rest has most, and so on.
    """
    T = np.zeros((X.shape[1], X.shape[1]), dtype=X.dtype)
    for group in groups if groups is not None else [slice(0, X.shape[1])]:
        T[group, group] = pivots(X[:, group])[1]
    return T
