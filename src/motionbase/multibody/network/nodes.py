"""Nodes: a frame in space with its motion and momentum; its prediction over a step, and the correction of that.

Unknowns of a step are corrections of the predicted derivatives, in the axes of the predicted orientation: what a joint
holds is then along constant directions, and pivots of its rows do not depend on where the mechanism stands. Orientation
is corrected by Gibbs-Rodrigues parameters about the predicted one (updated-updated): they are of the order of the
method's error, so their nonlinearity is slight.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.multibody.network.rotations import (
    R_increment,
    increment_of,
    omega_of_rate,
    quaternion_increment,
    rate_of_omega,
)
from motionbase.spatial import R_quaternion, quaternion_product
from motionbase.spatial.rotations import Expr


class Weights(Struct):
    """A step's length and the weights of the method; see `methods.Coefficients`."""

    h: ca.SX = q("s", text="length of the step")
    a1: ca.SX = q("-", text="weight of the value one step back", start=1.0)
    a2: ca.SX = q("-", text="weight of the value two steps back")
    b0: ca.SX = q("-", text="weight of the derivative now", start=0.5)
    b1: ca.SX = q("-", text="weight of the derivative one step back", start=0.5)
    b2: ca.SX = q("-", text="weight of the derivative two steps back")
    ratio: ca.SX = q("-", text="length of this step over that of the last")

    @property
    def c(self) -> Expr:
        """How much a value changes with its derivative now [s]."""
        return self.h * self.b0

    def derivative(self, y1_dot: Expr, y2_dot: Expr) -> Expr:
        """The derivative now, as a straight line through the last two predicts it."""
        return y1_dot + self.ratio * (y1_dot - y2_dot)

    def value(self, y1: Expr, y2: Expr, y_dot: Expr, y1_dot: Expr, y2_dot: Expr) -> Expr:
        """The value now."""
        return self.a1 * y1 + self.a2 * y2 + self.h * (self.b0 * y_dot + self.b1 * y1_dot + self.b2 * y2_dot)


class Node(Struct):
    """A node at the end of a step; world axes."""

    x: ca.SX = q("m", 3, "position")
    Q: ca.SX = q("-", 4, "orientation, node to world", start=(1.0, 0.0, 0.0, 0.0))
    v: ca.SX = q("m/s", 3, "velocity")
    omega: ca.SX = q("rad/s", 3, "angular velocity")
    beta: ca.SX = q("N s", 3, "momentum")
    gamma: ca.SX = q("N m s", 3, "angular momentum about the node")
    beta_dot: ca.SX = q("N", 3, "rate of momentum")
    gamma_dot: ca.SX = q("N m", 3, "rate of angular momentum")


class Place(Struct):
    """A node as elements see it; world axes."""

    x: ca.SX = q("m", 3, "position")
    R: ca.SX = q("-", (3, 3), "orientation, node to world")
    v: ca.SX = q("m/s", 3, "velocity")
    omega: ca.SX = q("rad/s", 3, "angular velocity")


class Momentum(Struct):
    """Momentum of a node and its rate; world axes."""

    beta: ca.SX = q("N s", 3, "momentum")
    gamma: ca.SX = q("N m s", 3, "angular momentum about the node")
    beta_dot: ca.SX = q("N", 3, "rate of momentum")
    gamma_dot: ca.SX = q("N m", 3, "rate of angular momentum")


class Correction(Struct):
    """Corrections of a node's predicted derivatives, in its predicted axes: the unknowns of a step."""

    v: ca.SX = q("m/s", 3, "of the velocity")
    omega: ca.SX = q("rad/s", 3, "of the rate of the orientation's parameters")
    beta_dot: ca.SX = q("N", 3, "of the rate of momentum")
    gamma_dot: ca.SX = q("N m", 3, "of the rate of angular momentum")


class Predicted(NamedTuple):
    """A node at the end of a step, predicted: with orientation as a matrix for elements, as a quaternion to keep."""

    place: Place
    momentum: Momentum
    Q: Expr


def predicted(w: Weights, one: Node, two: Node) -> Predicted:
    """From the node one and two steps back."""
    v = w.derivative(one.v, two.v)
    x = w.value(one.x, two.x, v, one.v, two.v)
    # orientation by its parameters relative to the last one, where they are zero and change at omega
    back = increment_of(quaternion_product(two.Q, _conjugate(one.Q)))
    back_dot = rate_of_omega(back, two.omega)
    g_dot = w.derivative(one.omega, back_dot)
    g = w.value(ca.SX(3, 1), back, g_dot, one.omega, back_dot)
    Q = quaternion_product(quaternion_increment(g), one.Q)
    beta_dot, gamma_dot = w.derivative(one.beta_dot, two.beta_dot), w.derivative(one.gamma_dot, two.gamma_dot)
    beta = w.value(one.beta, two.beta, beta_dot, one.beta_dot, two.beta_dot)
    gamma = w.value(one.gamma, two.gamma, gamma_dot, one.gamma_dot, two.gamma_dot)
    place = Place(x, R_quaternion(Q), v, omega_of_rate(g, g_dot))
    return Predicted(place, Momentum(beta, gamma, beta_dot, gamma_dot), Q)


def corrected_place(c: Expr, place: Place, d: Correction) -> Place:
    """The predicted place with the corrections so far."""
    g, R = c * d.omega, place.R
    turn = R_increment(g)
    omega = R @ (omega_of_rate(g, d.omega) + turn @ (R.T @ place.omega))
    dv = R @ d.v
    return Place(place.x + c * dv, R @ turn, place.v + dv, omega)


def corrected_momentum(c: Expr, R: Expr, momentum: Momentum, d: Correction) -> Momentum:
    """The predicted momentum with the corrections so far; R is the predicted orientation."""
    beta, gamma = R @ d.beta_dot, R @ d.gamma_dot
    return Momentum(
        momentum.beta + c * beta,
        momentum.gamma + c * gamma,
        momentum.beta_dot + beta,
        momentum.gamma_dot + gamma,
    )


def corrected_node(c: Expr, place: Place, momentum: Momentum, Q: Expr, d: Correction) -> tuple[Node, Place]:
    """The node at the end of the step, and its place; one Newton step keeps the quaternion's length at one."""
    turned = quaternion_product(Q, quaternion_increment(c * d.omega))
    at, p = corrected_place(c, place, d), corrected_momentum(c, place.R, momentum, d)
    unit = turned * (1.5 - 0.5 * ca.sumsqr(turned))
    return Node(at.x, unit, at.v, at.omega, p.beta, p.gamma, p.beta_dot, p.gamma_dot), at


def _conjugate(Q: Expr) -> Expr:
    return ca.vertcat(Q[0], -Q[1:])
