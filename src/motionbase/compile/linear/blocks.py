"""Equal blocks of a matrix factored by one routine, in a loop over them; what couples them is eliminated last.

With the unknowns of the blocks first, A = [[B1, 0, C1], [0, B2, C2], [D1, D2, E]]. Blocks with the same pattern share
their pivots, so that one piece of code eliminates each and leaves its part of the Schur complement E - sum D B^-1 C.
Rows and columns of a block without an acceptable pivot of its own are left to the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.flow import for_each
from motionbase.compile.linear import eliminate, monitors
from motionbase.compile.linear.eliminate import Step
from motionbase.compile.linear.factors import AbstractFactors, Factorization
from motionbase.compile.linear.markowitz import eliminate_cheapest
from motionbase.compile.linear.ordering import Elimination, Pivot
from motionbase.compile.linear.pivot_watch import growth_by_pivots, growth_of_steps, update_sizes
from motionbase.compile.linear.samples import Equilibrated, equilibrate

MOST_SAMPLES = 48  # matrices of a block from which its pivots are chosen
FULLER = 1.25  # nonzeros of all blocks together, over those of the sparsest: with more they do not count as equal

Place = tuple[int, int]


@final
@dataclass(frozen=True, eq=False)
class Family:
    """Equal blocks of a matrix.

    Attributes:
        places: (k, m + r) rows and columns of each block, then those outside that it is coupled with
        own: m
        entries: nonzeros of any block, as rows and columns among the m + r; none of them outside the block twice
    """

    places: tuple[tuple[int, ...], ...]
    own: int
    entries: tuple[Place, ...]

    @property
    def size(self) -> int:
        """m + r."""
        return len(self.places[0])


class Pattern(NamedTuple):
    """Nonzeros of a matrix: columns by row, and rows by column."""

    by_row: dict[int, set[int]]
    by_col: dict[int, set[int]]

    @classmethod
    def of(cls, rows: Sequence[int], cols: Sequence[int]) -> Pattern:
        """From the places of the nonzeros."""
        by_row, by_col = dict[int, set[int]](), dict[int, set[int]]()
        for i, j in zip(rows, cols, strict=True):
            by_row.setdefault(i, set()).add(j)
            by_col.setdefault(j, set()).add(i)
        return cls(by_row, by_col)

    def beside(self, block: Sequence[int]) -> list[int]:
        """Rows and columns outside a block that share a nonzero with it."""
        found = {j for i in block for side in self for j in side.get(i, ())}
        return sorted(found - set(block))


def equal_families(pattern: Pattern, blocks: Sequence[Sequence[Sequence[int]]], n: int) -> list[Family]:
    """Those families whose blocks have nearly the same nonzeros and are coupled with what is in no block alone."""
    kept = list(blocks)
    while True:
        outside = set(range(n)) - {i for family in kept for block in family for i in block}
        found = [_family(pattern, family, outside) for family in kept]
        if None not in found:
            return [family for family in found if family is not None]
        kept = [family for family, equal in zip(kept, found, strict=True) if equal is not None]


def _family(pattern: Pattern, blocks: Sequence[Sequence[int]], outside: set[int]) -> Family | None:
    besides = [pattern.beside(block) for block in blocks]
    if not all(outside.issuperset(beside) for beside in besides):
        return None
    patterns = [_local(pattern, block, beside) for block, beside in zip(blocks, besides, strict=True)]
    if any(found != patterns[0] for found in patterns) or len({len(beside) for beside in besides}) > 1:
        # blades turned by a quarter differ in which of the hub's axes they do not touch: all of them, for all
        besides = [sorted(set[int]().union(*besides))] * len(blocks)
        patterns = [_local(pattern, block, beside) for block, beside in zip(blocks, besides, strict=True)]
    entries = set[Place]().union(*patterns)
    if len(entries) > FULLER * min(len(found) for found in patterns):
        return None
    places = tuple((*block, *beside) for block, beside in zip(blocks, besides, strict=True))
    return Family(places, len(blocks[0]), tuple(sorted(entries)))


def _local(pattern: Pattern, block: Sequence[int], beside: Sequence[int]) -> set[Place]:
    """Nonzeros of a block, by their places in it."""
    local = {index: k for k, index in enumerate((*block, *beside))}
    inside = {(local[i], local[j]) for i in block for j in pattern.by_row.get(i, ())}
    return inside | {(local[i], local[j]) for j in block for i in pattern.by_col.get(j, ())}


class Eliminated(NamedTuple):
    """A family whose own pivots are chosen.

    Attributes:
        rows, cols: of the blocks, that are left: those without a pivot, then those outside
        singular: samples that were left out
        growth: over the others
    """

    family: Family
    scales: Equilibrated
    pivots: tuple[Pivot, ...]
    rows: tuple[int, ...]
    cols: tuple[int, ...]
    singular: tuple[int, ...]
    growth: float


class BlockFactors(NamedTuple):
    """Factors of all blocks of a family, one row for each: numbers in the order of the steps' keys.

    Attributes:
        steps: of the elimination, over symbols of its own
        lower, upper: (k, ...) numbers of all blocks
        left: (k, ...) Schur complements, entry by entry of `left_at`
        growth: (k,) by the pivots
        entries: of the blocks before the elimination, each (k,) or one for all
    """

    of: Eliminated
    steps: tuple[Step, ...]
    lower: ca.SX
    upper: ca.SX
    left: ca.SX
    left_at: tuple[Place, ...]
    growth: ca.SX
    entries: Mapping[Place, ca.SX]


@final
@dataclass(frozen=True, eq=False)
class BlockFactorization(AbstractFactors):
    """Factors of families of equal blocks, and of the rest.

    Attributes:
        families: the blocks' factors
        rest: of the Schur complement
        rows, cols: of A that are in the rest, in its order
        flops: operations of the factorization, those of a block counted for each block
    """

    matrix: ca.SX
    families: tuple[BlockFactors, ...]
    rest: Factorization
    rows: tuple[int, ...]
    cols: tuple[int, ...]
    flops: int

    @cached_property
    def col_scale(self) -> Array:
        """Of the unknowns; of blocks those of the family."""
        scale = np.ones(self.matrix.shape[0])
        for factors in self.families:
            for places in factors.of.family.places:
                own = factors.of.family.own
                scale[list(places[:own])] = factors.of.scales.col_scale[:own]
        scale[list(self.cols)] = self.rest.col_scale
        return scale

    @property
    def sample_growth(self) -> float:
        """The largest of all blocks and of the rest."""
        return max(self.rest.sample_growth, *(factors.of.growth for factors in self.families))

    @cached_property
    def growth(self) -> ca.SX:
        """The largest of all blocks and of the rest."""
        return ca.mmax(ca.vertcat(self.rest.growth, *(ca.vec(_entry_growth(factors)) for factors in self.families)))

    @cached_property
    def quick_growth(self) -> ca.SX:
        """The largest of all blocks and of the rest, by their pivots."""
        return ca.mmax(ca.vertcat(growth_by_pivots(self.rest), *(ca.vec(f.growth) for f in self.families)))

    def substitute(self, b: ca.SX) -> ca.SX:
        """Forward in all blocks, the rest, then back."""
        given = eliminate.scalars(b)
        right = {i: given[i] for i in self.rows}
        forwards = []
        for factors in self.families:
            done, left = _forward(factors, given)
            forwards.append(done)
            for k, places in enumerate(factors.of.family.places):
                for at, local in enumerate(factors.of.rows):
                    i = places[local]
                    own = local < factors.of.family.own  # the block's turn began with its right-hand side
                    right[i] = left[k, at] if own else right[i] + left[k, at]
        solved = eliminate.scalars(self.rest.substitute(ca.vertcat(*(right[i] for i in self.rows))))
        x: list[ca.SX] = [ca.SX(0)] * len(given)
        for j, value in zip(self.cols, solved, strict=True):
            x[j] = value
        for factors, done in zip(self.families, forwards, strict=True):
            found = _back(factors, done, x)
            for k, places in enumerate(factors.of.family.places):
                for at, (_, (local,)) in enumerate(factors.of.pivots):
                    x[places[local]] = found[k, at]
        return ca.vertcat(*x)


# ---- pivots --------------------------------------------------------------------------------------------------------


def eliminated(family: Family, samples: Array, threshold: float, names: Sequence[str] | None) -> Eliminated:
    """Pivots within the blocks that are good in all samples and all blocks; samples are (s, n, n)."""
    rows, cols = zip(*family.entries, strict=True)
    count, blocks = len(samples), len(family.places)
    pairs = [(s, k) for s in range(count) for k in range(blocks)]
    if len(pairs) > MOST_SAMPLES:  # every sample, every block, but not all with all
        pairs = [(s, k) for s, k in pairs if s == 0 or k == s % blocks]
    table = np.array([samples[s][np.take(family.places[k], rows), np.take(family.places[k], cols)] for s, k in pairs])
    scales = equilibrate(family.size, rows, cols, table, False)
    own_names = None if names is None else [names[i] for i in family.places[0]]
    state = Elimination(scales, own_names)
    eliminate_cheapest(state, threshold, family.own)
    left = tuple(np.flatnonzero(state.active_rows).tolist()), tuple(np.flatnonzero(state.active_cols).tolist())
    order = state.order()
    return Eliminated(family, scales, order.pivots, *left, order.singular_samples, order.sample_growth)


def remaining(n: int, chosen: Sequence[Eliminated]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows and columns of the matrix that no block eliminates."""
    rows, cols = set(range(n)), set(range(n))
    for of in chosen:
        for places in of.family.places:
            rows -= {places[pivot.rows[0]] for pivot in of.pivots}
            cols -= {places[pivot.cols[0]] for pivot in of.pivots}
    return tuple(sorted(rows)), tuple(sorted(cols))


def without_blocks(samples: Array, chosen: Sequence[Eliminated], rows: Sequence[int], cols: Sequence[int]) -> Array:
    """(s, rest, rest) Schur complements of the samples."""
    found = samples[:, rows][:, :, cols]
    for of in chosen:
        own_rows, own_cols = [p.rows[0] for p in of.pivots], [p.cols[0] for p in of.pivots]
        for places in of.family.places:
            i, j = np.take(places, own_rows), np.take(places, own_cols)
            outer_i, outer_j = np.take(places, of.rows), np.take(places, of.cols)
            at = np.ix_(np.searchsorted(rows, outer_i), np.searchsorted(cols, outer_j))
            for s, A in enumerate(samples):
                found[s][at] -= A[np.ix_(outer_i, j)] @ np.linalg.solve(A[np.ix_(i, j)], A[np.ix_(i, outer_j)])
    return np.asarray(found)


# ---- code ----------------------------------------------------------------------------------------------------------


def factored(of: Eliminated, values: Mapping[Place, ca.SX]) -> tuple[BlockFactors, int]:
    """One loop over the blocks, and its operations; `values` are the matrix's entries."""
    family = of.family
    columns = [[values.get((places[i], places[j]), ca.SX(0)) for places in family.places] for i, j in family.entries]
    varying = [k for k, column in enumerate(columns) if not _same(column)]
    sizes = update_sizes(of.scales, of.pivots, of.singular)
    steps: tuple[Step, ...] = ()
    left_at: tuple[Place, ...] = ()
    flops = 0

    def block(row: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        nonlocal steps, left_at, flops
        own = {k: row[at] for at, k in enumerate(varying)}
        entries = [(i, j, own.get(k, columns[k][0])) for k, (i, j) in enumerate(family.entries)]
        entries = [entry for entry in entries if not entry[2].is_zero()]
        steps, flops, left = eliminate.partial_lu(entries, family.size, of.pivots, None)
        left_at = tuple(left)
        growth = growth_of_steps(steps, sizes)
        return _column(_lower(steps)), _column(_upper(steps)), _column(list(left.values())), growth

    table = ca.horzcat(*(ca.vertcat(*columns[k]) for k in varying))
    lower, upper, left, growth = for_each(block, table)
    given = {at: column[0] for at, column in zip(family.entries, columns, strict=True)}
    given |= {family.entries[k]: ca.vertcat(*columns[k]) for k in varying}
    return BlockFactors(of, steps, lower, upper, left, left_at, growth, given), flops * len(family.places)


def _entry_growth(factors: BlockFactors) -> ca.SX:
    """(k,) growth by every entry of the factors, in a loop of its own: it costs as much as they do."""
    of, k = factors.of, len(factors.of.family.places)
    rows, cols = zip(*factors.entries, strict=True)

    def block(row: ca.SX, lower: ca.SX, upper: ca.SX) -> ca.SX:
        matrix = ca.SX.triplet(rows, cols, row, of.family.size, of.family.size)
        steps = _with_numbers(factors.steps, lower, upper)
        return monitors.pivot_growth(matrix, steps, of.scales.row_scale, of.scales.col_scale, False)

    table = ca.horzcat(*(x if x.numel() > 1 else ca.repmat(x, k, 1) for x in factors.entries.values()))
    return ca.SX(for_each(block, ca.densify(table), factors.lower, factors.upper))


def schur_complement(
    values: Mapping[Place, ca.SX], loops: Sequence[BlockFactors], rows: Sequence[int], cols: Sequence[int]
) -> ca.SX:
    """The rest of the matrix after the blocks."""
    in_row, in_col = ({i: k for k, i in enumerate(side)} for side in (rows, cols))
    blocks = {i for loop in loops for places in loop.of.family.places for i in places[: loop.of.family.own]}
    entries = {(in_row[i], in_col[j]): value for (i, j), value in values.items() if i not in blocks and j not in blocks}
    for loop in loops:
        for k, places in enumerate(loop.of.family.places):
            for at, (i, j) in enumerate(loop.left_at):
                place = in_row[places[i]], in_col[places[j]]
                entries[place] = entries[place] + loop.left[k, at] if place in entries else loop.left[k, at]
    at_rows, at_cols = (list(index) for index in zip(*entries, strict=True))
    return ca.SX.triplet(at_rows, at_cols, ca.vertcat(*entries.values()), len(rows), len(cols))


def _forward(factors: BlockFactors, b: Sequence[ca.SX]) -> tuple[ca.SX, ca.SX]:
    """(k, pivots) and (k, rows left): right-hand sides after the elimination within the blocks."""
    of = factors.of
    own, rows = of.family.own, [p.rows[0] for p in of.pivots]

    def block(right: ca.SX, lower: ca.SX) -> tuple[ca.SX, ca.SX]:
        steps = _with_numbers(factors.steps, lower, None)
        nothing = [ca.SX(0)] * (of.family.size - own)
        done = eliminate.forward(steps, [*ca.vertsplit(right), *nothing])
        return _column([done[i] for i in rows]), _column([done[i] for i in of.rows])

    right = ca.vertcat(*(ca.horzcat(*(b[i] for i in places[:own])) for places in of.family.places))
    done, left = for_each(block, right, factors.lower)
    return done, left


def _back(factors: BlockFactors, done: ca.SX, x: Sequence[ca.SX]) -> ca.SX:
    """(k, pivots) unknowns of the blocks."""
    of = factors.of

    def block(b: ca.SX, upper: ca.SX, known: ca.SX) -> ca.SX:
        steps = _with_numbers(factors.steps, None, upper)
        right, found = [ca.SX(0)] * of.family.size, [ca.SX(0)] * of.family.size
        for at, pivot in enumerate(of.pivots):
            right[pivot.rows[0]] = b[at]
        for at, j in enumerate(of.cols):
            found[j] = known[at]
        found = eliminate.back(steps, right, found, symmetric=False)
        return _column([found[pivot.cols[0]] for pivot in of.pivots])

    known = ca.vertcat(*(ca.horzcat(*(x[places[j]] for j in of.cols)) for places in of.family.places))
    return ca.SX(for_each(block, done, factors.upper, known))


def _same(column: Sequence[ca.SX]) -> bool:
    """Whether an entry is the same expression, or the same number, in all blocks."""
    first = column[0]
    if first.is_constant():
        return all(x.is_constant() and float(x) == float(first) for x in column)
    return all(x.element_hash() == first.element_hash() for x in column)


def _lower(steps: Sequence[Step]) -> list[ca.SX]:
    return [value for step in steps for (value,) in step.lower.values() if not value.is_constant()]


def _upper(steps: Sequence[Step]) -> list[ca.SX]:
    values = [[step.minus_inverse[0][0], *(value for (value,) in step.upper.values())] for step in steps]
    return [value for of in values for value in of if not value.is_constant()]


def _with_numbers(steps: Sequence[Step], lower: ca.SX | None, upper: ca.SX | None) -> list[Step]:
    """The steps with numbers of one block, in the order of `_lower` or `_upper`; without a side that is not given."""
    lowers, uppers = (iter(() if side is None else ca.vertsplit(side)) for side in (lower, upper))

    def taken(value: ca.SX, numbers: Iterator[ca.SX]) -> ca.SX:
        return value if value.is_constant() else next(numbers)

    found = []
    for step in steps:
        inverse, left, right = step.minus_inverse, dict[int, eliminate.Scalars](), dict[int, eliminate.Scalars]()
        if lower is not None:
            left = {r: (taken(value, lowers),) for r, (value,) in step.lower.items()}
        if upper is not None:
            inverse = ((taken(step.minus_inverse[0][0], uppers),),)
            right = {c: (taken(value, uppers),) for c, (value,) in step.upper.items()}
        found.append(Step(step.rows, step.cols, None, inverse, left, right))
    return found


def _column(values: Sequence[ca.SX]) -> ca.SX:
    return ca.densify(ca.vertcat(*values)) if values else ca.SX(0, 1)
