"""What a person states of a rig on serial lines: kind of controller, counts and lengths, times, limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import final

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.serial import esp32, smc3

LEGS = 6
BITS_PER_BYTE = 10  # with start and stop bit
REPEAT = 3  # periods after which an unanswered question is asked again
LONGEST = 0.05  # [s] period: who oversees a rig stops it after a quarter of a second without a cycle
MOST_LOAD = 0.8  # of a line by what is sent in every cycle


class Kind(Enum):
    """Controllers, and what differs between them."""

    SMC3 = "smc3"
    ESP32 = "esp32"

    @property
    def legs(self) -> int:
        """Legs of one controller."""
        return smc3.MOTORS if self is Kind.SMC3 else esp32.LEGS

    @property
    def measures(self) -> bool:
        """Whether it tells where the legs are."""
        return self is Kind.SMC3

    @property
    def full(self) -> int:
        """Largest target."""
        return smc3.FULL if self is Kind.SMC3 else esp32.FULL

    @property
    def most_bytes(self) -> int:
        """Longest output of a cycle."""
        return smc3.MOTORS * smc3.LENGTH + len(smc3.READ_ALL + smc3.ENABLE) if self is Kind.SMC3 else esp32.LONGEST

    @property
    def baud(self) -> int:
        """Usual speed of the line [1/s]."""
        return smc3.BAUD if self is Kind.SMC3 else esp32.BAUD


@final
@dataclass(frozen=True)
class Axis:
    """Counts and length of a leg: length = offset + sign * counts / scale.

    Attributes:
        scale: counts per metre
        offset: length at 0 counts [m]
        sign: 1 if the leg grows with the counts, otherwise -1
    """

    scale: float
    offset: float
    sign: int = 1

    def __post_init__(self) -> None:
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise UsageError(f"leg on a serial line: scale is {self.scale}, it must be above 0 counts per metre")
        if not math.isfinite(self.offset):
            raise UsageError(f"leg on a serial line: offset is {self.offset}, it must be a length in metres")
        if self.sign not in (-1, 1):
            raise UsageError(f"leg on a serial line: sign is {self.sign}, it must be 1 or -1")

    def counts(self, l: float) -> int:
        """Nearest counts at a length [m]."""
        return round(self.sign * self.scale * (l - self.offset))

    def length(self, counts: float) -> float:
        """Length at counts [m]."""
        return self.offset + self.sign * counts / self.scale


@final
@dataclass(frozen=True)
class Setup:
    """Six legs on one or two serial lines.

    Attributes:
        kind: of the controllers
        axes: of legs 1 to 6
        least, most: (6,) lengths that are accepted [m]
        home: (6,) lengths to which the legs are sent when they are homed [m]; needed if nothing is measured
        lowest, highest: counts that the controller takes without clipping; None for all of them
        baud: of the lines [1/s], None for what is usual
        period: of a cycle [s]
        jump: largest distance of a demand from the leg that it follows [m]
        silence: time without a new demand after which the legs stop [s]
        speed: fastest movement of a target [m/s]
        following, following_time: distance of a leg from its target that is a fault after this time [m, s]
        patience: time without an answer after which a leg is lost [s]
        boot: time in which a controller must answer after its port was opened; an Arduino restarts then [s]
        settling: time in which stopped legs come to rest [s]
        homing: time in which homed legs reach `home` [s]
    """

    kind: Kind
    axes: tuple[Axis, ...]
    least: Array
    most: Array
    home: Array | None = None
    lowest: int | None = None
    highest: int | None = None
    baud: int | None = None
    period: float = 0.01
    jump: float = 0.02
    silence: float = 0.1
    speed: float = 0.2
    following: float = 0.02
    following_time: float = 0.3
    patience: float = 0.1
    boot: float = 3.0
    settling: float = 0.3
    homing: float = 5.0

    def __post_init__(self) -> None:
        if len(self.axes) != LEGS or self.least.shape != (LEGS,) or self.most.shape != (LEGS,):
            raise UsageError(f"a rig on serial lines needs {LEGS} axes, least and most lengths")
        for name in ("jump", "speed", "following", "following_time", "patience", "boot", "settling", "homing"):
            if not (math.isfinite(value := getattr(self, name)) and value > 0):
                raise UsageError(f"rig on serial lines: {name} is {value}, it must be a number above 0")
        if not self.silence >= self.period:
            raise UsageError(f"rig on serial lines: silence is {self.silence} s, at least the period {self.period} s")
        if not self.patience >= 2 * REPEAT * self.period:
            raise UsageError(
                f"rig on serial lines: patience is {self.patience} s, it must be at least {2 * REPEAT} periods, "
                f"{2 * REPEAT * self.period:.4g} s, as an unanswered question is repeated after {REPEAT}"
            )
        self._check_load()
        for leg, axis in enumerate(self.axes):
            self._check_range(leg, axis)
        self._check_home()

    @property
    def rate(self) -> int:
        """Speed of the lines [1/s]."""
        return self.baud or self.kind.baud

    @property
    def lowest_count(self) -> int:
        """Least target."""
        return 0 if self.lowest is None else self.lowest

    @property
    def highest_count(self) -> int:
        """Largest target."""
        return self.kind.full if self.highest is None else self.highest

    def _check_load(self) -> None:
        shortest = self.kind.most_bytes * BITS_PER_BYTE / (MOST_LOAD * self.rate)
        if not (math.isfinite(self.period) and self.period >= shortest):
            raise UsageError(
                f"rig on serial lines: period is {self.period} s; at {self.rate} baud {self.kind.value} "
                f"needs at least {shortest:.4f} s"
            )
        if self.period > LONGEST:
            raise UsageError(f"rig on serial lines: period is {self.period} s, it must be at most {LONGEST} s")

    def _check_range(self, leg: int, axis: Axis) -> None:
        least, most = self.least[leg], self.most[leg]
        if not (math.isfinite(least) and math.isfinite(most) and least < most):
            raise UsageError(f"leg {leg + 1}: lengths {least} to {most} m are no range")
        lowest, highest = self.lowest_count, self.highest_count
        if not 0 <= lowest < highest <= self.kind.full:
            raise UsageError(f"counts {lowest} to {highest} are no range within 0 to {self.kind.full}")
        low, high = sorted((axis.counts(least), axis.counts(most)))
        if low < lowest or high > highest:
            raise UsageError(
                f"leg {leg + 1}: lengths {least} to {most} m are counts {low} to {high}, "
                f"the controller takes {lowest} to {highest}: check scale, offset and sign"
            )

    def _check_home(self) -> None:
        if self.kind.measures:
            return
        if self.home is None or self.home.shape != (LEGS,):
            raise UsageError(f"{self.kind.value} measures nothing: home must give {LEGS} lengths for its legs")
        if not ((self.least <= self.home) & (self.home <= self.most)).all():
            raise UsageError(f"home {self.home.tolist()} is outside the lengths that are accepted")
