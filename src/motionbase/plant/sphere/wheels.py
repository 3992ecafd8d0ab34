"""Action of one wheel on a sphere: motor, rollers at their angle, normal force and resistance of the contact."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.plant.sphere.contacts import Contact, Driven, Passive
from motionbase.plant.sphere.ripple import Waves, waves_at
from motionbase.spatial.rotations import Expr

BASE = 0.9  # of speed_max: above this the driving torque falls linearly, to zero at speed_max; illustrative
ROLLING_SPEED = 5e-3  # [m/s] below this rolling resistance fades to zero: 0.2 degrees per second for a sphere of 1.45 m
DRILLING_SPEED = 0.02  # [rad/s] below this the friction of spinning about the normal fades to zero


class Wheel(Struct):
    """State of a driven wheel."""

    psi: Expr = q("rad", text="angle, 0 to 2 pi")
    omega_wheel: Expr = q("rad/s", text="speed")


class Centre(NamedTuple):
    """Motion of the sphere relative to the support, in W: displacement [m] and velocity [m/s] of its centre, spin."""

    d: Expr
    v: Expr
    Omega: Expr


class Rolling(NamedTuple):
    """A driven wheel at mid-step; for all of them, one row each.

    Attributes:
        reach: extent beyond its mean radius [m]
        slope: derivative of the reach with respect to the wheel's angle [m/rad]
        per_force: (6,) moment about the sphere's centre and force, in W, of a unit force along the roller
        arm: moment of the same force about the axle [m]
        friction: friction coefficient
        torque: torque of the motor, at the axle [N m]
    """

    reach: Expr
    slope: Expr
    per_force: Expr
    arm: Expr
    friction: Expr
    torque: Expr


class Push(NamedTuple):
    """Action of a contact on the sphere, without the force along the roller.

    Attributes:
        N: normal force [N]
        wrench: (6,) moment about the sphere's centre [N m] and force [N], in W
    """

    N: Expr
    wrench: Expr


def bounded(value: Expr, least: Expr, most: Expr) -> Expr:
    """The value limited to least .. most, which include 0; NaN becomes 0."""
    return ca.if_else(value > 0, ca.fmin(value, most), ca.if_else(value < 0, ca.fmax(value, least), 0))


def motor_torque(c: Driven, tau: Expr, omega_wheel: Expr) -> Expr:
    """Torque at the motor's shaft [N m]; against the motion it is full at any speed; NaN acts as 0.

    Args:
        tau: commanded torque [N m]
        omega_wheel: speed of the wheel [rad/s]
    """

    def most(speed: Expr) -> Expr:
        share = (1 - speed * c.per_speed) * (1 / (1 - BASE))
        return c.torque_max * ca.fmin(ca.fmax(share, 0), 1)

    return bounded(tau, -most(-omega_wheel), most(omega_wheel))


def rolling(c: Driven, wheel: Wheel, tau: Expr, slick: Expr, *, h: float, R: float, ripple: bool) -> Rolling:
    """A driven wheel half a step h later; `tau` is its motor command, `slick` its friction over the nominal one."""
    none = Waves(*(ca.SX(0) for _ in Waves._fields))
    psi = wheel.psi + 0.5 * h * wheel.omega_wheel
    waves = waves_at(psi, c.count, c.reach, c.roll, c.lever) if ripple else none
    moment = (R + waves.reach - waves.roll) * c.about + waves.lever * c.outward
    torque = c.gear * motor_torque(c, tau, wheel.omega_wheel)
    arm, friction = c.arm + c.cosine * waves.roll, c.friction * ca.fmax(slick, 0)
    return Rolling(waves.reach, waves.slope, ca.vertcat(moment, c.roller), arm, friction, torque)


def driven_push(c: Driven, at: Centre, reach: Expr, rate: Expr, friction: Expr) -> Push:
    """Push of a driven wheel, given its reach beyond the mean radius [m] and its rate; it resists spinning in place.

    A disc of uniform pressure that only spins is held by 2/3 mu N a. Wheel and roller do not turn about the normal.
    """
    N = _normal(c, c.at_rest, ca.dot(c.outward, at.d) + reach, ca.dot(c.outward, at.v) + rate)
    spin = ca.dot(c.outward, at.Omega)
    drilling = -2 / 3 * friction * N * c.patch_radius * spin / ca.sqrt(spin**2 + DRILLING_SPEED**2)
    return Push(N, ca.vertcat(drilling * c.outward, -N * c.outward))


def passive_push(c: Passive, at: Centre, preload: Expr, R: float) -> Push:
    """Push of a passive wheel with scaled preload, on a sphere of radius R; it resists the motion of the surface.

    The velocity of the surface is the same at every contact except for spin about the normal: u = v + Omega x R n,
    without its component along n.
    """
    approach = ca.dot(c.outward, at.v)
    N = _normal(c, c.at_rest * ca.fmax(preload, 0), ca.dot(c.outward, at.d), approach)
    u = at.v - approach * c.outward + ca.cross(R * at.Omega, c.outward)
    resistance = -c.rolling * N / ca.sqrt(ca.sumsqr(u) + ROLLING_SPEED**2) * u
    return Push(N, ca.vertcat(ca.cross(R * c.outward, resistance), resistance - N * c.outward))


def _normal(c: Contact, at_rest: Expr, depth: Expr, rate: Expr) -> Expr:
    """Normal force [N] of a contact pressed deeper than at rest [m], at a given rate; contacts only push."""
    return ca.fmax(at_rest + c.stiffness * depth + c.damping * rate, 0)
