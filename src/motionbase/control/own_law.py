"""Laws of people's own: what a closed loop needs of a control law, and a law made of a Python function or a unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

from numpy.typing import ArrayLike

from motionbase.compile import Kernel, Layout, Program, Unit
from motionbase.compile.struct import Vector
from motionbase.control.ports import INPUTS, OUTPUTS, ControlPorts, Quantities, layout_of
from motionbase.errors import PortError

PERIOD = 1 / 2000  # [s] of a tick, as the law of this package has it


class Law(Protocol):
    """A control law as the closed loop, the executive and the export see it."""

    @property
    def program(self) -> Unit:
        """What runs each tick, over the ports of `ControlPorts`."""

    @property
    def parameters(self) -> Layout:
        """Of the port `parameters`."""

    @property
    def state(self) -> Layout:
        """Of the ports `x` and `x_next`."""

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""

    def parameter_vector(self, **changes: ArrayLike) -> Vector:
        """Values for the port `parameters`; changes by name."""

    def initial_state(self) -> Vector:
        """For the port `x` before the first tick."""


@final
@dataclass(frozen=True, eq=False)
class OwnLaw:
    """A user law: any program or kernel with the ports of `ControlPorts`.

    Its states are its own affair. It hears every request; the numbers of `State` are only what the record calls them.

    Attributes:
        program: takes `parameters`, `x` and INPUTS, gives `x_next` and OUTPUTS
        parameters: names, units, values and bounds of its parameters
        state: names and first values of its state
        dt: period of a tick [s]
    """

    program: Kernel | Program
    parameters: Layout
    state: Layout
    dt: float = PERIOD

    def __post_init__(self) -> None:
        ControlPorts.check(self.program)
        owner = f"control law {self.program.name!r}"
        inputs, outputs = ({p.name: p for p in ports} for ports in (self.program.inputs, self.program.outputs))
        known = {"parameters", "x", "x_next", *(p.name for p in (*INPUTS, *OUTPUTS))}
        for name in (*inputs, *outputs):
            if name not in known:
                raise PortError(f"{owner}: it has a port {name!r}, which nothing in the loop gives or takes")
        vectors = (("parameters", inputs, self.parameters), ("x", inputs, self.state), ("x_next", outputs, self.state))
        for name, ports, layout in vectors:
            if ports[name].dims != (layout.size,):
                raise PortError(f"{owner}: port {ports[name]} must have the {layout.size} numbers of its quantities")
        if not (math.isfinite(self.dt) and self.dt > 0):
            raise PortError(f"{owner}: dt is {self.dt!r} s, it must be a finite number above 0")

    @staticmethod
    def of(
        name: str,
        function: Callable[..., Any],
        parameters: Quantities,
        state: Quantities,
        dt: float = PERIOD,
    ) -> OwnLaw:
        """From a Python function over structs or over expressions by name, as `ControlPorts.law` takes it."""
        program = ControlPorts.law(name, function, parameters, state)
        return OwnLaw(program, layout_of(parameters, flat=True), layout_of(state), dt)

    def parameter_vector(self, **changes: ArrayLike) -> Vector:
        """Values for the port `parameters`; changes by name."""
        return self.parameters.vector(changes)

    def initial_state(self) -> Vector:
        """For the port `x` before the first tick."""
        return self.state.vector()
