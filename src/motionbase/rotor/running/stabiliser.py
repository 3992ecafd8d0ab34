"""A stabiliser of helicopters: attitude by cyclic pitch, heading by the tail rotor, climb by collective pitch.

Proportional action on the error, damping by the measured rate, and a slow integral that finds the trim. Gains follow
from the model's own numbers: the moments that cyclic pitch, collective pitch and tail rotor make, and the inertia they
act on. How fast and how well damped each loop is to be is our choice, and illustrative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.rotor.models.rotor_model import RotorModel

LIFT_SLOPE = 5.7  # [1/rad] of usual airfoils
PITCH, ROLL, HEADING = 1.2, 1.6, 1.2  # [rad/s] of the loops that hold angles
DAMPING, CLIMB_S = 0.8, 2.0  # damping ratio, time constant of the climb [s]
INTEGRAL, CLIMB_INTEGRAL = 0.25, 0.25  # integral action over the proportional: times the loop's rate; [1/s]
AXES = "pitch", "roll", "heading", "climb"


@final
@dataclass(frozen=True)
class Loop:
    """What one loop adds to its control: p e + I - d rate, dI/dt = i e.

    Attributes:
        p, d: control per error, and per rate
        i: [control per error and second]
        most: that the integral may reach, either way
    """

    p: float
    d: float
    i: float
    most: float

    def __call__(self, error: Expr, rate: Expr, integral: Expr, acts: Expr, dt: float) -> tuple[Expr, Expr]:
        """The correction, and the integral one step on; without the law the integral stays, as a trim."""
        after = ca.fmin(ca.fmax(integral + acts * self.i * error * dt, -self.most), self.most)
        return acts * (self.p * error - self.d * rate) + integral, after


@final
@dataclass(frozen=True)
class Stabiliser:
    """The loops of `AXES`; they correct cyclic_sin, cyclic_cos, tail thrust [N] and collective."""

    pitch: Loop
    roll: Loop
    heading: Loop
    climb: Loop

    @staticmethod
    def of(rotor: RotorModel) -> Stabiliser:
        """With gains from the rotor's and its airframe's numbers."""
        air, at = rotor.airframe, rotor.planform
        if air is None or at.blade is None or at.blade.flap is None:
            raise ModelError(f"rotor {rotor.name!r}: a stabiliser needs an airframe in free flight and flap hinges")
        hinge, blade = at.blade.flap.at, at.blade.rigid(at.blade.flap.at)
        weight = rotor.weight
        # a tilted disk tilts the thrust, and blades pull at their hinges (Bramwell 2001, ch. 1): moment per tilt
        static = blade.mass * (float(blade.com[0]) - hinge)
        tilting = -weight * air.com[2] + at.blades / 2 * hinge * static * at.speed**2
        x, z = air.com[0], air.com[2]
        about_x, about_y = air.inertia[0] + air.mass * z**2, air.inertia[1] + air.mass * (x**2 + z**2)
        lever = abs(air.tail_at[0] - x)
        disk = at.density * math.pi * at.radius**2 * at.tip_speed**2
        lifting = disk * at.solidity * LIFT_SLOPE / 6  # thrust per collective, before the inflow follows
        climb = weight / (9.81 * lifting * CLIMB_S)
        return Stabiliser(
            _holding(PITCH, about_y / tilting, 0.15),
            _holding(ROLL, about_x / tilting, 0.15),
            _holding(HEADING, air.inertia[2] / lever, 8e3),
            Loop(climb, 0.0, climb * CLIMB_INTEGRAL, 0.15),
        )

    def correct(
        self, settings: Mapping[str, Expr], seen: Mapping[str, Expr], kept: Expr, dt: float
    ) -> tuple[dict[str, Expr], Expr]:
        """What acts, and what is kept.

        Args:
            settings: of the pilot, and the set points
            seen: attitude, rates [rad/s] and climb [m/s], see `helicopter.ABOUT`
            kept: (8,) integrals of `AXES`, attitudes of the hover, nose-up and right side down [rad], and their
                integrals, by which they were found
        """
        acts = settings["stabilised"]
        turned = settings["heading_set"] - seen["yaw"]
        errors = (
            kept[4] + settings["pitch_set"] - seen["pitch"],
            kept[5] + settings["roll_set"] - seen["roll"],
            ca.atan2(ca.sin(turned), ca.cos(turned)),
            settings["climb_set"] - seen["climb"],
        )
        rates = seen["pitch_rate"], seen["roll_rate"], seen["yaw_rate"], ca.SX(0)
        loops = self.pitch, self.roll, self.heading, self.climb
        found = [loop(e, rates[k], kept[k], acts, dt) for k, (loop, e) in enumerate(zip(loops, errors, strict=True))]
        added, integrals = ([one[k] for one in found] for k in range(2))
        # flapping follows pitch by a quarter of a turn: the sine lifts the nose, the cosine the right side
        return {
            "collective": settings["collective"] + added[3],
            "cyclic_cos": settings["cyclic_cos"] - added[1],
            "cyclic_sin": settings["cyclic_sin"] + added[0],
            "tail": settings["tail"] + added[2],
        }, ca.vertcat(*integrals, kept[4:])


def _holding(fast: float, control: float, most: float) -> Loop:
    """Of an angle, omega [rad/s]; `control`: what makes an angular acceleration of one."""
    return Loop(control * fast**2, control * 2 * DAMPING * fast, INTEGRAL * control * fast**3, most)
