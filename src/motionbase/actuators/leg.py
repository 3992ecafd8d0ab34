"""A hydraulic leg: its rates, for analysis and reference, and its step, for every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca

from motionbase.actuators.chambers import Pair, full_step, half_step, inflow, network, restrictions, volumes
from motionbase.actuators.common import FORCE, LINES, Going, Lines, U, state_port, step_kernel
from motionbase.actuators.cushion import LegStroke, end_stops
from motionbase.actuators.energy import ENERGY_PORTS, energy_parts, line_flows
from motionbase.actuators.friction import friction_step
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.limits import limited
from motionbase.actuators.live import live_ports, with_live
from motionbase.actuators.valve import spool_rates, spool_step
from motionbase.compile import Kernel, Port, Struct, q
from motionbase.multibody.elements.friction_law import bristle_rate, friction_force
from motionbase.spatial.rotations import Expr

FLOWS = (
    Port("q_supply", (), "m^3/s", "flow from the supply; mean of the step"),
    Port("q_return", (), "m^3/s", "flow to the return; mean of the step"),
)
X_DOT = Port("x_dot", 5, "1/s, 1/s^2, Pa/s, Pa/s, m/s", "rate of x")


class HydraulicState(Struct):
    """State of one leg."""

    spool: Expr = q("-")
    spool_rate: Expr = q("1/s")
    p_cap: Expr = q("Pa")
    p_rod: Expr = q("Pa")
    z: Expr = q("m", text="bristle z")


STATE = state_port(HydraulicState, "x")


class LegStep(NamedTuple):
    """Result of a step."""

    x_next: HydraulicState
    f: Expr  # at the end of the step [N]
    q_supply: Expr  # mean [m^3/s]
    q_return: Expr  # mean [m^3/s]
    energy: tuple[Expr, ...]  # of ENERGY_PORTS [J]


def leg_force(actuator: HydraulicActuator, stroke: LegStroke, p: Pair, friction: Expr, l: Expr, l_dot: Expr) -> Expr:
    """Pressure forces less friction, plus the reaction of the hard ends [N]."""
    stops = end_stops(actuator.stop_stiffness, actuator.stop_damping, stroke, l, l_dot)
    return actuator.area_cap * p.cap - actuator.area_rod * p.rod - friction + stops.force


def rates(
    actuator: HydraulicActuator, stroke: LegStroke, x: HydraulicState, l: Expr, l_dot: Expr, u: Expr, lines: Lines
) -> tuple[Expr, Expr, Expr, Expr]:
    """x_dot, f, q_supply, q_return at an instant."""
    p = Pair(x.p_cap, x.p_rod)
    lines = lines.replace(abort=ca.fmin(ca.fmax(lines.abort, 0), 1))
    ways = network(actuator, p, limited(x.spool, 1), restrictions(actuator, stroke, l), lines)
    net, across = inflow(actuator, ways, lines, l_dot).at(p), actuator.leakage_internal * (p.cap - p.rod)
    v = volumes(actuator, stroke, l)
    e = actuator.bulk_modulus
    flows = line_flows(actuator, ways, p, lines)
    f = leg_force(actuator, stroke, p, friction_force(actuator.friction, x.z, l_dot), l, l_dot)
    moving, acceleration = spool_rates(actuator, x.spool, x.spool_rate, u)
    z_dot = bristle_rate(actuator.friction, x.z, l_dot)
    x_dot = ca.vertcat(moving, acceleration, e * (net.cap - across) / v.cap, e * (net.rod + across) / v.rod, z_dot)
    return x_dot, f, flows.supply, flows.back


def step(
    actuator: HydraulicActuator, stroke: LegStroke, h: Expr, x: HydraulicState, going: Going, u: Expr, lines: Lines
) -> LegStep:
    """State and force after h while the leg moves at constant speed from l to l_next; u and the lines are held.

    The piston displaces exactly the volume of the mechanism's motion, so no oil is lost between the two in a long run.
    """
    p, l_next, l_dot_next = Pair(x.p_cap, x.p_rod), going.l_next, going.l_dot_next
    lines = lines.replace(abort=ca.fmin(ca.fmax(lines.abort, 0), 1))
    dl, l_mid = l_next - going.l, 0.5 * (going.l + l_next)
    l_dot = dl / h

    spool, rate = spool_step(actuator, h, x.spool, x.spool_rate, u)
    spool_mid = 0.5 * (x.spool + spool)
    narrow, v = restrictions(actuator, stroke, l_mid), volumes(actuator, stroke, l_mid)
    per_e = 1 / actuator.bulk_modulus
    capacity = Pair(v.cap * per_e, v.rod * per_e)
    leak = actuator.leakage_internal
    flow = inflow(actuator, network(actuator, p, spool_mid, narrow, lines), lines, l_dot)
    p_mid = half_step(flow, leak, h, p, capacity)
    ways, across = network(actuator, p_mid, spool_mid, narrow, lines), leak * (p_mid.cap - p_mid.rod)
    p_next, p_mean = full_step(inflow(actuator, ways, lines, l_dot), across, h, p, capacity)
    z_next, friction = friction_step(actuator.friction, x.z, dl, l_dot, l_dot_next)
    f = leg_force(actuator, stroke, p_next, friction, l_next, l_dot_next)

    flows = line_flows(actuator, ways, p_mean, lines)
    dp = Pair(p_next.cap - p.cap, p_next.rod - p.rod)
    energy = energy_parts(actuator, h, ways, lines, p_mean, dp, capacity, across, dl, x.z, z_next)
    x_next = HydraulicState(spool, rate, p_next.cap, p_next.rod, z_next)
    return LegStep(x_next, f, flows.supply, flows.back, energy)


def leg_rates(actuator: HydraulicActuator, stroke: LegStroke, *, live: Sequence[str] = ()) -> Kernel:
    """(x, l, l_dot, u, p_supply, p_return, abort) -> (x_dot, f, q_supply, q_return).

    Args:
        live: parameters that become the first ports, such as "bulk_modulus" or "friction.coulomb"
    """
    ports = live_ports(live)

    def expr(*values: Expr) -> Any:
        own = with_live(actuator, live, values[: len(ports)])
        x, l, l_dot, u, *lines = values[len(ports) :]
        return rates(own, stroke, x, l, l_dot, u, Lines(*lines))

    inputs = (*ports, STATE, Port("l", (), "m", "leg length"), Port("l_dot", (), "m/s"), U, *LINES)
    return Kernel("leg_rates", inputs, (X_DOT, FORCE, *FLOWS), expr, "a hydraulic leg at an instant")


def leg_step(
    actuator: HydraulicActuator,
    stroke: LegStroke,
    *,
    h: float | None = None,
    live: Sequence[str] = (),
    energy: bool = False,
) -> Kernel:
    """`step_kernel` with outputs f, q_supply and q_return.

    Args:
        energy: also output the terms of the step's energy balance
    """

    def expr(own: HydraulicActuator, h: Expr, x: HydraulicState, going: Going, u: Expr, lines: Lines) -> Any:
        made = step(own, stroke, h, x, going, u, lines)
        return *made[:4], *(made.energy if energy else ())

    outputs = (FORCE, *FLOWS, *(ENERGY_PORTS if energy else ()))
    return step_kernel("leg_step", actuator, HydraulicState, expr, outputs, h, live)
