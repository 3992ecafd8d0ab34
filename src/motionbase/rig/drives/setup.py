"""What a person states of six drives: increments and lengths, times, limits; checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.drives.canopen import MASTER

PDO_BYTES = 6  # controlword or statusword, and a position
MOST_LOAD = 0.8  # of the bus by what is sent in every cycle; the rest is for heartbeats, settings and repetitions


@final
@dataclass(frozen=True)
class Axis:
    """The drive of a leg: an electric cylinder.

    Attributes:
        node: number on the bus
        counts: increments in a turn of the motor
        lead: travel in a turn of the screw [m]
        gear: turns of the motor in a turn of the screw
        sign: 1 if the leg grows with the drive's position, otherwise -1
        home: length at which the drive's position is 0 after homing [m]
    """

    node: int
    counts: int
    lead: float
    gear: float = 1.0
    sign: int = 1
    home: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.node < MASTER:
            raise UsageError(f"node of a drive is {self.node}, it must be 1 to {MASTER - 1}")
        for name in ("counts", "lead", "gear"):
            if not (math.isfinite(value := getattr(self, name)) and value > 0):
                raise UsageError(f"drive {self.node}: {name} is {value}, it must be a number above 0")
        if self.sign not in (-1, 1):
            raise UsageError(f"drive {self.node}: sign is {self.sign}, it must be 1 or -1")
        if not math.isfinite(self.home):
            raise UsageError(f"drive {self.node}: home is {self.home}, it must be a length in metres")

    @property
    def per_metre(self) -> float:
        """Increments per metre, with the sign."""
        return self.sign * self.counts * self.gear / self.lead

    def increments(self, l: float) -> int:
        """The drive's position at a length [m]."""
        return round(self.per_metre * (l - self.home))

    def length(self, increments: int) -> float:
        """The length at a position of the drive [m]."""
        return self.home + increments / self.per_metre

    def magnitude(self, distance: float) -> int:
        """A distance, speed or acceleration [m, m/s, m/s2] as the drive takes it: at least 1, without a sign."""
        return max(round(abs(self.per_metre) * distance), 1)


@final
@dataclass(frozen=True)
class Setup:
    """Six drives on a bus.

    Attributes:
        axes: of legs 1 to 6
        least, most: (6,) lengths that are accepted [m]
        period: of a cycle: SYNC, six targets, six positions [s]
        bitrate: of the bus, None if it has none [1/s]
        jump: largest distance of a demand from the leg that it follows [m]
        silence: time without a new demand after which the legs stop [s]
        watchdog: time without the master's heartbeat after which a drive stops by itself [s]
        misses: SYNCs in a row that a drive may leave unanswered
        following: distance from its target at which a drive reports a fault [m]
        following_time: for which it must last [s]
        deceleration: of stops [m/s2]
        speed: largest speed of a leg [m/s]
        homing_method: number of the profile's method; 17 and 18 go to the negative or positive limit switch
        homing_fast, homing_slow: speeds towards the switch and off it [m/s]
        homing_acceleration: [m/s2]
        homing_time: after which homing has failed [s]
    """

    axes: tuple[Axis, ...]
    least: Array
    most: Array
    period: float = 0.002
    bitrate: float | None = 1e6
    jump: float = 0.01
    silence: float = 0.05
    watchdog: float = 0.03
    misses: int = 3
    following: float = 0.005
    following_time: float = 0.01
    deceleration: float = 5.0
    speed: float = 0.5
    homing_method: int = 17
    homing_fast: float = 0.02
    homing_slow: float = 0.005
    homing_acceleration: float = 0.5
    homing_time: float = 60.0
    nodes: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", tuple(axis.node for axis in self.axes))
        if len(set(self.nodes)) != 6:
            raise UsageError(
                f"nodes of the drives are {', '.join(map(str, self.nodes))}, six different ones are needed"
            )
        for name in ("period", "jump", "silence", "watchdog", "following", "following_time", "deceleration", "speed",
                     "homing_fast", "homing_slow", "homing_acceleration", "homing_time"):  # fmt: skip
            if not (math.isfinite(value := getattr(self, name)) and value > 0):
                raise UsageError(f"drives: {name} is {value}, it must be a number above 0")
        if self.misses < 1:
            raise UsageError(f"drives: misses is {self.misses}, at least 1 is needed")
        if not 1e-3 <= self.period <= 0.02 or round(self.period * 1e4) % 10:
            raise UsageError(f"drives: period is {self.period} s, it must be 1 to 20 whole milliseconds")
        if self.watchdog < 3 * self.period or self.silence < self.watchdog:
            raise UsageError(
                f"drives: watchdog is {self.watchdog} s, it must be at least three periods ({3 * self.period:.4g} s) "
                f"and at most silence ({self.silence} s)"
            )
        if self.bitrate is not None and self.load > MOST_LOAD:
            raise UsageError(
                f"drives: a cycle of {1e3 * self.period:.3g} ms takes {100 * self.load:.0f} % of a bus with "
                f"{self.bitrate:.3g} bit/s, at most {100 * MOST_LOAD:.0f} % are possible; "
                f"{math.ceil(1e3 * self.period * self.load / MOST_LOAD)} ms would do"
            )
        if self.watchdog > 60:
            raise UsageError(f"drives: watchdog is {self.watchdog} s, drives wait 60 s at most")
        self._check_lengths()

    def _check_lengths(self) -> None:
        for name in ("least", "most"):
            if np.shape(value := getattr(self, name)) != (6,):
                raise UsageError(f"drives: {name} is {value}, it must be six lengths in metres")
        for leg, (axis, least, most) in enumerate(zip(self.axes, self.least, self.most, strict=True), 1):
            if not (np.isfinite([least, most]).all() and least < most):
                raise UsageError(f"leg {leg}: least {least} m must be below most {most} m")
            if not least - self.jump <= axis.home <= most + self.jump:
                raise UsageError(
                    f"leg {leg}: home is {axis.home:.6g} m, it must be at most jump ({self.jump:.4g} m) outside "
                    f"{least:.6g} to {most:.6g} m, otherwise no demand could follow homing"
                )

    @property
    def cycle_bits(self) -> int:
        """Bits on the wire in a cycle at worst, with stuffing and the space after a frame."""
        return 12 * (55 + 10 * PDO_BYTES) + 55  # Davis et al. 2007, Controller Area Network schedulability, eq. 1

    @property
    def load(self) -> float:
        """Share of the bus that cycles take at worst; 0 if it has no rate."""
        return self.cycle_bits / (self.bitrate * self.period) if self.bitrate else 0.0

    @property
    def noticing(self) -> float:
        """Time in which all drives are told to stop after one fell silent, at most [s]."""
        return (self.misses + 1) * self.period
