"""A sea as a sum of plane waves on deep water, by linear theory; the truth that compiled code is tested against.

    elevation  eta = sum a cos(theta),  theta = kx x + ky y - omega t + phase
    velocity   (cos beta cos theta, sin beta cos theta, sin theta) a omega exp(k z')
    pressure   p / (rho g) = sum a exp(k z') cos(theta) - z

with omega^2 = g k (Newman, Marine Hydrodynamics, 1977, section 6.2). Linear theory holds for small waves; up to the
surface it is stretched: z' = z - eta, the height over the surface at that moment (Wheeler 1970, on deep water). So the
pressure is zero exactly at the surface, and short waves do not grow without bound in the crests of long ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import WorldError
from motionbase.record.vehicle import G as G  # of waves, spectra and wakes

COMPONENTS = 128  # of a sea, at most: compiled code has as many, those not needed are zero


@final
@dataclass(frozen=True, eq=False)
class Waves:
    """Plane waves.

    Attributes:
        amplitude: (n,) [m]
        omega: (n,) circular frequency of each, seen from a fixed place [rad/s]
        direction: (n,) into which each travels, from x to y [rad]
        phase: (n,) [rad]
    """

    amplitude: Array
    omega: Array
    direction: Array
    phase: Array

    def __post_init__(self) -> None:
        sizes = {a.shape for a in (self.amplitude, self.omega, self.direction, self.phase)}
        if len(sizes) > 1 or len(self.amplitude.shape) != 1:
            raise WorldError(f"waves: amplitude, omega, direction and phase must have one length, not {sizes}")
        if len(self) > COMPONENTS:
            raise WorldError(f"waves: {len(self)} components, at most {COMPONENTS} are possible")
        finite = all(np.isfinite(a).all() for a in (self.amplitude, self.omega, self.direction, self.phase))
        if not finite or (len(self) and (self.omega.min() <= 0 or self.amplitude.min() < 0)):
            raise WorldError("waves: frequencies must be greater than 0, amplitudes 0 or greater, and all finite")

    def __len__(self) -> int:
        return len(self.amplitude)

    @property
    def k(self) -> Array:
        """(n,) wave numbers [rad/m]."""
        return self.omega**2 / G

    @property
    def kx(self) -> Array:
        """(n,) along x [rad/m]."""
        return self.k * np.cos(self.direction)

    @property
    def ky(self) -> Array:
        """(n,) along y [rad/m]."""
        return self.k * np.sin(self.direction)

    @property
    def significant_height(self) -> float:
        """4 sqrt(m0), twice the height of a single wave over sqrt(2) [m]."""
        return 4 * math.sqrt(float(np.sum(self.amplitude**2)) / 2)

    @property
    def energy(self) -> Array:
        """(n,) part of each in the variance of the elevation [m²]."""
        return self.amplitude**2 / 2

    def theta(self, t: Array | float, x: Array | float, y: Array | float) -> Array:
        """Phase angles, one more axis at the end for the components."""
        t, x, y = (np.asarray(v, dtype=float)[..., None] for v in (t, x, y))
        angles: Array = self.kx * x + self.ky * y - self.omega * t + self.phase
        return angles

    def elevation(self, t: Array | float, x: Array | float = 0.0, y: Array | float = 0.0) -> Array:
        """Height of the surface over still water [m]."""
        made: Array = np.cos(self.theta(t, x, y)) @ self.amplitude
        return made

    def head(self, t: float, x: Array, y: Array, z: Array) -> Array:
        """Pressure over rho g, as a height of water [m]; 0 at the surface and above it."""
        theta = self.theta(t, x, y)
        over = np.minimum(np.asarray(z) - np.cos(theta) @ self.amplitude, 0.0)
        made: Array = (np.cos(theta) * np.exp(self.k * over[..., None])) @ self.amplitude - z
        return np.maximum(made, 0.0)

    def flow(self, t: float, x: Array, y: Array, over: float) -> tuple[Array, Array]:
        """(..., 3) velocity and acceleration of the water at a height over the surface: negative, below it."""
        theta, omega = self.theta(t, x, y), self.omega
        a = self.amplitude * np.exp(self.k * over)
        e_x, e_y = np.cos(self.direction), np.sin(self.direction)
        c, s = np.cos(theta), np.sin(theta)
        v = [(c * e_x) @ (a * omega), (c * e_y) @ (a * omega), s @ (a * omega)]
        v_dot = [(s * e_x) @ (a * omega**2), (s * e_y) @ (a * omega**2), -c @ (a * omega**2)]
        return np.stack(v, axis=-1), np.stack(v_dot, axis=-1)

    def and_also(self, other: Waves) -> Waves:
        """Both at once, such as swell and wind sea."""
        pairs = ((getattr(self, n), getattr(other, n)) for n in ("amplitude", "omega", "direction", "phase"))
        return Waves(*(np.concatenate(pair) for pair in pairs))


def still() -> Waves:
    """No waves at all."""
    none = np.zeros(0)
    return Waves(none, none, none, none)


def regular(height: float, period: float, direction: float = math.pi, phase: float = 0.0) -> Waves:
    """One wave: height from trough to crest [m], period [s], direction into which it travels [rad]."""
    if not (0 <= height < math.inf and 0 < period < math.inf):
        raise WorldError(
            f"a regular wave has a height of 0 m or more and a period over 0 s, not {height:g}, {period:g}"
        )
    one = np.array([height / 2]), np.array([2 * math.pi / period]), np.array([direction]), np.array([phase])
    return Waves(*one)


def encounter(omega: Array | float, speed: float, beta: Array | float) -> Array:
    """Frequency at which a vessel meets waves that travel at the angle beta from its heading; 180 deg: head sea."""
    omega = np.asarray(omega)
    made: Array = omega - omega**2 * speed * np.cos(beta) / G
    return made
