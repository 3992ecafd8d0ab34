"""What the control law needs to know about a kind of leg: gains, state, loop and design; hydraulic and electric."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, final

import casadi as ca

from motionbase.actuators.electric import ElectricActuator, drive
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.limits import snapped
from motionbase.actuators.valve import spool_step
from motionbase.compile import Layout, Struct
from motionbase.control import compensator, design, electric, electric_design
from motionbase.control.design import LinearLeg, Margins
from motionbase.control.electric_design import LinearDrive
from motionbase.control.geometry import modal_masses
from motionbase.control.quantities import SX
from motionbase.control.supply_lines import Lines
from motionbase.control.watchdogs import LegKind, Thresholds, Watch
from motionbase.errors import PlatformError
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.sizing.reserves import OVERHAULED, Reserves

UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))  # unit states: position, rate and command of a spool
SMALL = 0.01  # fraction of them that is within all limits
SPEED_FACTOR = 1.3  # measured over commanded speed from which a leg counts as running away
STALL_PART = 0.1  # of the largest force of a leg: pushed by this much more than it needs, it must move
COMMAND_RATE = 40.0  # [1/s] rate of the commands, if valve or drive can follow it


class LegControl(Protocol):
    """One kind of leg, for one platform."""

    @property
    def gains(self) -> type[Struct]:
        """Parameters of the loop of a leg."""

    @property
    def designed(self) -> dict[str, float]:
        """Values of gains, by name."""

    @property
    def thresholds(self) -> dict[str, float]:
        """Values of monitor thresholds that depend on the legs, by name."""

    @property
    def p_supply(self) -> float:
        """Nominal supply reading."""

    @property
    def p_return(self) -> float:
        """Nominal return reading."""

    @property
    def brakes(self) -> bool:
        """Whether quiet legs are held by brakes: the output `abort` closes them."""

    @property
    def state(self) -> type[Struct]:
        """State of a leg's loop; `command` is one of its quantities."""

    def command(
        self, gains: Any, dt: SX, state: Any, reference: SX, f_ff: SX, quiet: SX, leg: Watch, l_ddot: SX, lines: Lines
    ) -> tuple[Any, SX, SX, SX]:
        """The loop of one leg: its state after the tick, the command, its feed-forward and feedback before limits.

        It uses the believed measurements of the leg, except the acceleration, which the platform's sensors improve.
        """

    @property
    def areas(self) -> tuple[float, float] | None:
        """Piston areas of the cap and the rod side [m^2], if there is a piston."""

    def actuation(self, model: SX, command: SX, quiet: SX, valve_meas: SX, f: SX) -> tuple[SX, SX, SX, SX]:
        """Deviation of valve or drive from a model with the same command, as `watchdogs.Actuation`."""

    @property
    def linear(self) -> LinearLeg | LinearDrive:
        """The linear model for the design."""

    @property
    def masses(self) -> tuple[float, ...]:
        """Modal masses, heaviest first [kg]."""

    def frequency(self, mass: float) -> float:
        """Natural frequency of a mode on the oil spring, or bandwidth of the speed loop [Hz]."""

    def margins(self, *masses: float, late: float = 0.0) -> Margins:
        """Margins of the worst of these modes, or of all; with `late` [s] more delay in the loop."""


@final
@dataclass(frozen=True)
class HydraulicControl:
    """Legs with servo valves."""

    platform: Hexapod
    actuator: HydraulicActuator
    dt: float
    gains: type[Struct] = compensator.Gains
    state: type[Struct] = compensator.LegState
    brakes: bool = False

    @cached_property
    def linear(self) -> LinearLeg:
        """A leg about the softest position of its stroke."""
        stroke = self.platform.stroke
        return design.linear_leg(self.actuator, stroke.hard_length, modal_masses(self.platform), self.dt)

    @cached_property
    def designed(self) -> dict[str, float]:
        """Gains from `design.gains_for`, with one tick of reserve."""
        return design.gains_for(self.linear, reserve=design.RESERVE * self.dt)

    @property
    def areas(self) -> tuple[float, float] | None:
        """Areas of the piston [m^2]."""
        return self.actuator.area_cap, self.actuator.area_rod

    @property
    def thresholds(self) -> dict[str, float]:
        """Thresholds of pressure and speed."""
        speed_max = SPEED_FACTOR * self.platform.limits.leg_velocity
        stall = STALL_PART * self.actuator.area_cap * self.actuator.p_supply
        known = {"pressure_max": 2.0 * self.actuator.relief_pressure, "speed_max": speed_max, "stall_force": stall}
        spool = self.platform.sensors.spool
        known |= mismatch(abs(spool.bias), spool.delay) | drift(self.platform)
        return known | {"valve_rate_max": min(COMMAND_RATE, self.actuator.valve_rate)}

    @property
    def p_supply(self) -> float:
        """Nominal supply pressure [Pa]."""
        return self.actuator.p_supply

    @property
    def p_return(self) -> float:
        """Nominal return pressure [Pa]."""
        return self.actuator.p_return

    def command(
        self, gains: Any, dt: SX, state: Any, reference: SX, f_ff: SX, quiet: SX, leg: Watch, l_ddot: SX, lines: Lines
    ) -> tuple[Any, SX, SX, SX]:
        """Valve command from reference and pressures."""
        stroke = self.platform.stroke
        loop = compensator.compensator(self.actuator, stroke.hard_min, stroke.hard_max)
        oil = leg.p_cap, leg.p_rod, lines.supply, lines.back
        made: tuple[Any, SX, SX, SX] = loop(gains, dt, state, reference, f_ff, quiet, leg.l, leg.l_dot, l_ddot, *oil)
        return made

    def actuation(self, model: SX, command: SX, quiet: SX, valve_meas: SX, f: SX) -> tuple[SX, SX, SX, SX]:
        """Position and rate of the spool behind its command, which is too slow to reach the spool's rate limit."""
        steps = [spool_step(self.actuator, self.dt, *(SMALL * e for e in unit)) for unit in UNITS]
        linear = ca.DM([[float(x) / SMALL for x in after] for after in steps]).T  # the linear part of the response
        after = linear @ ca.vertcat(model, command)
        place, rate = snapped(after[0]), snapped(after[1])
        return place - valve_meas, rate, place, rate

    @property
    def masses(self) -> tuple[float, ...]:
        """Modal masses on the oil springs [kg]."""
        return self.linear.masses

    def frequency(self, mass: float) -> float:
        """Natural frequency of the mass on the oil spring [Hz]."""
        return math.sqrt(self.linear.stiffness / mass) / (2 * math.pi)

    def margins(self, *masses: float, late: float = 0.0) -> Margins:
        """Margins, with the loop opened at the valve command."""
        later = replace(self.linear, masses=masses or self.masses, delay=self.linear.delay + late)
        return design.margins(later, self.designed)


@final
@dataclass(frozen=True)
class ElectricControl:
    """Legs with drives that follow a speed command, and brakes."""

    platform: Hexapod
    actuator: ElectricActuator
    dt: float
    gains: type[Struct] = electric.Gains
    state: type[Struct] = electric.LegState
    brakes: bool = True
    areas: tuple[float, float] | None = None

    @cached_property
    def linear(self) -> LinearDrive:
        """A leg within its limits."""
        return electric_design.linear_drive(self.actuator, modal_masses(self.platform), self.dt)

    @cached_property
    def designed(self) -> dict[str, float]:
        """Gains from `electric_design.gains_for`, with one tick of reserve; the lead compensates the loop's delay."""
        gains = electric_design.gains_for(self.linear, reserve=design.RESERVE * self.dt)
        return gains | {"lead": self.linear.delay}

    @property
    def thresholds(self) -> dict[str, float]:
        """Pressures read 0; a leg that is faster than its drive can drive it is running away."""
        if (slow := Reserves(self.platform).speed.finding) is not None and slow.fatal:
            raise PlatformError(f"platform {self.platform.name!r}: {slow.sentence}")
        speed_max = min(SPEED_FACTOR * self.platform.limits.leg_velocity, OVERHAULED * self.actuator.v_max)
        # drives without power switch off at once; their braking must not count as a fault of a drive
        known = {"pressure_max": 1.0, "speed_max": speed_max, "supply_time": 0.01}
        speed, force, fastest = self.platform.sensors.spool, self.platform.sensors.force, self.platform.limits
        late = speed.delay * fastest.leg_acceleration / self.actuator.v_max  # error of a delayed speed report
        bias = abs(speed.bias) + abs(force.bias) / (self.actuator.speed_gain * self.actuator.v_max)
        known |= mismatch(bias + late, force.delay) | drift(self.platform)
        known["valve_rate_max"] = min(COMMAND_RATE, self.actuator.speed_bandwidth)
        return known | {"stall_force": STALL_PART * self.actuator.force_max}

    @property
    def p_supply(self) -> float:
        """Full nominal power."""
        return self.actuator.p_supply

    @property
    def p_return(self) -> float:
        """Nominal [Pa]."""
        return self.actuator.p_return

    def command(
        self, gains: Any, dt: SX, state: Any, reference: SX, f_ff: SX, quiet: SX, leg: Watch, l_ddot: SX, lines: Lines
    ) -> tuple[Any, SX, SX, SX]:
        """Speed command from reference and length."""
        loop = electric.speed_compensator(self.actuator, self.platform.stroke.hard_min, self.platform.stroke.hard_max)
        made: tuple[Any, SX, SX, SX] = loop(gains, dt, state, reference, f_ff, quiet, leg.l)
        return made

    def actuation(self, model: SX, command: SX, quiet: SX, valve_meas: SX, f: SX) -> tuple[SX, SX, SX, SX]:
        """Force expected from the speed loop, given command and reported speed, compared with that of the current.

        Divided by the gain of the speed loop it is a difference of commands, independent of the load.
        """
        a, known = self.actuator, ca.fabs(valve_meas) < ca.inf
        l_dot, stopped = a.v_max * ca.if_else(known, valve_meas, 0.0), ca.ne(quiet, 0)
        wanted, winding = drive(a, model[0], l_dot, command, stopped)
        force = model[1] + self.dt / (self.dt + a.torque_lag) * (wanted - model[1])
        per_command = 1 / (a.speed_gain * a.v_max)
        miss = ca.if_else(ca.fabs(f) < ca.inf, f - force, 0.0)
        integral = model[0] + self.dt * (winding + 0.25 * a.speed_bandwidth * miss)  # a bias is not integrated
        told = ca.ne(f, 0)  # a drive that reports no force reads 0: then only its speed is monitored
        off = ca.if_else(ca.logic_or(stopped, known), ca.if_else(told, per_command * (force - f), 0.0), ca.inf)
        return off, per_command * (wanted - model[1]) / a.torque_lag, snapped(integral), snapped(force)

    @property
    def masses(self) -> tuple[float, ...]:
        """Modal masses with the rotors' [kg]."""
        return self.linear.masses

    def frequency(self, mass: float) -> float:
        """Bandwidth of the speed loop with this mass, gain over mass [Hz]."""
        return self.linear.gain / mass / (2 * math.pi)

    def margins(self, *masses: float, late: float = 0.0) -> Margins:
        """Margins, with the loop opened at the speed command."""
        later = replace(self.linear, masses=masses or self.masses, delay=self.linear.delay + late)
        return electric_design.margins(later, self.designed["k_p"])


def usual_values(layout: Layout) -> dict[str, float]:
    """Initial values of scalar quantities, by name."""
    return {p.name: float(p.start_values[0]) for p in layout.ports}


def mismatch(bias: float, delay: float) -> dict[str, float]:
    """Thresholds for valve and drive, given the bias [-] and delay [s] of the sensors."""
    usual = usual_values(Thresholds.layout)
    wider = {name: usual[name] + 2 * bias for name in ("mismatch_max", "mismatch_slow")}
    return wider | {"mismatch_lag": usual["mismatch_lag"] + 1.5 * delay}


def drift(platform: Hexapod) -> dict[str, float]:
    """Thresholds for length and rate, given the bias, delay and resolution of the sensors."""
    usual = usual_values(Thresholds.layout)
    length, rate = platform.sensors.position, platform.sensors.velocity
    gathered = abs(rate.bias) / usual["drift_corner"]
    later = platform.limits.leg_velocity * abs(length.delay - rate.delay)
    return {
        "drift_max": usual["drift_max"] + gathered + later,
        "frozen_travel": usual["frozen_travel"] + gathered + 20 * length.quantum,
    }


def watched(platform: Hexapod, legs: LegControl) -> LegKind:
    """What the monitors need to know about the legs."""
    return LegKind(legs.actuation, legs.areas, platform.stroke.hard_min, platform.stroke.hard_max)


def leg_control(platform: Hexapod, dt: float) -> LegControl:
    """The control of a platform's legs; dt is the period of the law [s]."""
    if isinstance(platform.actuator, ElectricActuator):
        return ElectricControl(platform, platform.actuator, dt)
    return HydraulicControl(platform, platform.actuator, dt)
