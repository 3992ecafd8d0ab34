"""Pivot order for general systems: Markowitz cost, with a threshold that must hold in every sample."""

from collections.abc import Sequence

import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.compile.linear.ordering import Elimination, Order, Pivot, ranked
from motionbase.compile.linear.samples import Equilibrated


def markowitz_order(start: Equilibrated, threshold: float, names: Sequence[str] | None) -> Order:
    """Cheapest acceptable pivot first (Markowitz 1957; Duff, Erisman & Reid, "Direct Methods for Sparse Matrices").

    A pivot is acceptable if, in every sample, it is at least threshold times the largest entry of its row or of its
    column: either bounds every update by 1/threshold times an entry that is already there.
    """
    state = Elimination(start, names)
    eliminate_cheapest(state, threshold, len(start.pattern))
    return state.order()


def eliminate_cheapest(state: Elimination, threshold: float, inner: int) -> None:
    """Eliminate with pivots among the first `inner` rows and columns: all of them if these are all there are, else as
    long as one is acceptable.
    """
    n = len(state.pattern)
    best_rank, best_col = np.full(n, np.inf), np.zeros(n, dtype=int)  # per row: valid until the row changes
    dirty = np.arange(inner)
    while state.active_rows[:inner].any():
        best_rank[dirty], best_col[dirty] = _best_in_rows(state, dirty, threshold, inner)
        row = int(np.argmin(best_rank))
        if not np.isfinite(best_rank[row]):
            if inner < n:
                return
            pivot = _least_bad_pivot(state)
            if pivot is None:
                state.bury_singular_samples()
                dirty = np.flatnonzero(state.active_rows)
                continue
        else:
            pivot = Pivot((row,), (int(best_col[row]),))
        best_rank[list(pivot.rows)] = np.inf
        rows, cols = state.eliminate(pivot)
        touched = np.asarray(state.pattern[:, cols].any(axis=1))
        touched[rows] = True
        dirty = np.flatnonzero((touched & state.active_rows)[:inner])


def _best_in_rows(state: Elimination, rows: Indices, threshold: float, inner: int) -> tuple[Array, Indices]:
    """Rank and column of each row's best acceptable pivot; rank inf where it has none."""
    cols = np.flatnonzero(state.active_cols)
    quality = _quality(state, rows, cols)
    row_count = state.pattern[np.ix_(rows, cols)].sum(axis=1)
    col_count = state.pattern[np.ix_(state.active_rows, cols)].sum(axis=0)
    cost = np.outer(row_count - 1.0, col_count - 1.0)
    rank = np.where((quality >= threshold) & (cols < inner), ranked(cost, quality), np.inf)
    best = np.argmin(rank, axis=1)
    return rank[np.arange(len(rows)), best], cols[best]


def _least_bad_pivot(state: Elimination) -> Pivot | None:
    """The pivot with the best worst case if none passes the threshold; None if every one is noise in some sample."""
    rows, cols = np.flatnonzero(state.active_rows), np.flatnonzero(state.active_cols)
    quality = _quality(state, rows, cols)
    i, j = np.unravel_index(np.argmax(quality), quality.shape)
    return Pivot((int(rows[i]),), (int(cols[j]),)) if quality[i, j] > 0.0 else None


def _quality(state: Elimination, rows: Indices, cols: Indices) -> Array:
    """Worst size over live samples of each entry, relative to the largest of its row or column; 0 if noise."""
    live = np.flatnonzero(state.live)
    entry = np.abs(state.values[np.ix_(live, rows, cols)])
    row_max = entry.max(axis=2, keepdims=True)
    col_max = np.abs(state.values[np.ix_(live, state.active_rows, cols)]).max(axis=1, keepdims=True)
    usable = entry > state.floor[live, None, None]
    relative = np.divide(entry, np.minimum(row_max, col_max), out=np.zeros_like(entry), where=usable)
    return np.asarray(relative.min(axis=0))
