"""What runs, in which order and on which ticks. Time is a whole number of ticks; seconds are derived from it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.compile import Bound, Compiled
from motionbase.compile.runtime.calling import addresses_of
from motionbase.errors import ScheduleError
from motionbase.executive.control import address_of
from motionbase.executive.native_loop import native
from motionbase.recording.estop import AFTER_S

CALLED = ctypes.CFUNCTYPE(None, ctypes.c_uint64)  # how the loop calls everything


@final
class NativeJob:
    """Compiled code with its arrays, for the loop to call without Python; made by `native_job`.

    Attributes:
        calls: (function, argument) addresses, in order
    """

    def __init__(self, calls: Sequence[tuple[int, int]], keep: Sequence[object]) -> None:
        self.calls, self._keep = tuple(calls), tuple(keep)  # addresses are only good while their owners live

    def __call__(self, _tick: int = 0) -> None:
        """The same from Python."""
        for function, argument in self.calls:
            CALLED(function)(argument)


def native_job(compiled: Compiled, /, *, feedback: Mapping[str, str] | None = None, **arrays: Array) -> NativeJob:
    """A kernel on fixed arrays, as `Compiled.bind` takes them.

    Args:
        feedback: state input -> the output that is its next value, such as {"x": "x_next"}; copied after the call
        arrays: one for every port, by name; the loop works on these very arrays
    """
    bound, name = compiled.bind(**arrays), compiled.unit.name
    if compiled.library is None:
        raise ScheduleError(
            f"kernel {name!r} is compiled for {compiled.target!r}, which the native loop cannot call; compile it for "
            "'llvm', or schedule `lambda tick: bound()`"
        )
    packed = compiled.library.function(f"{name}.packed")
    addresses = addresses_of(bound.arrays)
    calls, keep = [(address_of(packed), ctypes.addressof(addresses))], [compiled, packed, addresses, bound]
    if feedback:
        table = copy_table([_fed_back(compiled, arrays, state, output) for state, output in feedback.items()])
        calls.append((address_of(native().copy), table.ctypes.data))
        keep.append(table)
    return NativeJob(calls, keep)


def _fed_back(compiled: Compiled, arrays: Mapping[str, Array], state: str, output: str) -> tuple[Array, Array]:
    unit = compiled.unit
    for name, ports in ((state, unit.inputs), (output, unit.outputs)):
        if name not in (names := [p.name for p in ports]):
            raise ScheduleError(f"kernel {unit.name!r}: feedback names {name!r}; there are {', '.join(names)}")
    if not arrays[state].flags.writeable:
        raise ScheduleError(f"kernel {unit.name!r}: the array of state {state!r} is read only, but it is fed back")
    if arrays[state].size != arrays[output].size:
        raise ScheduleError(
            f"kernel {unit.name!r}: state {state!r} has {arrays[state].size} numbers, "
            f"its next value {output!r} {arrays[output].size}"
        )
    return arrays[output], arrays[state]


def copy_table(pairs: Sequence[tuple[Array, Array]]) -> Ints:
    """Copies (from, to) as the native `executive_copy` takes them; the arrays must outlive it."""
    rows = [number for source, target in pairs for number in (source.ctypes.data, target.ctypes.data, source.nbytes)]
    return np.array([len(pairs), *rows], np.int64)


@final
@dataclass(frozen=True)
class Job:
    """Something to do on every `every`-th tick, from tick `phase` on.

    Attributes:
        run: a native job, or a function of the tick, which costs some microseconds and Python's lock
        phase: tick % every on which it runs
    """

    name: str
    every: int
    run: Callable[[int], object]
    phase: int = 0

    def __post_init__(self) -> None:
        if not self.name:
            raise ScheduleError("a job without a name; give it one")
        for what, value, least in (("every", self.every, 1), ("phase", self.phase, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ScheduleError(
                    f"job {self.name!r}: {what} is {value!r}, it must be a whole number, {least} or more"
                )
        if self.phase >= self.every:
            raise ScheduleError(
                f"job {self.name!r}: phase {self.phase} with every {self.every}; the phase must be below"
            )
        if isinstance(self.run, Bound):
            raise ScheduleError(f"job {self.name!r}: a bound kernel takes no tick; give native_job(compiled, ...)")
        if not callable(self.run):
            raise ScheduleError(f"job {self.name!r}: {self.run!r} is neither a native job nor a function of the tick")


@final
@dataclass(frozen=True)
class Schedule:
    """The jobs in their fixed order.

    Attributes:
        dt: period of a tick [s]; time is tick * dt
    """

    dt: float
    jobs: tuple[Job, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "jobs", tuple(self.jobs))
        if not (math.isfinite(self.dt) and 1e-6 <= self.dt <= 3600.0):
            raise ScheduleError(f"dt is {self.dt!r} s, it must be between 1 microsecond and an hour")
        names = [job.name for job in self.jobs]
        if double := next((n for n in names if names.count(n) > 1), None):
            raise ScheduleError(f"two jobs are called {double!r}; every job has a name of its own")

    def ticks(self, duration: float) -> int:
        """How many ticks a duration [s] has; the nearest whole number."""
        if not (math.isfinite(duration) and duration >= 0):
            raise ScheduleError(f"duration is {duration!r} s, it must be a finite number, 0 or more")
        return round(duration / self.dt)


def recording_on(
    estop: Array, dt: float, stop: Callable[[], object], after_s: float = AFTER_S
) -> Callable[[int], None]:
    """A job for every tick that lets recording go on after an emergency stop, then ends the run.

    Args:
        estop: the array behind the channel `estop`; not 0 while the stop acts
        dt: period of a tick [s]
        stop: such as `executive.stop`
    """
    ticks, since = round(after_s / dt), list[int]()

    def job(tick: int) -> None:
        if not since and estop[0]:
            since.append(tick)
        if since and tick - since[0] >= ticks:
            stop()

    return job
