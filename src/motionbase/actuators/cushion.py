"""Ends of the stroke: cushions that close a chamber's outlet, and the hard stops beyond them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import casadi as ca

from motionbase.spatial.rotations import Expr

STOP_BLEND = 1e-4  # penetration over which a stop's damper comes in [m]


class LegStroke(Protocol):
    """What an actuator must know of its stroke [m]; platforms have it."""

    @property
    def hard_min(self) -> float:
        """Leg length at the hard end of retraction."""

    @property
    def hard_max(self) -> float:
        """Leg length at the hard end of extension."""

    @property
    def cushion(self) -> float:
        """Length of the cushion at each end."""


class Side(NamedTuple):
    """The end that is nearer; of two cushions and two stops only one can act."""

    upper: Expr  # whether it is that of extension
    outward: Expr  # 1 or -1
    remaining: Expr  # way to the hard end [m], negative beyond it


def side_of(stroke: LegStroke, l: Expr) -> Side:
    """Which end is nearer to length l."""
    middle, half = 0.5 * (stroke.hard_min + stroke.hard_max), 0.5 * (stroke.hard_max - stroke.hard_min)
    return Side(l > middle, ca.if_else(l > middle, 1, -1), half - ca.fabs(l - middle))


class EndStops(NamedTuple):
    """What the hard ends do at a place."""

    force: Expr  # on the platform, positive in extension [N]
    energy: Expr  # stored in the springs [J]


def restriction(remaining: Expr, length: float, area_min: Expr) -> Expr:
    """How much the cushion narrows the way out: 0 outside, 1/area_min^2 - 1 at the hard end.

    The way through a valve opened by the fraction a then has the area a / sqrt(1 + restriction a^2): orifices in
    series. Behind a fully open valve the area falls linearly over the cushion.

    Args:
        remaining: way left to the hard end [m]
        length: of the cushion [m]; 0 is none
        area_min: area left at the hard end, of the fully open valve's
    """
    if length == 0.0:
        return ca.SX(0)
    part = ca.fmin(ca.fmax(remaining * (1 / length), 0), 1)
    area = area_min + (1 - area_min) * part
    return 1 / (area * area) - 1


def end_stops(stiffness: Expr, damping: Expr, stroke: LegStroke, l: Expr, l_dot: Expr) -> EndStops:
    """Springs and dampers beyond the hard ends; they push and never pull."""
    _, outward, remaining = side_of(stroke, l)
    depth = ca.fmax(-remaining, 0)
    damper = damping * ca.fmin(depth * (1 / STOP_BLEND), 1) * (outward * l_dot)
    return EndStops(-outward * ca.fmax(stiffness * depth + damper, 0), 0.5 * stiffness * depth * depth)
