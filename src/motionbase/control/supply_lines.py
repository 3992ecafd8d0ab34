"""Pressures of supply and return: an implausible value is replaced by the last plausible one before it is used."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.quantities import SX
from motionbase.control.watchdogs import timer

BELOW_ZERO = -0.05  # of the nominal supply pressure: a sensor may read slightly below zero
MOST_SUPPLY = 2.0  # of the nominal supply pressure
MOST_RETURN = 0.25  # of the nominal supply pressure: a return line is close to the tank


class Lines(Struct):
    """State of both lines."""

    supply: SX = q("Pa", text="believed pressure of the supply")
    back: SX = q("Pa", text="believed pressure of the return")
    doubted: SX = q("s", text="for how long one could not be true")

    @classmethod
    def nominal(cls, p_supply: float, p_return: float) -> type[Lines]:
        """The struct with nominal initial values [Pa]."""
        return cls.with_quantities(supply=q("Pa", start=p_supply), back=q("Pa", start=p_return))


def believed_lines(
    p_nominal: float, supply_time: SX, dt: SX, lines: Lines, p_supply: SX, p_return: SX
) -> tuple[Lines, SX, SX]:
    """State after a tick, whether both are plausible, and whether one was not for too long; p_nominal: the supply's."""

    def believable(p: SX, most: float) -> SX:
        return ca.logic_and(p >= BELOW_ZERO * p_nominal, p <= most * p_nominal)  # false for NaN

    supply, back = believable(p_supply, MOST_SUPPLY), believable(p_return, MOST_RETURN)
    good = ca.logic_and(supply, back)
    after = lines.replace(
        supply=ca.if_else(supply, p_supply, lines.supply),
        back=ca.if_else(back, p_return, lines.back),
        doubted=timer(lines.doubted, ca.logic_not(good), dt),
    )
    return after, good, after.doubted > supply_time
