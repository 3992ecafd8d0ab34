"""Optimal washout: three fixed filters, one for each mode, designed when the set is loaded; see `optimal_design`.

A mode is a translation and the angle that goes with it: surge and pitch, sway and roll, heave and yaw. Its filter runs
twice, for the specific force and for the angular rate, and the results are added. So the tilt, which is the angle that
answers to a force, is known apart and keeps the same limits of rate and acceleration as in other algorithms.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.compile.struct import MIXED
from motionbase.cueing.algorithm import Algorithm, Desired, Parameters, scaled
from motionbase.cueing.classical import followed
from motionbase.cueing.optimal_design import PLACE, SPEED, STATES, THETA, TILTS, Mode, Weights, mode, sampled
from motionbase.cueing.samples import Heard
from motionbase.cueing.sets import CueSet, Values
from motionbase.cueing.tuning import Tuning
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.spatial.rotations import euler_zyx_rates

SX = ca.SX
ANGLES = (1, 0, 2)  # of the modes, among roll, pitch, yaw


class Filter(Struct):
    """State of a mode's filter."""

    by_force: SX = q(MIXED, STATES, "part that answers to the specific force")
    by_rate: SX = q(MIXED, STATES, "part that answers to the angular rate")
    tilt_rate: SX = q("rad/s", text="of the first part's angle")
    pace: SX = q("rad/s", text="rate that the filter wants of it")
    f: SX = q("m/s^2", text="specific force a tick ago")
    omega: SX = q("rad/s", text="angular rate a tick ago")


class Optimal(Struct):
    """State of the optimal washout."""

    modes: Filter = q(of=Filter, rows=3, text="surge and pitch, sway and roll, heave and yaw")
    angles: SX = q("rad", 3, "roll, pitch, yaw")
    rates: SX = q("rad/s", 3, "of them")


def weights_of(values: Values, k: int) -> Weights:
    """Of mode k."""
    return Weights(**{name: row[k] for name, row in values.items()})


def modes_of(cue_set: CueSet) -> list[Mode]:
    """The three filters of a set."""
    pairs = [(THRESHOLDS[k], THRESHOLDS[3 + ANGLES[k]]) for k in range(3)]
    return [mode(TILTS[k], pairs[k], weights_of(cue_set.optimal, k)) for k in range(3)]


def optimal(cue_set: CueSet, dt: float) -> Algorithm:
    """The algorithm with the filters of a set."""
    modes = modes_of(cue_set)
    steps = [sampled(mode, dt) for mode in modes]

    def one(h: SX, p: Tuning, k: int, x: Filter, f: SX, omega: SX) -> tuple[Filter, SX, SX, SX]:
        """State, motion along, angle and its rate."""
        (Phi, B0, B1), C, D = steps[k], ca.DM(modes[k].C), modes[k].D
        by_force = ca.DM(Phi) @ x.by_force + ca.DM(B0[:, 0]) * x.f + ca.DM(B1[:, 0]) * f
        by_rate = ca.DM(Phi) @ x.by_rate + ca.DM(B0[:, 1]) * x.omega + ca.DM(B1[:, 1]) * omega
        pace = C[1, :] @ by_force + float(D[1, 0]) * f
        by_force[THETA], tilt_rate = followed(h, x.by_force[THETA], x.tilt_rate, by_force[THETA], (x.pace, pace), p)
        both = by_force + by_rate
        a = C[0, :] @ both + float(D[0, 0]) * f + float(D[0, 1]) * omega
        rate = tilt_rate + C[1, :] @ by_rate + float(D[1, 1]) * omega
        after = Filter(by_force=by_force, by_rate=by_rate, tilt_rate=tilt_rate, pace=pace, f=f, omega=omega)
        return after, ca.vertcat(both[PLACE], both[SPEED], a), both[THETA], rate

    def step(h: SX, p: Tuning, _: Parameters, x: Optimal, heard: Heard) -> tuple[Optimal, Desired]:
        """State after a tick, and the motion that gives the cues."""
        d, omega = scaled(p, heard)
        turned = euler_zyx_rates(x.angles + h * x.rates, omega)
        made = [one(h, p, k, row(x.modes, k), d[k], turned[ANGLES[k]]) for k in range(3)]
        filters, motions, turns, speeds = zip(*made, strict=True)
        angles, rates = (ca.vertcat(*(of[k] for k in ANGLES)) for of in (turns, speeds))
        after = Optimal(modes=rows(filters), angles=angles, rates=rates)
        return after, Desired(ca.horzcat(*motions).T, ca.horzcat(angles, rates, (rates - x.rates) / h))

    return Algorithm(Optimal, step, onward)


def row(modes: Filter, k: int) -> Filter:
    """One of several."""
    return Filter.of(modes.column[k, :].T)


def rows(modes: Sequence[Filter]) -> Filter:
    """Several as rows of one."""
    return Filter.of(ca.horzcat(*(one.column for one in modes)).T, len(modes))


def onward(p: Tuning, x: Optimal, actual: Desired) -> Optimal:
    """The state from which the filters go on when limits have changed the motion that they wanted."""
    made: list[Filter] = []
    for k in range(3):
        now, angle = row(x.modes, k), actual.angles[ANGLES[k], 0]
        by_force, by_rate = ca.SX(now.by_force), ca.SX(now.by_rate)
        by_force[PLACE] = actual.along[k, 0] - by_rate[PLACE]
        by_force[SPEED] = actual.along[k, 1] - by_rate[SPEED]
        by_rate[THETA] = angle - by_force[THETA]
        made.append(now.replace(by_force=by_force, by_rate=by_rate))
    return Optimal(modes=rows(made), angles=actual.angles[:, 0], rates=actual.angles[:, 1])
