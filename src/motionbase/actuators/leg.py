"""A hydraulic leg as kernels: its rates, for analysis and reference, and its step, for every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca

from motionbase.actuators.chambers import (
    Lines,
    Pair,
    full_step,
    half_step,
    inflow,
    network,
    restrictions,
    volumes,
)
from motionbase.actuators.cushion import LegStroke, end_stops
from motionbase.actuators.energy import ENERGY_PORTS, energy_parts, line_flows
from motionbase.actuators.friction import bristle_rate, friction_force, friction_step
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.limits import limited
from motionbase.actuators.live import live_ports, with_live
from motionbase.actuators.valve import spool_rates, spool_step
from motionbase.compile import Kernel, Port
from motionbase.spatial.rotations import Expr

UNITS = "-, 1/s, Pa, Pa, m"
STATE = Port("x", 5, UNITS, "spool, spool_rate, p_cap, p_rod, bristle z")
U = Port("u", (), "-", "valve command, -1 to 1; positive extends")
LINES = (
    Port("p_supply", (), "Pa", "at the valve, now"),
    Port("p_return", (), "Pa", "at the valve, now"),
    Port("abort", (), "-", "0 normal, 1 valve shut off and bleeds open"),
)
FORCE = Port("f", (), "N", "of the actuator on the platform, positive in extension")
FLOWS = (
    Port("q_supply", (), "m^3/s", "flow from the supply; mean of the step"),
    Port("q_return", (), "m^3/s", "flow to the return; mean of the step"),
)


class LegStep(NamedTuple):
    """What a step gives."""

    x_next: Expr  # (5,)
    f: Expr  # at the end of the step [N]
    q_supply: Expr  # mean [m^3/s]
    q_return: Expr  # mean [m^3/s]
    energy: tuple[Expr, ...]  # of ENERGY_PORTS [J]


def leg_force(actuator: HydraulicActuator, stroke: LegStroke, p: Pair, friction: Expr, l: Expr, l_dot: Expr) -> Expr:
    """Pressures less friction, and the hard ends [N]."""
    stops = end_stops(actuator.stop_stiffness, actuator.stop_damping, stroke, l, l_dot)
    return actuator.area_cap * p.cap - actuator.area_rod * p.rod - friction + stops.force


def rates(
    actuator: HydraulicActuator, stroke: LegStroke, x: Expr, l: Expr, l_dot: Expr, u: Expr, lines: Lines
) -> tuple[Expr, Expr, Expr, Expr]:
    """x_dot, f, q_supply, q_return at an instant."""
    spool, rate, z = x[0], x[1], x[4]
    p = Pair(x[2], x[3])
    lines = lines._replace(abort=ca.fmin(ca.fmax(lines.abort, 0), 1))
    ways = network(actuator, p, limited(spool, 1), restrictions(actuator, stroke, l), lines)
    net, across = inflow(actuator, ways, lines, l_dot).at(p), actuator.leakage_internal * (p.cap - p.rod)
    v = volumes(actuator, stroke, l)
    e = actuator.bulk_modulus
    flows = line_flows(actuator, ways, p, lines)
    f = leg_force(actuator, stroke, p, friction_force(actuator.friction, z, l_dot), l, l_dot)
    moving, acceleration = spool_rates(actuator, spool, rate, u)
    z_dot = bristle_rate(actuator.friction, z, l_dot)
    x_dot = ca.vertcat(moving, acceleration, e * (net.cap - across) / v.cap, e * (net.rod + across) / v.rod, z_dot)
    return x_dot, f, flows.supply, flows.back


def step(
    actuator: HydraulicActuator,
    stroke: LegStroke,
    h: Expr,
    x: Expr,
    l: Expr,
    l_next: Expr,
    l_dot_next: Expr,
    u: Expr,
    lines: Lines,
) -> LegStep:
    """State and force after h, the leg going evenly from l to l_next; u and the lines are held.

    The piston displaces exactly what the mechanism moved, so no oil is lost between the two however long the run.
    """
    z, p = x[4], Pair(x[2], x[3])
    lines = lines._replace(abort=ca.fmin(ca.fmax(lines.abort, 0), 1))
    dl, l_mid = l_next - l, 0.5 * (l + l_next)
    l_dot = dl / h

    spool, rate = spool_step(actuator, h, x[0], x[1], u)
    spool_mid = 0.5 * (x[0] + spool)
    narrow, v = restrictions(actuator, stroke, l_mid), volumes(actuator, stroke, l_mid)
    per_e = 1 / actuator.bulk_modulus
    capacity = Pair(v.cap * per_e, v.rod * per_e)
    leak = actuator.leakage_internal
    flow = inflow(actuator, network(actuator, p, spool_mid, narrow, lines), lines, l_dot)
    p_mid = half_step(flow, leak, h, p, capacity)
    ways, across = network(actuator, p_mid, spool_mid, narrow, lines), leak * (p_mid.cap - p_mid.rod)
    p_next, p_mean = full_step(inflow(actuator, ways, lines, l_dot), across, h, p, capacity)
    z_next, friction = friction_step(actuator.friction, z, dl, l_dot, l_dot_next)
    f = leg_force(actuator, stroke, p_next, friction, l_next, l_dot_next)

    flows = line_flows(actuator, ways, p_mean, lines)
    dp = Pair(p_next.cap - p.cap, p_next.rod - p.rod)
    energy = energy_parts(actuator, h, ways, lines, p_mean, dp, capacity, across, dl, z, z_next)
    x_next = ca.vertcat(spool, rate, p_next.cap, p_next.rod, z_next)
    return LegStep(x_next, f, flows.supply, flows.back, energy)


def leg_rates(actuator: HydraulicActuator, stroke: LegStroke, *, live: Sequence[str] = ()) -> Kernel:
    """(x, l, l_dot, u, p_supply, p_return, abort) -> (x_dot, f, q_supply, q_return).

    Args:
        live: parameters that become ports, in front, such as "bulk_modulus" or "friction.coulomb"
    """
    ports = live_ports(actuator, live)

    def expr(*values: Expr) -> Any:
        own = with_live(actuator, live, values[: len(ports)])
        x, l, l_dot, u, *lines = values[len(ports) :]
        return rates(own, stroke, x, l, l_dot, u, Lines(*lines))

    inputs = (*ports, STATE, Port("l", (), "m", "leg length"), Port("l_dot", (), "m/s"), U, *LINES)
    x_dot = Port("x_dot", 5, "1/s, 1/s^2, Pa/s, Pa/s, m/s", "rate of x")
    return Kernel("leg_rates", inputs, (x_dot, FORCE, *FLOWS), expr, "a hydraulic leg at an instant")


def leg_step(
    actuator: HydraulicActuator,
    stroke: LegStroke,
    *,
    h: float | None = None,
    live: Sequence[str] = (),
    energy: bool = False,
) -> Kernel:
    """(h, x, l, l_next, l_dot_next, u, p_supply, p_return, abort) -> (x_next, f, q_supply, q_return).

    Args:
        h: a step that never changes [s]; it is then no port, and the code is shorter
        live: parameters that become ports, in front, such as "bulk_modulus" or "friction.coulomb"
        energy: whether the parts of the step's energy are outputs too
    """
    ports = live_ports(actuator, live)

    def expr(*values: Expr) -> Any:
        own = with_live(actuator, live, values[: len(ports)])
        rest = values[len(ports) :]
        dt, x, l, l_next, l_dot_next, u, *lines = rest if h is None else (h, *rest)
        result = step(own, stroke, dt, x, l, l_next, l_dot_next, u, Lines(*lines))
        return (*result[:4], *(result.energy if energy else ()))

    inputs = (
        *ports,
        *((Port("h", (), "s", "step"),) if h is None else ()),
        STATE,
        Port("l", (), "m", "leg length at the start"),
        Port("l_next", (), "m", "leg length at the end"),
        Port("l_dot_next", (), "m/s", "leg velocity at the end, as predicted"),
        U,
        *LINES,
    )
    outputs = (Port("x_next", 5, UNITS), FORCE, *FLOWS, *(ENERGY_PORTS if energy else ()))
    return Kernel("leg_step", inputs, outputs, expr, "a hydraulic leg over one step")
