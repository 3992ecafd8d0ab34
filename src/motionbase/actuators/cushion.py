"""Ends of the stroke: cushions that restrict a chamber's outlet, and the hard stops beyond them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import casadi as ca

from motionbase.spatial.rotations import Expr

STOP_BLEND = 1e-4  # penetration over which a stop's damper is faded in [m]


class LegStroke(Protocol):
    """Stroke data that an actuator needs [m]; platforms provide it."""

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
    """The nearer end; only one of the two cushions and two stops can act at a time."""

    upper: Expr  # whether it is the extended end
    outward: Expr  # 1 or -1
    remaining: Expr  # distance to the hard end [m], negative beyond it


def side_of(stroke: LegStroke, l: Expr) -> Side:
    """The end that is nearer to length l."""
    middle, half = 0.5 * (stroke.hard_min + stroke.hard_max), 0.5 * (stroke.hard_max - stroke.hard_min)
    return Side(l > middle, ca.if_else(l > middle, 1, -1), half - ca.fabs(l - middle))


class EndStops(NamedTuple):
    """Reaction of the hard ends at a position."""

    force: Expr  # on the platform, positive in extension [N]
    energy: Expr  # stored in the springs [J]


def restriction(remaining: Expr, length: float, area_min: Expr) -> Expr:
    """Restriction of the outlet by the cushion: 0 outside, 1/area_min^2 - 1 at the hard end.

    A valve opened by the fraction a then has the effective area a / sqrt(1 + restriction a^2): orifices in series.
    Behind a fully open valve the area falls linearly over the cushion.

    Args:
        remaining: distance to the hard end [m]
        length: length of the cushion [m]; 0 for none
        area_min: remaining area at the hard end, relative to the fully open valve
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
