"""A driven model in a run: joint controllers, friction that sticks, and brakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Program
from motionbase.executive.model.frames import Form, of_joints
from motionbase.executive.model.law import SHOWN, command
from motionbase.executive.model.observe import observe
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.plant import AbstractPlant, Settling
from motionbase.multibody.closed import Start
from motionbase.multibody.manipulator.driven import DrivenModel
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.multibody.network.simulate import assembled
from motionbase.multibody.scene import axes_of, scene_of
from motionbase.record.model import FORCE, model_schema
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.schema import Schema

MOST_FRICTION, MOST_GAIN = 3.0, 4.0


@final
@dataclass(frozen=True, eq=False)
class Robot(AbstractPlant):
    """From the start, with brakes closed and no torque."""

    driven: DrivenModel

    @property
    def name(self) -> str:
        """The model's."""
        return self.driven.model.name

    @property
    def model(self) -> Model:
        """With brakes."""
        return self.driven.model

    @property
    def form(self) -> Form:
        """States and torques of joints."""
        return of_joints(len(self.driven.joints))

    @property
    def sentence(self) -> str:
        """Counts joints."""
        joints = self.driven.joints
        return f"{len(joints)} driven joint{'s' if len(joints) > 1 else ''}"

    @cached_property
    def parameters(self) -> ParameterTable:
        """Set points, gains, friction, and whether the controller's torques act."""
        return parameter_table(self.driven)

    @cached_property
    def schema(self) -> Schema:
        """With set points, torques and friction of joints."""
        model = self.model
        return model_schema(model.name, axes_of(model), [body.name for body in model.bodies])

    @property
    def scene(self) -> dict[str, Any]:
        """Of the model."""
        return scene_of(self.model)

    @property
    def groups(self) -> Mapping[str, str]:
        """All but set points and poses have the name of their array."""
        same = ("positions", "speeds", "torques", "friction")
        return {"set_points": "refs", **{name: name for name in same}, "bodies": "poses"}

    @property
    def shown(self) -> tuple[str, ...]:
        """With brake and friction."""
        return SHOWN

    @property
    def starts(self) -> Mapping[str, Array]:
        """Brakes are closed, and set points are where the joints are."""
        active = [f + b for f, b in self.driven.friction.values()]
        return {"active": np.array(active), "ref": np.array([joint.start for joint in self.driven.joints])}

    @property
    def inputs(self) -> Mapping[str, tuple[str, int]]:
        """Levels of friction and brakes."""
        return {name: ("active", k) for k, name in enumerate(self.driven.friction)}

    @property
    def firsts(self) -> tuple[tuple[int, float], ...]:
        """None: brakes hold it."""
        return ()

    @property
    def partner_form(self) -> Form | None:
        """None."""
        return None

    @property
    def settling(self) -> Settling | None:
        """None: brakes hold it."""
        return None

    @property
    def kept(self) -> Mapping[str, str]:
        """What the law keeps, and the set points followed."""
        return {"memory": "memory_next", "ref": "ref_next"}

    def network(self, dt: float) -> Network:
        """Of the model, held by its brakes."""
        model, closed = self.model, {name: np.array(f + b) for name, (f, b) in self.driven.friction.items()}
        q, v, dropped = assembled(model, Start(self.driven.q0, np.zeros(model.nv), (), ()), dt, closed)
        return Network(model, dt, q, v, dropped=dropped, inputs=closed)

    def observers(self, network: ModelNetwork) -> tuple[Kernel | Program, ...]:
        """Coordinates, friction and poses."""
        return (observe(self.driven, network),)

    def command(self, timing: Timing) -> Kernel:
        """Torques and brakes."""
        return command(self.driven, timing)

    def rest(self, arrays: Mapping[str, Array]) -> None:
        """No torque, brakes closed."""
        arrays["torques"][:] = 0.0
        arrays["shown"][SHOWN.index("brake")] = 1.0


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
