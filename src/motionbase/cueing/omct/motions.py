"""The ten tests, their frequencies, and what the vehicle does in each of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.record.axes import ANGULAR, DOFS
from motionbase.record.vehicle import VEHICLE, G


class Test(NamedTuple):
    """One test: the vehicle moves along or about one axis, and the platform is observed along or about another."""

    number: int
    moved: str
    seen: str

    @property
    def name(self) -> str:
        """Such as "pitch to surge"."""
        return f"{self.moved} to {self.seen}"


TESTS = tuple(
    Test(number, *axes)
    for number, axes in enumerate(
        (
            ("pitch", "pitch"), ("pitch", "surge"), ("roll", "roll"), ("roll", "sway"), ("yaw", "yaw"),
            ("surge", "surge"), ("surge", "pitch"), ("sway", "sway"), ("sway", "roll"), ("heave", "heave"),
        ),
        start=1,
    )
)  # fmt: skip
"""The tests of ICAO 9625 in their order."""
FREQUENCIES = (0.1, 0.158, 0.251, 0.398, 0.631, 1.0, 1.585, 2.512, 3.981, 6.31, 10.0, 15.849)
"""[rad/s], five in a decade."""
SIGNALS = ("f_x", "f_y", "f_z", "omega_x", "omega_y", "omega_z")
PLACES = {name: k for k, name in enumerate(DOFS)}
"""Where the six signals have what is measured of an axis: specific force, or angular rate."""
WIDTH = len(VEHICLE)
LARGEST = {  # that may be asked for
    "acceleration": (20.0, "m/s^2"), "angle": (0.5, "rad"), "angular_rate": (3.0, "rad/s"),
    "angular_acceleration": (50.0, "rad/s^2"),
}  # fmt: skip


@final
@dataclass(frozen=True)
class Amplitudes:
    """How far the vehicle moves. Those of rotations are illustrative: open text has none.

    Attributes:
        acceleration: of translations [m/s^2]
        angle: largest attitude of rotations [rad]
        angular_rate: their largest rate [rad/s]
        angular_acceleration: their largest angular acceleration [rad/s^2]
    """

    acceleration: float = 1.0
    angle: float = math.radians(6.0)
    angular_rate: float = math.radians(6.0)
    angular_acceleration: float = math.radians(20.0)

    def __post_init__(self) -> None:
        for name, (most, unit) in LARGEST.items():
            if not 0 < (value := getattr(self, name)) <= most:
                raise UsageError(f"amplitudes: {name} is {value:g} {unit}, it must be above 0 and at most {most:g}")

    def of(self, axis: str, omega: float) -> float:
        """Amplitude of a sine: acceleration [m/s^2] of a translation, attitude [rad] of a rotation."""
        if axis not in ANGULAR:
            return self.acceleration
        return min(self.angle, self.angular_rate / omega, self.angular_acceleration / omega**2)


@final
@dataclass(frozen=True)
class Excitation:
    """A sine of the vehicle at the point of the test, which fades in.

    In translations the vehicle stays level and its point accelerates. In rotations the point stays where it is, so
    specific force is gravity alone, seen from the vehicle's attitude.

    Attributes:
        axis: degree of freedom of the vehicle
        omega: [rad/s]
        amplitude: acceleration [m/s^2] of a translation, attitude [rad] of a rotation
        fade: the sine grows to its amplitude in this time [s]
    """

    axis: str
    omega: float
    amplitude: float
    fade: float

    def rows(self, t: Array, lever: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
        """(n, 13) motion of the vehicle at times t, in the order of `record.vehicle.VEHICLE`.

        Args:
            lever: from the point of the test to the point whose specific force is wanted, in vehicle axes [m]
        """
        made, k = np.zeros((len(t), WIDTH)), PLACES[self.axis]
        u, u_dot, u_ddot = self._sine(t)
        made[:, 2] = G
        if self.axis not in ANGULAR:
            made[:, k] += u
            return made
        j = k - 3
        made[:, 3 + j], made[:, 6 + j], made[:, 9 + j] = u_dot, u_ddot, u
        made[:, :3] = G * np.column_stack(_up(j, u))
        omega, alpha, r = made[:, 3:6], made[:, 6:9], np.asarray(lever)
        made[:, :3] += np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
        return made

    def _sine(self, t: Array) -> tuple[Array, Array, Array]:
        """The fading sine and its two derivatives, which are continuous."""
        s = np.clip(t / self.fade, 0.0, 1.0)
        e, e_dot = s - np.sin(math.tau * s) / math.tau, (1 - np.cos(math.tau * s)) / self.fade
        e_ddot = math.tau * np.sin(math.tau * s) / self.fade**2
        w, sine, cosine = self.omega, np.sin(self.omega * t), np.cos(self.omega * t)
        u = e * sine
        u_dot = e_dot * sine + e * w * cosine
        u_ddot = e_ddot * sine + 2 * e_dot * w * cosine - e * w**2 * sine
        return self.amplitude * u, self.amplitude * u_dot, self.amplitude * u_ddot


def _up(j: int, u: Array) -> tuple[Array, Array, Array]:
    """The world's vertical in axes of the vehicle, turned by u about axis j alone."""
    zero, s, c = np.zeros_like(u), np.sin(u), np.cos(u)
    return ((zero, s, c), (-s, zero, c), (zero, zero, np.ones_like(u)))[j]
