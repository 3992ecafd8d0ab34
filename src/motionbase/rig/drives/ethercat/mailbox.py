"""A drive on EtherCAT as its master reaches it: jobs for the thread of the mailboxes, which cycles do not wait for."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from typing import TypeVar, final

from motionbase.record.rig import RigFault
from motionbase.rig.drives.ethercat.segment import Segment
from motionbase.rig.drives.profile import Object
from motionbase.rig.drives.reach import Failed, Script

T = TypeVar("T")
LIFT_TIME, LIFT_CYCLES = 3.0, 10  # to OPERATIONAL [s]; between two requests


@final
class Mailbox:
    """The way to a drive.

    Attributes:
        now: time of the cycle [s]
        is_asked: whether a sign of life is wanted
    """

    def __init__(self, segment: Segment, leg: int, node: int, jobs: Executor) -> None:
        self._segment, self._leg, self._node, self._jobs = segment, leg, node, jobs
        self.now, self.is_asked = -math.inf, False

    def write(self, entry: Object, value: int) -> Script:
        """Set an object."""
        yield from self._done(self._segment.write, self._leg, entry, value)

    def read(self, entry: Object) -> Generator[None, None, int]:
        """The value of an object."""
        return (yield from self._done(self._segment.read, self._leg, entry))

    def connect(self) -> Generator[None, None, bool]:
        """To OPERATIONAL; a drive that had left PRE-OPERATIONAL was restarted. It gets its settings on the way."""
        kept = yield from self._done(self._segment.restore, self._leg)
        until = self.now + LIFT_TIME
        while words := (yield from self._done(self._segment.lift, self._leg)):
            if self.now > until:
                raise Failed(RigFault.DEVICE, f"drive {self._node} stays in {words}")
            for _ in range(LIFT_CYCLES):
                yield
        return kept

    def ask(self) -> None:
        """The next look at the slaves is one."""
        self.is_asked = True

    def _done(self, job: Callable[..., T], *args: object) -> Generator[None, None, T]:
        future: Future[T] = self._jobs.submit(job, *args)
        while not future.done():
            yield
        return future.result()
