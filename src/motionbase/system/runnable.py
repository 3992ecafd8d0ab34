"""What those who run a closed loop need of it: one program a tick, a state, parameters, and a start."""

from __future__ import annotations

from typing import Any, Protocol

from motionbase.compile import Layout, Program
from motionbase.control.own_law import Law
from motionbase.plant.plant import Plant


class Runnable(Protocol):
    """A platform under its control law: `ClosedLoop` of six legs, `AtlasLoop` with a sphere on top."""

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
        """Of the port `record`; there is none without any."""

    @property
    def law(self) -> Law:
        """What drives the six legs."""

    @property
    def plant(self) -> Plant:
        """The six legs."""

    @property
    def parameters(self) -> Layout:
        """Of the port `parameters`."""

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest."""

    def quiet_inputs(self) -> dict[str, Any]:
        """Nobody asks for anything, nothing goes wrong."""
