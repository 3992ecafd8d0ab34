"""The compiled parts of a run: what takes seconds to make and needs no ring yet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, compile
from motionbase.executive.model.law import SHORTER, Timing, accept, command
from motionbase.executive.model.observe import observe
from motionbase.multibody.closed import Start
from motionbase.multibody.manipulator.driven import DrivenModel
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.motion import joint_motion
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.network.step import FEEDBACK
from motionbase.multibody.scene import axes_of
from motionbase.record.model import FORCE, model_schema
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.schema import Schema

STATES = tuple(name for name in FEEDBACK if name != "worst")
MOST_FRICTION, MOST_GAIN = 3.0, 4.0


@final
@dataclass(frozen=True, eq=False)
class ModelCode:
    """A driven model under the network engine, compiled.

    Attributes:
        network: from the start, with brakes closed and no torque
        step: of the network; joints: coordinates and speeds from nodes
        observe, command, accept: see `observe.py` and `law.py`
    """

    plant: DrivenModel
    timing: Timing
    network: Network
    step: Compiled
    joints: Compiled
    observe: Compiled
    command: Compiled
    accept: Compiled

    @staticmethod
    def of(plant: DrivenModel, timing: Timing) -> ModelCode:
        """Assemble and compile."""
        model, start = plant.model, plant.q0
        closed = {name: np.array(f + b) for name, (f, b) in plant.friction.items()}
        begin = Start(start, np.zeros(model.nv), (), ())
        q, v, dropped = assembled(model, begin, timing.dt, closed)
        network = Network(model, timing.dt, q, v, dropped=dropped, inputs=closed)
        method = network.method
        firsts = [method.start().row(timing.dt * 0.5**k).tolist() for k in range(SHORTER)]
        states = [port for port in network.program.inputs if port.name in STATES]
        return ModelCode(
            plant,
            timing,
            network,
            compile(network.program),
            compile(joint_motion(network.network)),
            compile(observe(plant, network.network)),
            compile(command(plant, timing)),
            compile(accept(states, firsts, method.weights(1.0).row(timing.dt).tolist())),
        )

    @cached_property
    def start(self) -> dict[str, Array]:
        """States of the step at the start."""
        return self.network.start().ports()

    @cached_property
    def schema(self) -> Schema:
        """Of the record."""
        model = self.plant.model
        return model_schema(model.name, axes_of(model), [body.name for body in model.bodies])

    @cached_property
    def parameters(self) -> ParameterTable:
        """What an operator may change."""
        return parameter_table(self.plant)


def parameter_table(plant: DrivenModel) -> ParameterTable:
    """What an operator may change: set points, gains, friction, and whether the controller's torques act."""
    joints, listed = plant.joints, list[Parameter]()
    for j in joints:
        (least, most), about = j.travel, f"set point of joint {j.name}"
        listed.append(Parameter(f"set_{j.name}", j.unit, about, (j.set_point,), (least,), (most,)))
    for gain, what, unit in (("kp", "stiffness", "{force}/{unit}"), ("kd", "damping", "{force} s/{unit}")):
        for j in joints:
            value, written = getattr(j, gain), unit.format(force=FORCE[j.unit], unit=j.unit)
            about = f"{what} of joint {j.name}'s controller"
            listed.append(Parameter(f"{gain}_{j.name}", written, about, (value,), (0.0,), (MOST_GAIN * value,)))
    scale = Parameter("friction", "-", "friction over that of the model", (1.0,), (0.0,), (MOST_FRICTION,))
    switch = Parameter("control", "-", "1: the controller's torques act, 0: none", (1.0,), (0.0,), (1.0,))
    return ParameterTable(f"joint controllers of {plant.model.name}", (*listed, scale, switch))
