"""What is wrong with a hydraulic power unit, from its readings: limits with hysteresis, alarms, silence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from motionbase.record.rig import RigFault
from motionbase.rig.border import PowerState
from motionbase.rig.power.setup import PowerSetup

PRESSURE_BACK, TEMPERATURE_BACK, LEVEL_BACK = 1.05, 3.0, 0.02  # what ends a fault: times, [K] below, part above
POSSIBLE = {  # values that a working sensor can give: [Pa], [Pa], [K], part of full
    "supply": (-2e5, 1e8), "return": (-2e5, 2e7), "temperature": (223.15, 433.15), "level": (-0.05, 1.05),
}  # fmt: skip


@final
@dataclass(frozen=True)
class Reading:
    """Answers of a unit to one poll, in SI units.

    Attributes:
        measured_at: when the poll began, on a monotonic clock [s]
        values: by the names of its registers
        alarms: the word
    """

    measured_at: float
    values: Mapping[str, float]
    alarms: int = 0

    @property
    def running(self) -> bool:
        """The pump runs."""
        return self.values["running"] > 0.5


@final
class Judge:
    """Judges every reading; a fault lasts until its cause is clearly gone.

    Attributes:
        why: what is wrong, for people; empty if nothing is
        warnings: what does not stop
    """

    def __init__(self, setup: PowerSetup) -> None:
        self._setup, self._limits = setup, setup.limits
        self._alarms = {alarm.bit: alarm for alarm in setup.alarms}
        self.why, self.warnings = "", tuple[str, ...]()
        self._running_since = math.inf
        self._wanted_since = math.inf
        self._good_at = math.inf  # pressure was last enough, since the pump has run
        self._low = self._hot = self._warm = self._empty = False

    def judged(self, reading: Reading, wanted: bool) -> PowerState:
        """The state of the unit, from a new reading; `wanted` tells whether the pump was asked to run."""
        found = [
            *self._impossible(reading),
            *self._temperature(reading),
            *self._supply(reading, wanted),
            *self._level(reading),
            *self._alarming(reading),
        ]
        fault, self.why = min(found, default=(RigFault.NONE, ""), key=lambda one: one[0])
        values = reading.values
        return PowerState(
            reading.measured_at, reading.running, values["supply"], values.get("return", math.nan),
            values.get("temperature", math.nan), fault, reading.alarms if fault is RigFault.DEVICE else 0,
        )  # fmt: skip

    def _impossible(self, reading: Reading) -> list[tuple[RigFault, str]]:
        """Values that no sensor gives; comparisons with NaN are false."""
        return [
            (RigFault.SENSOR, f"{name} reads {value:g}, which no sensor gives")
            for name, (low, high) in POSSIBLE.items()
            if (value := reading.values.get(name)) is not None and not low <= value <= high
        ]

    def _temperature(self, reading: Reading) -> list[tuple[RigFault, str]]:
        temperature, limits = reading.values.get("temperature", math.nan), self._limits
        self._warm = _above(temperature, limits.warm, TEMPERATURE_BACK, self._warm)
        self._hot = _above(temperature, limits.hot, TEMPERATURE_BACK, self._hot)
        self.warnings = (f"oil is warm, {temperature - 273.15:.1f} degC",) if self._warm and not self._hot else ()
        if not self._hot:
            return []
        return [(RigFault.TEMPERATURE, f"oil is hot, {temperature - 273.15:.1f} degC")]

    def _supply(self, reading: Reading, wanted: bool) -> list[tuple[RigFault, str]]:
        """A pump that does not start, stops by itself, or gives too little pressure."""
        now, limits = reading.measured_at, self._limits
        was_running = self._running_since < now
        self._wanted_since = min(self._wanted_since, now) if wanted else math.inf
        self._running_since = min(self._running_since, now) if reading.running else math.inf
        if not reading.running:
            self._low, self._good_at = False, math.inf
            if wanted and was_running:
                self._wanted_since = -math.inf  # it has had its time to start
            if now - self._wanted_since > limits.start_time:
                return [(RigFault.SUPPLY, "the pump does not run although it was asked to")]
            return []
        pressure = reading.values["supply"]
        enough = limits.least_pressure * (PRESSURE_BACK if self._low else 1.0)
        if pressure >= enough:
            self._low, self._good_at = False, now
        elif math.isfinite(pressure):
            patience = limits.start_time if self._good_at == math.inf else limits.dip_time
            since = self._running_since if self._good_at == math.inf else self._good_at
            self._low |= now - since > patience
        if not self._low:
            return []
        return [(RigFault.SUPPLY, f"supply pressure is {pressure / 1e5:.1f} bar, "
                                  f"at least {limits.least_pressure / 1e5:.1f} bar are needed")]  # fmt: skip

    def _level(self, reading: Reading) -> list[tuple[RigFault, str]]:
        level, least = reading.values.get("level", math.nan), self._limits.least_level
        self._empty = _above(-level, None if least is None else -least, LEVEL_BACK, self._empty)
        return [(RigFault.SUPPLY, f"oil level is {100 * level:.0f} % of full")] if self._empty else []

    def _alarming(self, reading: Reading) -> list[tuple[RigFault, str]]:
        bits = [bit for bit in range(32) if reading.alarms >> bit & 1]
        texts = {bit: self._alarms[bit].text if bit in self._alarms else f"alarm bit {bit}" for bit in bits}
        stops = [texts[bit] for bit in bits if bit not in self._alarms or self._alarms[bit].stops]
        self.warnings += tuple(text for text in texts.values() if text not in stops)
        return [(RigFault.DEVICE, f"alarm: {', '.join(stops)}")] if stops else []


def _above(value: float, limit: float | None, back: float, was: bool) -> bool:
    """Whether a value is above its limit, or was and is not yet clearly below; NaN changes nothing."""
    if limit is None:
        return False
    return value >= limit or (was and not value <= limit - back)
