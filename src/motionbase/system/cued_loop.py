"""A platform whose host tells a vehicle's motion: in every tick the cueing makes the demand, then its loop follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Layout, Port, Program, Unit
from motionbase.compile.struct import MIXED
from motionbase.control.own_law import Law
from motionbase.cueing.ports import ASKED_COUNT, COUNT, FRAME, ROWS, VEHICLE
from motionbase.errors import ModelError
from motionbase.host.format import AT_REST
from motionbase.plant.motion import next_of
from motionbase.platform.hexapod import Hexapod
from motionbase.record.cueing import LINK, cueing_channels
from motionbase.record.vehicle import VEHICLE as TOLD
from motionbase.spatial.rotations import Expr
from motionbase.system.runnable import Runnable
from motionbase.system.values import Values, called

LINK_COUNTS = Port("link", len(LINK), "-", "counters of the host link, in the order of `record.cueing.LINK`")
COUNTERS = tuple(channel.name for channel in LINK)
MEMORY, MEMORY_NEXT = "x_cueing", "x_cueing_next"  # `x` and `x_next` of the cueing; those of the law keep their names
USUAL = ("parameters", "x", VEHICLE.name, COUNT.name)  # inputs of a cueing; others, such as a plan, are passed on
OWN = tuple(channel.name for channel in cueing_channels())  # of the record, after the vehicle's
DEMANDED = (FRAME.name, ASKED_COUNT.name)


class Cues(Protocol):
    """Interface of a cueing algorithm for a loop: `cueing.cueing.Cueing`."""

    @property
    def program(self) -> Unit:
        """(parameters, x, vehicle, vehicle_count[, ...]) -> (x_next, `cueing.ports.OUTPUTS`)."""

    @property
    def parameters(self) -> Layout:
        """Layout of the port `parameters`; names begin with `cue_`."""

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""

    def parameter_vector(self) -> Array:
        """Values for the port `parameters`."""

    def initial_state(self) -> Array:
        """Value of the port `x` before the first tick."""


@final
@dataclass(frozen=True, eq=False)
class CuedLoop:
    """A closed loop with cueing in front; its runners see the same interface as for the loop alone.

    Attributes:
        loop: of the platform; with channels of a record, those of link, vehicle and cueing follow them
    """

    loop: Runnable
    cueing: Cues

    def __post_init__(self) -> None:
        if self.cueing.dt != self.loop.dt:
            raise ModelError(f"the cueing has a period of {self.cueing.dt:g} s, the loop one of {self.loop.dt:g} s")

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.loop.dt

    @property
    def law(self) -> Law:
        """The law of the legs."""
        return self.loop.law

    @property
    def hexapod(self) -> Hexapod:
        """The platform."""
        return self.loop.hexapod

    @cached_property
    def record_channels(self) -> tuple[str, ...]:
        """In the order of `record.cueing.cued_schema`."""
        own = self.loop.record_channels
        return (*own, *COUNTERS, *(c.name for c in TOLD), *OWN) if own else ()

    @cached_property
    def parameters(self) -> Layout:
        """Parameters of the laws, then of the cueing."""
        return Layout((*self.loop.parameters.ports, *self.cueing.parameters.ports))

    @cached_property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {**self.loop.feedback, MEMORY: MEMORY_NEXT}

    @cached_property
    def _memory(self) -> Port:
        own = next(p for p in self.cueing.program.inputs if p.name == "x")
        return replace(own, name=MEMORY, description="state of the cueing")

    @cached_property
    def others(self) -> tuple[Port, ...]:
        """Inputs of the cueing beside the usual ones, such as a plan."""
        return tuple(p for p in self.cueing.program.inputs if p.name not in USUAL)

    @cached_property
    def program(self) -> Program:
        """(parameters, states, requests, generators, vehicle, link, faults) -> states, outputs of both, record."""
        parameters = Port("parameters", self.parameters.size, MIXED, "may be changed at any tick")
        given = (p for p in self.loop.program.inputs if p.name not in (parameters.name, *DEMANDED))
        inputs = (parameters, *given, self._memory, VEHICLE, COUNT, LINK_COUNTS, *self.others)
        row = Port("record", len(self.record_channels), MIXED, "a row of the record")
        loop = (p for p in self.loop.program.outputs if p.name != row.name)
        cues = (p for p in self.cueing.program.outputs if p.name != "x_next")
        outputs = (*loop, next_of(self._memory), *cues, *((row,) if self.record_channels else ()))
        first = self.loop.parameters.size

        def expr(*values: Any) -> Any:
            x = Values.of(inputs, values)
            cues = called(self.cueing.program, x, parameters=x.parameters[first:], x=x.x_cueing)
            loop = called(self.loop.program, x.also(cues), parameters=x.parameters[:first], x=x.x)
            known = x.also(cues, loop, x_cueing_next=cues.x_next)
            return known.also(record=self._record(known)).to(outputs)

        return Program("cued_loop", inputs, outputs, expr, f"{self.loop.program.description}, with motion cueing")

    def _record(self, known: Values) -> Expr:
        """The loop's record, then link, vehicle and cueing; 0 where nobody tells a channel."""
        if not self.record_channels:
            return ca.SX(0, 1)
        rows = [value for port in ROWS for value in ca.vertsplit(getattr(known, port.name))]
        single = [getattr(known, name, 0.0) for name in OWN[len(rows) :]]
        return ca.vertcat(known.record, known.link, known.vehicle.column, *rows, *single)

    # ---- a start ----

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest, down by default; laws are off, the cueing begins."""
        return {**self.loop.at_rest(l), MEMORY: self.cueing.initial_state()}

    def quiet_inputs(self) -> dict[str, Any]:
        """Inputs without requests, generators or faults, and no sample yet of a vehicle that stands on the ground."""
        loop = {name: value for name, value in self.loop.quiet_inputs().items() if name not in DEMANDED}
        numbers = np.concatenate([loop["parameters"], self.cueing.parameter_vector()])
        more = {p.name: p.start_values.reshape(p.dims) for p in (COUNT, LINK_COUNTS, *self.others)}
        return {**loop, **more, VEHICLE.name: np.array(AT_REST), "parameters": numbers}
