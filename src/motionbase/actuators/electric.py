"""Electric leg: ball-screw cylinder with a drive that follows a speed command, and a holding brake."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.actuators.common import FORCE, Going, H, Lines, state_port, step_kernel
from motionbase.actuators.cushion import EndStops, LegStroke, end_stops
from motionbase.actuators.friction import friction_step
from motionbase.actuators.limits import limited, snapped
from motionbase.compile import Kernel, Port, Struct, q
from motionbase.errors import ModelError
from motionbase.multibody.body import shown
from motionbase.multibody.elements.friction_law import Friction, bristle_rate, friction_force, sliding_force
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

POSITIVE = {
    "lead": "m",
    "inertia": "kg m^2",
    "torque_max": "N m",
    "speed_base": "rad/s",
    "speed_max": "rad/s",
    "torque_lag": "s",
    "load_mass": "kg",
    "speed_bandwidth": "rad/s",
    "brake_force": "N",
    "brake_time": "s",
    "stop_stiffness": "N/m",
}
COMMAND = (
    Port("u", (), "-", "speed command, -1 to 1; positive extends"),
    Port("abort", (), "-", "0 normal, 1 drive off and brake closed"),
)
OUTPUTS = (
    Port("f", (), "N", "of the actuator on the platform, positive in extension, less the force on reflected_mass"),
    Port("power", (), "W", "of the motor at the rod; mean of the step"),
)
POWER_LEAST = 0.5  # of nominal power: below this a drive switches itself off; illustrative


class ElectricState(Struct):
    """State of one leg."""

    motor: Expr = q("N", text="motor force at the rod")
    integral: Expr = q("N", text="force of the speed loop's integral")
    brake: Expr = q("-", text="brake 0..1")
    z: Expr = q("m", text="bristle z")


STATE = state_port(ElectricState, "x")


@final
@dataclass(frozen=True)
class ElectricActuator:
    """One ball-screw leg; u = -1..1 commands a speed, -v_max..v_max, to the drive's own speed loop.

    The rotor turns with the screw, so its inertia is a mass along the leg: the mechanism must carry `reflected_mass` at
    each leg's own speed. The leg's force is the motor's force less friction and brake.

    Attributes:
        lead: travel per revolution of the screw [m]
        inertia: moment of inertia of rotor, coupling and screw [kg m^2]
        torque_max: limit of the motor and its current, up to `speed_base` [N m]
        speed_base: speed above which the driving torque falls linearly, to zero at `speed_max` [rad/s]
        speed_max: largest speed of the motor; u = 1 commands it [rad/s]
        torque_lag: time constant of the current loop [s]
        load_mass: mass for which the speed loop is tuned, `reflected_mass` not included [kg]
        speed_bandwidth: bandwidth of the drive's speed loop [rad/s]
        friction: friction of screw, nut and seals, at the rod
        brake_force: sliding force of the closed brake, at the rod [N]
        brake_time: time that the brake takes to close or open [s]
        stop_stiffness: stiffness of the hard ends [N/m]
        stop_damping: damping of the hard ends [N s/m]
    """

    lead: float
    inertia: float
    torque_max: float
    speed_base: float
    speed_max: float
    torque_lag: float
    load_mass: float
    speed_bandwidth: float
    friction: Friction
    brake_force: float
    brake_time: float
    stop_stiffness: float = 5e7
    stop_damping: float = 1e5

    def __post_init__(self) -> None:
        owner = "electric actuator"
        for name, unit in POSITIVE.items():
            checked_positive(owner, name, getattr(self, name), unit)
        checked_number(owner, "stop_damping", self.stop_damping, "N s/m", least=0.0)
        if self.speed_base >= self.speed_max:
            raise ModelError(
                f"{owner}: speed_base {self.speed_base:g} rad/s must be below speed_max {self.speed_max:g} rad/s"
            )
        if not isinstance(self.friction, Friction):
            raise ModelError(f"{owner}: friction is {shown(self.friction)}, a Friction is wanted")

    @property
    def ratio(self) -> float:
        """Motor angle per metre of rod travel [rad/m]."""
        return 2 * math.pi / self.lead

    @property
    def reflected_mass(self) -> float:
        """The rotor's inertia as a mass along the leg [kg]."""
        return self.inertia * self.ratio**2

    @property
    def v_max(self) -> float:
        """Rod speed that u = 1 commands [m/s]."""
        return self.speed_max / self.ratio

    @property
    def force_max(self) -> float:
        """Rod force of the largest torque [N]."""
        return self.torque_max * self.ratio

    @property
    def p_supply(self) -> float:
        """The `p_supply` input at full power: the available fraction of nominal power."""
        return 1.0

    @property
    def p_return(self) -> float:
        """Unused by an electric leg."""
        return 0.0

    @property
    def speed_gain(self) -> float:
        """Proportional gain of the speed loop [N s/m]; its integral acts over 4 / speed_bandwidth."""
        return self.speed_bandwidth * (self.load_mass + self.reflected_mass)


def force_limits(actuator: ElectricActuator, l_dot: Expr) -> tuple[Expr, Expr]:
    """Smallest and largest force of the motor [N]: full against the motion, falling with speed along it."""
    per_span = actuator.ratio / (actuator.speed_max - actuator.speed_base)

    def share(speed: Expr) -> Expr:
        return ca.fmin(ca.fmax((actuator.v_max - speed) * per_span, 0), 1)

    return -actuator.force_max * share(-l_dot), actuator.force_max * share(l_dot)


def drive(
    actuator: ElectricActuator, integral: Expr, l_dot: Expr, u: Expr, abort: Expr, power: Expr = 1
) -> tuple[Expr, Expr]:
    """Force demanded by the speed loop [N], and the rate of its integral [N/s], which stops at the force limit.

    Only the fraction `power` (0 to 1) of the force limit is available.
    """
    gain, w = actuator.speed_gain, actuator.speed_bandwidth
    error = limited(u, 1) * actuator.v_max - l_dot
    wanted = gain * error + integral
    lower, upper = (power * limit for limit in force_limits(actuator, l_dot))
    within = ca.fmin(ca.fmax(wanted, lower), upper)
    winding = ca.logic_and(within != wanted, error * wanted > 0)
    rate = ca.if_else(winding, 0, 0.25 * w * gain * error)
    return (1 - abort) * within, (1 - abort) * rate - abort * w * integral


def _force(actuator: ElectricActuator, stroke: LegStroke, motor: Expr, friction: Expr, l: Expr, l_dot: Expr) -> Expr:
    stops: EndStops = end_stops(actuator.stop_stiffness, actuator.stop_damping, stroke, l, l_dot)
    return motor - friction + stops.force


def _bounded(abort: Expr) -> Expr:
    return ca.fmin(ca.fmax(abort, 0), 1)


def electric_rates(actuator: ElectricActuator, stroke: LegStroke) -> Kernel:
    """(x, l, l_dot, u, abort) -> (x_dot, f, power)."""

    def expr(x: ElectricState, l: Expr, l_dot: Expr, u: Expr, abort: Expr) -> tuple[Expr, ...]:
        abort = _bounded(abort)
        wanted, winding = drive(actuator, x.integral, l_dot, u, abort)
        closing = limited((abort - x.brake) * 1e3, 1) / actuator.brake_time  # smooth over the last part
        f_s = sliding_force(actuator.friction, l_dot) + actuator.brake_force * x.brake
        z_dot = bristle_rate(actuator.friction, x.z, l_dot, f_s)
        friction = friction_force(actuator.friction, x.z, l_dot, f_s)
        x_dot = ca.vertcat((wanted - x.motor) / actuator.torque_lag, winding, closing, z_dot)
        return x_dot, _force(actuator, stroke, x.motor, friction, l, l_dot), x.motor * l_dot

    inputs = (STATE, Port("l", (), "m"), Port("l_dot", (), "m/s"), *COMMAND)
    outputs = (Port("x_dot", 4, "N/s, N/s, 1/s, m/s"), *OUTPUTS)
    return Kernel("electric_rates", inputs, outputs, expr, "an electric leg at an instant")


def step(
    actuator: ElectricActuator,
    stroke: LegStroke,
    h: Expr,
    x: ElectricState,
    going: Going,
    u: Expr,
    abort: Expr,
    power: Expr = 1,
) -> tuple[ElectricState, Expr, Expr]:
    """State and force after h while the leg moves at constant speed from l to l_next, and the motor's mean power."""
    dl = going.l_next - going.l
    l_dot = dl / h
    _, winding = drive(actuator, x.integral, l_dot, u, abort, power)
    wanted, winding = drive(actuator, x.integral + 0.5 * h * winding, l_dot, u, abort, power)
    s = h * (1 / actuator.torque_lag)
    motor = wanted + (x.motor - wanted) / (1 + s * (1 + 0.5 * s))
    reach = h * (1 / actuator.brake_time)
    brake = x.brake + limited(abort - x.brake, reach)

    hold, hold_next = actuator.brake_force * 0.5 * (x.brake + brake), actuator.brake_force * brake
    z, friction = friction_step(actuator.friction, x.z, dl, l_dot, going.l_dot_next, hold, hold_next)
    f = _force(actuator, stroke, motor, friction, going.l_next, going.l_dot_next)
    return (
        ElectricState(snapped(motor), snapped(x.integral + h * winding), brake, z),
        f,
        0.5 * (x.motor + motor) * l_dot,
    )


def electric_step(actuator: ElectricActuator, stroke: LegStroke) -> Kernel:
    """(h, x, l, l_next, l_dot_next, u, abort) -> (x_next, f, power): second order, like the step of a hydraulic leg."""

    def expr(
        h: Expr, x: ElectricState, l: Expr, l_next: Expr, l_dot_next: Expr, u: Expr, abort: Expr
    ) -> tuple[Any, ...]:
        return step(actuator, stroke, h, x, Going(l, l_next, l_dot_next), u, _bounded(abort))

    inputs, outputs = (H, STATE, *Going.layout.ports, *COMMAND), (state_port(ElectricState, "x_next"), *OUTPUTS)
    return Kernel("electric_step", inputs, outputs, expr, "an electric leg over one step")


# ---- with the ports of a hydraulic leg ------------------------------------------------------------------------------


class DriveState(Struct):
    """State of an electric leg in a plant, including its command."""

    command: Expr = q("-", text="speed command -1..1")
    drive: ElectricState = q(of=ElectricState)


def powered_step(
    actuator: ElectricActuator, stroke: LegStroke, h: Expr, x: DriveState, going: Going, u: Expr, lines: Lines
) -> tuple[DriveState, Expr]:
    """A step with the ports of a hydraulic leg: the supply is the available fraction of nominal power, at most 1.

    Below POWER_LEAST the drive is off and its brake closes, as with `abort`; above it, the motor's force is limited to
    that fraction. The return pressure is ignored.
    """
    power = ca.fmin(ca.fmax(lines.p_supply, 0), 1)  # also replaces NaN
    off = ca.fmax(_bounded(lines.abort), power < POWER_LEAST)
    driven, f, _ = step(actuator, stroke, h, x.drive, going, u, off, power)
    return DriveState(limited(u, 1), driven), f


def electric_leg_step(actuator: ElectricActuator, stroke: LegStroke, *, h: float | None = None) -> Kernel:
    """`step_kernel` with output f."""

    def expr(own: ElectricActuator, h: Expr, x: DriveState, going: Going, u: Expr, lines: Lines) -> Any:
        return powered_step(own, stroke, h, x, going, u, lines)

    return step_kernel("electric_leg_step", actuator, DriveState, expr, (FORCE,), h)
