"""Coefficients of one-step methods as checked data: a wrong digit is an error when the table is created.

The order conditions are those of rooted trees (Hairer, Norsett & Wanner, "Solving ODEs I", section II.2; for Rosenbrock
methods Hairer & Wanner, "Solving ODEs II", section IV.7). A tree is the tuple of the trees that hang from its root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError

Row: TypeAlias = tuple[float, ...]
RootedTree: TypeAlias = tuple["RootedTree", ...]
TOLERANCE = 1e-13  # sums of a few rounded fractions


class TableauError(MotionBaseError):
    """Coefficients that do not have the stated properties."""


def rooted_trees(order: int) -> Iterator[RootedTree]:
    """Every rooted tree with this number of vertices, once: 1, 1, 2, 4, 9 for orders 1 to 5."""
    for sizes in _partitions(order - 1, order - 1):
        groups = [(n, sizes.count(n)) for n in sorted(set(sizes))]
        yield from _choices(groups)


def _partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)


def _choices(groups: list[tuple[int, int]]) -> Iterator[RootedTree]:
    if not groups:
        yield ()
        return
    (size, count), *others = groups
    for chosen in combinations_with_replacement(list(rooted_trees(size)), count):
        for rest in _choices(others):
            yield (*chosen, *rest)


def _size(tree: RootedTree) -> int:
    return 1 + sum(map(_size, tree))


def _density(tree: RootedTree) -> int:
    product = _size(tree)
    for child in tree:
        product *= _density(child)
    return product


def _weights(tree: RootedTree, A: Array, B: Array) -> Array:
    """Derivative weight of each stage; a Rosenbrock method has its Jacobian (B) where a vertex has a single branch."""
    product = np.ones(len(A))
    for child in tree:
        product = product * ((B if len(tree) == 1 else A) @ _weights(child, A, B))
    return product


def order_of(A: Array, B: Array, b: Array, at_most: int = 8) -> int:
    """The order of a method: the largest for which all order conditions hold."""
    for order in range(1, at_most + 1):
        for tree in rooted_trees(order):
            if abs(b @ _weights(tree, A, B) - 1 / _density(tree)) > TOLERANCE:
                return order - 1
    return at_most


def _check_order(name: str, what: str, found: int, said: int) -> None:
    if found != said:
        raise TableauError(f"tableau {name!r}: {what} have order {found}, they are said to have {said}")


def _lower(name: str, what: str, rows: tuple[Row, ...], stages: int) -> Array:
    """Strictly lower triangle, given row by row without the first, empty row."""
    if [len(row) for row in rows] != list(range(1, stages)):
        raise TableauError(f"tableau {name!r}: {what} must have rows of 1 to {stages - 1} numbers")
    full = np.zeros((stages, stages))
    for i, row in enumerate(rows, start=1):
        full[i, :i] = row
    return full


@final
@dataclass(frozen=True)
class ButcherTableau:
    """An explicit Runge-Kutta method, with or without an embedded one.

    Attributes:
        a: rows of the strictly lower triangle, from the second stage on
        b: weights of the result
        c: nodes, the row sums of a
        order: order of b; checked
        b_hat: weights of the embedded result, whose difference from b is the error estimate
        order_hat: order of b_hat; checked
        source: reference of the coefficients
    """

    name: str
    a: tuple[Row, ...]
    b: Row
    c: Row
    order: int
    source: str
    b_hat: Row | None = None
    order_hat: int = 0

    def __post_init__(self) -> None:
        A = self.A
        if not np.allclose(A.sum(axis=1), self.c, rtol=0, atol=TOLERANCE):
            raise TableauError(f"tableau {self.name!r}: rows of a sum to {A.sum(axis=1)}, c is {self.c}")
        _check_order(self.name, "weights b", order_of(A, A, np.array(self.b)), self.order)
        if self.b_hat is not None:
            _check_order(self.name, "weights b_hat", order_of(A, A, np.array(self.b_hat)), self.order_hat)

    @property
    def A(self) -> Array:
        """(stages, stages) strictly lower triangular."""
        return _lower(self.name, "a", self.a, len(self.b))


@final
@dataclass(frozen=True)
class RosenbrockTableau:
    """A linearly implicit method in the form without products by the Jacobian (Hairer & Wanner II, equation 7.25).

    (I / (gamma h) - J) u_i = f(x + sum a_ij u_j) + sum (c_ij / h) u_j,  x_next = x + sum m_i u_i.

    Attributes:
        gamma: diagonal coefficient
        a, c: rows of the strictly lower triangles, from the second stage on
        m: weights of the result; m_hat: of the embedded one
        nodes: position of each stage in the step
        L_stable: the result for an infinitely stiff, stable equation is 0; checked
    """

    name: str
    gamma: float
    a: tuple[Row, ...]
    c: tuple[Row, ...]
    m: Row
    m_hat: Row
    nodes: Row
    order: int
    order_hat: int
    source: str
    L_stable: bool = True

    def __post_init__(self) -> None:
        # back to the form with the Jacobian: Gamma = (I / gamma - C)^-1, alpha = A Gamma, b = m Gamma
        n = len(self.m)
        Gamma = np.linalg.inv(np.eye(n) / self.gamma - self.C)
        alpha = self.A @ Gamma
        if not np.allclose(alpha.sum(axis=1), self.nodes, rtol=0, atol=TOLERANCE):
            raise TableauError(
                f"tableau {self.name!r}: nodes are {alpha.sum(axis=1)}, they are said to be {self.nodes}"
            )
        for what, m, said in (("m", self.m, self.order), ("m_hat", self.m_hat, self.order_hat)):
            _check_order(self.name, f"weights {what}", order_of(alpha, alpha + Gamma, np.array(m) @ Gamma), said)
        # stability function at infinity: 1 - b' (alpha + Gamma)^-1 1
        at_infinity = 1 - np.array(self.m) @ Gamma @ np.linalg.solve(alpha + Gamma, np.ones(n))
        if self.L_stable != (abs(at_infinity) < TOLERANCE):
            raise TableauError(f"tableau {self.name!r}: the stability function at infinity is {at_infinity:.3g}")

    @property
    def A(self) -> Array:
        """(stages, stages) strictly lower triangular."""
        return _lower(self.name, "a", self.a, len(self.m))

    @property
    def C(self) -> Array:
        """(stages, stages) strictly lower triangular."""
        return _lower(self.name, "c", self.c, len(self.m))
