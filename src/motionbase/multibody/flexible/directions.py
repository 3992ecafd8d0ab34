"""Mode shapes of a beam, one direction at a time: bending in two planes, stretch and twist, by finite elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.eigen import natural_modes
from motionbase.multibody.flexible.line import bending_rows, gauss_stations, lagrange_rows
from motionbase.multibody.flexible.section import HELD, Table


@final
@dataclass(frozen=True)
class Direction:
    """Shapes in one direction.

    Attributes:
        axis: 0 for stretch, 1 and 2 for deflection along y and z, 3 for twist
        unknowns: (dof, n) nodal values of each shape
        stiffness: (n, n)
        shears: whether it bends with shear
    """

    axis: int
    unknowns: Array
    stiffness: Array
    shears: bool = False


@final
@dataclass(frozen=True)
class Shapes:
    """All shapes at stations: phi (p, 3, n) displacement, psi (p, 3, n) rotation, slope (p, 3, n) phi's derivative."""

    phi: Array
    psi: Array
    slope: Array


def evaluate(directions: list[Direction], nodes: Array, x: Array) -> Shapes:
    """Shapes of all directions, side by side."""
    n = sum(d.unknowns.shape[1] for d in directions)
    phi, psi, slope = np.zeros((len(x), 3, n)), np.zeros((len(x), 3, n)), np.zeros((len(x), 3, n))
    at = 0
    for d in directions:
        here = slice(at, at := at + d.unknowns.shape[1])
        if d.axis in (1, 2):
            rows = bending_rows(x, nodes, d.shears)
            phi[:, d.axis, here], slope[:, d.axis, here] = rows.w @ d.unknowns, rows.dw @ d.unknowns
            # deflection along y rotates about z, deflection along z about -y
            psi[:, 3 - d.axis, here] = (1 if d.axis == 1 else -1) * (rows.psi @ d.unknowns)
        else:
            values = lagrange_rows(x, nodes, 3)[0] @ d.unknowns
            (phi if d.axis == 0 else psi)[:, 0, here] = values
    return Shapes(phi, psi, slope)


def shortening(directions: list[Direction], nodes: Array, x: Array) -> Array:
    """(p, n, n) -integral from the root to each station of y' y' + z' z': second derivative of the axial displacement.

    Three Gauss points between the node before and the station are exact: the integrand is of fourth degree.
    """
    g, weight = np.polynomial.legendre.leggauss(3)

    def integral(a: Array, b: Array) -> Array:
        at = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * g
        slope = evaluate(directions, nodes, at.ravel()).slope
        slope = slope.reshape(len(a), 3, *slope.shape[1:])
        found: Array = np.einsum("p,g,pgaj,pgak->pjk", 0.5 * (b - a), weight, slope, slope)
        return found

    up_to_node = np.cumsum(integral(nodes[[0, *range(len(nodes) - 1)]], nodes), axis=0)
    before = np.clip(np.searchsorted(nodes, x, side="right") - 1, 0, len(nodes) - 2)
    drawn_in: Array = -(up_to_node[before] + integral(nodes[before], x))
    return drawn_in


def bending_direction(
    axis: int,
    n: int,
    nodes: Array,
    mass: Table,
    rotary: Table,
    EI: Table,
    shear: Table | None,
    held: tuple[str, str],
    tip: tuple[float, float],
) -> Direction:
    """The n lowest bending shapes, largest deflection 1 m.

    Args:
        shear: k G A [N]; None for Euler-Bernoulli
        held: root and tip, such as clamped and free
        tip: mass [kg] and moment of inertia [kg m^2] at the tip
    """
    x, weight = gauss_stations(nodes)
    rows = bending_rows(x, nodes, shear is not None)
    ends = rows.ends
    M = _sum(rows.w, weight * mass(x)) + _sum(rows.psi, weight * rotary(x))
    M[ends[2], ends[2]] += tip[0]
    M[ends[3], ends[3]] += tip[1]
    K = _sum(rows.dpsi, weight * EI(x))
    if shear is not None:
        K += _sum(rows.dw - rows.psi, weight * shear(x))
    held_at = [k for k, is_held in enumerate([*HELD[held[0]], *HELD[held[1]]]) if is_held]
    # a translation and a rotation about the root, at the ends: the unconstrained ones are rigid motions
    rigid = np.array([[1, 0], [0, 1], [1, 1], [0, 1]])
    moves = 2 - (int(np.linalg.matrix_rank(rigid[held_at])) if held_at else 0)
    X = _lowest(K, M, [ends[k] for k in held_at], moves, n, "bending")
    X = X / _signed_peak(bending_rows(nodes, nodes, shear is not None).w @ X)
    stiffness = _sum(rows.dpsi @ X, weight * EI(x))  # not X' K X, in which large shear terms would cancel
    if shear is not None:
        stiffness += _sum((rows.dw - rows.psi) @ X, weight * shear(x))
    return Direction(axis, X, stiffness, shear is not None)


def bar_direction(
    axis: int, n: int, nodes: Array, mass: Table, stiffness: Table, held: tuple[str, str], tip: float
) -> Direction:
    """The n lowest shapes of stretch (EA, mass) or twist (GJ, polar inertia), largest value 1 m or 1 rad."""
    x, weight = gauss_stations(nodes)
    u, du = lagrange_rows(x, nodes, 3)
    M, K = _sum(u, weight * mass(x)), _sum(du, weight * stiffness(x))
    M[-1, -1] += tip
    fixed = [k for k, end in ((0, held[0]), (len(M) - 1, held[1])) if end == "fixed"]
    X = _lowest(K, M, fixed, 0 if fixed else 1, n, "stretch" if axis == 0 else "twist")
    X = X / _signed_peak(X)
    return Direction(axis, X, X.T @ K @ X)


def _sum(rows: Array, weight: Array) -> Array:
    total: Array = (rows * weight[:, None]).T @ rows
    return total


def _lowest(K: Array, M: Array, fixed: list[int], rigid: int, n: int, what: str) -> Array:
    """(dof, n) shapes with the fixed unknowns at zero; motions without deformation belong to the body's frame."""
    free = np.setdiff1d(np.arange(len(K)), fixed)
    heavy = free[np.diag(M)[free] > 0]
    light = np.setdiff1d(free, heavy)  # rotations without rotary inertia follow the others statically
    follow = -np.linalg.solve(K[np.ix_(light, light)], K[np.ix_(light, heavy)])
    condensed = K[np.ix_(heavy, heavy)] + K[np.ix_(heavy, light)] @ follow
    if n + rigid > len(heavy):
        raise ModelError(f"beam: {n} modes of {what} need more elements; {len(heavy) - rigid} is the most here")
    _, X = natural_modes(condensed, M[np.ix_(heavy, heavy)])
    full = np.zeros((len(K), n))
    full[heavy] = X[:, rigid : rigid + n]
    full[light] = follow @ full[heavy]
    return full


def _signed_peak(values: Array) -> Array:
    """The largest value of every column, with the sign it has nearest the tip."""
    peak = np.abs(values).max(axis=0)
    last = [int(np.flatnonzero(np.abs(v) > 1e-3 * p)[-1]) for v, p in zip(values.T, peak, strict=True)]
    signed: Array = peak * np.sign(values[last, np.arange(len(peak))])
    return signed
