"""Trim of a whole helicopter in level flight: airframe, main rotor and tail rotor in equilibrium.

The motion is steady, so over a revolution neither momentum nor angular momentum about the hub changes: the mean air
loads of the main rotor, weight, drag and the tail rotor's thrust balance, whatever the blades do meanwhile. Axes are
those of the shaft: x forward, y to the left, z along the shaft. There is no sideslip. The blades' own weight acts along
the shaft in the rotor's model, and at the hub in the balance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, SimulationError
from motionbase.rotor.elements.airframe import FUSELAGE, Airframe
from motionbase.rotor.flight.march import March, Seen
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.trim.newton import Problem
from motionbase.rotor.trim.pilot import CONTROLS, held_law
from motionbase.rotor.trim.trim import EXACT, LARGEST, MOVE, Target, first_guess, mean_loads, steady, thrust_scale

STEEPEST = 0.6  # [rad] of the attitude
UNKNOWNS = *CONTROLS, "shaft_angle", "roll", "tail"


def airframe_loads(rotor: RotorModel, airspeed: float, angle: float, roll: float, tail: float) -> Array:
    """(6,) weight of all, drag and the tail's thrust to the right, about the hub [N, N m].

    Args:
        rotor: with its airframe
        angle, roll: of the shaft backwards against the air, and about the air's direction, right side down [rad]
    """
    airframe = needed_airframe(rotor)
    up, air = _up(angle, roll), airspeed * np.array([-math.cos(angle), 0.0, math.sin(angle)])
    g = float(np.linalg.norm(rotor.model.gravity))
    drag = 0.5 * rotor.planform.density * airspeed * np.array(airframe.drag_area) * air
    forces = (
        ((0.0, 0.0, 0.0), -blades_mass(rotor) * g * up),
        (airframe.com, -airframe.mass * g * up),
        (airframe.drag_at, drag),
        (airframe.tail_at, np.array([0.0, -tail, 0.0])),
    )
    return np.asarray(np.sum([np.concatenate([f, np.cross(at, f)]) for at, f in forces], axis=0))


def blades_mass(rotor: RotorModel) -> float:
    """[kg]."""
    return sum(body.mass for body in rotor.model.bodies if body.name not in (*rotor.massless, FUSELAGE))


def needed_airframe(rotor: RotorModel) -> Airframe:
    """The airframe of a rotor in free flight; one in a wind tunnel is refused."""
    if rotor.airframe is None:
        raise ModelError(f"rotor {rotor.name!r} stands in a wind tunnel; a model in free flight is wanted (free=True)")
    return rotor.airframe


def _up(angle: float, roll: float) -> Array:
    """(3,) the vertical in axes of the shaft; it is normal to the air, since flight is level."""
    return np.array([math.sin(angle) * math.cos(roll), math.sin(roll), math.cos(angle) * math.cos(roll)])


@final
@dataclass(frozen=True, eq=False)
class FreeTrim:
    """Level flight.

    Attributes:
        rotor: with its airframe
        airspeed: [m/s]
        controls: (3,) [rad]
        shaft_angle, roll: attitude, see `airframe_loads` [rad]
        tail: thrust of the tail rotor to the right [N]
        residual: (6,) force and moment that are left [N, N m]
        revolution, periodicity: see `Trim`
    """

    rotor: RotorModel
    airspeed: float
    controls: Array
    shaft_angle: float
    roll: float
    tail: float
    residual: Array
    revolution: Seen
    periodicity: float

    @property
    def power(self) -> float:
        """Of the main rotor [W]."""
        return -float(self.revolution.loads[:, 5].mean()) * self.rotor.speed

    @property
    def settings(self) -> dict[str, float]:
        """Controls and tail thrust, for `Flying.fly`."""
        return {**dict(zip(CONTROLS, self.controls.tolist(), strict=True)), "tail": self.tail}

    @property
    def flying(self) -> RotorModel:
        """The helicopter at the start of this flight, in still air."""
        up, c, s = _up(self.shaft_angle, self.roll), math.cos(self.shaft_angle), math.sin(self.shaft_angle)
        pitch, roll = -math.asin(up[0]), math.atan2(up[1], up[2])
        cp, sp, cr, sr = math.cos(pitch), math.sin(pitch), math.cos(roll), math.sin(roll)
        R = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]) @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        return self.rotor.flying_at((R @ [self.airspeed * c, 0.0, -self.airspeed * s]).tolist(), pitch, roll)


def free_trim(rotor: RotorModel, free: RotorModel, airspeed: float, march: March | None = None) -> FreeTrim:
    """Controls, attitude and tail thrust for level flight, by Newton's method on six equations.

    Args:
        rotor: in a wind tunnel
        free: the same with its airframe
        march: of the first on one lane, to go on from; else a new one
    """
    if not 0 <= airspeed < math.inf:
        raise ModelError(f"level flight: airspeed is {airspeed:g} m/s, it must be 0 or more, and finite")
    airframe, march, planform = needed_airframe(free), march or March.of(rotor), rotor.planform
    force, density = thrust_scale(rotor), planform.density
    scale = force * np.repeat([1.0, planform.radius], 3)
    weight = free.weight
    drag = 0.5 * density * airspeed**2 * airframe.drag_area[0]
    angle = -math.atan2(drag, weight)
    target = Target(math.hypot(weight, drag), 0.0, 0.0, airspeed, angle)
    bounds = [next(s for s in rotor.controls if s.name == name) for name in CONTROLS]
    least, most = ([*(getattr(s, what) for s in bounds)] for what in ("least", "most"))
    x = np.array([*first_guess(rotor, target), angle, 0.0, 0.0])
    march.fly_by([held_law(rotor)])
    march.set_controls(x[:3])
    march.reach([target.flight])

    def left(x: Array, seen: Seen) -> Array:
        own = airframe_loads(free, airspeed, float(x[3]), float(x[4]), float(x[5]) * force)
        return np.asarray(mean_loads(seen) + own)

    def residual(x: Array) -> Array:
        march.reach([[airspeed, x[0, 3]]])
        return left(x[0], steady(march, x[:, :3])[0])[None] / scale

    problem = Problem(
        residual,
        np.array([*[MOVE] * 5, 1e-3]),
        np.array([*[LARGEST] * 5, 0.2]),
        np.array([*least, -STEEPEST, -STEEPEST, -1.0]),
        np.array([*most, STEEPEST, STEEPEST, 1.0]),
        EXACT,
    )
    root = problem.solve(x[None])
    u = root.x[0]
    if not root.found[0]:
        raise SimulationError(
            f"rotor {rotor.name!r}: level flight of {free.mass:,.0f} kg at {airspeed:.4g} m/s was not found; "
            f"{np.abs(root.residual[0, :3]).max() * force:,.0f} N are left at collective {math.degrees(u[0]):.2f} deg "
            f"with the shaft at {math.degrees(u[3]):.2f} deg; want less mass or speed"
        )
    march.reach([[airspeed, u[3]]])
    last, changed = steady(march, root.x[:, :3])
    return FreeTrim(free, airspeed, u[:3], float(u[3]), float(u[4]), float(u[5] * force), left(u, last), last,
                    float(changed[0]))  # fmt: skip
