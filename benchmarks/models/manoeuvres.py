"""Arms that follow a smooth reference under joint servos, for the multi-rate benchmark."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import JointDamper, JointSpring
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import fixed, revolute
from motionbase.multibody.lookup import Point
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import Values, q_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs

FINER = 10  # steps of the reference per base step


def flexible_arm() -> Model:
    """Yaw, pitch and elbow, two booms of the size of the Shuttle arm's with four bending modes each; illustrative."""
    boom = beam(length=6.5, mass_per_length=20.0, EI_y=3e6, EI_z=3e6, bending=(2, 2), damping=0.01)
    return Model(
        "flexible_arm",
        (
            Body("shoulder", 30.0, (0.0, 0.0, 0.2), (1.0, 1.0, 1.0)),
            Body("upper_boom", modes=boom),
            Body("lower_boom", modes=boom),
            Body("load", 200.0, (0.5, 0.0, 0.0), (50.0, 50.0, 50.0)),
        ),
        (
            Joint("shoulder_yaw", GROUND, "shoulder", revolute((0, 0, 1))),
            Joint("shoulder_pitch", "shoulder", "upper_boom", revolute((0, 1, 0)), (0.0, 0.0, 0.4)),
            Joint("elbow_pitch", "upper_boom", "lower_boom", revolute((0, 1, 0)), "tip"),
            Joint("hold", "lower_boom", "load", fixed(), "tip"),
        ),
        (0.0, 0.0, 0.0),
    )


@dataclass(frozen=True)
class Manoeuvre:
    """A motion from rest to rest in ten seconds.

    Attributes:
        title: for users
        build: makes the model
        start: coordinates by name
        travel: travel of each driven joint [rad]
        tool: body and position of the end effector [m]
        h: base step [s]
        servo: [rad/s] stiffness = servo^2, damping = 1.4 servo, each times the joint's inertia at the start
        compensated: gravity and inertia along the reference are fed forward
    """

    title: str
    build: Callable[[], Model]
    start: Mapping[str, Values]
    travel: dict[str, float]
    tool: tuple[str, Point]
    h: float
    servo: float
    compensated: bool = False
    duration: float = 10.0


MANOEUVRES = {
    "srms": Manoeuvre(
        "Shuttle arm with payload on an orbiter",
        MODELS["srms_on_orbiter"].build,
        MODELS["srms_on_orbiter"].q0,
        {
            "shoulder_yaw": 0.3,
            "shoulder_pitch": -0.2,
            "elbow_pitch": 0.4,
            "wrist_pitch": -0.3,
            "wrist_yaw": 0.2,
            "wrist_roll": 0.3,
        },
        tool=("end_effector", "grapple"),
        h=0.01,
        servo=2.0,
    ),
    "arm7": Manoeuvre(
        "seven-joint arm under gravity",
        MODELS["arm7"].build,
        MODELS["arm7"].q0,
        {f"j{k}": 0.6 * (-1) ** k for k in range(1, 8)},
        tool=("link7", (1.2, 0.0, 0.0)),
        h=0.002,
        servo=6.0,
        compensated=True,
    ),
    "flexible": Manoeuvre(
        "arm with flexible booms",
        flexible_arm,
        {"shoulder_pitch": -0.5, "elbow_pitch": 1.2},
        {"shoulder_yaw": 0.8, "shoulder_pitch": -0.4, "elbow_pitch": -0.8},
        tool=("load", (1.0, 0.0, 0.0)),
        h=0.001,
        servo=2.0,
    ),
}


@dataclass(frozen=True, eq=False)
class Driven:
    """A prepared manoeuvre: the arm with its servos, and its initial state."""

    manoeuvre: Manoeuvre
    model: Model
    q0: Array

    @classmethod
    def of(cls, name: str) -> "Driven":
        manoeuvre = MANOEUVRES[name]
        plain = manoeuvre.build()
        q0 = q_of(plain, manoeuvre.start)
        M = compile(Tree(plain).mass_matrix)(q=q0)
        # between the inertia with all other joints locked and that with all of them free
        inertia = np.sqrt(np.diag(M) / np.diag(np.linalg.inv(M)))
        servos: list[JointSpring | JointDamper] = []
        for joint in manoeuvre.travel:
            J = float(inertia[_at_v(plain, joint)])
            servos.append(JointSpring(f"{joint}_stiffness", joint, manoeuvre.servo**2 * J))
            servos.append(JointDamper(f"{joint}_damping", joint, 1.4 * manoeuvre.servo * J))
        return cls(manoeuvre, replace(plain, elements=tuple(servos)), q0)

    @property
    def steps(self) -> int:
        return round(self.manoeuvre.duration / self.manoeuvre.h)

    def tau(self, t: NDArray[Any]) -> Array:
        """(times, nv): forces that move the springs' rest along the reference, and the feed-forward."""
        model, m = self.model, self.manoeuvre
        x = t[:, None] / m.duration
        shape = [10 * x**3 - 15 * x**4 + 6 * x**5, 30 * x**2 - 60 * x**3 + 30 * x**4, 60 * x - 180 * x**2 + 120 * x**3]
        q, (v, a) = np.tile(self.q0, (len(t), 1)), np.zeros((2, len(t), model.nv))
        for joint, travel in m.travel.items():
            q[:, _at_q(model, joint)] += (travel * shape[0])[:, 0]
            v[:, _at_v(model, joint)] = (travel * shape[1])[:, 0] / m.duration
            a[:, _at_v(model, joint)] = (travel * shape[2])[:, 0] / m.duration**2
        tau = np.zeros_like(v)
        for element in model.elements:
            if isinstance(element, JointSpring):
                tau[:, _at_v(model, element.joint)] += element.stiffness * q[:, _at_q(model, element.joint)]
            elif isinstance(element, JointDamper):
                tau[:, _at_v(model, element.joint)] += element.damping * v[:, _at_v(model, element.joint)]
        if m.compensated:
            M = compile(Tree(model).mass_matrix).map(q=q)["M"]
            tau += np.einsum("kij,kj->ki", M, a) - compile(Tree(model).bias_force).map(q=q, v=v)["G"]
        return np.ascontiguousarray(tau)

    def tool(self, q: Array) -> Array:
        """(rows, 3) position of the end effector [m], world axes."""
        points = compile(Outputs(Tree(self.model)).points({"tool": self.manoeuvre.tool}))
        still = np.zeros((len(q), self.model.nv))
        return np.asarray(points.map(q=np.ascontiguousarray(q), v=still, v_dot=still)["tool_position"])

    @functools.cached_property
    def reference(self) -> Array:
        """The end effector at every base step."""
        h = self.manoeuvre.h / FINER
        tau = self.tau((np.arange(self.steps * FINER) + 0.5) * h)
        run = simulate(self.model, self.manoeuvre.duration, h, q0=self.q0, inputs=tau, every=FINER)
        return self.tool(run.q)


def _at_q(model: Model, joint: str) -> int:
    return int(model.q_slices[[j.name for j in model.joints].index(joint)][0].start)


def _at_v(model: Model, joint: str) -> int:
    return int(model.v_slices[[j.name for j in model.joints].index(joint)][0].start)


@functools.cache
def driven(name: str) -> Driven:
    """The prepared manoeuvre of a name, created once."""
    return Driven.of(name)
