"""Motions that the closures allow: a basis of the null space of J, in terms of independent coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.spatial.equals import pivots

RANK = 1e-9  # singular values of J below this fraction of the largest belong to redundant rows


class Allowed(NamedTuple):
    """x = N y with J N = 0 and y = x[independent].

    Attributes:
        N: (nv, n)
        independent: indices of y in x
        inverse: (nv, rows) least-squares inverse of J; redundant rows are permitted
    """

    N: Array
    independent: tuple[int, ...]
    inverse: Array


def allowed(J: Array) -> Allowed:
    """The basis, with the independent coordinates chosen by pivoting so that N stays small."""
    nv = J.shape[1]
    if not J.shape[0]:
        return Allowed(np.eye(nv), tuple(range(nv)), np.zeros((nv, 0)))
    U, s, Vt = np.linalg.svd(J)
    rank = int(np.sum(s > RANK * s[0]))
    inverse = Vt[:rank].T @ (U[:, :rank] / s[:rank]).T
    free = Vt[rank:].T
    rows = sorted(pivots(free)[0])
    return Allowed(free @ np.linalg.inv(free[rows]), tuple(rows), inverse)
