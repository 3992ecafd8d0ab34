"""Trim of a whole helicopter in level flight: airframe, main rotor and tail rotor in equilibrium.

The motion is steady, so over a revolution neither momentum nor angular momentum about the hub changes: the mean air
loads of the main rotor, weight, drag and the tail rotor's thrust balance, whatever the blades do meanwhile. Axes are
those of the shaft: x forward, y to the left, z along the shaft. There is no sideslip. The blades' own weight acts along
the shaft in the rotor's model, and with all other weight at the centre of gravity in the balance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import Vector
from motionbase.rotor.march import March, Seen
from motionbase.rotor.newton import Problem
from motionbase.rotor.pilot import CONTROLS, held_law
from motionbase.rotor.rotor_model import RotorModel
from motionbase.rotor.trim import EXACT, LARGEST, MOVE, Target, first_guess, steady, thrust_scale

GRAVITY = 9.80665
STEEPEST = 0.6  # [rad] of the attitude
UNKNOWNS = *CONTROLS, "shaft_angle", "roll", "tail_thrust"


@final
@dataclass(frozen=True)
class Airframe:
    """All of a helicopter but its main rotor's air.

    Attributes:
        mass: of everything [kg]
        cg, drag_at, tail_at: from the hub: centre of gravity, where drag acts, tail rotor [m]
        drag_area: drag over dynamic pressure [m^2]
        tail_radius: of the tail rotor [m]
        tail_merit: ideal over real power of the tail rotor
        illustrative: which of these nobody has published
    """

    mass: float
    cg: Vector
    drag_area: float
    drag_at: Vector
    tail_at: Vector
    tail_radius: float
    tail_merit: float = 0.7
    illustrative: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what in ("mass", "tail_radius", "tail_merit"):
            if not 0 < getattr(self, what) < np.inf:
                raise ModelError(f"airframe: {what} is {getattr(self, what):g}, must be positive")
        if not 0 <= self.drag_area < np.inf:
            raise ModelError(f"airframe: drag_area is {self.drag_area:g} m^2, must be zero or more")
        if not np.all(np.isfinite([self.cg, self.drag_at, self.tail_at])):
            raise ModelError("airframe: cg, drag_at and tail_at must be finite")

    def loads(self, airspeed: float, density: float, angle: float, roll: float, tail_thrust: float) -> Array:
        """(6,) force and moment about the hub [N, N m]; the tail's thrust is positive to the left."""
        up = np.array([math.sin(angle) * math.cos(roll), math.sin(roll), math.cos(angle) * math.cos(roll)])
        air = np.array([-math.cos(angle), 0.0, math.sin(angle)])
        forces = (
            (self.cg, -self.mass * GRAVITY * up),
            (self.drag_at, 0.5 * density * airspeed**2 * self.drag_area * air),
            (self.tail_at, np.array([0.0, tail_thrust, 0.0])),
        )
        return sum((np.concatenate([f, np.cross(at, f)]) for at, f in forces), np.zeros(6))

    def tail_power(self, thrust: float, airspeed: float, density: float) -> float:
        """Of the tail rotor by momentum theory, without drag of its blades but for the figure of merit [W]."""
        hover2 = abs(thrust) / (2 * density * math.pi * self.tail_radius**2)
        induced2 = -0.5 * airspeed**2 + math.sqrt(0.25 * airspeed**4 + hover2**2)
        return abs(thrust) * math.sqrt(induced2) / self.tail_merit


# With the main rotor of the preset `puma`: mass and drag area are such that level flight at 67.7 m/s takes about the
# thrust and angle of the shaft of flight 123.
PUMA_AIRFRAME = Airframe(
    5250.0, (0.0, 0.0, -2.1), 2.3, (0.0, 0.0, -2.0), (-9.0, 0.0, 0.0), 1.52,
    illustrative=("mass", "cg", "drag_area", "drag_at", "tail_at", "tail_merit"),
)  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class FreeTrim:
    """Level flight.

    Attributes:
        controls: (3,) [rad]
        shaft_angle, roll: attitude: shaft backwards, right side down [rad]
        tail_thrust: to the left [N]
        main_power, tail_power: [W]
        residual: (6,) force and moment that are left [N, N m]
        revolution, periodicity: see `Trim`
    """

    airframe: Airframe
    airspeed: float
    controls: Array
    shaft_angle: float
    roll: float
    tail_thrust: float
    main_power: float
    tail_power: float
    residual: Array
    revolution: Seen
    periodicity: float


def free_trim(rotor: RotorModel, airframe: Airframe, airspeed: float, march: March | None = None) -> FreeTrim:
    """Controls, attitude and tail thrust for level flight, by Newton's method on six equations.

    Args:
        march: of this rotor on one lane, to go on from; else a new one
    """
    march, density = march or March.of(rotor), rotor.planform.density
    force, radius = thrust_scale(rotor), rotor.planform.radius
    scale = force * np.repeat([1.0, radius], 3)
    weight = airframe.mass * GRAVITY
    drag = 0.5 * density * airspeed**2 * airframe.drag_area
    angle = -math.atan2(drag, weight)
    target = Target(math.hypot(weight, drag), 0.0, 0.0, airspeed, angle)
    bounds = [next(s for s in rotor.controls if s.name == name) for name in CONTROLS]
    least, most = ([*(getattr(s, what) for s in bounds)] for what in ("least", "most"))
    x = np.array([*first_guess(rotor, target), angle, 0.0, 0.0])
    march.fly_by([held_law(rotor)])
    march.set_controls(x[:3])
    march.reach([target.flight])

    def left(x: Array, seen: Seen) -> Array:
        return np.asarray(seen.loads[..., 0].mean(axis=0) + airframe.loads(airspeed, density, *x[3:5], x[5] * force))

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
    last, changed = steady(march, root.x[:, :3])
    u = root.x[0]
    if not root.found[0]:
        raise SimulationError(
            f"rotor {rotor.name!r}: level flight of {airframe.mass:,.0f} kg at {airspeed:.4g} m/s was not found; "
            f"{np.abs(root.residual[0, :3]).max() * force:,.0f} N are left at collective {math.degrees(u[0]):.2f} deg "
            f"with the shaft at {math.degrees(u[3]):.2f} deg; want less mass or speed"
        )
    tail, torque = float(u[5] * force), float(last.loads[:, 5, 0].mean())
    return FreeTrim(airframe, airspeed, u[:3], float(u[3]), float(u[4]), tail, -torque * rotor.speed,
                    airframe.tail_power(tail, airspeed, density), left(u, last), last, float(changed[0]))  # fmt: skip
