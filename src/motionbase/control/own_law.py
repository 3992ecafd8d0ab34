"""User laws: what a closed loop needs from a control law, and a law from a Python function or a unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, final

from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Layout, Program, Unit
from motionbase.control.ports import INPUTS, OUTPUTS, ControlPorts, Quantities, layout_of
from motionbase.errors import PortError

PERIOD = 1 / 2000  # [s] of a tick, as in the law of this package


class Law(Protocol):
    """Interface of a control law for the closed loop, the executive and the export."""

    @property
    def program(self) -> Unit:
        """The unit that runs each tick, over the ports of `ControlPorts`."""

    @property
    def parameters(self) -> Layout:
        """Layout of the port `parameters`."""

    @property
    def state(self) -> Layout:
        """Layout of the ports `x` and `x_next`."""

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""

    def parameter_vector(self, **changes: ArrayLike) -> Array:
        """Values for the port `parameters`; changes by name."""

    def initial_state(self) -> Array:
        """Value of the port `x` before the first tick."""


@final
@dataclass(frozen=True, eq=False)
class OwnLaw:
    """A user law: any program or kernel with the ports of `ControlPorts`.

    It defines its own states. It receives every request; the numbers of `State` are only their names in the record.

    Attributes:
        program: takes `parameters`, `x` and INPUTS, returns `x_next` and OUTPUTS
        parameters: names, units, values and bounds of its parameters
        state: names and initial values of its state
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
        """From a Python function over structs or over expressions by name, as for `ControlPorts.law`."""
        program = ControlPorts.law(name, function, parameters, state)
        return OwnLaw(program, layout_of(parameters, flat=True), layout_of(state), dt)

    def parameter_vector(self, **changes: ArrayLike) -> Array:
        """Values for the port `parameters`; changes by name."""
        return self.parameters.vector(changes)

    def initial_state(self) -> Array:
        """Value of the port `x` before the first tick."""
        return self.state.vector()
