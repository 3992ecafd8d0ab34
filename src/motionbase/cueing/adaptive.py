"""Adaptive washout after Parrish: the gains of the high-passes descend a cost of false cues and of the way used.

Each of the six high-passes of the classical washout gets a gain k of its own, 1 at rest. For a translation

    J = 1/2 ((u - x'')^2 + (rate v)^2 + (way x)^2 + keep (k - 1)^2),    dk/dt = -speed dJ/dk / N,

with the acceleration u that is wanted and the sensitivity s = dx/dk, which the same filter gives for k = 1; the first
two terms are in thresholds of perception. While a cue begins, x is small and k stays 1; when the displacement grows, k
falls, and the platform returns with less of a false cue than by the fixed filter. A rotation is the same one derivative
lower. N = 1 + the sum of the squares that multiply k in J; Parrish does not have it, but it keeps the descent stable
for any demand. The tilt is the classical one.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Struct, for_each, q
from motionbase.cueing.algorithm import Algorithm, Desired, Parameters, scaled
from motionbase.cueing.classical import Along, Washout, continued, washed_along, washed_by
from motionbase.cueing.filters import Corner, Turn, washed_turn
from motionbase.cueing.samples import Heard
from motionbase.cueing.tuning import Adapting, Tuning
from motionbase.cueing.vestibular import THRESHOLDS

SX = ca.SX


class AdaptiveParameters(Parameters):
    """Parameters of the classical washout, and of the descent."""

    adaptive: Adapting = q(of=Adapting)


class Adaptive(Struct):
    """State of the adaptive washout."""

    washout: Washout = q(of=Washout)
    k: SX = q("-", 6, "gains", start=1.0)
    along_by_k: Along = q(of=Along, rows=3, text="sensitivities of the displacements")
    turn_by_k: Turn = q(of=Turn, rows=3, text="sensitivities of the angles")


def adapted(h: SX, p: Tuning, all_of: AdaptiveParameters, x: Adaptive, heard: Heard) -> tuple[Adaptive, Desired]:
    """State after a tick, and the motion that gives the cues."""
    washout, wanted, u = washed_by(h, p, x.washout, *scaled(p, heard), x.k)

    def along(x: Along, u: SX, omega: SX, zeta: SX, first: SX) -> Along:
        return washed_along(h, Corner(omega, zeta), first, x, u)

    def turn(x: Turn, u: SX, omega: SX, zeta: SX, first: SX) -> Turn:
        return washed_turn(h, Corner(omega, zeta), first, x, u)

    corners = p.high_pass, p.damping, p.first_order
    alongs: Any = for_each(along, x.along_by_k, u[:3], *(row[:3] for row in corners))
    turns: Any = for_each(turn, x.turn_by_k, u[3:], *(row[3:] for row in corners))

    # what is given and shown to move, and how each answers to its gain
    moves, turned = washout.alongs.motion, washout.turns
    given, rate, place = (ca.vertcat(*pair) for pair in ((moves.a, turned.v), (moves.v, 0, 0, 0), (moves.x, turned.x)))
    by_k = alongs.motion
    given_k, rate_k, place_k = (ca.vertcat(*pair) for pair in ((by_k.a, turns.v), (by_k.v, 0, 0, 0), (by_k.x, turns.x)))

    def descent(k: SX, u: SX, cue: Any, rate: Any, way: Any, threshold: SX, w: Any) -> SX:
        (y, y_k), (v, v_k), (s, s_k) = ((part[0], part[1]) for part in (cue, rate, way))
        speed, w_way, w_rate, keep = w[0], w[1], w[2], w[3]
        slope = -(u - y) * y_k / threshold**2 + w_rate**2 * v * v_k + w_way**2 * s * s_k + keep * (k - 1)
        norm = 1 + (y_k / threshold) ** 2 + (w_rate * v_k) ** 2 + (w_way * s_k) ** 2
        lower: SX = k - h * speed * slope / norm
        return ca.fmin(ca.fmax(lower, 0.0), 1.0)

    cost = all_of.adaptive
    weights = ca.horzcat(cost.speed, cost.way, cost.rate, cost.keep)
    pairs = (ca.horzcat(given, given_k), ca.horzcat(rate, rate_k), ca.horzcat(place, place_k))
    k: Any = for_each(descent, x.k, u, *pairs, ca.DM(THRESHOLDS), weights)
    return Adaptive(washout=washout, k=k, along_by_k=alongs, turn_by_k=turns), wanted


def went_on(p: Tuning, x: Adaptive, actual: Desired) -> Adaptive:
    """The state from which the filters go on when limits have changed the motion that they wanted."""
    return x.replace(washout=continued(p, x.washout, actual))


ADAPTIVE = Algorithm(Adaptive, adapted, went_on, AdaptiveParameters)
