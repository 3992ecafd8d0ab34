"""Six simulated drives in a process of their own, and their master in another, on the local bus; in real time."""

from __future__ import annotations

import math
import multiprocessing
import os
import select
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, final

import numpy as np

from motionbase.executive.realtime import Grant, RealTime
from motionbase.record.rig import LegState, Order
from motionbase.rig.border import Answer, Demand
from motionbase.rig.drives.backend import CanDrives
from motionbase.rig.drives.local_bus import LocalBus
from motionbase.rig.drives.participant import SimulatedDrives
from motionbase.rig.drives.setup import Axis, Setup
from motionbase.rig.drives.simulated import HERE

PERIOD = 1e-3
SWING, RATE = 0.02, 2.0  # of the motion [m, rad/s]
PATIENCE = 10.0  # for what takes a moment [s]
HOT, COLD = 200.0, 25.0  # [deg C]
REAL_TIME = RealTime(lock_memory=False)


def setup(patience: float) -> Setup:
    """Cylinders of 0.4 m with screws of 5 mm; this bus has no rate, a real one of 1 Mbit/s takes 2 ms.

    Args:
        patience: time for which drives may be silent for the master, and it for them, beyond the usual [s]
    """
    axes = tuple(Axis(node=leg + 1, counts=4096, lead=0.005, home=1.2) for leg in range(6))
    return Setup(
        axes, np.full(6, 1.0), np.full(6, 1.4), period=PERIOD, bitrate=None, homing_method=HERE,
        misses=3 + round(patience / PERIOD), watchdog=0.03 + patience, silence=0.05 + patience,
    )  # fmt: skip


def granted(grants: tuple[Grant, ...]) -> str:
    """What became of the request for a priority."""
    return next((grant.sentence for grant in grants if grant.what == "priority"), "no priority was asked for")


# The drives' process


def play(pipe: Connection, folder: str) -> None:
    """Drives, until the other end of the pipe is closed; takes `(what, leg)` and tells `(leg, event, time)`."""
    bus = LocalBus(folder)
    drives = SimulatedDrives(setup(0.0), bus)
    poll = select.poll()
    for source in (bus.fileno(), pipe.fileno()):
        poll.register(source, select.POLLIN)
    told = [0.0] * 6
    with REAL_TIME.process():
        pipe.send(granted(REAL_TIME.thread()))
        drives.switch_on(time.monotonic())
        while True:
            ready = {source for source, _ in poll.poll(1)}
            drives.step(time.monotonic())
            for leg, drive in enumerate(drives.drives):
                if drive.changed_at != told[leg]:
                    told[leg] = drive.changed_at
                    pipe.send((leg, drive.state.name, drive.changed_at))
            if pipe.fileno() in ready:
                try:
                    what, leg = pipe.recv()
                except (EOFError, ConnectionResetError):
                    return
                drive = drives.drives[leg]
                pipe.send((leg, what, time.monotonic()))
                match what:
                    case "heat" | "cool":
                        drive.motor.temperature = HOT if what == "heat" else COLD
                    case "pull" | "plug":
                        drive.plugged = what == "plug"


# The master's process


@final
class Stand:
    """The master, in this process.

    Attributes:
        sent: times at which cycles had sent SYNC [s]
        spent: times that cycles took [s]
        late: positions that had not come by the next cycle, counted again in every one
        priority: what was granted to both processes
    """

    def __init__(self, pipe: Connection, folder: str, patience: float, priority: str) -> None:
        self._pipe, self.priority = pipe, priority
        self._master = CanDrives(setup(patience), f"local:{folder}")
        self._times: dict[tuple[int, str], float] = {}
        self.sent, self.spent, self.late = list[float](), list[float](), 0
        self._next, self._count, self._begin = time.monotonic(), 0, 0.0

    def cycle(self, go: bool = False, order: Order = Order.NONE) -> Answer:
        """The next cycle at its time, or at once if it is late."""
        wait = self._next - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        now = time.monotonic()
        self._next = max(self._next + PERIOD, now)
        self._count += 1
        phase = RATE * (now - self._begin) if go else 0.0
        l = np.full(6, 1.2 + SWING * np.sin(phase))
        l_dot = np.full(6, SWING * RATE * np.cos(phase))
        begin = time.monotonic()
        answer = self._master.cycle(now, Demand(self._count, l, l_dot, go, order=order))
        end = time.monotonic()
        self.sent.append(end)
        self.spent.append(end - begin)
        self.late += sum(node.missed for node in self._master.nodes)
        return answer

    def until(self, is_reached: Callable[[Answer], bool], order: Order = Order.NONE, go: bool = False) -> Answer:
        """Cycles until an answer is as wanted."""
        end = time.monotonic() + PATIENCE
        answer = self.cycle(go, order)
        while not is_reached(answer):
            if time.monotonic() > end:
                raise RuntimeError(f"drives do not get on: {answer}, {self.why}")
            answer = self.cycle(go)
        return answer

    def follow(self) -> None:
        """From whatever there is to legs that follow."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for _ in range(100):  # they stand, and show that they live
                self.cycle()
            answer = self.cycle(order=Order.RESET)
            for _ in range(1000):
                answer = self.cycle()
                if not answer.fault:
                    break
            else:
                continue
            self.until(lambda a: bool(a.fault) or a.all_are(LegState.READY, LegState.UNHOMED), Order.ENABLE)
            self.until(lambda a: bool(a.fault) or a.all_are(LegState.READY), Order.HOME)
            self.cycle()
            self._begin = time.monotonic()
            answer = self.until(lambda a: bool(a.fault) or a.all_are(LegState.FOLLOWING), go=True)
            if not answer.fault:
                return
        raise RuntimeError(f"drives do not get on: {answer}, {self.why}")

    @property
    def why(self) -> str:
        """What the master finds wrong."""
        return self._master.why

    def hurt(self, what: str, leg: int) -> None:
        """Ask the drives' process for something."""
        self._listen()
        self._times.clear()
        self._pipe.send((what, leg))

    def told(self, leg: int, event: str) -> float:
        """When something last happened in the drives' process since `hurt` [s], -inf if it has not."""
        self._listen()
        return self._times.get((leg, event), -math.inf)

    def _listen(self) -> None:
        while self._pipe.poll(0):
            leg, event, at = self._pipe.recv()
            self._times[leg, event] = at

    def close(self) -> None:
        """Stop the drives and leave the bus."""
        self._master.close()


@contextmanager
def stand(patience: float = 0.0) -> Iterator[Stand]:
    """A master in this process, which becomes a real-time one, and drives in another."""
    ours, theirs = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, REAL_TIME.process():
        drives = multiprocessing.get_context("spawn").Process(target=play, args=(theirs, folder))
        drives.start()
        theirs.close()
        made = None
        try:
            if not ours.poll(30.0):
                raise RuntimeError("the drives' process did not start")
            priority = f"master: {granted(REAL_TIME.thread())}; drives: {ours.recv()}"
            made = Stand(ours, folder, patience, priority)
            yield made
        finally:
            if made is not None:
                made.close()
            ours.close()
            drives.join(5.0)
            drives.kill()


def in_process(work: Callable[..., Any], *args: Any) -> Any:
    """Work in a new process, on all processors: other threads of the benchmark would hold the interpreter's lock."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, work, args))
    process.start()
    theirs.close()
    try:
        result = ours.recv()
        process.join(5.0)
    except EOFError:
        raise RuntimeError("the master's process died") from None
    finally:  # also at the end of a quick run's time; without a master the drives' process ends
        process.kill()
        process.join()
    if isinstance(result, BaseException):
        raise result
    return result


def _work(pipe: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))  # the runner keeps itself on one
    try:
        pipe.send(work(*args))
    except Exception as error:
        pipe.send(RuntimeError(str(error)))
