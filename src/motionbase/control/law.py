"""The control law: one pure program a tick, from requests, host frames and measurements to valve commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from numpy.typing import ArrayLike

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import Program, Unit
from motionbase.control.fields import Fields, Vector
from motionbase.control.geometry import force_of, forward_of, inverse_and_force_of, inverse_of
from motionbase.control.params import STATE, parameters_for
from motionbase.control.ports import ControlPorts
from motionbase.control.tick import Tick
from motionbase.errors import ModelError
from motionbase.platform.hexapod import Hexapod

RATE = 2000.0  # [Hz], as the motion base of NASA Langley has it


@final
@dataclass(frozen=True)
class ControlLaw:
    """The law of a hydraulic hexapod; `program` is what runs.

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
    def actuator(self) -> HydraulicActuator:
        """Of each leg."""
        actuator = self.platform.actuator
        if not isinstance(actuator, HydraulicActuator):
            raise ModelError(
                f"control law: platform {self.platform.name!r} has {type(actuator).__name__} legs, "
                "this law is for a HydraulicActuator; write one of your own over ControlPorts"
            )
        return actuator

    @cached_property
    def parameters(self) -> Fields:
        """Names, units and values of the tunable parameters."""
        return parameters_for(self.platform, self.actuator, self.dt)

    @property
    def state(self) -> Fields:
        """Names of the state's parts."""
        return STATE

    def parameter_vector(self, **changes: ArrayLike) -> Vector:
        """Values for the port `parameters`; changes by name."""
        return self.parameters.vector({**(self.params or {}), **changes})

    def initial_state(self) -> Vector:
        """For the port `x` before the first tick."""
        return STATE.vector()

    @cached_property
    def program(self) -> Program:
        """Named `control`."""
        platform = self.platform
        forward, inverse = self.forward or forward_of(platform), self.inverse or inverse_of(platform)
        force = self.force or force_of(platform)
        both = inverse_and_force_of(platform) if self.inverse is None and self.force is None else None
        tick = Tick(platform, self.actuator, self.parameters, self.dt, forward, inverse, force, both)
        return Program(
            "control",
            inputs=ControlPorts.inputs(self.parameters, STATE),
            outputs=ControlPorts.outputs(STATE),
            body=tick.describe,
            description=f"control law of {self.platform.name}",
        )
