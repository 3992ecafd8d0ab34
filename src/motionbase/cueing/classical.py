"""Classical washout after Reid and Nahon: high-passed motion for what is short, tilt for what lasts.

    f, omega --scale--+--low-pass--tilt, at a limited rate--+--> angles
                      +--to rates of angles--high-pass------+      |
                      +--to W, less gravity--high-pass------> displacement

The stroke is not used for the specific force that the tilt already gives: the force is turned to W by the platform's
own angles, and less gravity it is the acceleration wanted.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Struct, for_each, q
from motionbase.cueing.algorithm import Algorithm, Desired, Parameters, scaled
from motionbase.cueing.filters import Corner, Motion, Turn, lagged, oscillated, washed_turn
from motionbase.cueing.limits import ONSET, bounds, clamped
from motionbase.cueing.samples import GRAVITY, Heard
from motionbase.cueing.tuning import Tuning
from motionbase.platform.braking import smooth_root
from motionbase.record.vehicle import G
from motionbase.spatial.rotations import R_euler_zyx, euler_zyx_rates

SX = ca.SX
CATCH = 0.2  # [s] in which the last of a difference between the tilt and its goal is made up for
TILTS = ca.DM([-1.0, 1.0])  # forward force: nose up, which is a negative pitch; force to the left: a positive roll


class Along(Struct):
    """High-pass of a translation."""

    motion: Motion = q(of=Motion)
    slow: SX = q("m/s^2", text="low-pass of the first-order section")
    u: SX = q("m/s^2", text="its input a tick ago")


class Tilt(Struct):
    """One angle of the tilt."""

    force: Motion = q(of=Motion, text="low-pass of the specific force")
    x: SX = q("rad", text="angle")
    v: SX = q("rad/s", text="its rate")
    pace: SX = q("rad/s", text="rate of its goal")


class Washout(Struct):
    """State of the classical washout."""

    tilts: Tilt = q(of=Tilt, rows=2, text="pitch, roll")
    turns: Turn = q(of=Turn, rows=3, text="roll, pitch, yaw")
    alongs: Along = q(of=Along, rows=3, text="surge, sway, heave")
    angles: SX = q("rad", 3, "roll, pitch, yaw")
    rates: SX = q("rad/s", 3, "of them")


def followed(h: SX, x: SX, v: SX, goal: SX, pace: tuple[SX, SX], p: Tuning) -> tuple[SX, SX]:
    """The tilt and its rate after a tick, as near to a goal as limits of rate, acceleration and extent allow.

    Args:
        pace: rate of the goal, a tick ago and now
    """
    a_most, before, now = p.tilt_acceleration, *pace
    # a difference decays twice at 10 / s; a large one is made up for with half of the acceleration
    near, _ = smooth_root(goal - x - h / 2 * (v + now), a_most / 2, a_most / 2 * CATCH)
    a = (now - before) / h + ONSET * (before + near - v)
    ends = -p.tilt_most, p.tilt_most
    a = clamped(clamped(a, -a_most, a_most), *bounds(x, v, ends, p.tilt_rate, a_most / 2))
    return x + h * v + h**2 / 2 * a, v + h * a


def tilted(h: SX, p: Tuning, tilts: Tilt, d: SX) -> Tilt:
    """The tilt after a tick: pitch for the force along x, roll for that along y."""

    def one(x: Tilt, d: SX, side: SX, gain: SX, omega: SX, zeta: SX) -> Tilt:
        force = oscillated(h, Corner(omega, zeta), x.force, omega**2 * gain * d)
        sine = ca.fmin(ca.fmax(force.x / G, -0.9), 0.9)
        pace = ca.if_else(ca.eq(sine, force.x / G), side * force.v / (G * ca.sqrt(1 - sine**2)), 0.0)
        angle, rate = followed(h, x.x, x.v, side * ca.asin(sine), (x.pace, pace), p)
        return Tilt(force=force, x=angle, v=rate, pace=pace)

    made: Tilt = for_each(one, tilts, d, TILTS, p.tilt_gain, p.tilt_low_pass, p.tilt_damping)
    return made


def washed_along(h: SX, corner: Corner, first: SX, x: Along, u: SX) -> Along:
    """A displacement after a tick, for the acceleration wanted."""
    slow = lagged(h, first, x.slow, x.u, u)
    return Along(motion=oscillated(h, corner, x.motion, u - slow), slow=slow, u=u)


def washed_by(h: SX, p: Tuning, x: Washout, d: SX, omega: SX, k: SX) -> tuple[Washout, Desired, SX]:
    """State after a tick, the motion, and the inputs of the high-passes before their further gains k (6,)."""
    tilts = tilted(h, p, x.tilts, d[:2])
    turned = euler_zyx_rates(x.angles + h * x.rates, omega)  # by angles that are exact enough

    def turn(x: Turn, u: SX, k: SX, omega: SX, zeta: SX, first: SX) -> Turn:
        return washed_turn(h, Corner(omega, zeta), first, x, k * u)

    turns: Any = for_each(turn, x.turns, turned, k[3:], p.high_pass[3:], p.damping[3:], p.first_order[3:])
    angles = turns.x + ca.vertcat(tilts.x[1], tilts.x[0], 0)
    rates = turns.v + ca.vertcat(tilts.v[1], tilts.v[0], 0)

    wanted = R_euler_zyx(angles) @ (d + GRAVITY) - GRAVITY

    def along(x: Along, u: SX, k: SX, omega: SX, zeta: SX, first: SX) -> Along:
        return washed_along(h, Corner(omega, zeta), first, x, k * u)

    alongs: Any = for_each(along, x.alongs, wanted, k[:3], p.high_pass[:3], p.damping[:3], p.first_order[:3])
    after = Washout(tilts=tilts, turns=turns, alongs=alongs, angles=angles, rates=rates)
    motion = alongs.motion
    desired = Desired(ca.horzcat(motion.x, motion.v, motion.a), ca.horzcat(angles, rates, (rates - x.rates) / h))
    return after, desired, ca.vertcat(wanted, turned)


def washed(h: SX, p: Tuning, all_of: Parameters, x: Washout, heard: Heard) -> tuple[Washout, Desired]:
    """State after a tick, and the motion that gives the cues."""
    return washed_by(h, p, x, *scaled(p, heard), ca.SX.ones(6))[:2]


def continued(p: Tuning, x: Washout, actual: Desired) -> Washout:
    """The state from which the filters go on when limits have changed the motion that they wanted."""

    def turn(x: Turn, angle: SX, rate: SX, omega: SX, zeta: SX, first: SX) -> Turn:
        """The integral that fits: with it the filter gives just this rate for its last input."""
        c, k = 2 * zeta * omega + first, omega**2
        change = (x.v - rate + c * (x.x - angle)) / ca.fmax(k, 1e-12)
        return Turn(x=angle, v=rate, sum=x.sum + ca.if_else(k > 0, change, 0.0))

    def along(x: Along, now: SX) -> Along:
        return x.replace(motion=Motion(x=now[0], v=now[1], a=now[2]))

    tilts, angles, rates = x.tilts, actual.angles[:, 0], actual.angles[:, 1]
    washed_x, washed_v = angles - ca.vertcat(tilts.x[1], tilts.x[0], 0), rates - ca.vertcat(tilts.v[1], tilts.v[0], 0)
    turns: Any = for_each(turn, x.turns, washed_x, washed_v, p.high_pass[3:], p.damping[3:], p.first_order[3:])
    alongs: Any = for_each(along, x.alongs, actual.along)
    return x.replace(turns=turns, alongs=alongs, angles=angles, rates=rates)


CLASSICAL = Algorithm(Washout, washed, continued)
