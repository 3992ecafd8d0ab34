"""Multi-objective search by evolution: sorting by dominance, crowding, and variation, after NSGA-II (Deb 2002)."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array, Flags, Indices

CROSS, MUTATE = 15.0, 20.0  # distribution indices: the larger, the nearer are children to their parents
CROSSED = 0.9  # share of pairs that are crossed


def dominates(goals: Array, violation: Array) -> Flags:
    """(m, m) whether the row's candidate is better than the column's: no worse in any goal, and better in one.

    Of two candidates that break constraints, the one that breaks them less is better; one that breaks none is better
    than any that does (Deb's rule).
    """
    no_worse = (goals[:, None] <= goals[None]).all(axis=2)
    better = (goals[:, None] < goals[None]).any(axis=2)
    both_good = (violation[:, None] <= 0) & (violation[None] <= 0)
    return np.asarray(np.where(both_good, no_worse & better, violation[:, None] < violation[None]))


def ranked(goals: Array, violation: Array) -> Indices:
    """(m,) number of the front that each candidate belongs to: 0 for those that nobody dominates."""
    over = dominates(goals, violation)
    rank = np.full(len(goals), -1, np.intp)
    left = np.ones(len(goals), bool)
    number = 0
    while left.any():
        best = left & ~over[left].any(axis=0)
        rank[best] = number
        left &= ~best
        number += 1
    return rank


def crowding(goals: Array, rank: Indices) -> Array:
    """(m,) how far a candidate's neighbours on its front are apart; infinite at the ends of a front."""
    room = np.zeros(len(goals))
    for number in np.unique(rank):
        members = np.flatnonzero(rank == number)
        for goal in goals[members].T:
            order = members[np.lexsort((members, goal))]
            values = np.sort(goal)
            width = values[-1] - values[0]
            room[order[[0, -1]]] = np.inf
            if width > 0:
                room[order[1:-1]] += (values[2:] - values[:-2]) / width
    return room


def best_of(goals: Array, violation: Array, count: int) -> Indices:
    """The best candidates, best first: by front, then by room around them, then by number; copies come last."""
    _, first = np.unique(goals, axis=0, return_index=True)
    copies = np.ones(len(goals), bool)
    copies[first] = False
    rank = ranked(goals, violation)
    rank[copies] += len(goals)
    return np.lexsort((np.arange(len(goals)), -crowding(goals, rank), rank))[:count]


def children(parents: Array, random: np.random.Generator) -> Array:
    """As many children as parents, in the unit cube; parents are given best first.

    Two tournaments of two choose each pair, simulated binary crossover mixes it, polynomial mutation changes one number
    of each child on average.
    """
    m, n = parents.shape
    pick = random.integers(0, m, (m, 2)).min(axis=1)
    first, second = parents[pick[: (m + 1) // 2]], parents[np.resize(pick[(m + 1) // 2 :], (m + 1) // 2)]
    u = random.uniform(size=first.shape)
    beta = np.where(u < 0.5, (2 * u) ** (1 / (CROSS + 1)), (2 * (1 - u)) ** (-1 / (CROSS + 1)))
    mixes = (random.uniform(size=first.shape) < 0.5) & (random.uniform(size=(len(first), 1)) < CROSSED)
    beta = np.where(mixes, beta, 1.0)
    made = np.concatenate([
        0.5 * ((1 + beta) * first + (1 - beta) * second), 0.5 * ((1 - beta) * first + (1 + beta) * second),
    ])[:m]  # fmt: skip
    u = random.uniform(size=made.shape)
    step = np.where(u < 0.5, (2 * u) ** (1 / (MUTATE + 1)) - 1, 1 - (2 * (1 - u)) ** (1 / (MUTATE + 1)))
    mutates = random.uniform(size=made.shape) < 1 / n
    return np.asarray(np.clip(np.where(mutates, made + step, made), 0.0, 1.0))
