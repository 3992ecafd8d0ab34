"""Effect of a turning wheel's rollers on its contact: sums of sines of the wheel's angle.

The roller that reaches furthest is the one that touches. The quantities of `Outline` repeat with every roller and jump,
or have a kink, where the next one takes over. The contact is a patch, however, which rests on both for a while: the
mean over a disc of its size, and harmonics up to HARMONICS, tapered (Lanczos) to avoid overshoot, give a smooth change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.plant.sphere.outline import Outline
from motionbase.platform.atlas.wheels import DrivenWheel
from motionbase.spatial.rotations import Expr

HARMONICS = 8
SAMPLES = 1024  # samples per pitch
NEIGHBOURS = range(-3, 4)  # rollers that may touch instead of the nearest; possible with a sharp edge


class Waves(NamedTuple):
    """Waves of one wheel, or (n,) of all; their means over a revolution are 0.

    Attributes:
        reach: extent of the wheel beyond its radius, towards the sphere's centre [m]
        slope: derivative of the reach with respect to the wheel's angle [m/rad]
        roll: rolling radius minus the wheel's radius [m]
        lever: arm of the force along the roller about the normal at its mean position [m]
    """

    reach: Expr
    slope: Expr
    roll: Expr
    lever: Expr


@final
@dataclass(frozen=True, eq=False)
class Ripple:
    """Waves of a wheel as Fourier series in its angle psi.

    Attributes:
        count: number of rollers
        reach, roll: coefficients of cos(k count psi) [m], k = 1, 2, ...
        lever: coefficients of sin(k count psi) [m]
    """

    count: int
    reach: Array
    roll: Array
    lever: Array

    @staticmethod
    def of(wheel: DrivenWheel, R: float) -> Ripple:
        """The ripple of a wheel on a sphere of radius R [m]."""
        samples = sampled(wheel, R)
        k = np.arange(1, HARMONICS + 1)
        patch = k * wheel.rollers.count * math.sqrt(wheel.contact_area / math.pi) / wheel.radius
        x = np.linspace(-1, 1, SAMPLES + 1)
        disc = np.sqrt(1 - x**2)
        smooth = (np.cos(np.outer(patch, x)) @ disc) / disc.sum() * np.sinc(k / (HARMONICS + 1))
        spectra = [2 / SAMPLES * np.fft.rfft(wave)[k] * smooth for wave in samples]
        reach, roll, lever = spectra
        return Ripple(wheel.rollers.count, reach.real, roll.real, -lever.imag)

    @staticmethod
    def none(wheel: DrivenWheel) -> Ripple:
        """The ripple of a perfectly round wheel."""
        zeros = np.zeros(HARMONICS)
        return Ripple(wheel.rollers.count, zeros, zeros, zeros)

    def at(self, psi: Expr) -> Waves:
        """The waves at a wheel angle [rad]."""
        return waves_at(psi, self.count, self.reach, self.roll, self.lever)


def waves_at(psi: Expr, count: Any, reach: Any, roll: Any, lever: Any) -> Waves:
    """The waves of a wheel at its angle [rad], from the quantities of its `Ripple`: numbers or expressions."""
    c1, s1 = ca.cos(count * psi), ca.sin(count * psi)
    c, s, sums = c1, s1, [ca.SX(0)] * 4
    for k in range(HARMONICS):
        parts = reach[k] * c, -(k + 1) * count * reach[k] * s, roll[k] * c, lever[k] * s
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
        c, s = c * c1 - s * s1, s * c1 + c * s1
    return Waves(*sums)


def sampled(wheel: DrivenWheel, R: float) -> tuple[Array, Array, Array]:
    """(SAMPLES,) reach, roll and lever [m] over a pitch, from a roller's middle on; before averaging over the patch."""
    touch, pitch = Outline.of(wheel).touch(R), 2 * math.pi / wheel.rollers.count
    psi = pitch * np.arange(SAMPLES) / SAMPLES
    betas = psi - pitch * np.array(NEIGHBOURS)[:, None]
    away = float(touch.D.min())  # a roller that is too far round does not touch
    D = np.interp(betas, touch.beta, touch.D, left=away, right=away)
    farthest = np.take_along_axis(betas, D.argmax(axis=0)[None], axis=0)[0]
    roll, lever = (np.interp(farthest, touch.beta, wave) for wave in (touch.roll, touch.lever))
    return D.max(axis=0) - R - wheel.radius, roll - wheel.radius, lever
