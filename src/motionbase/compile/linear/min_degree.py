"""Pivot order for symmetric systems: minimum degree over 1x1 and 2x2 pivots, checked in every sample."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from motionbase.arrays import Array, Flags, Indices
from motionbase.compile.linear.ordering import Elimination, Order, Pivot, ranked
from motionbase.compile.linear.samples import Equilibrated

Precedence = Mapping[int, Collection[int]]  # unknown -> those that must be eliminated before it

PAIR_SEARCH = 4  # unknowns without a 1x1 pivot whose pairs are examined in a step (as Zlatev 1980 does with rows)


def min_degree_order(
    start: Equilibrated, threshold: float, names: Sequence[str] | None, after: Precedence | None = None
) -> Order:
    """Cheapest acceptable diagonal pivot first; an unknown that has none may be taken as one of a pair.

    A 1x1 pivot p is acceptable if for each entry c beside it the update is bounded by an entry that is already there:
    threshold |c| <= |p| (as in LU), or threshold c^2 <= |p d| with d the diagonal it changes. The second always holds
    in positive definite systems and lets quasi-definite ones (Vanderbei 1995) and the mass blocks of saddle systems
    keep diagonal pivots however they are conditioned. 2x2 pivots follow Bunch & Kaufman 1977, with the sparse test
    of Duff & Reid 1983.

    With `after` the caller guarantees that every diagonal pivot is good once its predecessors are eliminated: pivots
    are then 1x1 in the cheapest such order, and the samples decide only if every candidate is zero in some sample.
    """
    state = Elimination(start, names)
    n = len(start.pattern)
    waits = np.zeros((n, n), dtype=bool)  # [i, j]: i waits for j
    for unknown, before in (after or {}).items():
        waits[unknown, list(before)] = True
    quality = np.zeros(n)
    dirty = np.arange(n)
    while state.active_rows.any():
        quality[dirty] = _single_quality(state, dirty)
        if after is None:
            pivot = _cheapest_pivot(state, quality, threshold)
        else:
            pivot = _cheapest_free(state, quality, state.active_rows & ~waits[:, state.active_rows].any(axis=1))
        pivot = pivot or _least_bad_pivot(state, quality)
        if pivot is None:
            state.bury_singular_samples()
            dirty = np.flatnonzero(state.active_rows)
            continue
        changed, _ = state.eliminate(pivot)
        near = state.pattern[:, changed].any(axis=1)  # quality also reads the diagonals of the neighbours
        dirty = np.flatnonzero(near & state.active_rows)
    return state.order()


def _cheapest_pivot(state: Elimination, quality: Array, threshold: float) -> Pivot | None:
    """The acceptable 1x1 or 2x2 pivot with the least work for each unknown it eliminates."""
    active = np.flatnonzero(state.active_rows)
    degree = state.pattern[np.ix_(active, active)].sum(axis=1) - state.pattern[active, active]
    single = quality[active] >= threshold
    rank = np.where(single, ranked(_work(degree), quality[active]), np.inf)
    best = int(np.argmin(rank))
    best_rank, pivot = rank[best], (_diagonal(active[best]) if np.isfinite(rank[best]) else None)
    without = np.flatnonzero(~single)
    for k in without[np.argsort(degree[without], kind="stable")][:PAIR_SEARCH]:
        if _work(degree[k] - 1.0) - 0.5 >= best_rank:  # a pair has at least all but one of its unknowns' neighbours
            break
        partners, pair_quality, pair_degree = _pairs(state, int(active[k]))
        pair_rank = np.where(pair_quality >= threshold, ranked(_work(pair_degree), pair_quality), np.inf)
        if pair_rank.size and pair_rank.min() < best_rank:
            best_rank, pivot = pair_rank.min(), _pair(active[k], partners[int(np.argmin(pair_rank))])
    return pivot


def _cheapest_free(state: Elimination, quality: Array, free: Flags) -> Pivot | None:
    """The 1x1 pivot with the least work among unknowns that wait for no other; None if each is noise in a sample."""
    usable = np.flatnonzero(free & (quality > 0.0))
    if not usable.size:
        return None
    degree = state.pattern[np.ix_(usable, np.flatnonzero(state.active_rows))].sum(axis=1) - 1.0
    return _diagonal(usable[int(np.argmin(ranked(_work(degree), quality[usable])))])


def _least_bad_pivot(state: Elimination, quality: Array) -> Pivot | None:
    """The pivot with the best worst case if none was accepted; None if every one is noise in some sample."""
    active = np.flatnonzero(state.active_rows)
    best = int(active[np.argmax(quality[active])])
    best_quality, pivot = quality[best], _diagonal(best)
    for k in active:
        partners, pair_quality, _ = _pairs(state, int(k))
        if pair_quality.size and pair_quality.max() > best_quality:
            best_quality, pivot = pair_quality.max(), _pair(int(k), partners[int(np.argmax(pair_quality))])
    return pivot if best_quality > 0.0 else None


def _single_quality(state: Elimination, unknowns: Indices) -> Array:
    """Worst acceptance ratio of each unknown's diagonal over its neighbours and the live samples; 0 if noise."""
    live = np.flatnonzero(state.live)
    active = np.flatnonzero(state.active_rows)
    beside = np.abs(state.values[np.ix_(live, active, unknowns)])
    beside[:, active[:, None] == unknowns[None, :]] = 0.0
    pivot = np.abs(state.values[np.ix_(live, unknowns, unknowns)].diagonal(axis1=1, axis2=2))
    diagonal = np.abs(state.values[np.ix_(live, active, active)].diagonal(axis1=1, axis2=2))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = pivot[:, None, :] / beside
        ratio *= np.maximum(1.0, diagonal[:, :, None] / beside)
    ratio[beside == 0.0] = 1.0
    worst = np.minimum(ratio.min(axis=1), 1.0)
    return np.asarray(np.where(pivot > state.floor[live, None], worst, 0.0).min(axis=0))


def _pairs(state: Elimination, first: int) -> tuple[Indices, Array, Array]:
    """Every neighbour of an unknown, with the quality and the degree of the 2x2 pivot that the two form.

    Quality is 1 / max(|E^-1| m), m the largest entry beside the pivot in each of its columns: Duff & Reid 1983.
    """
    live = np.flatnonzero(state.live)
    active = np.flatnonzero(state.active_rows)
    partners = active[state.pattern[first, active] & (active != first)]
    values = state.values[live]
    a, b = values[:, first, first][:, None], values[:, first, partners]
    c = values[:, partners, partners]
    beside = (active[:, None] != partners) & (active[:, None] != first)
    m_first = np.where(beside, np.abs(values[:, active, first])[:, :, None], 0.0).max(axis=1)
    m_partner = np.where(beside, np.abs(values[np.ix_(np.arange(len(live)), active, partners)]), 0.0).max(axis=1)
    det = np.abs(a * c - b * b)
    size = np.maximum(np.maximum(np.abs(a), np.abs(c)), np.abs(b))
    multiplier = np.maximum(np.abs(c) * m_first + np.abs(b) * m_partner, np.abs(b) * m_first + np.abs(a) * m_partner)
    usable = det > size * state.floor[live, None]
    ratio = np.divide(det, np.maximum(multiplier, det), out=np.zeros_like(det), where=usable)
    either = state.pattern[np.ix_(active, partners)] | state.pattern[active, first][:, None]
    degree = either.sum(axis=0) - 2.0  # each of the two is a neighbour of the other, so both were counted
    return partners, np.asarray(ratio.min(axis=0)), degree


def _work(degree: Array) -> Array:
    """Entries of one triangle that an elimination step updates."""
    return np.asarray(0.5 * degree * (degree + 1.0))


def _diagonal(unknown: int) -> Pivot:
    return Pivot((int(unknown),), (int(unknown),))


def _pair(first: int, second: int) -> Pivot:
    both = (int(first), int(second))
    return Pivot(both, both)
