"""Simulated controllers and their motors, and what can be wrong with them and with their lines.

Commands, answers, limits and times of SMC3 are those of its source. Motors, their gain, speed and inertia are
illustrative.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.rig.serial import esp32, smc3
from motionbase.rig.serial.port import MOST_BYTES, SerialError
from motionbase.rig.serial.setup import Axis

H = 5e-3  # [s] step of the simulation
GAIN, LAG = 20.0, 0.02  # [1/s] of the position loop, [s] of the motor
SPEED = 0.5  # [1/s] fastest movement, in full ranges
CUTOFF, CLIP = 23, 100  # counts from either end at which SMC3 switches a motor off, and clips targets
FIRST = 512  # SMC3's targets after a restart
WEAK_AFTER, WEAK = 15.0, 0.25  # [s] without a frame after which SMC3 has this part of its gain


@final
class Motors:
    """Position loops with inertia.

    Attributes:
        p: positions [counts]
        stuck: motors that do not move
    """

    def __init__(self, p: Array, full: int) -> None:
        self.p, self.stuck = p.astype(float), set[int]()
        self._v, self._most, self._now = np.zeros(len(p)), SPEED * full, 0.0

    def advance(self, now: float, targets: Array, drive: Array) -> None:
        """Let them run until a time [s], with parts of the gain."""
        free = np.array([motor not in self.stuck for motor in range(len(self.p))])
        while now - self._now > 0.5 * H:
            wanted = np.clip(GAIN * drive * (targets - self.p), -self._most, self._most)
            self._v = (self._v + (wanted - self._v) * H / LAG) * free
            self.p = self.p + H * self._v
            self._now += H


class Controller(Protocol):
    """A simulated controller.

    Attributes:
        plugged: whether its line is
    """

    plugged: bool

    @property
    def lengths(self) -> Array:
        """True lengths of its legs [m]."""
        ...

    def advance(self, now: float) -> None:
        """Let it run until a time [s]."""
        ...

    def receive(self, data: bytes) -> None:
        """Bytes from the line."""
        ...

    def send(self) -> bytes:
        """Bytes to the line."""
        ...


@final
class SimulatedSmc3:
    """An SMC3 board with three motors.

    Attributes:
        motors: the three
        loss: share of the bytes that get lost, in both directions
        babble: random bytes that it sends in every exchange
        mute: motors that it does not answer for
        weak: part of the gain after 15 s without a frame; 0 for firmware that cuts the power
        off: motors that are switched off
        clip: counts from either end to which it clips targets
    """

    def __init__(self, axes: Sequence[Axis], l: Array, seed: int = 0) -> None:
        """Motors that were sent to these lengths (3,) [m] before."""
        counts = np.array([axis.counts(length) for axis, length in zip(axes, l, strict=True)])
        self._axes, self.motors, self.targets = tuple(axes), Motors(counts, smc3.FULL), counts
        self.plugged, self.loss, self.babble, self.weak = True, 0.0, 0, WEAK
        self.mute, self.off, self.clip = set[int](), set[int](), CLIP
        self._random, self._now, self._heard_at = random.Random(seed), 0.0, 0.0
        self._rest, self._out = b"", b""

    @property
    def lengths(self) -> Array:
        """True lengths."""
        return np.array([axis.length(p) for axis, p in zip(self._axes, self.motors.p, strict=True)])

    def restart(self) -> None:
        """As after a loss of power, or when an Arduino's port is opened: the motors go to the middle."""
        self.targets, self.off, self._rest, self._out = np.full(smc3.MOTORS, FIRST), set(), b"", b""

    def advance(self, now: float) -> None:
        """Let it run."""
        self._now = now
        low, high = CUTOFF, smc3.FULL - CUTOFF
        self.off |= {motor for motor, p in enumerate(self.motors.p) if not low <= p <= high}
        power = self.weak if now - self._heard_at > WEAK_AFTER else 1.0
        drive = np.array([0.0 if motor in self.off else power for motor in range(smc3.MOTORS)])
        self.motors.advance(now, self.targets, drive)

    def receive(self, data: bytes) -> None:
        """Obey."""
        bodies, self._rest, _ = smc3.frames(self._rest + self._lossy(data))
        for body in bodies:
            self._heard_at = self._now
            self._obey(body)

    def _obey(self, body: bytes) -> None:
        letter, first, second = body
        if letter in smc3.LETTERS:
            target = min(max(256 * first + second, self.clip), smc3.FULL - self.clip)
            self.targets[smc3.LETTERS.index(letter)] = target
        elif body == smc3.ENABLE[1:-1]:
            self.off.clear()
        elif body[:2] == b"rd" and second in smc3.LETTERS:
            self._tell(smc3.LETTERS.index(second))
        elif body == b"rda":
            self._out += smc3.written(smc3.Status(tuple(motor in self.off for motor in range(smc3.MOTORS))))

    def _tell(self, motor: int) -> None:
        if motor not in self.mute:
            read = min(max(int(self.motors.p[motor]), 0), smc3.FULL)
            target = int(self.targets[motor])
            self._out += smc3.written(smc3.Position(motor, read // smc3.STEP, target // smc3.STEP))

    def send(self) -> bytes:
        """Answers, and babble if it does."""
        data, self._out = self._lossy(self._out) + self._random.randbytes(self.babble), b""
        return data

    def _lossy(self, data: bytes) -> bytes:
        return bytes(byte for byte in data if self._random.random() >= self.loss)


@final
class SimulatedEsp32:
    """A controller that takes six lengths as text, and answers nothing.

    Attributes:
        motors: the six
        babble: random bytes that it sends in every exchange
    """

    def __init__(self, axes: Sequence[Axis], l: Array, seed: int = 0) -> None:
        """Motors that stand at these lengths (6,) [m]."""
        counts = np.array([axis.counts(length) for axis, length in zip(axes, l, strict=True)])
        self._axes, self.motors, self.targets = tuple(axes), Motors(counts, esp32.FULL), counts
        self.plugged, self.babble = True, 0
        self._random, self._rest, self._out = random.Random(seed), b"", b""

    @property
    def lengths(self) -> Array:
        """True lengths."""
        return np.array([axis.length(p) for axis, p in zip(self._axes, self.motors.p, strict=True)])

    def restart(self) -> None:
        """As after a loss of power: it stands, and prints what its boot loader does."""
        self.targets, self._rest = self.motors.p.round(), b""
        self._out += b"\r\n" + esp32.REBOOT + b"1 (POWERON_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"

    def advance(self, now: float) -> None:
        """Let it run."""
        self.motors.advance(now, self.targets, np.ones(esp32.LEGS))

    def receive(self, data: bytes) -> None:
        """Obey the newest line."""
        read, self._rest, _ = esp32.lines(self._rest + data)
        if read:
            self.targets = np.array(read[-1])

    def send(self) -> bytes:
        """What the boot loader printed, and babble if it does."""
        data, self._out = self._out + self._random.randbytes(self.babble), b""
        return data


@final
class Wire:
    """A `Port` straight into a simulated controller, without a terminal between them."""

    name = "simulated line"

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._check()

    def read(self) -> bytes:
        """What the controller sent."""
        self._check()
        return self._controller.send()[:MOST_BYTES]

    def write(self, data: bytes) -> None:
        """Send to the controller."""
        self._check()
        self._controller.receive(data)

    def close(self) -> None:
        """Nothing is held."""

    def _check(self) -> None:
        if not self._controller.plugged:
            raise SerialError(f"{self.name} is unplugged")
