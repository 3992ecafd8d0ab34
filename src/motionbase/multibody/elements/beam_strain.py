"""Strains of geometrically exact beams between frames, and the energy and forces that follow from them.

A frame at a section has its x axis along the beam. Strains are, in the section's axes, the derivative of position along
the beam (1, 0, 0 where it is straight and unstretched) and the curvature, twist first [1/m]. They depend on places and
orientations relative to one of the nodes alone, so moving everything as a whole changes nothing (Simo & Vu-Quoc 1986).

The base is the second of two nodes or the middle one of three. Local coordinates w of every other node: its place in
the base's axes [m], and axis times tan(angle / 2) of its orientation relative to the base.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import casadi as ca

from motionbase.spatial.rotation_vectors import (
    R_half_tangent,
    R_rotation_vector,
    Root,
    RootFunction,
    plain,
    rotated_rate,
    vector_of_half_tangent,
)
from motionbase.spatial.rotations import Expr

GAUSS = 1 / math.sqrt(3)
Pattern = tuple[tuple[int, int], ...]


def integration_points(nodes: int) -> int:
    """One for two nodes, whose strains are constant; two Gauss points for three, so that it does not lock in shear."""
    return nodes - 1


def strains(w: Expr, lengths: Expr) -> Expr:
    """(6, points) strains for local coordinates (6,) or (12,); `lengths` [m] is what each point stands for."""
    shapes = _shapes(w, plain)
    return ca.horzcat(*(_strain(y, plain) / lengths[k] for k, y in enumerate(ca.horzsplit(shapes))))


def _shapes(w: Expr, root: Root) -> Expr:
    """(..., points) what strains at each integration point are made of.

    With two nodes w itself; with three the derivative of position, a rotation vector from the middle node's axes and
    its derivative, both quadratic along the beam.
    """
    if w.shape[0] == 6:
        return w
    ends = [(w[6 * k : 6 * k + 3], vector_of_half_tangent(w[6 * k + 3 : 6 * k + 6], root)) for k in range(2)]
    (u_a, before), (u_b, after) = ends
    columns = []
    for xi in (-GAUSS, GAUSS):
        p_rate = (xi - 0.5) * u_a + (xi + 0.5) * u_b
        theta = 0.5 * xi * (xi - 1) * before + 0.5 * xi * (xi + 1) * after
        columns.append(ca.vertcat(p_rate, theta, (xi - 0.5) * before + (xi + 0.5) * after))
    return ca.horzcat(*columns)


def _strain(y: Expr, root: Root) -> Expr:
    """(6,) strains times the length their point stands for.

    Two nodes: R_mid' (x_2 - x_1) and log(R_1' R_2), with R_mid half-way between the two; a helix is met exactly.
    """
    if y.shape[0] == 6:
        u, h = y[:3], y[3:]
        half = h / (1 + ca.sqrt(1 + ca.sumsqr(h)))
        return -ca.vertcat(R_half_tangent(half).T @ u, vector_of_half_tangent(h, root))
    theta = y[3:6]
    return ca.vertcat(R_rotation_vector(theta, root).T @ y[:3], rotated_rate(theta, y[6:], root))


class BeamLaw(NamedTuple):
    """A kind of beam as functions of (w, w_dot, numbers).

    Numbers are lengths and strains without stress at the integration points, entries of the stiffness, damping.

    Attributes:
        force: -> generalised force on w, energy [J], strains beyond those without stress
        slope: -> derivatives of the force by w and by w_dot
    """

    force: ca.Function
    slope: ca.Function


@cache
def beam_law(nodes: int, pattern: Pattern, damped: bool) -> BeamLaw:
    """The law of beams with so many nodes.

    Args:
        pattern: places of the stiffness's entries that are not zero, of its lower triangle
        damped: whether rates of strain play a part
    """
    points = integration_points(nodes)
    w, w_dot = ca.SX.sym("w", 6 * points), ca.SX.sym("w_dot", 6 * points)
    numbers = ca.SX.sym("numbers", points * 7 + len(pattern) + damped)
    lengths, rest, law = numbers[:points], ca.reshape(numbers[points : 7 * points], 6, points), numbers[7 * points :]
    roots = _Expanded()
    y = _shapes(w, roots)
    y_dot = ca.reshape(ca.jtimes(ca.vec(y), w, w_dot), y.shape)
    at_point, slope_at_point = _point_law(nodes, pattern, damped)
    given = [[y[:, k], y_dot[:, k], lengths[k], rest[:, k], law] for k in range(points)]
    found = [at_point.call(of) for of in given]
    force_y, energy = ca.vertcat(*(f[0] for f in found)), sum(f[1] for f in found)
    # the gradient of the energy where nothing is damped: so forces are exactly conservative
    force = ca.jtimes(ca.vec(y), w, force_y, True)
    held, Y = ca.SX.sym("held", force_y.shape[0]), ca.jacobian(ca.vec(y), w)
    by_y, by_y_dot = (ca.diagcat(*parts) for parts in zip(*(slope_at_point.call(of) for of in given), strict=True))
    curved = ca.substitute(ca.jacobian(ca.jtimes(ca.vec(y), w, held, True), w), held, force_y)
    by_w = Y.T @ (by_y @ Y + by_y_dot @ ca.jacobian(ca.vec(y_dot), w)) + curved
    arguments = [w, w_dot, numbers]
    results = [force, energy, ca.vertcat(*(f[2] for f in found))]
    return BeamLaw(
        ca.Function("beam_force", arguments, roots.settled(results)),
        ca.Function("beam_slope", arguments, roots.settled([by_w, Y.T @ by_y_dot @ Y])),
    )


def _point_law(nodes: int, pattern: Pattern, damped: bool) -> tuple[ca.Function, ca.Function]:
    """(y, y_dot, length, strains without stress, law) at one integration point.

    -> force on y, energy, strains beyond those without stress; and derivatives of the force by y and y_dot.
    """
    y, y_dot = (ca.SX.sym(name, 6 if nodes == 2 else 9) for name in ("y", "y_dot"))
    length, rest, law = ca.SX.sym("length"), ca.SX.sym("rest", 6), ca.SX.sym("law", len(pattern) + damped)
    C = ca.SX(6, 6)
    for k, (i, j) in enumerate(pattern):
        C[i, j] = C[j, i] = law[k]
    roots = _Expanded()
    strain = _strain(y, roots) / length
    beyond = strain - rest
    stress = beyond + law[-1] * ca.jtimes(strain, y, y_dot) if damped else beyond
    force = -ca.jtimes(strain, y, length * (C @ stress), True)
    energy = 0.5 * length * ca.dot(beyond, C @ beyond)
    slopes = [ca.jacobian(force, y), ca.jacobian(force, y_dot)]
    given = [y, y_dot, length, rest, law]
    return (
        ca.Function("point_force", given, roots.settled([force, energy, beyond])),
        ca.Function("point_slope", given, roots.settled(slopes)),
    )


class _Expanded:
    """Functions of one number as parabolas about where they are, so that each is differentiated once and not by parts.

    Exact for what needs no more than second derivatives of the strains.
    """

    def __init__(self) -> None:
        self.found: list[tuple[Expr, RootFunction, Expr]] = []

    def __call__(self, f: RootFunction, z: Expr) -> Expr:
        at = ca.SX.sym("at", 4)  # where, value and two derivatives
        self.found.append((z, f, at))
        return at[1] + (z - at[0]) * (at[2] + 0.5 * at[3] * (z - at[0]))

    def settled(self, expressions: list[Expr]) -> list[Expr]:
        """Expressions with the values put in; the last first, for a later argument may hold an earlier function."""
        for z, f, at in reversed(self.found):
            values = ca.vertcat(z, f(z), f.derivative(z), f.derivative.derivative(z))
            expressions = ca.substitute(expressions, [at], [values])
        shared: Any = ca.cse(expressions)
        return list(shared)
