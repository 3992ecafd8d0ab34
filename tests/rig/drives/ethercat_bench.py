"""Six simulated drives on a line behind the stand-in for pysoem, and their master, in simulated time."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.drives.ethercat.backend import EtherCatDrives
from tests.rig.drives.bench import AbstractBench, setup
from tests.rig.drives.fake_pysoem import INTERFACE, Device, Wires

JOB_TIME = 1.5e-3  # that a slave takes to answer [s]


@final
class Slow(Executor):
    """Runs one job after the other, each some simulated time after it was asked for or the one before was done."""

    def __init__(self) -> None:
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._free_at = self._now = 0.0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not self._jobs:
            self._free_at = self._now + JOB_TIME
        self._jobs.append((future, lambda: fn(*args, **kwargs)))
        return future

    def advance(self, now: float) -> None:
        self._now = now
        while self._jobs and self._free_at <= now:
            future, job = self._jobs.popleft()
            self._free_at += JOB_TIME
            try:
                future.set_result(job())
            except Exception as error:
                future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._jobs.clear()


@final
class EtherBench(AbstractBench):
    """An `Actuators` whose machine moves on with the time of its cycles.

    Attributes:
        wires: the line, into which faults can be put
    """

    def __init__(self, lengths: Array | None = None, jobs: Executor | None = None, **changes: Any) -> None:
        made = setup(**({"bitrate": None} | changes))
        super().__init__(made, np.full(6, made.axes[0].home) + 0.01 if lengths is None else lengths)
        self.wires = Wires(made, self.l)
        self.now = self.wires.now
        self._slow = jobs if isinstance(jobs, Slow) else None
        sys.modules["pysoem"] = self.wires.module()  # the fixture takes it away again
        self.master = EtherCatDrives(made, INTERFACE, pause=lambda s: self.advance(self.now + s), jobs=jobs)

    @property
    def promise(self) -> Promise:
        return self.master.promise

    @property
    def devices(self) -> list[Device]:
        return self.wires.devices

    @property
    def why(self) -> str:
        return self.master.why

    @property
    def lengths(self) -> Array:
        return self.wires.lengths

    def cycle(self, now: float, demand: Demand) -> Answer:
        self.advance(now)
        return self.master.cycle(now, demand)

    def close(self) -> None:
        self.master.close()

    def advance(self, until: float) -> None:
        """Drives and slow jobs go on."""
        until = max(until, self.now)
        while until - self.now > 1e-9:
            self.now = min(self.now + 5e-4, until)
            self.wires.advance(self.now)
            if self._slow is not None:
                self._slow.advance(self.now)
