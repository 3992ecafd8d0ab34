"""Harmonics of the loads on the hub, of air loads, and of blade angles in steady flight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.rotor.flight.harmonics import Harmonics, harmonics
from motionbase.rotor.flight.march import March, Seen

AXES = (("F_x", "N"), ("F_y", "N"), ("F_z", "N"), ("M_x", "N m"), ("M_y", "N m"), ("M_z", "N m"))
BLADE = (("flap", "deg"), ("lag", "deg"), ("pitch", "deg"))


@final
@dataclass(frozen=True, eq=False)
class SteadyLoads:
    """Over the azimuth of the first blade.

    Attributes:
        names: (name, unit) of each signal: `hub_loads`, air loads about the hub, angles of the first blade
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


def hub_loads(march: March, seen: Seen, nodes: Array) -> Array:
    """(n, 6) force and moment about the hub that blades, shaft and control rods pass on to the support [N, N m].

    What the air and weight do to the blades, less the rates of their momentum and angular momentum.

    Args:
        seen, nodes: of `March.watched`, whose first lane is taken
    """
    assembly = march.flying.network.network.assembly
    total = seen.loads[..., 0].copy()
    for n in assembly.heavy:
        x, rate, turn = nodes[:, n, :3, 0], nodes[:, n, 19:22, 0], nodes[:, n, 22:25, 0]
        left = assembly.bodies[n].mass * np.asarray(assembly.gravity) - rate
        total[:, :3] += left
        total[:, 3:] += np.cross(x, left) - turn
    return np.asarray(total)


def steady_loads(march: March, highest: int = 8) -> SteadyLoads:
    """Over the next revolution of a rotor in steady flight."""
    seen, nodes = march.watched()
    psi = np.unwrap(seen.psi[:, 0, 0])
    angles = np.degrees(np.stack([getattr(seen, name)[:, 0, 0] for name, _ in BLADE], axis=-1))
    signals = np.hstack([hub_loads(march, seen, nodes), seen.loads[..., 0], angles])
    names = [(f"{of} {name}", unit) for of in ("hub", "air") for name, unit in AXES]
    return SteadyLoads((*names, *BLADE), harmonics(signals, psi, highest))
