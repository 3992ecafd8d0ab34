"""Parameters and state of the control law as structs; the parameters' values are derived from a platform."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from motionbase.compile import Layout, Port, Struct, q
from motionbase.compile.struct import MIXED
from motionbase.control.agreement import Agreement
from motionbase.control.bounds import Allowed, chase_of
from motionbase.control.latch import Latch
from motionbase.control.leg_control import LegControl
from motionbase.control.limits import Limiter
from motionbase.control.ports import layout_of
from motionbase.control.profiles import Plan
from motionbase.control.quantities import SX
from motionbase.control.supervision import Estimate, Times, Turning
from motionbase.control.supply_lines import Lines
from motionbase.control.trajectory import AXES, Moves
from motionbase.control.tuning import tunable
from motionbase.control.watchdogs import Thresholds, Watch
from motionbase.platform.hexapod import Hexapod
from motionbase.record.generators import COLUMNS, COUNT
from motionbase.record.states import State
from motionbase.record.words import told
from motionbase.spatial.bridge import Bridge

SUPPLY_PART = 0.6  # required fraction of the nominal supply pressure


class Parameters(Struct):
    """All parameters; users see the names of the inner quantities."""

    allowed: Allowed = q(of=Allowed)
    moves: Moves = q(of=Moves)
    gains: Any = q(of=Struct, text="of the legs' kind")
    thresholds: Thresholds = q(of=Thresholds)
    times: Times = q(of=Times)


class ControlState(Struct):
    """State between ticks."""

    started: SX = q("-", text="0 before the first tick")
    state: SX = q("-", text="of the machine", start=float(State.OFF))
    ticks: SX = q("-", text="in the state")
    quiet: SX = q("-", text="valves stay closed", start=1.0)
    mode: SX = q("-", text="in use")
    plan: Plan = q(of=Plan, rows=AXES, text="move: start with two derivatives, time of its stop, travel")
    duration: SX = q("s", text="of the move", start=1.0)
    limited: SX = q(MIXED, (AXES, 3), "trajectory, degrees of freedom within their limits")
    added: SX = q(MIXED, (6, 3), "the legs' actual motion beyond the degrees of freedom")
    sums: SX = q(MIXED, (AXES, 3), "generators in it")
    dof_before: Limiter = q(of=Limiter, rows=6, text="limiters of the degrees of freedom")
    leg_before: Limiter = q(of=Limiter, rows=6, text="limiters of the legs")
    l_cmd: SX = q("m", 6, "commanded lengths")
    held: SX = q(MIXED, (6, 3), "host frame in use")
    bridge: Bridge = q(of=Bridge, rows=6, text="bridges between frames")
    count_held: SX = q("-", text="number of the host frame in use")
    age: SX = q("s", text="of the host frame in use", start=1e3)
    period: SX = q("s", text="of host frames", start=1 / 60)
    settings: SX = q(MIXED, (COUNT, len(COLUMNS)), "generator settings in use")
    version: SX = q("-", text="of these settings")
    generator_ticks: SX = q("-", text="since the transition to drive")
    generator_stop: SX = q("s", text="time at which the drive ended")
    live: SX = q("-", text="1 while generators run")
    active: SX = q("-", text="1 while generators give anything")
    pose_meas: SX = q("m, rad", 6, "pose from measured lengths")
    pose_hat: Estimate = q(of=Estimate, rows=6, text="estimated pose and rate")
    turning: Turning = q(of=Turning, text="angular rate and acceleration of the platform")
    watch: Watch = q(of=Watch, rows=6, text="watchdogs of the legs")
    agreement: Agreement = q(of=Agreement, rows=6, text="of the legs' rates with each other and the gyros")
    f_needed: SX = q("N", 6, "leg forces that weight and inertia need")
    f_beyond: SX = q("N", 6, "leg forces beyond these that the platform feels")
    latch: Latch = q(of=Latch, text="first fault, blocked, shut off, time of low supply, legs that are closed")
    abort: SX = q("-", text="commanded shut-off of the hardware, 0 to 1")
    lines: Lines = q(of=Lines, text="believed supply and return pressure, time of unbelievable ones")
    leg_state: Any = q(of=Struct, rows=6, text="of the legs' kind")


def parameters_of(legs: LegControl) -> type[Parameters]:
    """The parameters of a law for this kind of leg."""
    return Parameters.with_quantities(gains=q(of=legs.gains))


def state_of(legs: LegControl) -> type[ControlState]:
    """The state of a law for this kind of leg."""
    leg_state = q(of=legs.state, rows=6, text="loops of the legs")
    lines = q(of=Lines.nominal(legs.p_supply, legs.p_return), text=ControlState.layout.find("lines").description)
    return ControlState.with_quantities(lines=lines, leg_state=leg_state)


def parameters_for(platform: Hexapod, legs: LegControl) -> Layout:
    """All parameters with their values for the platform and their tuning bounds."""
    limits, stroke = platform.limits, platform.stroke
    known: dict[str, Any] = {
        **{f"dof_{name}": tuple(getattr(limits, name)) for name in ("position", "velocity", "acceleration")},
        **{name: getattr(limits, name) for name in ("leg_velocity", "leg_acceleration", "leg_braking")},
        "dof_chase": tuple(chase_of(platform).tolist()), "l_min": stroke.l_min, "l_max": stroke.l_max,
        "l_low": stroke.hard_min, "p_min": SUPPLY_PART * legs.p_supply, **legs.designed, **legs.thresholds,
    }  # fmt: skip

    def suited(port: Port) -> Port:
        text = told(port.description, platform.electric)
        return replace(port, description=text, start=known.get(port.name, port.start))

    return Layout(tunable(map(suited, layout_of(parameters_of(legs), flat=True).ports), platform, legs))
