"""What is known of a controller on its line: positions, when they were heard, what is wrong, what to send."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import RigFault
from motionbase.rig.serial import esp32, smc3
from motionbase.rig.serial.port import MOST_BYTES
from motionbase.rig.serial.setup import REPEAT, Axis, Setup

MOST_DIRT = 60  # bytes outside frames that are too many
FORGOTTEN = 60.0  # of them in a second [1/s]
MIDDLE = (smc3.STEP - 1) / 2  # of the counts that are read as the same
STEP, HURRY = 12, 2.0  # change of a reading that is possible: counts, and the speed of targets times this
RECENT = 8  # targets sent, of which the controller's own must be one
SHOWN = 0.05  # [s] for which a fault that passes is shown, so that no cycle misses it


class Board(Protocol):
    """A controller of some of the legs; `now` is the time of the cycle [s]."""

    measured_at: float
    """Time of the oldest of `lengths` [s]."""

    @property
    def lengths(self) -> Array:
        """Lengths of its legs [m], NaN if they are not known."""
        ...

    def holds(self, targets: Array) -> bool:
        """Whether these targets [m] are its own already, as far as it tells."""
        ...

    @property
    def on(self) -> bool:
        """Whether its motors are switched on."""
        ...

    def begin(self, now: float) -> None:
        """Its port was opened: forget everything."""
        ...

    def hear(self, now: float, data: bytes) -> None:
        """Take what it sent."""
        ...

    def trouble(self, now: float, powered: bool) -> list[RigFault]:
        """What is wrong with each of its legs, which are powered or not."""
        ...

    def output(self, now: float, counts: Sequence[int] | None, enable: bool) -> bytes:
        """What to send: targets unless None, and the order to switch motors on."""
        ...


@final
class Smc3Board:
    """Three motors that are asked for their positions; a question is repeated if it stays without answers.

    Answers do not tell to which question they belong. `measured_at` is when the last one was sent, so a position that
    arrives after a repetition may be older, by as much as the repetition was late.
    """

    def __init__(self, axes: Sequence[Axis], setup: Setup) -> None:
        self._axes, self._setup = tuple(axes), setup
        self._hurry = [HURRY * axis.scale * setup.speed for axis in axes]  # counts per second
        self.measured_at = -np.inf
        self.begin(-np.inf)

    def begin(self, now: float) -> None:
        """Forget everything."""
        n = smc3.MOTORS
        self.measured_at = now if self.measured_at == -np.inf else self.measured_at
        self._opened_at = now
        self._counts, self._own, self._off = np.full(n, np.nan), np.full(n, np.nan), (True,) * n
        self._heard_at, self._jumped_at = np.full(n, now), np.full(n, -np.inf)
        self._status_at = self._asked_at = -np.inf
        self._awaited: set[int] = set()
        self._sent: deque[Sequence[int]] = deque(maxlen=RECENT)
        self._odd_since = np.full(n, np.inf)
        self._rest, self._dirt, self._flooded, self._cleaned_at = b"", 0.0, False, now

    @property
    def lengths(self) -> Array:
        """Measured lengths."""
        return np.array([axis.length(count) for axis, count in zip(self._axes, self._counts, strict=True)])

    def holds(self, targets: Array) -> bool:
        """By the targets in its answers, which have the steps of positions."""
        own = [axis.length(count) for axis, count in zip(self._axes, self._own, strict=True)]
        steps = np.array([smc3.STEP / axis.scale for axis in self._axes])
        return bool((np.abs(targets - own) <= steps).all())

    @property
    def on(self) -> bool:
        """Whether no motor says that it is off."""
        return not any(self._off)

    def hear(self, now: float, data: bytes) -> None:
        """Answers, and bytes that are none."""
        self._flooded = len(data) >= MOST_BYTES
        bodies, self._rest, dropped = smc3.frames(self._rest + data)
        for body in bodies:
            match smc3.answer(body):
                case smc3.Position(motor, feedback, target):
                    self._measured(now, motor, smc3.STEP * feedback + MIDDLE)
                    self._compared(now, motor, smc3.STEP * target + MIDDLE)
                case smc3.Status(off):
                    self._off, self._status_at = off, now
                case None:
                    dropped += smc3.LENGTH
        left = max(self._dirt - FORGOTTEN * (now - self._cleaned_at), 0.0)
        self._cleaned_at, self._dirt = now, min(left + dropped, 2 * MOST_DIRT)  # so that it is soon forgotten

    def _measured(self, now: float, motor: int, counts: float) -> None:
        """Without a checksum, only a change faster than the leg shows a wrong reading."""
        possible = STEP + self._hurry[motor] * (now - self._heard_at[motor])
        if abs(counts - self._counts[motor]) > possible:  # false for the first reading
            self._jumped_at[motor] = now
        self._counts[motor], self._heard_at[motor] = counts, now
        self._awaited.discard(motor)
        if not self._awaited:
            self.measured_at = max(self.measured_at, self._asked_at)

    def _compared(self, now: float, motor: int, target: float) -> None:
        """The controller's target with those that were sent; it may clip or scale them, or have read a broken frame."""
        self._own[motor] = target
        as_sent = not self._sent or any(abs(counts[motor] - target) <= smc3.STEP for counts in self._sent)
        self._odd_since[motor] = np.inf if as_sent else min(self._odd_since[motor], now)

    def trouble(self, now: float, powered: bool) -> list[RigFault]:
        """What is wrong with each motor."""
        if self._flooded:
            return [RigFault.STALE] * smc3.MOTORS
        if self._dirt > MOST_DIRT:
            return [RigFault.DEVICE] * smc3.MOTORS
        return [self._trouble(now, motor, powered) for motor in range(smc3.MOTORS)]

    def _trouble(self, now: float, motor: int, powered: bool) -> RigFault:
        booting = np.isnan(self._counts[motor]) and now - self._opened_at <= self._setup.boot
        if not booting and now - self._heard_at[motor] > self._setup.patience:
            return RigFault.SILENT_LEG
        if now - self._jumped_at[motor] < SHOWN:
            return RigFault.SENSOR
        if powered and self._off[motor]:
            return RigFault.LIMIT_SWITCH  # the firmware switches motors off beyond the limits of their sensors
        if powered and now - self._odd_since[motor] > self._setup.patience:
            return RigFault.DEVICE
        return RigFault.NONE

    def output(self, now: float, counts: Sequence[int] | None, enable: bool) -> bytes:
        """Targets, and questions unless some are still to be answered."""
        if counts is None:
            self._sent.clear()
        else:
            self._sent.append(counts)
        sent = (b"" if counts is None else smc3.targets(counts)) + (smc3.ENABLE if enable else b"")
        if not self._awaited or now - self._asked_at > (REPEAT - 0.5) * self._setup.period:
            self._awaited, self._asked_at = set(range(smc3.MOTORS)), now
            sent += smc3.READ_ALL
        return sent


@final
class Esp32Board:
    """Six legs of which nothing is heard: they are taken to be where they were last sent.

    Attributes:
        measured_at: when they were last sent there [s]
    """

    def __init__(self, axes: Sequence[Axis], setup: Setup) -> None:
        self._axes = tuple(axes)
        self.measured_at = -np.inf
        self.begin(-np.inf)

    def begin(self, now: float) -> None:
        """Forget everything."""
        self.measured_at = now if self.measured_at == -np.inf else self.measured_at
        self._lengths, self._rest = np.full(esp32.LEGS, np.nan), b""
        self._rebooted_at, self._flooded = -np.inf, False

    @property
    def lengths(self) -> Array:
        """Lengths that were last sent."""
        return self._lengths

    def holds(self, targets: Array) -> bool:
        """If they were sent."""
        return bool((targets == self._lengths).all())

    @property
    def on(self) -> bool:
        """Nothing is known of its motors."""
        return True

    def hear(self, now: float, data: bytes) -> None:
        """Text is ignored, but one of the boot loader says that the controller has restarted."""
        self._flooded = len(data) >= MOST_BYTES
        text = self._rest + data
        self._rest = text[-len(esp32.REBOOT) + 1 :]
        if esp32.REBOOT in text:
            self._rebooted_at, self._lengths = now, np.full(esp32.LEGS, np.nan)

    def trouble(self, now: float, powered: bool) -> list[RigFault]:
        """A controller that restarts or floods the line."""
        if self._flooded:
            return [RigFault.STALE] * esp32.LEGS
        rebooted = powered and now - self._rebooted_at < SHOWN
        return [RigFault.DEVICE if rebooted else RigFault.NONE] * esp32.LEGS

    def output(self, now: float, counts: Sequence[int] | None, enable: bool) -> bytes:
        """Targets."""
        if counts is None:
            return b""
        self.measured_at = now
        self._lengths = np.array([axis.length(count) for axis, count in zip(self._axes, counts, strict=True)])
        return esp32.line(counts)
