"""Pitch controls of a rotor: collective and cyclic pitch through actuators of their own dynamics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.lookup import checked_positive
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.network.closures import Surroundings

PITCH = "collective", "cos", "sin"


def swashplate_plane(horn_x: float, horn_y: float) -> Array:
    """(3, 3) height, slopes along x and y of a swashplate's plane for a unit of collective, cos and sin [m, -].

    At the azimuth psi the link is at horn_x along the blade (-cos, -sin) and horn_y ahead of it (sin, -cos) [m]; the
    blade's pitch is the height there over horn_y.
    """
    tilts = horn_y * np.linalg.inv([[-horn_x, -horn_y], [horn_y, -horn_x]])
    return np.block([[np.array([[horn_y]]), np.zeros((1, 2))], [np.zeros((2, 1)), tilts]])


@final
@dataclass(frozen=True)
class PitchControls(AbstractNetworkElement):
    """Actuators that follow NAME_collective + NAME_cos cos(psi) + NAME_sin sin(psi), the blades' pitch [rad].

    Attributes:
        mix: (actuators, 3) displacement of each [m or rad] for a unit of collective, cos and sin [rad]
        bandwidth: of an actuator [rad/s]
        order: 1 or 2 equations each
        damping: ratio [-], of order 2
    """

    name: str
    mix: tuple[tuple[float, float, float], ...]
    bandwidth: float = 60.0
    order: Literal[1, 2] = 2
    damping: float = 0.7

    def __post_init__(self) -> None:
        check_name("pitch controls", self.name)
        owner = f"pitch controls {self.name!r}"
        for what, unit in (("bandwidth", "rad/s"), ("damping", "-")):
            checked_positive(owner, what, getattr(self, what), unit)
        if self.order not in (1, 2) or not self.mix or not np.all(np.isfinite(np.array(self.mix, dtype=np.float64))):
            raise ModelError(f"{owner}: order must be 1 or 2, and every actuator needs a finite mix of three controls")

    def check(self, model: Model) -> None:
        """Nothing is named."""

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """Collective, then cosine and sine of the azimuth."""
        about = "collective pitch", "cyclic pitch, times cos psi", "cyclic pitch, times sin psi"
        return tuple(Port(f"{self.name}_{k}", (), "rad", text) for k, text in zip(PITCH, about, strict=True))

    def state(self, actuator: int) -> str:
        """Name of the unknown that is an actuator's displacement."""
        return f"{self.name}{actuator + 1}.position"

    def parts(self, around: Surroundings) -> Sequence[AbstractPart]:
        """Actuators."""
        inputs = tuple(port.name for port in self.inputs(around.model))
        return [
            Actuator(f"{self.name}{k + 1}", inputs, np.array(row), self.bandwidth, self.order, self.damping)
            for k, row in enumerate(self.mix)
        ]


@final
@dataclass(frozen=True, eq=False)
class Actuator(AbstractPart):
    """A lag of first or second order, x_ddot = w^2 (u - x) - 2 zeta w x_dot; u = gains . controls."""

    name: str
    controls: tuple[str, ...]
    gains: Array
    bandwidth: float
    order: int
    damping: float
    nodes: tuple[int | None, ...] = ()

    @property
    def kind(self) -> Hashable:
        """The order."""
        return "actuator", self.order

    @property
    def numbers(self) -> Array:
        """Gains, bandwidth, damping."""
        return np.array([*self.gains, self.bandwidth, self.damping])

    @property
    def inputs(self) -> tuple[str, ...]:
        """The controls."""
        return self.controls

    @property
    def own(self) -> tuple[Own, ...]:
        """Displacement, and its rate over the bandwidth."""
        return (Own.DIFFERENTIAL,) * self.order

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.position, NAME.rate."""
        return tuple(f"{self.name}.{what}" for what in ("position", "rate")[: self.order])

    def equations(self, at: Moment) -> Equations:
        """Rates, over the bandwidth."""
        wanted, w, zeta = ca.dot(at.numbers[:3], at.inputs), at.numbers[3], at.numbers[4]
        x = at.own[0]
        if self.order == 1:
            return Equations([], at.own_dot / w - (wanted - x))
        rate = at.own[1]
        return Equations([], ca.vertcat(at.own_dot[0] / w - rate, at.own_dot[1] / w - (wanted - x - 2 * zeta * rate)))
