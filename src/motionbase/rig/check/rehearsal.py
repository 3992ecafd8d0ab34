"""A simulated machine and the backend for it in one process, on one clock.

The machine may be that of another file than the backend's: then the backend's file is wrong about it, which a check has
to find out.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.border import Actuators, Answer, Demand, PowerUnit, Promise, Witness
from motionbase.rig.check.simulated import SimulatedPerson
from motionbase.rig.files import RigFile
from motionbase.rig.files.drives import DriveLegs
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.files.serial import SerialRig
from motionbase.rig.onoff.acquisition import SHUT, Acquisition
from motionbase.rig.onoff.simulated import SimulatedRig
from motionbase.rig.serial.simulated import Controller

STEP = 1e-3  # [s] of a simulated machine
GUARD = 0.15  # [s] without a write after which a relay shuts the valves of a simulated rig
_NAMES = itertools.count()


class Played(Protocol):
    """A simulated machine in this process."""

    @property
    def lengths(self) -> Array:
        """(6,) true lengths [m]."""
        ...

    def advance(self, now: float) -> None:
        """Let it run until a time [s]."""
        ...


@final
class SimulatedClock:
    """Time that passes as it is asked for; beside real time if a person looks on."""

    def __init__(self, is_real: bool = False) -> None:
        self.now, self._origin = 0.0, time.monotonic() if is_real else None

    def next(self, period: float) -> float:
        """The next cycle."""
        return self.skip(period)

    def skip(self, seconds: float) -> float:
        """Let time pass."""
        self.now += seconds
        if self._origin is not None:
            late = time.monotonic() - self._origin - self.now
            if late > 0:
                self._origin += late  # the simulation is slower than real time: it takes longer
            else:
                time.sleep(-late)
        return self.now


@final
class Rehearsed:
    """A backend whose machine moves on with the time of its cycles."""

    def __init__(self, backend: Actuators, machine: Played) -> None:
        self._backend, self._machine, self._now = backend, machine, 0.0

    @property
    def promise(self) -> Promise:
        """The backend's."""
        return self._backend.promise

    @property
    def why(self) -> str:
        """What is wrong, for people."""
        return str(getattr(self._backend, "why", ""))

    def cycle(self, now: float, demand: Demand) -> Answer:
        """The machine runs until now; then it gets what the backend sends."""
        self.run(now)
        answer = self._backend.cycle(now, demand)
        self._machine.advance(now)
        return answer

    def run(self, until: float) -> None:
        """In steps in which it looks after itself."""
        while until - self._now > 1e-9:
            self._now = min(self._now + STEP, until)
            self._machine.advance(self._now)

    def pause(self, seconds: float) -> None:
        """As while the backend is being closed."""
        self.run(self._now + seconds)

    def close(self) -> None:
        """Of the backend."""
        self._backend.close()


@final
class Rehearsal:
    """A rig file's backend on the simulated machine of the same file, or of another one.

    Attributes:
        clock: of both
    """

    def __init__(self, rig: RigFile, machine: RigFile | None = None, *, is_real_time: bool = False) -> None:
        """Make the machine.

        Args:
            rig: whose backend is used
            machine: whose simulated machine is behind it; the same if left out
            is_real_time: for a person who looks on
        """
        truth = machine or rig
        if not (rig.simulated and truth.simulated) or type(rig.legs) is not type(truth.legs):
            raise UsageError(f"rig {rig.name!r} cannot be tried on the simulated machine of {truth.name!r}")
        self.clock = SimulatedClock(is_real_time)
        self._rig, self._made = rig, _made(rig, truth)

    @property
    def lengths(self) -> Array:
        """(6,) true lengths of the machine [m]."""
        return self._made.machine.lengths

    def acquisition(self) -> Acquisition | None:
        """The data acquisition, if the rig has one."""
        return self._made.device

    def actuators(self) -> Actuators:
        """The backend."""
        return self._made.open()

    def close(self) -> None:
        """Put the machine away."""
        self._made.close()

    def witness(self) -> Witness | None:
        """A second reading, where the bus has room for one more."""
        return self._made.witness()

    def power(self) -> PowerUnit | None:
        """None: the simulated machine has pressure."""
        return None

    def person(self, say: Callable[[str], object] = lambda text: None) -> SimulatedPerson:
        """Who sees the machine, and says what is being done."""
        device = self._made.device
        return SimulatedPerson(lambda: self.lengths, device.rig if isinstance(device, _Daq) else None, say)


@final
@dataclass
class _Made:
    """The machine, how its backend is opened, and its data acquisition."""

    machine: Played
    open: Callable[[], Actuators]
    device: Acquisition | None = None
    witness: Callable[[], Witness | None] = lambda: None
    close: Callable[[], None] = lambda: None


def _made(rig: RigFile, truth: RigFile) -> _Made:
    if isinstance(rig.legs, DriveLegs) and isinstance(truth.legs, DriveLegs):
        return _drives(rig.legs, truth.legs)
    if isinstance(rig.legs, SerialRig) and isinstance(truth.legs, SerialRig):
        return _serial(rig.legs, truth.legs)
    assert isinstance(rig.legs, OnOffLegs) and isinstance(truth.legs, OnOffLegs)
    return _onoff(rig.legs, truth.legs)


def _drives(legs: DriveLegs, truth: DriveLegs) -> _Made:
    from motionbase.rig.drives.backend import CanDrives
    from motionbase.rig.drives.machine import DrivesMachine
    from motionbase.rig.drives.witness import DrivesWitness

    bus = f"virtual:rehearsal-{next(_NAMES)}"
    machine = DrivesMachine(truth.setup, bus, truth.start)

    def opened() -> Actuators:
        made: list[Rehearsed] = []
        made.append(Rehearsed(CanDrives(legs.setup, bus, pause=lambda s: made[0].pause(s)), machine))
        return made[0]

    return _Made(machine, opened, witness=lambda: DrivesWitness(legs.setup, bus), close=machine.close)


def _serial(legs: SerialRig, truth: SerialRig) -> _Made:
    from motionbase.rig.serial.backend import SerialLegs
    from motionbase.rig.serial.setup import LEGS, Kind
    from motionbase.rig.serial.simulated import SimulatedEsp32, SimulatedSmc3, Wire

    make, n = (SimulatedSmc3 if truth.setup.kind is Kind.SMC3 else SimulatedEsp32), truth.setup.kind.legs
    axes, start = truth.setup.axes, truth.start
    boards = [make(axes[k : k + n], start[k : k + n]) for k in range(0, LEGS, n)]
    machine = _Boards(boards)
    return _Made(
        machine, lambda: Rehearsed(SerialLegs(legs.setup, [partial(Wire, board) for board in boards]), machine)
    )


def _onoff(legs: OnOffLegs, truth: OnOffLegs) -> _Made:
    machine = _Daq(truth.simulation(), truth.shortest)
    return _Made(machine, lambda: Rehearsed(legs.behind(machine), machine), machine)


@final
class _Boards:
    """Controllers on serial lines."""

    def __init__(self, boards: Sequence[Controller]) -> None:
        self._boards = boards

    @property
    def lengths(self) -> Array:
        return np.concatenate([board.lengths for board in self._boards])

    def advance(self, now: float) -> None:
        for board in self._boards:
            board.advance(now)


@final
class _Daq:
    """Data acquisition with a relay that shuts the valves, and stays for a whole check however often it is closed."""

    name = "simulated rig"

    def __init__(self, rig: SimulatedRig, shortest: Array) -> None:
        self.rig, self._shortest = rig, shortest
        self._written_at = 0.0

    @property
    def lengths(self) -> Array:
        return self._shortest + self.rig.extensions

    def advance(self, now: float) -> None:
        self.rig.advance(now)
        if self.rig.time - self._written_at > GUARD:
            self.rig.write(SHUT)

    def read(self, now: float) -> Array:
        self.advance(now)
        return self.rig.read(now)

    def write(self, lines: Sequence[bool]) -> None:
        self._written_at = self.rig.time
        self.rig.write(lines)

    def throttle(self, openings: Array) -> None:
        self.rig.throttle(openings)

    def close(self) -> None:
        self.rig.write(SHUT)
