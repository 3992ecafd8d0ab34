"""A rotor as a multibody model that can be flown: its network, its settings, and the names of its blades."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, unknown
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.elements.air import DYNAMIC, NONE, RotorAir
from motionbase.rotor.elements.airframe import DRAG, FUSELAGE, TAIL, Airframe
from motionbase.rotor.models.settings import Setting
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import quaternion_euler_zyx

SPEED = "speed"  # the closure that turns the shaft
AIR, PITCH = "air", "pitch"
LEAST_DELAY = 4  # steps: the inflow is carried from step to step by an explicit method, which oscillates at two


@final
@dataclass(frozen=True)
class BladeNames:
    """A blade's names in the model; joints are "" where it has none.

    Attributes:
        azimuth: of the blade at the start [rad]
        lag, flap, pitch: joints
        link: rod that holds the pitch
        bodies: that feel the air, from the root
    """

    azimuth: float
    lag: str
    flap: str
    pitch: str
    link: str
    bodies: tuple[str, ...]


def no_inputs(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of a rotor whose steps need nothing besides."""
    return {}


@final
@dataclass(frozen=True, eq=False)
class RotorModel:
    """A rotor that can be flown.

    Attributes:
        planform: its blades as the air sees them
        model: a step of its network has the inputs that `given` makes
        step: of about a ninetieth of a revolution [s]
        speed: of the shaft [rad/s]
        v0: speeds of the start, turning
        massless: bodies of the model whose mass the network leaves out
        ground_node: the ground counts as a node
        controls, flight: settings
        shaft: joint that turns the rotor
        corrections: of a step, in which blades turn by four degrees: with rigid ones each leaves about a five-hundredth
            of the residual, with beams a tenth
        airframe: that it flies with; none in a wind tunnel
        q0: coordinates of the start; neutral if None
        besides: inputs of a step that it has beside those of any rotor, or instead of them, for settings
    """

    planform: Planform
    model: Model
    step: float
    speed: float
    v0: Array
    massless: tuple[str, ...]
    ground_node: bool
    controls: tuple[Setting, ...]
    flight: tuple[Setting, ...]
    blades: tuple[BladeNames, ...]
    shaft: str
    corrections: int = 4
    airframe: Airframe | None = None
    q0: Array | None = None
    besides: Callable[[Mapping[str, Any]], dict[str, Any]] = no_inputs

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    @property
    def mass(self) -> float:
        """Of the blades, and of the airframe that it flies with [kg]."""
        return sum(body.mass for body in self.model.bodies if body.name not in self.massless)

    @property
    def weight(self) -> float:
        """Of the same [N]."""
        return self.mass * float(np.linalg.norm(self.model.gravity))

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Controls, then flight."""
        return (*self.controls, *self.flight)

    def network(self, step: float | None = None, **changes: Any) -> Network:
        """Under the network engine, at the start."""
        h = self.step if step is None else step
        self._check_delay(h)
        speeds = {f"{SPEED}_speed": self.speed}
        whole = Network(self.model, h, self.q0, self.v0, ground_node=self.ground_node, massless=self.massless,
                        inputs=speeds, iterations=self.corrections)  # fmt: skip
        return replace(whole, **changes) if changes else whole

    def _check_delay(self, h: float) -> None:
        for air in self.model.elements:
            if isinstance(air, RotorAir) and air.inflow not in (NONE, DYNAMIC) and air.delay < LEAST_DELAY * h:
                raise ModelError(
                    f"rotor {self.name!r}: its inflow follows within a delay of {air.delay:g} s, it must be "
                    f"{LEAST_DELAY} steps of {h:g} s or more"
                )

    def start_settings(self, **given: float) -> dict[str, float]:
        """Settings by name: those given, others as at the start."""
        found = {setting.name: setting.start for setting in self.settings}
        for name, value in given.items():
            if name not in found:
                raise unknown("setting", name, found)
            if not np.isfinite(value):
                raise ModelError(f"rotor {self.name!r}: setting {name!r} is {value:g}, a finite number is wanted")
            found[name] = float(value)
        return found

    def given(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of a step for settings, which are numbers or expressions."""
        return {
            "tau": np.zeros(self.model.nv),
            **{f"{PITCH}_{kind}": settings[name] for kind, name in PITCHES.items()},
            **self._around(settings),
            f"{SPEED}_speed": self.speed,
            f"{SPEED}_acceleration": 0.0,
            **self.besides(settings),
        }

    def _around(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Wind, and what else acts on an airframe."""
        if self.airframe is not None:
            wind = ca.vertcat(*(settings[f"gust_{axis}"] for axis in "xyz"))
            tail = self.airframe.tail_force(settings["tail"])
            return {f"{AIR}_wind": wind, f"{DRAG}_wind": wind, f"{TAIL}_force": tail}
        V, angle = settings["airspeed"], settings["shaft_angle"]
        return {f"{AIR}_wind": ca.vertcat(-V * ca.cos(angle), 0, V * ca.sin(angle))}

    def flying_at(self, velocity: Sequence[float], pitch: float = 0.0, roll: float = 0.0) -> RotorModel:
        """The same with another start of its airframe.

        Args:
            velocity: in the world [m/s]
            pitch, roll: about y and x, pitch first; y is left, so a positive pitch is nose-down [rad]
        """
        if self.airframe is None:
            raise ModelError(f"rotor {self.name!r} stands in a wind tunnel: it has no airframe that could fly")
        Q = np.array(quaternion_euler_zyx(ca.DM([roll, pitch, 0.0]))).ravel()
        R = np.array(R_quaternion(ca.DM(Q)))
        q0, v0 = self.model.neutral.copy(), self.v0.copy()
        n = [joint.name for joint in self.model.joints].index(FUSELAGE)
        q0[self.model.q_slices[n][0]] = [0.0, 0.0, 0.0, *Q]
        v0[self.model.v_slices[n][0]] = [0.0, 0.0, 0.0, *(R.T @ np.asarray(velocity, dtype=np.float64))]
        return replace(self, q0=q0, v0=v0)

    def numbers(self, **settings: float) -> dict[str, Any]:
        """Inputs of a step as numbers, for settings by name."""
        found = self.given(self.start_settings(**settings))
        return {
            name: value.full().ravel() if isinstance(value, ca.DM) else np.array(value, dtype=np.float64)
            for name, value in found.items()
        }


PITCHES = {"collective": "collective", "cos": "cyclic_cos", "sin": "cyclic_sin"}
