"""Extension of a cylinder from the voltage of its potentiometer: equation (17) of the paper, with a calibration.

Curpos = FBD / ACTV * Cylen
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.multibody.lookup import checked_number, checked_positive

SUPPLY = 5.0  # [V] ACTV of the paper
LENGTH = 12 * 0.0254  # [m] Cylen of the paper
MARGIN = 0.03  # of the supply: how far beyond either end a working potentiometer may read


@final
@dataclass(frozen=True)
class Potentiometer:
    """A potentiometer along a cylinder; the paper's has no calibration: offset 0 and scale 1.

    Attributes:
        length: travel from 0 V to the supply's voltage [m]
        supply: voltage across the potentiometer, nominal or measured [V]
        offset: extension at 0 V [m]
        scale: of the travel, from a calibration
    """

    length: float = LENGTH
    supply: float = SUPPLY
    offset: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        checked_positive("potentiometer", "length", self.length, "m")
        checked_positive("potentiometer", "supply", self.supply, "V")
        checked_positive("potentiometer", "scale", self.scale, "-")
        checked_number("potentiometer", "offset", self.offset, "m", least=-self.length)

    def extension(self, volts: float) -> float:
        """Extension at a voltage [m]; equation (17)."""
        return self.offset + self.scale * (volts / self.supply * self.length)

    def volts(self, s: float) -> float:
        """Voltage at an extension [V]."""
        return (s - self.offset) / self.scale / self.length * self.supply

    def possible(self, volts: float) -> bool:
        """Whether a working potentiometer can read this; an open input reads something else, if it is biased."""
        margin = MARGIN * self.supply
        return -margin <= volts <= self.supply + margin

    def calibrated(self, volts: Array, s: Array) -> Potentiometer:
        """This potentiometer with the offset and scale that fit voltages at known extensions best [V, m]."""
        if len(volts) < 2 or np.ptp(volts) < 0.05 * self.supply:
            raise UsageError(
                f"calibration: {len(volts)} voltages over {np.ptp(volts) if len(volts) else 0:.3g} V; "
                f"it takes two or more over at least {0.05 * self.supply:.3g} V"
            )
        slope, offset = np.polyfit(np.asarray(volts) / self.supply * self.length, s, 1)
        return replace(self, offset=float(offset), scale=float(slope))
