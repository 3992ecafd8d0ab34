"""Straight-line elimination over SX scalars in a given pivot order, and the substitutions that use its factors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast, final

import casadi as ca

from motionbase.compile.linear.ordering import Pivot
from motionbase.compile.linear.structure import named_rows
from motionbase.errors import SingularSystem

Entries: TypeAlias = Sequence[tuple[int, int, ca.SX]]
Scalars: TypeAlias = tuple[ca.SX, ...]
ZERO = ca.SX(0)


@final
@dataclass(frozen=True)
class Step:
    """Result of one elimination step; tuples have one scalar for each row (column) of the pivot.

    Attributes:
        rows, cols: the equations and unknowns of the pivot
        pivot: the pivot itself, if it is 1x1
        minus_inverse: rows of minus the inverse of the pivot block
        lower: minus the multipliers of each later row
        upper: entries of the pivot's rows in each later column
    Negative, because fill then costs one operation instead of two, and because CasADi rewrites a * (1/p) as a/p, a
    division for each multiplier, but leaves a * (-1/p) alone.
    """

    rows: tuple[int, ...]
    cols: tuple[int, ...]
    pivot: ca.SX | None
    minus_inverse: tuple[Scalars, ...]
    lower: dict[int, Scalars]
    upper: dict[int, Scalars]


def scalars(matrix: ca.SX) -> list[ca.SX]:
    """Nonzeros as SX scalars, which CasADi actually returns (its type stub says SXElem)."""
    return cast(list[ca.SX], matrix.nonzeros())


def lu(entries: Entries, n: int, pivots: Sequence[Pivot], names: Sequence[str] | None) -> tuple[tuple[Step, ...], int]:
    """Elimination steps of a general matrix, every pivot 1x1, and their operation count before constant folding."""
    steps, flops, _ = partial_lu(entries, n, pivots, names)
    return steps, flops


def partial_lu(
    entries: Entries, n: int, pivots: Sequence[Pivot], names: Sequence[str] | None
) -> tuple[tuple[Step, ...], int, dict[tuple[int, int], ca.SX]]:
    """The same with fewer pivots than rows; also what is left of the other rows: the Schur complement."""
    rows: list[dict[int, ca.SX]] = [{} for _ in range(n)]
    rows_in: list[set[int]] = [set() for _ in range(n)]
    for i, j, value in entries:
        rows[i][j] = value
        rows_in[j].add(i)
    steps, flops, done = [], 0, set[int]()
    for (i,), (j,) in pivots:
        upper = rows[i]
        for col in upper:
            rows_in[col].discard(i)
        pivot = _pivot(upper.pop(j, ZERO), i, names)
        minus_inverse = -1 / pivot
        lower = {}
        for r in sorted(rows_in[j]):
            row = rows[r]
            lower[r] = factor = row.pop(j) * minus_inverse
            for col, value in upper.items():
                flops += _update(row, col, factor * value)
                rows_in[col].add(r) if col in row else rows_in[col].discard(r)
        flops += bool(lower or upper) + len(lower) + len(lower) * len(upper)
        steps.append(Step((i,), (j,), pivot, ((minus_inverse,),), _wrapped(lower), _wrapped(upper)))
        done.add(i)
    left = {(i, j): value for i in range(n) if i not in done for j, value in rows[i].items()}
    return tuple(steps), flops, left


def ldl(entries: Entries, n: int, pivots: Sequence[Pivot], names: Sequence[str] | None) -> tuple[tuple[Step, ...], int]:
    """The same for a symmetric matrix given by its lower triangle: computes one triangle, with 1x1 or 2x2 pivots."""
    rows: list[dict[int, ca.SX]] = [{} for _ in range(n)]  # both triangles, sharing the same scalars
    for i, j, value in entries:
        rows[i][j] = rows[j][i] = value
    steps, flops = [], 0
    for pivot, _ in pivots:
        minus_inverse, inverse_flops = _minus_inverse(rows, pivot, names)
        single = rows[pivot[0]][pivot[0]] if len(pivot) == 1 else None
        later = sorted(set().union(*(rows[p] for p in pivot)) - set(pivot))
        upper = {k: tuple(rows[p].get(k, ZERO) for p in pivot) for k in later}
        lower, lower_flops = _multipliers(minus_inverse, upper)
        flops += inverse_flops + lower_flops if later or len(pivot) > 1 else 0
        for at, k in enumerate(later):
            for p in pivot:
                rows[k].pop(p, None)
            for m in later[: at + 1]:
                for factor, value in zip(lower[k], upper[m], strict=True):
                    if factor.is_zero() or value.is_zero():
                        continue
                    flops += 1 + _update(rows[k], m, factor * value)
                    if m in rows[k]:
                        rows[m][k] = rows[k][m]
                    else:
                        rows[m].pop(k, None)
        steps.append(Step(pivot, pivot, single, minus_inverse, lower, upper))
    return tuple(steps), flops


def substitute(steps: Sequence[Step], right: Sequence[ca.SX], symmetric: bool) -> list[ca.SX]:
    """Solve for one right-hand side with the factors: forward through the steps, then back."""
    return back(steps, forward(steps, right), [ZERO] * len(right), symmetric)


def forward(steps: Sequence[Step], right: Sequence[ca.SX]) -> list[ca.SX]:
    """The right-hand side after elimination."""
    b = list(right)
    for step in steps:
        known = [b[i] for i in step.rows]
        for r, factors in step.lower.items():
            b[r] = b[r] + _dot(factors, known)
    return b


def back(steps: Sequence[Step], b: Sequence[ca.SX], known: Sequence[ca.SX], symmetric: bool) -> list[ca.SX]:
    """The unknowns; `known` has those that the steps do not eliminate."""
    x, found = list(known), tuple[ca.SX, ...]()
    for step in reversed(steps):
        if step.pivot is not None and not step.upper:  # otherwise the minus sign would spread to every unknown
            found = (b[step.rows[0]] / step.pivot,)
        elif symmetric:  # L' again, so that the kernel need not keep the unscaled rows
            right = [b[i] for i in step.rows]
            found = tuple(-_dot(row, right) for row in step.minus_inverse)
            for k, factors in step.lower.items():
                found = tuple(value + factor * x[k] for value, factor in zip(found, factors, strict=True))
        else:
            found = (-b[step.rows[0]],)
            for k, (entry,) in step.upper.items():
                found = (found[0] + entry * x[k],)
            found = (found[0] * step.minus_inverse[0][0],)
        for j, value in zip(step.cols, found, strict=True):
            x[j] = value
    return x


def substitution_flops(steps: Sequence[Step], symmetric: bool) -> int:
    """Operation count of one substitution with a full right-hand side."""
    off_diagonal = sum(_count(step.lower) + _count(step.lower if symmetric else step.upper) for step in steps)
    diagonal = sum(
        2 * sum(not e.is_zero() for row in step.minus_inverse for e in row) - len(step.rows) for step in steps
    )
    return 2 * off_diagonal + diagonal


def factor_nonzeros(steps: Sequence[Step], symmetric: bool) -> int:
    """Nonzeros of the factors: L, U and pivots, or one triangle with its pivot blocks."""
    sides = sum(_count(step.lower) + (0 if symmetric else _count(step.upper)) for step in steps)
    return sides + sum(len(step.rows) * (len(step.rows) + 1) // 2 for step in steps)


def _update(row: dict[int, ca.SX], col: int, change: ca.SX) -> int:
    """Add to an entry, dropping it if it cancels symbolically; return 1 if an addition was needed."""
    old = row.get(col)
    new = change if old is None else old + change
    if new.is_zero():
        row.pop(col, None)
    else:
        row[col] = new
    return 0 if old is None else 1


def _minus_inverse(
    rows: list[dict[int, ca.SX]], pivot: tuple[int, ...], names: Sequence[str] | None
) -> tuple[tuple[Scalars, ...], int]:
    """Minus the inverse of the pivot block, with one division, and its operation count."""
    if len(pivot) == 1:
        (i,) = pivot
        return ((-1 / _pivot(rows[i].get(i, ZERO), i, names),),), 1
    i, j = pivot
    a, b, c = (rows[k].get(m, ZERO) for k, m in ((i, i), (i, j), (j, j)))
    reciprocal = -1 / _pivot(b * b - a * c, i, names)
    crossed = b * reciprocal
    flops = (7, 4, 3)[a.is_zero() + c.is_zero()]
    return ((-c * reciprocal, crossed), (crossed, -a * reciprocal)), flops


def _multipliers(minus_inverse: tuple[Scalars, ...], upper: dict[int, Scalars]) -> tuple[dict[int, Scalars], int]:
    """Minus the inverse times each later column of the pivot's rows, and the operation count."""
    lower = {k: tuple(_dot(row, values) for row in minus_inverse) for k, values in upper.items()}
    pairs = (zip(row, values, strict=True) for values in upper.values() for row in minus_inverse)
    products = sum(not (e.is_zero() or value.is_zero()) for pair in pairs for e, value in pair)
    return lower, 2 * products - _count(lower)


def _dot(left: Sequence[ca.SX], right: Sequence[ca.SX]) -> ca.SX:
    """Sum of products; CasADi drops terms that are structurally zero."""
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total


def _wrapped(side: Mapping[int, ca.SX]) -> dict[int, Scalars]:
    return {k: (value,) for k, value in side.items()}


def _count(side: Mapping[int, Scalars]) -> int:
    return sum(not value.is_zero() for values in side.values() for value in values)


def _pivot(value: ca.SX, row: int, names: Sequence[str] | None) -> ca.SX:
    if value.is_zero():
        raise SingularSystem(
            f"linear system is singular: the pivot of {named_rows([row], names)} cancels for any numbers; "
            "remove a redundant row"
        )
    return value
