"""The control law: one pure program a tick, from requests, host frames and measurements to commands of the legs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import final

from numpy.typing import ArrayLike

from motionbase.compile import Layout, Program, Unit
from motionbase.compile.struct import Vector
from motionbase.control.leg_control import LegControl, leg_control
from motionbase.control.params import parameters_for, parameters_of, state_of
from motionbase.control.ports import ControlPorts
from motionbase.control.tick import Base, tick
from motionbase.platform.hexapod import Hexapod

RATE = 2000.0  # [Hz], as the motion base of NASA Langley has it


@final
@dataclass(frozen=True)
class ControlLaw:
    """The law of a hexapod with hydraulic or electric legs; `program` is what runs.

    Attributes:
        platform: the hexapod
        params: values of parameters that differ from those for the platform, by name
        dt: period [s]
        forward: (l, dof_start) -> (dof, converged); the platform's own unless given
        inverse: motion (6, 3) of the degrees of freedom -> legs (6, 3); the platform's own unless given
        force: motion (6, 3) -> f_ff (6,), leg forces that weight and inertia need; the platform's own unless given
    """

    platform: Hexapod
    params: Mapping[str, ArrayLike] | None = None
    dt: float = 1 / RATE
    forward: Unit | None = None
    inverse: Unit | None = None
    force: Unit | None = None

    @cached_property
    def legs(self) -> LegControl:
        """Gains, loop and state of the legs' kind."""
        return leg_control(self.platform, self.dt)

    @cached_property
    def parameters(self) -> Layout:
        """Names, units and values of the tunable parameters."""
        return parameters_for(self.platform, self.legs)

    @cached_property
    def state(self) -> Layout:
        """Names of the state's parts."""
        return state_of(self.legs).layout

    def parameter_vector(self, **changes: ArrayLike) -> Vector:
        """Values for the port `parameters`; changes by name."""
        return self.parameters.vector({**(self.params or {}), **changes})

    def initial_state(self) -> Vector:
        """For the port `x` before the first tick."""
        return self.state.vector()

    @cached_property
    def program(self) -> Program:
        """Named `control`."""
        base = Base.of(self.platform, self.legs, self.dt, self.forward, self.inverse, self.force)
        made = ControlPorts.law("control", partial(tick, base), parameters_of(self.legs), state_of(self.legs))
        return replace(made, description=f"control law of {self.platform.name}")
