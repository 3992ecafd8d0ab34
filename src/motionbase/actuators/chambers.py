"""Oil in the two chambers: the flows in and out, and a pressure step that is stable for any stiffness.

Every flow is a conductance times a pressure drop. With the conductances g and sources b of a chamber, its pressure
obeys C p' = b - g p with the capacity C = V / E. The step solves this for p; g and b depend only weakly on p and are
evaluated at the middle of the step.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.actuators.common import Lines
from motionbase.actuators.cushion import LegStroke, restriction, side_of
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.limits import snapped
from motionbase.actuators.valve import conductance, openings
from motionbase.spatial.rotations import Expr

REGULATED_DROP = 5e5  # [Pa] above this the bleed flow is regulated; below it is proportional to the drop


class Ways(NamedTuple):
    """Conductances of the flow paths of one chamber [m^3/(s Pa)]."""

    supply: Expr  # through the valve to the supply
    back: Expr  # through the valve to the return
    bleed: Expr  # through the regulator of the abort manifold to the return
    relief: Expr  # above the relief pressure, to the return
    makeup: Expr  # below the return pressure, from the return


class Pair(NamedTuple):
    """A value for each chamber."""

    cap: Expr
    rod: Expr


def volumes(actuator: HydraulicActuator, stroke: LegStroke, l: Expr) -> Pair:
    """Oil volumes [m^3]; at least half the dead volume remains, however far a stop deflects."""
    cap = actuator.volume_cap + actuator.area_cap * (l - stroke.hard_min)
    rod = actuator.volume_rod + actuator.area_rod * (stroke.hard_max - l)
    return Pair(ca.fmax(cap, 0.5 * actuator.volume_cap), ca.fmax(rod, 0.5 * actuator.volume_rod))


def restrictions(actuator: HydraulicActuator, stroke: LegStroke, l: Expr) -> Pair:
    """Restriction of the outflow of each chamber by its cushion."""
    side = side_of(stroke, l)
    narrow = restriction(side.remaining, stroke.cushion, actuator.cushion_area_min)
    cap = ca.if_else(side.upper, 0, narrow)
    return Pair(cap, narrow - cap)


def _ways(
    actuator: HydraulicActuator, p: Expr, supply: Expr, back: Expr, bleed: Expr, narrow: Expr, lines: Lines
) -> Ways:
    """Flow paths of the chamber with pressure p, from the openings of its edges and the bleed flow.

    Flow into the chamber bypasses the cushion.
    """

    def way(opening: Expr, source: Expr) -> Expr:
        return conductance(actuator, opening, source - p, ca.if_else(p > source, narrow, 0))

    if actuator.lap < 0:
        to_supply, to_return = way(supply, lines.p_supply), way(back, lines.p_return)
    else:  # only one edge is open at a time, so one square root serves both
        pressing = supply > 0
        through = way(supply + back, lines.p_return + ca.if_else(pressing, lines.p_supply - lines.p_return, 0))
        to_supply = ca.if_else(pressing, through, 0)
        to_return = through - to_supply
    relief = ca.if_else(p > actuator.relief_pressure, actuator.relief_gain, 0)
    bleeds = bleed / ca.fmax(p - lines.p_return, REGULATED_DROP)
    return Ways(to_supply, to_return, bleeds, relief, ca.if_else(p < lines.p_return, actuator.anticavitation_gain, 0))


def network(actuator: HydraulicActuator, p: Pair, spool: Expr, narrow: Pair, lines: Lines) -> tuple[Ways, Ways]:
    """Flow paths of the cap and the rod chamber; the abort manifold shuts the valve off and opens the bleeds."""
    extend, retract = openings(actuator, spool)
    live = 1 - lines.abort
    extend, retract, bleed = live * extend, live * retract, lines.abort * actuator.bleed_flow
    return (
        _ways(actuator, p.cap, extend, retract, bleed, narrow.cap, lines),
        _ways(actuator, p.rod, retract, extend, bleed, narrow.rod, lines),
    )


class Inflow(NamedTuple):
    """Net flow into the chambers, without internal leakage, as b - g p for each."""

    g: Pair
    b: Pair

    def at(self, p: Pair) -> Pair:
        """The flow at pressures p [m^3/s]."""
        return Pair(self.b.cap - self.g.cap * p.cap, self.b.rod - self.g.rod * p.rod)


def inflow(actuator: HydraulicActuator, ways: tuple[Ways, Ways], lines: Lines, l_dot: Expr) -> Inflow:
    """All flow paths of the chambers and the displacement of the piston together."""
    conductances, sources = [], []
    for way in ways:
        to_return = way.back + way.bleed + way.makeup
        conductances.append(way.supply + to_return + way.relief + actuator.leakage_external)
        sources.append(way.supply * lines.p_supply + to_return * lines.p_return + way.relief * actuator.relief_pressure)
    b = Pair(sources[0] - actuator.area_cap * l_dot, sources[1] + actuator.area_rod * l_dot)
    return Inflow(Pair(*conductances), b)


def half_step(flow: Inflow, leak: Expr, h: Expr, p: Pair, capacity: Pair) -> Pair:
    """Backward Euler over half the step, both chambers and their leakage coupled: (2 C + h G) dp = h (b - G p)."""
    across = leak * (p.cap - p.rod)
    net = flow.at(p)
    net = Pair(net.cap - across, net.rod + across)
    m = h * leak
    a, c = 2 * capacity.cap + h * flow.g.cap + m, 2 * capacity.rod + h * flow.g.rod + m
    factor = h / (a * c - m * m)
    return Pair(p.cap + factor * (c * net.cap + m * net.rod), p.rod + factor * (a * net.rod + m * net.cap))


def full_step(flow: Inflow, across: Expr, h: Expr, p: Pair, capacity: Pair) -> tuple[Pair, Pair]:
    """Pressures after the step, and the pressures at which the mean flow would flow.

    C p' = b - g p for each chamber, with 1 / (1 + t + t^2/2) for exp(-t) and t = h g / C. The change is then exactly
    C dp = h (b - g p_mean) with p_mean = p_next - h (b - g p_next) / (2 C), so that the flows g (p_source - p_mean)
    balance to rounding.

    Args:
        across: internal leakage from cap to rod, at the middle of the step [m^3/s]
    """
    flow = flow._replace(b=Pair(flow.b.cap - across, flow.b.rod + across))
    ends, means = [], []
    for p_start, net, g, c in zip(p, flow.at(p), flow.g, capacity, strict=True):
        stiff = h / c
        t = g * stiff
        change = stiff * net * ((1 + 0.5 * t) / (1 + t * (1 + 0.5 * t)))
        ends.append(snapped(p_start + change))
        means.append(p_start + change - 0.5 * stiff * (net - g * change))
    return Pair(*ends), Pair(*means)
