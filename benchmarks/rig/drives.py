"""Six drives on a virtual CAN bus in real time: length of a cycle, time from a fault to the quick stop of all."""

from __future__ import annotations

import functools
import itertools
import os
import random
import threading
import time
from collections.abc import Callable
from typing import final

import can
import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings
from motionbase.executive.realtime import Grant, RealTime
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand
from motionbase.rig.drives.backend import CanDrives
from motionbase.rig.drives.participant import SimulatedDrives
from motionbase.rig.drives.profile import State
from motionbase.rig.drives.setup import Axis, Setup
from motionbase.rig.drives.simulated import HERE

PERIOD = 1e-3
ROUND = 1000  # cycles whose 99th percentile is one sample
SWING, RATE = 0.02, 2.0  # of the motion [m, rad/s]
PATIENCE = 10.0  # for what takes a moment [s]
REAL_TIME = RealTime(lock_memory=False)
CHANNELS = itertools.count()


def setup() -> Setup:
    """Cylinders of 0.4 m with screws of 5 mm; a virtual bus has no rate, a real one of 1 Mbit/s takes 2 ms."""
    axes = tuple(Axis(node=leg + 1, counts=4096, lead=0.005, home=1.2) for leg in range(6))
    return Setup(axes, np.full(6, 1.0), np.full(6, 1.4), period=PERIOD, bitrate=None, homing_method=HERE)


@final
class Stand:
    """Master and drives, each in a thread of its own, with the priority of a control loop if that is allowed.

    Attributes:
        drives: the simulated ones
        sent: times at which cycles had sent SYNC [s]
        missed: positions that had not come by the next cycle
    """

    def __init__(self) -> None:
        s, channel = setup(), f"benchmark-{next(CHANNELS)}"
        self._simulated = SimulatedDrives(s, can.Bus(interface="virtual", channel=channel))
        self._master = CanDrives(s, can.Bus(interface="virtual", channel=channel))
        self.drives, self.sent, self.missed = self._simulated.drives, list[float](), 0
        self._next, self._count, self._begin = 0.0, 0, 0.0

    def run(self, work: Callable[[Stand], None]) -> tuple[Grant, ...]:
        """Do some work in the master's thread; its errors come back."""
        grants: list[Grant] = []
        errors: list[BaseException] = []

        def master() -> None:
            grants.extend(REAL_TIME.thread())
            self._next = time.monotonic()
            try:
                work(self)
            except BaseException as error:
                errors.append(error)
            finally:
                self._master.close()

        with REAL_TIME.process(), self._simulated.running(REAL_TIME.thread):
            thread = threading.Thread(target=master)
            thread.start()
            thread.join()
        self._simulated.close()
        if errors:
            raise errors[0]
        return tuple(grants)

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
        answer = self._master.cycle(
            now, Demand(self._count, l, np.full(6, SWING * RATE * np.cos(phase)), go, order=order)
        )
        self.sent.append(time.monotonic())
        self.missed += sum(node.missed for node in self._master.nodes)
        return answer

    def until(self, is_reached: Callable[[Answer], bool], order: Order = Order.NONE, go: bool = False) -> None:
        """Cycles until an answer is as wanted."""
        end = time.monotonic() + PATIENCE
        answer = self.cycle(go, order)
        while not is_reached(answer):
            if time.monotonic() > end:
                raise RuntimeError(f"drives do not get on: {answer}, {self._master.why}")
            answer = self.cycle(go)

    def follow(self) -> None:
        """From whatever there is to legs that follow."""
        self.until(lambda a: a.fault is RigFault.NONE, Order.RESET)
        self.until(lambda a: a.all_are(LegState.READY, LegState.UNHOMED), Order.ENABLE)
        self.until(lambda a: a.all_are(LegState.READY), Order.HOME)
        self.cycle()
        self._begin = time.monotonic()
        self.until(lambda a: a.all_are(LegState.FOLLOWING), go=True)


@functools.cache
def cycles(settings: Settings) -> Samples:
    """The 99th percentile of the time from SYNC to SYNC, in rounds of a second."""
    rounds = 5 if settings.quick else settings.repeats

    def work(stand: Stand) -> None:
        stand.follow()
        stand.sent.clear()
        stand.missed = 0
        for _ in range(rounds * ROUND + 1):
            if stand.cycle(go=True).fault:
                raise RuntimeError("the drives stopped: this machine is too busy for a cycle of 1 ms")

    stand = Stand()
    grants = stand.run(work)
    lengths = 1e3 * np.diff(stand.sent).reshape(rounds, ROUND)
    said = next((grant.sentence for grant in grants if grant.what == "priority"), "")
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    seen = f"median {np.median(lengths):.3f} ms, longest {lengths.max():.2f} ms, {stand.missed} positions late"
    return Samples(tuple(map(float, np.percentile(lengths, 99, axis=1))), f"{seen}; {said}; {load}")


def stops(settings: Settings, hurt: Callable[[Stand, int], float], mend: Callable[[Stand, int], None]) -> Samples:
    """Times from trouble with one drive until the last of the others has begun its quick stop [ms]."""
    times: list[float] = []
    chance = random.Random(1)

    def work(stand: Stand) -> None:
        for k in range(7 if settings.quick else settings.repeats):
            leg = k % 6
            stand.follow()
            others = [drive for drive in stand.drives if drive is not stand.drives[leg]]
            time.sleep(chance.random() * PERIOD)  # at any moment of a cycle
            begin = hurt(stand, leg)
            stand.until(lambda _: all(drive.state is State.QUICK_STOP_ACTIVE for drive in others), go=True)  # noqa: B023
            begin = begin or stand.drives[leg].changed_at
            times.append(1e3 * (max(drive.changed_at for drive in others) - begin))
            stand.until(lambda a: LegState.STOPPING not in a.states)
            mend(stand, leg)
            for _ in range(150):  # its heartbeat is heard again
                stand.cycle()

    Stand().run(work)
    return Samples(tuple(times), f"longest {max(times):.2f} ms of {len(times)}")


@functools.cache
def emergency(settings: Settings) -> Samples:
    """A motor becomes too hot: its drive sends an emergency object, at the time at which its state changes."""

    def heat(stand: Stand, leg: int) -> float:
        stand.drives[leg].motor.temperature = 200.0
        return 0.0

    def cool(stand: Stand, leg: int) -> None:
        stand.drives[leg].motor.temperature = 25.0

    return stops(settings, heat, cool)


@functools.cache
def silence(settings: Settings) -> Samples:
    """A cable is pulled."""

    def pull(stand: Stand, leg: int) -> float:
        stand.drives[leg].plugged = False
        return time.monotonic()

    def plug(stand: Stand, leg: int) -> None:
        stand.drives[leg].plugged = True

    return stops(settings, pull, plug)


BENCHMARKS = [
    Benchmark("rigs.can_cycle_ms_p99", "ms", "<= 1.2", "cycle of 1 ms, six drives on a virtual CAN bus", cycles),
    Benchmark("rigs.stop_ms", "ms", "<= 5", "from a drive's emergency object to quick stop of all", emergency),
    Benchmark("rigs.silent_drive_ms", "ms", "<= 10", "from a pulled cable to quick stop of all others", silence),
]
