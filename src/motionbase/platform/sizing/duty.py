"""Demand of a manoeuvre on every leg: stroke, speed, force, torque, power, flow and heat, over time and in total.

The drive's force covers weight and inertia of payload, cylinders, rods and rotor, and sliding friction. Leakage and
compression of the oil and the resistance of windings are not included, because the file does not contain them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.sizing.capability import Capability, capability_of, friction_force
from motionbase.platform.sizing.forces import BLOCK, LegMotion, Motion
from motionbase.spatial.equals import first_largest

REST = 1e-9  # [m/s]: slower is rest, where friction has no direction
STRICT = 1e-9  # of a limit: a smaller excess is rounding


@final
@dataclass(frozen=True)
class Beyond:
    """A demand that exceeds a leg's capability, at the worst instant.

    Attributes:
        leg: 1 to 6; what: stroke, speed or force; asked, has: demand and capability in unit; t: time [s]
    """

    leg: int
    what: str
    asked: float
    has: float
    unit: str
    t: float

    @property
    def sentence(self) -> str:
        """Message for users."""
        return (
            f"leg {self.leg}: {self.what} of {self.asked:.4g} {self.unit} at {self.t:.4g} s, and {self.has:.4g} "
            f"{self.unit} is what there is"
        )


@final
@dataclass(frozen=True, eq=False)
class Duty:
    """Demand at n instants; arrays are (n, 6), one column per leg.

    Attributes:
        t: (n,) [s]
        dof: (n, 6) degrees of freedom from neutral [m, rad]
        l, l_dot, l_ddot: leg lengths [m], rates [m/s], accelerations [m/s^2]
        load: force of weight and inertia, rotors included, pushing positive [N]
    """

    platform: Hexapod
    t: Array
    dof: Array
    l: Array
    l_dot: Array
    l_ddot: Array
    load: Array

    @property
    def included(self) -> str:
        """What the forces include, in words."""
        return f"payload, cylinders, rods{', rotors' if self.platform.electric else ''} and friction"

    @cached_property
    def has(self) -> Capability:
        """Capability of the actuators."""
        return capability_of(self.platform.actuator)

    @cached_property
    def friction(self) -> Array:
        """Force of sliding friction, along the motion [N]; zero at rest."""
        moving = np.where(np.abs(self.l_dot) > REST, self.l_dot, 0.0)
        return friction_force(self.has.friction, moving)

    @cached_property
    def force(self) -> Array:
        """Force of the drive at the rod: load and friction [N]."""
        return np.asarray(self.load + self.friction)

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Smallest and largest force of the drive at these speeds [N]."""
        return self.has.forces(self.l_dot)

    @cached_property
    def power(self) -> Array:
        """Power of the drive at the rod [W]; negative if the load drives it."""
        return np.asarray(self.force * self.l_dot)

    @cached_property
    def torque(self) -> Array | None:
        """Torque of the motor [N m]; None without a motor."""
        a = self.platform.actuator
        return np.asarray(self.force / a.ratio) if isinstance(a, ElectricActuator) else None

    @cached_property
    def flow(self) -> Array | None:
        """Flow from the supply [m^3/s], without leakage; None without oil."""
        a = self.platform.actuator
        if not isinstance(a, HydraulicActuator):
            return None
        return np.asarray(np.where(self.l_dot > 0, a.area_cap, -a.area_rod) * self.l_dot)

    @cached_property
    def heat(self) -> Array:
        """Lost power [W]: friction, plus throttling in valves or braking by a motor (see docs/sizing.md)."""
        a = self.platform.actuator
        if not isinstance(a, HydraulicActuator) or self.flow is None:
            return np.asarray(self.friction * self.l_dot + np.maximum(-self.power, 0.0))
        back = np.where(self.l_dot > 0, a.area_rod, -a.area_cap) * self.l_dot
        return np.asarray(a.p_supply * self.flow - a.p_return * back - self.load * self.l_dot)

    def mean(self, values: Array) -> Array:
        """Mean over time by the trapezoidal rule, along the first axis."""
        if len(self.t) < 2:
            return np.asarray(values.mean(axis=0))
        return np.asarray(np.trapezoid(values, self.t, axis=0) / (self.t[-1] - self.t[0]))

    def rms(self, values: Array) -> Array:
        """Root mean square over time."""
        return np.asarray(np.sqrt(self.mean(values**2)))

    def rows(self) -> list[dict[str, Any]]:
        """One row per leg, in SI units."""
        stroke = self.platform.stroke
        columns: dict[str, Array] = {
            "l_min_m": self.l.min(axis=0), "l_max_m": self.l.max(axis=0),
            "stroke_left_m": np.minimum(self.l.min(axis=0) - stroke.l_min, stroke.l_max - self.l.max(axis=0)),
            "speed_peak_m_s": np.abs(self.l_dot).max(axis=0), "speed_rms_m_s": self.rms(self.l_dot),
            "acceleration_peak_m_s2": np.abs(self.l_ddot).max(axis=0),
            "force_max_N": self.force.max(axis=0), "force_min_N": self.force.min(axis=0),
            "force_rms_N": self.rms(self.force), "force_reserve": self.reserve.min(axis=0),
            "power_peak_W": self.power.max(axis=0), "power_least_W": self.power.min(axis=0),
            "power_mean_W": self.mean(self.power), "heat_mean_W": self.mean(self.heat),
        }  # fmt: skip
        a = self.platform.actuator
        if self.torque is not None and isinstance(a, ElectricActuator):
            columns |= {"torque_peak_Nm": np.abs(self.torque).max(axis=0), "torque_rms_Nm": self.rms(self.torque),
                        "motor_speed_peak_rad_s": a.ratio * np.abs(self.l_dot).max(axis=0)}  # fmt: skip
        if self.flow is not None:
            columns |= {"flow_peak_m3_s": self.flow.max(axis=0), "flow_mean_m3_s": self.mean(self.flow)}
        return [{"leg": k + 1, **{name: float(of[k]) for name, of in columns.items()}} for k in range(LEGS)]

    @cached_property
    def reserve(self) -> Array:
        """Capability of the drive over its demand at the same instant and speed; infinite without a demand."""
        least, largest = self.limits
        has = np.where(self.force >= 0, largest, -least)
        asked = np.abs(self.force)
        return np.asarray(np.divide(has, asked, out=np.full_like(asked, np.inf), where=asked > 0))

    def totals(self) -> dict[str, float]:
        """Totals of all legs, for the supply and the cooling."""
        power = self.power.sum(axis=1)
        found = {"power_peak_W": float(power.max()), "power_mean_W": float(self.mean(power)),
                 "heat_mean_W": float(self.mean(self.heat.sum(axis=1)))}  # fmt: skip
        if self.flow is not None and isinstance(a := self.platform.actuator, HydraulicActuator):
            flow = self.flow.sum(axis=1)
            found |= {"flow_peak_m3_s": float(flow.max()), "flow_mean_m3_s": float(self.mean(flow)),
                      "supply_mean_W": a.p_supply * float(self.mean(flow))}  # fmt: skip
        return found

    def beyond(self) -> list[Beyond]:
        """Legs whose demand of stroke, speed or force exceeds their capability."""
        stroke, fastest, found = self.platform.stroke, self.platform.limits.leg_velocity, []
        out = np.maximum(stroke.l_min - self.l, self.l - stroke.l_max)
        for k in range(LEGS):
            if (n := first_largest(out[:, k])) >= 0 and out[n, k] > STRICT:
                end = stroke.l_min if self.l[n, k] < stroke.l_min else stroke.l_max
                found.append(Beyond(k + 1, "length", float(self.l[n, k]), end, "m", float(self.t[n])))
            n = first_largest(np.abs(self.l_dot[:, k]))
            if abs(self.l_dot[n, k]) > fastest * (1 + STRICT):
                found.append(Beyond(k + 1, "speed", float(abs(self.l_dot[n, k])), fastest, "m/s", float(self.t[n])))
            n = first_largest(-self.reserve[:, k])
            if self.reserve[n, k] < 1 - STRICT:
                asked = float(abs(self.force[n, k]))
                found.append(Beyond(k + 1, "force", asked, asked * float(self.reserve[n, k]), "N", float(self.t[n])))
        return found


def duty_of(
    platform: Hexapod, t: ArrayLike, dof: ArrayLike, dof_dot: ArrayLike, dof_ddot: ArrayLike
) -> Duty:  # fmt: skip
    """The duty for (n,) ascending times [s] and (n, 6) degrees of freedom from neutral with derivatives [m, rad]."""
    when = np.asarray(t, dtype=np.float64)
    x, x_dot, x_ddot = (np.asarray(one, dtype=np.float64) for one in (dof, dof_dot, dof_ddot))
    if not len(when) or any(one.shape != (len(when), LEGS) for one in (x, x_dot, x_ddot)):
        raise PlatformError(f"a manoeuvre has {when.shape} times and {x.shape} positions, (n,) and (n, 6) are wanted")
    if not np.all(np.diff(when) > 0):
        raise PlatformError(f"times of a manoeuvre must go on, and stand at {when[:-1][np.diff(when) <= 0][0]:g} s")
    reflected, parts = capability_of(platform.actuator).reflected, []
    for k in range(0, len(when), BLOCK):
        part = slice(k, k + BLOCK)
        legs = LegMotion(platform, Motion.of_dof(platform, x[part], x_dot[part], x_ddot[part]))
        parts.append((legs.lengths, legs.l_dot, legs.l_ddot, legs.forces(reflected=reflected)))
    return Duty(platform, when, x, *(np.concatenate(one) for one in zip(*parts, strict=True)))
