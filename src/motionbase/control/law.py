"""The control law: one pure program per tick, from requests, host frames and measurements to leg commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import final

from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Layout, Program, Unit
from motionbase.control.leg_control import LegControl, leg_control
from motionbase.control.params import parameters_for, parameters_of, state_of
from motionbase.control.ports import ControlPorts
from motionbase.control.tick import Base, tick
from motionbase.platform.hexapod import Hexapod

RATE = 2000.0  # [Hz], as in NASA Langley's motion base


@final
@dataclass(frozen=True)
class ControlLaw:
    """The law of a hexapod with hydraulic or electric legs; `program` is the compiled part.

    Attributes:
        platform: the hexapod
        params: values of parameters that differ from the platform's defaults, by name
        dt: period [s]
        forward: (l, dof_start) -> (dof, converged); the platform's own by default
        inverse: motion (6, 3) of the degrees of freedom -> legs (6, 3); the platform's own by default
        force: motion (6, 3) -> f_ff (6,), leg forces required by weight and inertia; the platform's own by default
        kind: of the legs; by the platform's actuators by default, `follower_control` for the legs of a rig
    """

    platform: Hexapod
    params: Mapping[str, ArrayLike] | None = None
    dt: float = 1 / RATE
    forward: Unit | None = None
    inverse: Unit | None = None
    force: Unit | None = None
    kind: Callable[[Hexapod, float], LegControl] = leg_control

    @cached_property
    def legs(self) -> LegControl:
        """Gains, loop and state for the kind of legs."""
        return self.kind(self.platform, self.dt)

    @cached_property
    def parameters(self) -> Layout:
        """Names, units and values of the tunable parameters."""
        return parameters_for(self.platform, self.legs)

    @cached_property
    def state(self) -> Layout:
        """Names of the state's parts."""
        return state_of(self.legs).layout

    def parameter_vector(self, **changes: ArrayLike) -> Array:
        """Values for the port `parameters`; changes by name."""
        return self.parameters.vector({**(self.params or {}), **changes})

    def initial_state(self) -> Array:
        """Value of the port `x` before the first tick."""
        return self.state.vector()

    @cached_property
    def program(self) -> Program:
        """The law as a program named `control`."""
        base = Base.of(self.platform, self.legs, self.dt, self.forward, self.inverse, self.force)
        made = ControlPorts.law("control", partial(tick, base), parameters_of(self.legs), state_of(self.legs))
        return replace(made, description=f"control law of {self.platform.name}")
