"""Design of the optimal washout, after Sivan, Reid and Nahon: filters that leave the least difference of feelings.

One mode at a time: surge with pitch, sway with roll, heave, yaw. The demand (specific force f_A, angular rate w_A) is
noise through first-order filters; the platform gives f = a + c theta and theta'. The feelings of the differences

    otolith 0.4 (10 s + 1) / (5 s + 1) of f_A - f,    canals 5.73 * 80 s^2 / ((80 s + 1) (5.73 s + 1)) of w_A - theta',

in thresholds of perception, and the weighted motion of the platform make a quadratic cost; the linear regulator for it
is a filter from the demand to the platform's motion. Poles of the organs above 15 rad/s play no part and are left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.vestibular import CANAL, OTOLITH, Organ
from motionbase.errors import UsageError
from motionbase.record.vehicle import G

SLOW_OTOLITH = Organ((4.0, 0.4), OTOLITH.time_constants[:1])
SLOW_CANAL = Organ((5.73 * 80, 0.0, 0.0), CANAL.time_constants[:2])
TILTS = {0: -G, 1: G, 2: 0.0}  # specific force along x, y, z for a tilt by pitch, roll, nothing


class Weights(NamedTuple):
    """Weights of a mode, in thresholds: the price of motion, beside that of differences of feelings."""

    place: float = 0.0  # [1/m]
    speed: float = 0.0  # [s/m]
    sum: float = 0.0  # [1/(m s)]
    acceleration: float = 0.0  # [s^2/m]
    angle: float = 0.0  # [1/rad]
    rate: float = 0.0  # [s/rad]
    force_corner: float = 1.0  # [rad/s]
    rate_corner: float = 1.0  # [rad/s]


class Mode(NamedTuple):
    """A filter x' = A x + B (f_A, w_A); its outputs (a, theta') are C x + D (f_A, w_A).

    The states are the otolith's, the canals' two, then theta, v, p and the integral of p.
    """

    A: Array
    B: Array
    C: Array
    D: Array


OTO, CAN, THETA, SPEED, PLACE, SUM = 0, slice(1, 3), 3, 4, 5, 6
STATES = 7


def mode(tilt: float, thresholds: tuple[float, float], weights: Weights) -> Mode:
    """The optimal filter of a mode in which an angle theta gives the specific force `tilt` theta."""
    A, B, E = np.zeros((STATES, STATES)), np.zeros((STATES, 2)), np.zeros((STATES, 2))  # states, (a, theta'), demand
    A[OTO, OTO], A[OTO, THETA], B[OTO, 0], E[OTO, 0] = SLOW_OTOLITH.poles[0], -tilt, -1, 1
    A[CAN, CAN], B[CAN, 1], E[CAN, 1] = np.diag(SLOW_CANAL.poles), -1, 1
    B[THETA, 1], B[SPEED, 0], A[PLACE, SPEED], A[SUM, PLACE] = 1, 1, 1, 1

    # what is weighed: two feelings, then motion; from states, commands, demand
    feels = np.zeros((2, STATES))
    feels[0, OTO], feels[0, THETA] = SLOW_OTOLITH.residues[0], -tilt * SLOW_OTOLITH.direct
    feels[1, CAN] = SLOW_CANAL.residues
    direct, scale = np.diag([SLOW_OTOLITH.direct, SLOW_CANAL.direct]), np.diag(1 / np.asarray(thresholds))
    moves = np.zeros((4, STATES))
    for row, (state, weight) in enumerate(
        ((PLACE, weights.place), (SPEED, weights.speed), (SUM, weights.sum), (THETA, weights.angle))
    ):
        moves[row, state] = weight
    efforts = np.diag([weights.acceleration, weights.rate])
    Z_x = np.vstack([scale @ feels, moves, np.zeros((2, STATES))])
    Z_u = np.vstack([-scale @ direct, np.zeros((4, 2)), efforts])
    Z_n = np.vstack([scale @ direct, np.zeros((6, 2))])

    corners = -np.diag([weights.force_corner, weights.rate_corner])
    whole = np.block([[A, E], [np.zeros((2, STATES)), corners]])
    K = regulator(whole, np.vstack([B, np.zeros((2, 2))]), np.hstack([Z_x, Z_n]), Z_u)
    K_x, K_n = K[:, :STATES], K[:, STATES:]
    return Mode(A - B @ K_x, E - B @ K_n, -K_x, -K_n)


def regulator(A: Array, B: Array, C: Array, D: Array) -> Array:
    """K of u = -K x, which minimises the integral of |C x + D u|^2 under x' = A x + B u."""
    R, S = D.T @ D, C.T @ D
    mixed = np.linalg.solve(R, S.T)
    P = riccati(A - B @ mixed, B @ np.linalg.solve(R, B.T), C.T @ C - S @ mixed)
    return rounded(np.asarray(np.linalg.solve(R, B.T @ P + S.T)))


def rounded(K: Array) -> Array:
    """To nine digits of the largest: linear algebra differs in the last ones from processor to processor."""
    unit = 10.0 ** (math.floor(math.log10(float(np.abs(K).max()))) - 8)
    return np.asarray(np.round(K / unit) * unit)


def riccati(A: Array, G_: Array, Q: Array) -> Array:
    """The stabilising P of A'P + P A - P G P + Q = 0, from the stable subspace of the Hamiltonian matrix."""
    n = len(A)
    values, vectors = np.linalg.eig(np.block([[A, -G_], [-Q, -A.T]]))
    stable = vectors[:, values.real < 0]
    if stable.shape[1] != n or np.linalg.cond(stable[:n]) > 1e12:
        raise UsageError("optimal cueing: these weights let a motion drift; give place, sum and angle weights above 0")
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return np.asarray((P + P.T) / 2)


def sampled(mode: Mode, h: float) -> tuple[Array, Array, Array]:
    """x after a step = Phi x + B0 n + B1 n_next, exact for a demand that is linear in the step."""
    n, m = mode.B.shape
    chain = np.zeros((n + 2 * m, n + 2 * m))
    chain[:n, :n], chain[:n, n : n + m] = mode.A * h, mode.B * h
    chain[n : n + m, n + m :] = np.eye(m)
    E = exponential(chain)
    end = E[:n, n + m :]
    return E[:n, :n], E[:n, n : n + m] - end, end


def exponential(A: Array) -> Array:
    """exp(A) by scaling, a Taylor series and squaring."""
    squarings = max(0, math.ceil(math.log2(max(float(np.abs(A).sum(axis=0).max()), 1e-9))) + 2)
    part: Array = A / 2.0**squarings
    term: Array = np.eye(len(A))
    total: Array = np.eye(len(A))
    for k in range(1, 16):
        term = term @ part / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return np.asarray(total)
