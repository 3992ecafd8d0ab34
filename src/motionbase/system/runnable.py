"""Interface of a closed loop for its runners: one program per tick, a state, parameters, and an initial state."""

from __future__ import annotations

from typing import Any, Protocol

from motionbase.compile import Layout, Program
from motionbase.control.own_law import Law
from motionbase.platform.hexapod import Hexapod


class Runnable(Protocol):
    """A platform under its law: `ClosedLoop` of six legs, `AtlasLoop` with a sphere on top, `MeasuredLoop` on a rig."""

    @property
    def program(self) -> Program:
        """(parameters, state, requests, generators, host, faults) -> state_next, outputs, record."""

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick."""

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""

    @property
    def record_channels(self) -> tuple[str, ...]:
        """Channels of the port `record`; without channels there is no such port."""

    @property
    def law(self) -> Law:
        """The law of the six legs."""

    @property
    def hexapod(self) -> Hexapod:
        """The platform on six legs."""

    @property
    def parameters(self) -> Layout:
        """Layout of the port `parameters`."""

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest."""

    def quiet_inputs(self) -> dict[str, Any]:
        """Inputs without requests and faults."""
