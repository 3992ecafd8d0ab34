"""Oil in the two chambers: what flows in and out, and a step of the pressures that is stable for any stiffness.

Every flow is written as a conductance times a drop. With the conductances G and sources b at hand the pressures obey

    (V/E) p' = b - G p,      G = | g_cap + leak   -leak        |
                                 | -leak          g_rod + leak |

which is solved for p while G and b, which depend on p mildly, are taken at the middle of the step.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.actuators.cushion import LegStroke, restriction
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.valve import conductance, openings
from motionbase.spatial.rotations import Expr


class Ways(NamedTuple):
    """Conductances of one chamber's ways [m^3/(s Pa)]."""

    supply: Expr  # over the valve to the supply
    back: Expr  # over the valve to the return
    bleed: Expr  # through the abort manifold to the return
    relief: Expr  # for pressure above the relief pressure, to the return
    makeup: Expr  # for pressure below the return's, from the return


class Lines(NamedTuple):
    """What the manifold is connected to."""

    p_supply: Expr  # [Pa]
    p_return: Expr  # [Pa]
    abort: Expr  # 0 .. 1


class Pair(NamedTuple):
    """A value for each chamber."""

    cap: Expr
    rod: Expr


def volumes(actuator: HydraulicActuator, stroke: LegStroke, l: Expr) -> Pair:
    """Oil volumes [m^3]; half the dead volume stays however deep a stop gives way."""
    cap = actuator.volume_cap + actuator.area_cap * (l - stroke.hard_min)
    rod = actuator.volume_rod + actuator.area_rod * (stroke.hard_max - l)
    return Pair(ca.fmax(cap, 0.5 * actuator.volume_cap), ca.fmax(rod, 0.5 * actuator.volume_rod))


def restrictions(actuator: HydraulicActuator, stroke: LegStroke, l: Expr) -> Pair:
    """Of the cushions on flow out of each chamber."""
    area, length = actuator.cushion_area_min, stroke.cushion
    return Pair(restriction(l - stroke.hard_min, length, area), restriction(stroke.hard_max - l, length, area))


def _ways(
    actuator: HydraulicActuator, p: Expr, supply: Expr, back: Expr, bleed: Expr, narrow: Expr, lines: Lines
) -> Ways:
    """Of the chamber with pressure p, from its edges' openings; flow into the chamber bypasses the cushion."""

    def way(opening: Expr, source: Expr) -> Expr:
        return conductance(actuator, opening, source - p, ca.if_else(p > source, narrow, 0))

    if actuator.lap < 0:
        to_supply, to_return = way(supply, lines.p_supply), way(back, lines.p_return)
    else:  # one edge is open at a time, so one square root serves both
        pressing = supply > 0
        through = way(supply + back, ca.if_else(pressing, lines.p_supply, lines.p_return))
        to_supply, to_return = ca.if_else(pressing, through, 0), ca.if_else(pressing, 0, through)
    relief = ca.if_else(p > actuator.relief_pressure, actuator.relief_gain, 0)
    return Ways(to_supply, to_return, bleed, relief, ca.if_else(p < lines.p_return, actuator.anticavitation_gain, 0))


def network(actuator: HydraulicActuator, p: Pair, spool: Expr, narrow: Pair, lines: Lines) -> tuple[Ways, Ways]:
    """Ways of the cap and of the rod chamber; the abort manifold shuts the valve off and opens the bleeds."""
    extend, retract = openings(actuator, spool)
    live = 1 - lines.abort
    extend, retract, bleed = live * extend, live * retract, actuator.bleed_conductance * lines.abort
    return (
        _ways(actuator, p.cap, extend, retract, bleed, narrow.cap, lines),
        _ways(actuator, p.rod, retract, extend, bleed, narrow.rod, lines),
    )


class Inflow(NamedTuple):
    """Net flow into the chambers as b - G p; `cap` and `rod` are G's diagonal."""

    cap: Expr
    rod: Expr
    leak: Expr
    b_cap: Expr
    b_rod: Expr

    def at(self, p: Pair) -> Pair:
        """[m^3/s]"""
        return Pair(
            self.b_cap - self.cap * p.cap + self.leak * p.rod, self.b_rod - self.rod * p.rod + self.leak * p.cap
        )


def inflow(actuator: HydraulicActuator, ways: tuple[Ways, Ways], lines: Lines, l_dot: Expr) -> Inflow:
    """All ways of the chambers and the piston's displacement together."""
    leak = actuator.leakage_internal
    diagonal, sources = [], []
    for way in ways:
        to_return = way.back + way.bleed + way.makeup
        diagonal.append(way.supply + to_return + way.relief + leak + actuator.leakage_external)
        sources.append(way.supply * lines.p_supply + to_return * lines.p_return + way.relief * actuator.relief_pressure)
    b_cap = sources[0] - actuator.area_cap * l_dot
    b_rod = sources[1] + actuator.area_rod * l_dot
    return Inflow(diagonal[0], diagonal[1], leak, b_cap, b_rod)


def half_step(flow: Inflow, h: Expr, p: Pair, capacity: Pair) -> Pair:
    """Backward Euler over half the step: (2 C + h G) dp = h (b - G p) with the capacities C = V / E."""
    net = flow.at(p)
    a, c, m = 2 * capacity.cap + h * flow.cap, 2 * capacity.rod + h * flow.rod, h * flow.leak
    factor = h / (a * c - m * m)
    return Pair(p.cap + factor * (c * net.cap + m * net.rod), p.rod + factor * (a * net.rod + m * net.cap))


def full_step(flow: Inflow, h: Expr, p: Pair, capacity: Pair) -> tuple[Pair, Pair]:
    """Pressures after the step, and those of its mean flow.

    C p' = b - G p with constant G and b, by 1 / (1 + s + s^2/2) for exp(-s): with T = h G C^-1,
    (C + h G + T h G / 2) dp = h (1 + T / 2)(b - G p). The change is then C dp = h (b - G p_mean) exactly, with p_mean =
    p_next - h C^-1 (b - G p_next) / 2, so that flows G (p_source - p_mean) balance to rounding.
    """
    g, k, m = h * flow.cap, h * flow.rod, h * flow.leak
    net = flow.at(p)
    stiff = Pair(h / capacity.cap, h / capacity.rod)
    t11, t12, t21, t22 = flow.cap * stiff.cap, flow.leak * stiff.rod, flow.leak * stiff.cap, flow.rod * stiff.rod
    k11 = capacity.cap + g + 0.5 * (t11 * g + t12 * m)
    k12 = -m - 0.5 * (t12 * k + t11 * m)
    k22 = capacity.rod + k + 0.5 * (t22 * k + t21 * m)
    r1 = net.cap + 0.5 * (t11 * net.cap - t12 * net.rod)
    r2 = net.rod + 0.5 * (t22 * net.rod - t21 * net.cap)
    factor = h / (k11 * k22 - k12 * k12)
    p_next = Pair(p.cap + factor * (k22 * r1 - k12 * r2), p.rod + factor * (k11 * r2 - k12 * r1))
    left = flow.at(p_next)
    return p_next, Pair(p_next.cap - 0.5 * stiff.cap * left.cap, p_next.rod - 0.5 * stiff.rod * left.rod)
