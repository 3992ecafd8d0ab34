"""Six drives on a CAN bus between processes, in real time: length of a cycle, from a fault to the quick stop of all."""

from __future__ import annotations

import functools
import math
import os
import random
import time
from typing import NamedTuple

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings
from benchmarks.rig.stand import PERIOD, in_process, stand
from motionbase.arrays import Array
from motionbase.record.rig import LegState
from motionbase.rig.drives.profile import State

ROUND = 1000  # cycles whose 99th percentile is one sample
MOST_STOPS = 20  # that a measurement goes on after
PAUSE = 0.2  # that processes may make while cycles are measured; a virtual machine takes processors away [s]


class Cycles(NamedTuple):
    """What was measured of cycles.

    Attributes:
        lengths, spent: (rounds, ROUND) from SYNC to SYNC, and computing [s]
        late: positions that came after the next cycle
        stops: why the master stopped the drives; those rounds begin again
    """

    lengths: Array
    spent: Array
    late: int
    stops: tuple[str, ...]
    priority: str


def many_cycles(rounds: int) -> Cycles:
    """Rounds of cycles in which all legs follow."""
    lengths, spent, stops = list[Array](), list[list[float]](), list[str]()
    with stand(PAUSE) as s:
        s.follow()
        late = 0
        while len(lengths) < rounds:
            s.sent.clear()
            s.spent.clear()
            s.late = 0
            for _ in range(ROUND + 1):
                if s.cycle(go=True).fault:
                    break
            else:
                lengths.append(np.diff(s.sent))
                spent.append(s.spent[1:])
                late += s.late
                continue
            stops.append(s.why)
            if len(stops) > MOST_STOPS:
                raise RuntimeError(f"the drives stop again and again: {s.why}; {s.priority}")
            s.follow()
        return Cycles(np.array(lengths), np.array(spent), late, tuple(stops), s.priority)


@functools.cache
def measured(settings: Settings) -> Cycles:
    """Shared by the metrics of cycles."""
    found: Cycles = in_process(many_cycles, 5 if settings.quick else settings.repeats)
    return found


def load() -> str:
    """How busy the machine is."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def cycles(settings: Settings) -> Samples:
    """The 99th percentile of the time from SYNC to SYNC, in rounds of a second."""
    c = measured(settings)
    lengths = 1e3 * c.lengths
    seen = f"median {np.median(lengths):.3f} ms, longest {lengths.max():.2f} ms, {c.late} positions late"
    stops = f"{len(c.stops)} times the drives stopped" + (f" ({c.stops[-1]})" if c.stops else "")
    values = tuple(map(float, np.percentile(lengths, 99, axis=1)))
    return Samples(values, f"{seen}, {stops}; {c.priority}; {load()}")


def computing(settings: Settings) -> Samples:
    """What the master computes in a cycle, with all it sends and receives."""
    spent = 1e6 * measured(settings).spent
    return Samples(tuple(map(float, np.median(spent, axis=1))), f"99th percentile {np.percentile(spent, 99):.0f} us")


class Stops(NamedTuple):
    """Times of stops [s], and how often the drives had stopped by themselves before."""

    times: tuple[float, ...]
    untimely: int
    priority: str


def many_stops(rounds: int, hurt: str, mend: str, begins: str) -> Stops:
    """Times from trouble with one drive until the last of the others has begun its quick stop."""
    times, untimely, chance = list[float](), 0, random.Random(1)
    with stand() as s:
        while len(times) < rounds:
            leg = len(times) % 6
            s.follow()
            time.sleep(chance.random() * PERIOD)  # at any moment of a cycle
            s.hurt(hurt, leg)
            s.until(lambda a: bool(a.fault) and LegState.STOPPING not in a.states, go=True)
            begin = s.told(leg, begins)
            ends = [s.told(other, State.QUICK_STOP_ACTIVE.name) for other in range(6) if other != leg]
            if -math.inf < begin < min(ends):
                times.append(max(ends) - begin)
            else:
                untimely += 1
                if untimely > MOST_STOPS:
                    raise RuntimeError(f"the drives stop again and again: {s.why}; {s.priority}")
            s.hurt(mend, leg)
            for _ in range(150):  # its heartbeat is heard again
                s.cycle()
        return Stops(tuple(times), untimely, s.priority)


def stops(settings: Settings, hurt: str, mend: str, begins: str) -> Samples:
    """Times of stops [ms]."""
    found: Stops = in_process(many_stops, 7 if settings.quick else settings.repeats, hurt, mend, begins)
    times = tuple(1e3 * t for t in found.times)
    return Samples(
        times,
        f"longest {max(times):.2f} ms of {len(times)}, {found.untimely} stops for other reasons; {found.priority}; "
        f"{load()}",
    )


def emergency(settings: Settings) -> Samples:
    """A motor becomes too hot: its drive sends an emergency object, at the time at which its state changes."""
    return stops(settings, "heat", "cool", State.FAULT_REACTION_ACTIVE.name)


def silence(settings: Settings) -> Samples:
    """A cable is pulled."""
    return stops(settings, "pull", "plug", "pull")


BENCHMARKS = [
    Benchmark("rigs.can_cycle_ms_p99", "ms", "<= 1.2", "cycle of 1 ms, six drives in another process", cycles),
    Benchmark("rigs.stop_ms", "ms", "<= 5", "from a drive's emergency object to quick stop of all", emergency),
    Benchmark("rigs.silent_drive_ms", "ms", "<= 10", "from a pulled cable to quick stop of all others", silence),
    Benchmark("rigs.can_cycle_us", "us", None, "what the master computes in a cycle", computing),
]
