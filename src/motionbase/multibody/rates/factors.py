"""The factors of a symmetric system as one vector of numbers, so that they can be stored, sent and reused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import casadi as ca

from motionbase.compile.linear import Factorization
from motionbase.compile.linear.eliminate import Scalars, Step, scalars, substitute
from motionbase.spatial.rotations import Expr


def packed(factors: Factorization) -> Expr:
    """All numbers that a substitution reads: pivots or their inverses, and multipliers, step by step."""
    numbers: list[ca.SX] = []

    def keep(value: ca.SX) -> ca.SX:
        numbers.append(value)
        return value

    for step in factors.steps:
        _changed(step, keep)
    return ca.vertcat(*numbers)


def solved(factors: Factorization, numbers: Expr, right: Expr) -> Expr:
    """The unknowns, from numbers of `packed` for a matrix of the same structure."""
    given = iter(scalars(ca.SX(numbers)))
    steps = tuple(_changed(step, lambda _: next(given)) for step in factors.steps)
    return ca.vertcat(*substitute(steps, scalars(ca.densify(ca.SX(right))), symmetric=True))


def _changed(step: Step, number: Callable[[ca.SX], ca.SX]) -> Step:
    """The step with every number that a substitution reads replaced; structural zeros stay."""

    def all_of(values: Scalars) -> Iterator[ca.SX]:
        return (value if value.is_zero() else number(value) for value in values)

    if step.pivot is not None and not step.upper:  # the last unknown: a quotient, not an inverse
        return replace(step, pivot=number(step.pivot))
    inverse = tuple(tuple(all_of(row)) for row in step.minus_inverse)
    return replace(step, minus_inverse=inverse, lower={k: tuple(all_of(values)) for k, values in step.lower.items()})
