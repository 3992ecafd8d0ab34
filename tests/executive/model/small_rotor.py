"""A rotor without aerodynamics for tests: the articulated one with two blades, its swashplate moved by imposed motions.

Its controls are the height of the swashplate and its tilt about x; the flight is the speed of the shaft.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, compile
from motionbase.executive.model.code import ModelCode
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.rotor import Rotor
from motionbase.multibody.closures import ImposedPositionClosure, ImposedSpeedClosure
from motionbase.multibody.elements import Beam, JointSpring
from motionbase.multibody.looks import Looks
from motionbase.multibody.model import Model
from motionbase.multibody.models.rotor import LINK, articulated_rotor, turning
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.rotor.models.settings import Setting
from motionbase.rotor.running.operated import OperatedRotor, Output

STEP, HOLD_S = 1e-3, 0.05
SPIN = 10.0  # [rad/s], so slow that beams which start without stress are no shock
HEIGHT, TILT, SPEED = "height_position", "tilt_angle", "shaft_speed"


@cache
def small_rotor(blades: int = 2, beams: int = 1) -> OperatedRotor:
    """Blades of so many beams."""
    model = driven(articulated_rotor(blades, beams))
    v0 = turning(model, SPIN)
    return OperatedRotor(
        "small",
        "a rotor for tests",
        ("all of it",),
        model,
        STEP,
        SPIN,
        (Setting(HEIGHT, "m", "height of the swashplate", 0.0, -0.02, 0.05, 0.05, -0.02),),
        (Setting(SPEED, "rad/s", "speed of the shaft", SPIN, 0.8 * SPIN, 1.1 * SPIN, 2.0),),
        lambda step: Network(model, step, None, v0, inputs={SPEED: np.array(SPIN)}),
        outputs=(Output("azimuth", "rad", "of the first blade"), Output("coning", "rad", "mean flap of the blades")),
        observe=lambda network: observed(network, blades),
        looks=Looks(
            {e.name: ((0.537, 0.1), (0.537, 0.0)) for e in model.elements if isinstance(e, Beam)},
            disks={"hub": 0.3, "swashplate": 0.3, "rotating": 0.32},
        ),
    )


def driven(model: Model) -> Model:
    """Without rods: a slider and springs that hold the swashplate's tilt."""
    closures: list[Any] = [c for c in model.closures if not c.name.startswith("rod")]
    closures.append(ImposedPositionClosure("height", "slider", (0.0, 0.0, 0.0), "ground", (0.0, 0.0, -LINK)))
    closures.append(ImposedSpeedClosure("shaft", "hub", motion="turn", body_b="ground"))
    level = [JointSpring(f"level{k}", "tilt", 5e5, axis=k) for k in range(2)]
    return replace(model, closures=tuple(closures), elements=(*model.elements, *level))


def observed(network: ModelNetwork, blades: int) -> Kernel:
    """Azimuth and coning from the joints."""
    model = network.model
    flaps = [model.q_slices[model.index[f"b{k + 1}_flap"]][0].start for k in range(blades)]
    shaft = model.q_slices[model.index["hub"]][0].start

    def expr(q: Any) -> Any:
        return ca.vertcat(ca.fmod(q[shaft], 2 * np.pi), -sum(q[k] for k in flaps) / blades)

    return Kernel("small_outputs", (Port("q", model.nq),), (Port("outputs", 2),), expr)


@cache
def rotor(internal: bool = True) -> ModelCode:
    """With its set points from operators, or with settings from another process."""
    if internal:
        return ModelCode.of(Rotor(small_rotor()), Timing(STEP, HOLD_S, True))
    code, timing = rotor(), Timing(STEP, HOLD_S, False)
    return replace(code, timing=timing, command=compile(code.plant.command(timing)))
