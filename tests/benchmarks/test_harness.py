"""The harness against clocks and sides whose times are known exactly."""

import os
from collections.abc import Callable
from itertools import count

import pytest

from benchmarks.harness import (
    Benchmark,
    Rounds,
    Samples,
    Settings,
    interleaved,
    iterations,
    meets,
    per_evaluation,
    pinned,
)


class FakeClock:
    """Time that passes only when a loop says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def loop(self, seconds_each: float) -> Callable[[int], None]:
        def run(n: int) -> None:
            self.now += n * seconds_each

        return run


def test_interleaved_takes_the_sides_in_turn_and_rotates_the_first() -> None:
    calls: list[str] = []

    def side(name: str) -> Callable[[], float]:
        return lambda: calls.append(name) or 1.0  # type: ignore[func-returns-value]

    interleaved({"a": side("a"), "b": side("b"), "c": side("c")}, 4)
    assert "".join(calls) == "abc" + "abc" + "bca" + "cab" + "abc"  # the first round is the warm-up


def test_ratio_is_taken_round_by_round() -> None:
    """The machine gets ten times slower in round 2; both sides suffer, the ratio does not."""
    rounds = Rounds({"ours": (1.0, 1.0, 10.0), "peer": (4.0, 5.0, 45.0)})
    ratio = rounds.ratio("peer", "ours")
    assert ratio.values == (4.0, 5.0, 4.5)
    assert ratio.median == 4.5  # the ratio of the medians would be 5


def test_warm_up_is_not_counted_and_scale_applies() -> None:
    numbers = count(1)
    rounds = interleaved({"a": lambda: float(next(numbers))}, 3)
    assert rounds.side("a").values == (2.0, 3.0, 4.0)
    assert rounds.side("a", 1e6).median == 3e6
    assert rounds.rate("a", per_evaluation=8).values == (4.0, 8 / 3, 2.0)


def test_interleaved_stops_when_its_time_is_up_but_not_before_three_rounds() -> None:
    clock = FakeClock()
    side = per_evaluation(clock.loop(1.0), n=1, clock=clock)
    assert len(interleaved({"a": side}, Settings(repeats=50, seconds=6.0), clock=clock).seconds["a"]) == 5
    assert len(interleaved({"a": side}, Settings(repeats=50, seconds=0.0), clock=clock).seconds["a"]) == 3


@pytest.mark.parametrize("seconds_each", [1e-9, 3e-7, 2e-3, 5.0])
def test_iterations_reach_the_target_without_overshooting_far(seconds_each: float) -> None:
    clock = FakeClock()
    n = iterations(clock.loop(seconds_each), 0.01, clock=clock)
    assert n * seconds_each >= 0.01
    assert n == 1 or n * seconds_each <= 0.1


def test_iterations_survive_a_clock_that_does_not_see_short_loops() -> None:
    ticks = FakeClock()
    loop = ticks.loop(1e-6)
    assert iterations(loop, 0.01, clock=lambda: round(ticks.now, 3)) >= 9_000


def test_per_evaluation_divides_by_the_count() -> None:
    clock = FakeClock()
    assert per_evaluation(clock.loop(0.25), n=8, clock=clock)() == pytest.approx(0.25, abs=1e-12)


def test_samples_median_and_quartiles() -> None:
    samples = Samples((1.0, 2.0, 3.0, 4.0, 100.0))
    assert (samples.median, samples.quartiles) == (3.0, (2.0, 4.0))
    assert Samples((7.0,)).quartiles == (7.0, 7.0)


@pytest.mark.parametrize("values", [(), (1.0, float("nan")), (float("inf"),)])
def test_samples_refuse_what_is_not_a_measurement(values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="finite"):
        Samples(values)


@pytest.mark.parametrize(
    ("bar", "value", "met"),
    [("<= 1.5", 1.5, True), ("<= 1.5", 1.6, False), (">= 4.5", 4.5, True), ("> 4.5", 4.5, False), (None, 1.0, None)],
)
def test_bars(bar: str | None, value: float, met: bool | None) -> None:
    assert meets(bar, value) is met


@pytest.mark.parametrize("bar", ["1.5", "=< 1.5", "<= fast", "<= 1 2"])
def test_unreadable_bar_is_refused_when_the_benchmark_is_made(bar: str) -> None:
    with pytest.raises(ValueError, match="must read like"):
        Benchmark("x.y", "s", bar, "", lambda _: Samples((1.0,)))


def test_conditions_in_words() -> None:
    measure = lambda _: Samples((1.0,))  # noqa: E731
    assert Benchmark("x.y", "s", None, "", measure, mode="fast", lanes=8).conditions == "fast, 8 lanes"
    assert Benchmark("x.y", "s", None, "", measure, lanes=1).conditions == "1 lane"
    assert Benchmark("x.y", "s", None, "", measure).conditions == ""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system cannot pin threads")
def test_pinned_to_one_cpu_and_back() -> None:
    before = os.sched_getaffinity(0)
    with pinned() as cpu:
        assert os.sched_getaffinity(0) == {cpu}
    assert os.sched_getaffinity(0) == before
