"""Measuring the sides of a comparison in one run: round-robin rounds, medians, quartiles, ratios round by round.

A benchmark module is data, with a function for each number (`strict, 1 lane` and the like belong to the data):

    from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation

    @functools.cache                                  # several metrics may share one measurement
    def calls(settings: Settings) -> Rounds:
        return interleaved({"ours": per_evaluation(our_loop), "peer": per_evaluation(peer_loop)}, settings)

    BENCHMARKS = [
        Benchmark("compile.call_us", "us", "<= 1.5", "one call from Python", lambda s: calls(s).side("ours", 1e6)),
        Benchmark("compile.call_gain", "x", ">= 4.5", "peer / ours", lambda s: calls(s).ratio("peer", "ours")),
    ]
"""

import gc
import math
import operator
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

Clock = Callable[[], float]
MIN_ROUNDS = 3  # fewer give no quartiles
COMPARE = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


class Skip(Exception):
    """The metric cannot be measured on this machine; the message says why."""


@dataclass(frozen=True)
class Settings:
    """Settings that the runner passes to every measuring function; hashable, so that `functools.cache` works.

    Attributes:
        quick: a reduced run: choose smaller problems where the full ones take long
        repeats: rounds of a measurement
        seconds: time limit of one measurement [s]; `interleaved` stops there, after at least `MIN_ROUNDS` rounds
    """

    quick: bool = False
    repeats: int = 21
    seconds: float = math.inf


@dataclass(frozen=True)
class Samples:
    """Repeated measurements of one number, already in the metric's unit."""

    values: tuple[float, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if not self.values or not all(map(math.isfinite, self.values)):
            raise ValueError(f"samples must be finite numbers, at least one: {self.values}")

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        """First and third quartile; equal to the value if there is only one sample."""
        if len(self.values) == 1:
            return self.values[0], self.values[0]
        q1, _, q3 = statistics.quantiles(self.values, n=4, method="inclusive")
        return q1, q3


@dataclass(frozen=True)
class Benchmark:
    """One metric.

    Attributes:
        metric: `NAME.what_unit`, lower case, as printed in the `metric value` lines
        unit: for users ("us", "x", "1/s")
        bar: "<= 1.5", ">= 4.5" and the like, or None if the number is only for information
        description: what is measured and against what
        measure: returns the samples, or raises `Skip(reason)`
        mode: floating-point mode of the measured code, if it has one
        lanes: vector width of the measured code, if it has one
        quick_s: time limit of a quick run with it [s], without start and report
    """

    metric: str
    unit: str
    bar: str | None
    description: str
    measure: Callable[[Settings], Samples]
    mode: Literal["strict", "fast"] | None = None
    lanes: int | None = None
    quick_s: float = 45.0

    def __post_init__(self) -> None:
        meets(self.bar, 0.0)  # an invalid bar is the author's mistake: report it on import

    @property
    def conditions(self) -> str:
        """Mode and vector width in words: "strict, 8 lanes"."""
        lanes = None if self.lanes is None else f"{self.lanes} lane{'s' if self.lanes != 1 else ''}"
        return ", ".join(part for part in (self.mode, lanes) if part)


def meets(bar: str | None, value: float) -> bool | None:
    """Whether the value reaches the bar; None without a bar."""
    if bar is None:
        return None
    try:
        relation, limit = bar.split()
        return bool(COMPARE[relation](value, float(limit)))
    except (ValueError, KeyError):
        raise ValueError(f"bar {bar!r} must read like '<= 1.5'; relations: {', '.join(COMPARE)}") from None


@dataclass(frozen=True)
class Rounds:
    """Seconds per evaluation of every side, one entry per round; entry i of all sides comes from the same round."""

    seconds: Mapping[str, tuple[float, ...]]

    def side(self, name: str, scale: float = 1.0) -> Samples:
        """One side's times; `scale` converts seconds to the metric's unit (1e6 for us)."""
        return Samples(tuple(t * scale for t in self.seconds[name]))

    def rate(self, name: str, per_evaluation: float = 1.0) -> Samples:
        """Evaluations per second; `per_evaluation` counts the items in one evaluation (lanes, steps)."""
        return Samples(tuple(per_evaluation / t for t in self.seconds[name]))

    def ratio(self, numerator: str, denominator: str) -> Samples:
        """Ratio of two sides round by round: a slow phase of the machine affects both sides and cancels."""
        pairs = zip(self.seconds[numerator], self.seconds[denominator], strict=True)
        return Samples(tuple(a / b for a, b in pairs))


def interleaved(
    sides: Mapping[str, Callable[[], float]],
    repeats: int | Settings,
    *,
    seconds: float = math.inf,
    clock: Clock = time.perf_counter,
) -> Rounds:
    """Measure all sides in turn, `repeats` rounds; each callable returns its own seconds per evaluation.

    Every round starts with another side, so none always runs after the same neighbour. A round before the first
    warms the caches and is discarded.
    """
    if isinstance(repeats, Settings):
        seconds = repeats.seconds
        repeats = repeats.repeats
    names = tuple(sides)
    times: dict[str, list[float]] = {name: [] for name in names}
    end = clock() + seconds
    with _quiet_collector():
        for name in names:
            sides[name]()
        for i in range(max(repeats, MIN_ROUNDS)):
            if i >= MIN_ROUNDS and clock() >= end:
                break
            start = i % len(names)
            for name in names[start:] + names[:start]:
                times[name].append(sides[name]())
    return Rounds({name: tuple(values) for name, values in times.items()})


def iterations(loop: Callable[[int], object], target_s: float = 0.01, *, clock: Clock = time.perf_counter) -> int:
    """How many evaluations make `loop(n)` last at least `target_s`, found by growing n."""
    n = 1
    while True:
        start = clock()
        loop(n)
        elapsed = clock() - start
        if elapsed >= target_s:
            return n
        # Aim past the target, but never more than tenfold: a first, cold run says little.
        n = max(n + 1, min(10 * n, math.ceil(1.2 * n * target_s / max(elapsed, 1e-9))))


def per_evaluation(
    loop: Callable[[int], object], n: int | None = None, *, target_s: float = 0.01, clock: Clock = time.perf_counter
) -> Callable[[], float]:
    """A side for `interleaved` from `loop(n)`, which runs n evaluations; n is chosen to last `target_s` by default.

    A native loop belongs inside `loop` (one call that evaluates n times), so that Python is not measured.
    """
    count = n if n is not None else iterations(loop, target_s, clock=clock)

    def seconds() -> float:
        start = clock()
        loop(count)
        return (clock() - start) / count

    return seconds


@contextmanager
def pinned() -> Iterator[int | None]:
    """Keep this thread on one CPU during the block; yields its number, or None if the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    cpu = max(before)  # interrupts and other work gather on the first one
    os.sched_setaffinity(0, {cpu})
    try:
        yield cpu
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def _quiet_collector() -> Iterator[None]:
    """No garbage collection inside a measurement."""
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
