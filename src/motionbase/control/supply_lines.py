"""Pressures of supply and return: what cannot be true is replaced by the last that could, before it meets a valve."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.fields import Field
from motionbase.control.watchdogs import timer

BELOW_ZERO = -0.05  # of the nominal supply pressure: a sensor may read a little below zero
MOST_SUPPLY = 2.0  # of it
MOST_RETURN = 0.25  # of it: a return line is near the tank


def lines_field(p_supply: float, p_return: float) -> Field:
    """What the law keeps of them, from their nominal values [Pa]."""
    return Field(
        "lines", 3, "SI", "believed supply and return pressure, time of unbelievable ones", (p_supply, p_return, 0.0)
    )


def supply_lines(p_nominal: float) -> Kernel:
    """The monitor of both; p_nominal is the supply's [Pa]."""

    def believable(p: ca.SX, most: float) -> ca.SX:
        return ca.logic_and(p >= BELOW_ZERO * p_nominal, p <= most * p_nominal)  # false for NaN

    def expr(supply_time: ca.SX, dt: ca.SX, lines: ca.SX, p_supply: ca.SX, p_return: ca.SX) -> tuple[ca.SX, ...]:
        supply, back = believable(p_supply, MOST_SUPPLY), believable(p_return, MOST_RETURN)
        good = ca.logic_and(supply, back)
        doubted = timer(lines[2], ca.logic_not(good), dt)
        believed = ca.vertcat(ca.if_else(supply, p_supply, lines[0]), ca.if_else(back, p_return, lines[1]))
        return ca.vertcat(believed, doubted), good, doubted > supply_time

    return Kernel(
        "supply_lines",
        inputs=(
            Port("supply_time", (), "s", "for how long they may be unbelievable"),
            Port("dt", (), "s"),
            Port("lines", 3, "Pa, Pa, s", "believed one tick ago; time of unbelievable ones"),
            Port("p_supply", (), "Pa"),
            Port("p_return", (), "Pa"),
        ),
        outputs=(
            Port("lines_next", 3, "Pa, Pa, s"),
            Port("lines_good", (), "-", "1 if both can be true"),
            Port("lines_lost", (), "-", "1 if one could not for too long"),
        ),
        expr=expr,
        description="holds the last believable pressures of supply and return",
    )
