"""Harmonics of air loads and of blade angles in steady flight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.rotor.harmonics import Harmonics, harmonics
from motionbase.rotor.trim import Trim

HUB = (("F_x", "N"), ("F_y", "N"), ("F_z", "N"), ("M_x", "N m"), ("M_y", "N m"), ("M_z", "N m"))
BLADE = (("flap", "deg"), ("lag", "deg"), ("pitch", "deg"))


@final
@dataclass(frozen=True, eq=False)
class SteadyLoads:
    """Over the azimuth of the first blade.

    Attributes:
        names: (name, unit) of each signal: loads of the air about the hub, angles of the first blade
        harmonics: of the signals
    """

    names: tuple[tuple[str, str], ...]
    harmonics: Harmonics

    @property
    def mean(self) -> Array:
        """(signals,)."""
        return self.harmonics.mean

    @property
    def amplitude(self) -> Array:
        """(highest, signals)."""
        return self.harmonics.amplitude

    @property
    def half_peak_to_peak(self) -> Array:
        """(signals,)."""
        return self.harmonics.half_peak_to_peak

    @property
    def largest(self) -> Array:
        """(signals,) scale beside which a harmonic may be rounding."""
        return np.asarray(np.maximum(np.abs(self.mean), self.amplitude.max(axis=0)))

    @property
    def facts(self) -> dict[str, dict[str, object]]:
        """For JSON, by signal."""
        of = self.harmonics
        return {
            name: {"unit": unit, "mean": float(of.mean[k]), "cos": of.cos[:, k].tolist(), "sin": of.sin[:, k].tolist()}
            for k, (name, unit) in enumerate(self.names)
        }


def steady_loads(found: Trim, highest: int = 8) -> SteadyLoads:
    """Of the last revolution of a trim."""
    seen = found.revolution
    psi = np.unwrap(seen.psi[:, 0, 0])
    angles = np.degrees(np.stack([getattr(seen, name)[:, 0, 0] for name, _ in BLADE], axis=-1))
    return SteadyLoads((*HUB, *BLADE), harmonics(np.hstack([seen.loads[..., 0], angles]), psi, highest))
