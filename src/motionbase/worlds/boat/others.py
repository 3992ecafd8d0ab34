"""Traffic as the step of a boat needs it: waves of other craft, and contacts with the hull."""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Port

SX = ca.SX


class Others:
    """Empty water; subclasses add to it.

    Attributes:
        inputs: further ports of the step, parameters; every method gets their values
    """

    inputs: tuple[Port, ...] = ()

    def waves(self, *inputs: Any) -> Any:
        """Further waves about the vessel's centre of gravity, rows of `sea.patch.Wave`; None: there are none."""
        return None

    def near(self, t: SX, p: SX, heading: SX, *inputs: Any) -> Any:
        """What is computed once a step, for `rise` and `touch`.

        Args:
            p: (2,) of the vessel's centre of gravity in the world [m]
        """
        return None

    def rise(self, near: Any, x: SX, y: SX) -> SX:
        """Height that is added to the water at a place in axes of the heading, from the centre of gravity [m].

        Evaluated at every vertex and strip, so it must take few operations.
        """
        return SX(0)

    def touch(self, near: Any, p_W: SX, R_WB: SX, V: SX) -> SX:
        """(6,) wrench about the centre of gravity, in axes of the vessel [N m, N].

        Args:
            V: angular rate, then velocity, in axes of the vessel
        """
        return SX.zeros(6)


NOTHING = Others()
