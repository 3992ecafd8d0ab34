"""A pilot who trims a rotor: filtered thrust and flapping, and integral action on the three pitch controls.

The law is a pure kernel, so that it runs in a native loop beside the step of the rotor, or in real time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Struct, q
from motionbase.errors import ModelError
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.spatial.rotations import Expr

CONTROLS = "collective", "cyclic_cos", "cyclic_sin"
MEASURED = "thrust", "flap_cos", "flap_sin"
UNITS = "N", "rad", "rad"


class PilotState(Struct):
    """What the pilot remembers from step to step."""

    controls: ca.SX = q("rad", 3, "collective, cyclic pitch times cos psi and sin psi")
    estimate: ca.SX = q("-", 3, "filtered thrust [N] and first harmonics of flapping [rad]")


class PilotLaw(Struct):
    """Numbers of the law; with gains of zero the controls stay where they are."""

    target: ca.SX = q("-", 3, "thrust [N], cosine and sine part of flapping [rad]")
    inverse: ca.SX = q("-", 9, "inverse of the derivative of the three by the controls, row by row")
    gains: ca.SX = q("1/s", 3, "of the integral action, one for each of the three")
    constants: ca.SX = q("s", 3, "time constants of their filters", start=(1.0, 1.0, 1.0))
    least: ca.SX = q("rad", 3, "lower bounds of the controls")
    most: ca.SX = q("rad", 3, "upper bounds of the controls")
    rate: ca.SX = q("rad/s", 3, "how fast the controls may move")


def piloted(h: Expr, state: PilotState, thrust: Expr, flap: Expr, psi: Expr, law: PilotLaw) -> PilotState:
    """One step of the law; harmonics are estimated in the rotating frame, over all blades.

    Args:
        h: step [s]
        flap, psi: (blades,) flap angle and azimuth of each [rad]
    """
    harmonics = 2 * ca.vertcat(ca.dot(flap, ca.cos(psi)), ca.dot(flap, ca.sin(psi))) / flap.numel()
    seen = ca.vertcat(thrust, harmonics)
    estimate = seen + ca.exp(-h / law.constants) * (state.estimate - seen)  # exact for what is constant over a step
    pull = law.gains * (law.target - estimate)
    wanted = ca.reshape(law.inverse, 3, 3).T @ pull
    moved = state.controls + h * ca.fmax(-law.rate, ca.fmin(wanted, law.rate))
    return PilotState(controls=ca.fmax(law.least, ca.fmin(moved, law.most)), estimate=estimate)


def pilot_kernel(blades: int) -> Kernel:
    """(h, state, thrust, flap, psi, law) -> state one step on."""
    inputs = (
        Port("h", (), "s", "step"),
        PilotState.port("state"),
        Port("thrust", (), "N", "along the shaft"),
        Port("flap", blades, "rad", "flap angles"),
        Port("psi", blades, "rad", "azimuths of the blades"),
        PilotLaw.port("law"),
    )
    return Kernel("pilot", inputs, (PilotState.port("state_next"),), piloted)


@final
@dataclass(frozen=True)
class Pilot:
    """How a pilot trims.

    Integral action of half the inverse time constant on a filter is a loop with a damping ratio of 0.7.

    Attributes:
        thrust_constant, flap_constant: of the filters [s]; gains follow from them unless given
        thrust_gain, flap_gain: [1/s]
    """

    thrust_constant: float = 0.31
    flap_constant: float = 2.94
    thrust_gain: float | None = None
    flap_gain: float | None = None

    def __post_init__(self) -> None:
        for what in ("thrust_constant", "flap_constant", "thrust_gain", "flap_gain"):
            value = getattr(self, what)
            if value is not None and not 0 < value < np.inf:
                raise ModelError(f"pilot: {what} is {value:g}, must be positive")

    @property
    def constants(self) -> Array:
        """Of the three filters [s]."""
        return np.array([self.thrust_constant, self.flap_constant, self.flap_constant])

    @property
    def gains(self) -> Array:
        """Of the three [1/s]."""
        given = self.thrust_gain, self.flap_gain, self.flap_gain
        return np.array([0.5 / tau if g is None else g for g, tau in zip(given, self.constants, strict=True)])

    def law(self, rotor: RotorModel, target: ArrayLike, jacobian: ArrayLike) -> dict[str, Array]:
        """Quantities of `PilotLaw`, from the derivative of `MEASURED` by `CONTROLS`."""
        inverse = np.linalg.inv(np.asarray(jacobian, dtype=np.float64))
        return held_law(rotor) | {
            "target": np.asarray(target, dtype=np.float64),
            "inverse": inverse.ravel(),
            "gains": self.gains,
            "constants": self.constants,
        }


def held_law(rotor: RotorModel) -> dict[str, Array]:
    """Of a pilot who does nothing."""
    own = [setting for name in CONTROLS for setting in rotor.controls if setting.name == name]
    bounds = {what: np.array([getattr(setting, what) for setting in own]) for what in ("least", "most", "rate")}
    nothing = {"target": np.zeros(3), "inverse": np.zeros(9), "gains": np.zeros(3), "constants": np.ones(3)}
    return nothing | bounds
