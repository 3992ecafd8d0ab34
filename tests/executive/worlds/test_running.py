"""A world in real time by a clock of the test: waiting, scripts, hands, and what it does when its numbers break."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.executive.worlds.ears import Hear
from motionbase.executive.worlds.pace import MOST_BEHIND_S, Pace
from motionbase.executive.worlds.running import Running
from motionbase.record.vehicle import G
from motionbase.record.world import KEY_PLACES, KEYBOARD, NOBODY, SCRIPT, Hand
from motionbase.worlds.world import Script
from tests.executive.worlds.plain_world import PlainWorld

UP = Hand(KEYBOARD, keys=1 << KEY_PLACES["ArrowUp"])
IDLE = Hand(KEYBOARD)


class Keys:
    """A keyboard that says the same all the time."""

    def __init__(self, hand: Hand | None = None) -> None:
        self.hand = hand

    def speak(self, hear: Hear) -> None:
        if self.hand is not None:
            hear("keys", self.hand)


class Clock:
    def __init__(self, running: Running) -> None:
        self.running, self.t = running, 0.0

    def go(self, seconds: float, drives: bool = True) -> None:
        for _ in range(round(seconds / self.running.world.dt)):
            self.t += self.running.world.dt
            self.running.step(self.t, drives)


def made(script: str = "", keys: Keys | None = None, world: PlainWorld | None = None) -> Clock:
    return Clock(Running(world or PlainWorld(), script, [keys] if keys else []))


def test_it_waits_at_its_begin_until_the_base_drives_and_begins_anew_when_that_ends() -> None:
    clock = made()
    running = clock.running
    clock.go(1.0, drives=False)
    assert running.is_waiting and running.world.t == 0 and running.row[1] == 0
    assert running.vehicle == pytest.approx((0, 0, G, *(0,) * 9, 1)) and not any(running.row[8:11])
    clock.go(3.0)
    assert running.vehicle[0] == pytest.approx(0.5) and running.row[1] == 600 and running.hand == SCRIPT
    clock.go(0.01, drives=False)
    assert running.is_waiting and running.row[0] == 0


def test_a_person_drives_even_if_the_base_does_not() -> None:
    keys = Keys(UP)
    clock = made("none", keys)
    clock.go(1.0, drives=False)
    assert clock.running.hand == KEYBOARD and clock.running.vehicle[0] == pytest.approx(1.0)


def test_the_script_goes_on_after_a_person_or_on_request() -> None:
    keys = Keys()
    clock = made("half", keys)
    clock.go(1.0)
    keys.hand = UP
    clock.go(0.5)
    assert clock.running.hand == KEYBOARD
    keys.hand = IDLE
    clock.go(19.0)
    assert clock.running.hand == KEYBOARD and clock.running.vehicle[0] == pytest.approx(0.0)
    clock.go(4.0)
    assert clock.running.hand == SCRIPT and clock.running.vehicle[0] == pytest.approx(0.5)
    keys.hand = UP
    clock.go(0.5)
    keys.hand = Hand(NOBODY)
    clock.go(0.01)
    assert clock.running.hand == SCRIPT


def test_numbers_that_break_begin_the_world_again(capsys: pytest.CaptureFixture[str]) -> None:
    world, keys = PlainWorld(breaks="yes"), Keys(UP)
    clock = made("none", keys, world)
    clock.go(3.0)
    assert world.resets > 1 and "its motion is not finite; it starts again" in capsys.readouterr().err
    assert all(x == x for x in (*clock.running.vehicle, *clock.running.row))


def test_a_world_that_breaks_all_the_time_does_not_flood_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    class Breaking(PlainWorld):
        @property
        def place(self) -> tuple[float, ...]:
            return (math.nan if self.steps else 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    clock = made(world=Breaking())
    clock.go(12.0)
    err = capsys.readouterr().err
    assert err.count("\n") == 3 and clock.running.is_waiting and "times so far" in err


def scripted(world: PlainWorld, values: tuple[float, ...]) -> PlainWorld:
    world.scripts = {"wrong": lambda: lambda t: values}
    return world


class Late(PlainWorld):
    """A script that is sound at first."""

    def _slow(self) -> Script:
        return lambda t: (0.5 if t < 1.0 else math.nan,)


def test_a_script_that_breaks_starts_the_world_again(capsys: pytest.CaptureFixture[str]) -> None:
    """Not a number must not become full throttle."""
    world = Late()
    clock = made("slow", world=world)
    clock.go(3.5)
    assert world.resets >= 4 and 0.0 < clock.running.vehicle[0] < 0.6
    assert "its script's controls are not finite; it starts again" in capsys.readouterr().err


class Wrong(PlainWorld):
    """Breaks at a step in a way that a user's world may."""

    def __init__(self, way: str, begin: int = 1) -> None:
        super().__init__()
        self.way, self.at = way, begin

    def step(self, controls: Sequence[float]) -> None:
        super().step(controls)
        if self.way == "raises" and self.steps == 100:
            raise ValueError("the mast is gone")

    @property
    def is_wrong(self) -> bool:
        return self.steps >= self.at

    @property
    def vehicle(self) -> tuple[float, ...]:
        row = super().vehicle
        ways = {"short": row[:12], "one": row[:1], "text": ("fast", *row[1:]), "start": (math.nan, *row[1:])}
        return ways.get(self.way, row) if self.is_wrong else row  # type: ignore[return-value]

    @property
    def told(self) -> tuple[float, ...]:
        return (*super().told, 0.0) if self.way == "told" and self.is_wrong else super().told


@pytest.mark.parametrize(
    ("world", "sentence"),
    [
        (Wrong("raises"), r"world 'plain world' cannot be used: ValueError: the mast is gone \(.*, line \d+\)"),
        (Wrong("short"), "world 'plain world': vehicle has 12 numbers, it must have 13"),
        (Wrong("one"), "vehicle has 1 numbers, it must have 13"),  # which NumPy would spread over the row
        (Wrong("told"), "told has 3 numbers, it must have 2"),
        (Wrong("text"), "cannot be used: ValueError"),
        (Wrong("start", 0), "its motion at its start is not finite"),
        (scripted(PlainWorld(), (0.1, 0.2)), "its script returns 2 controls, it must return 1"),
        (scripted(PlainWorld(), (math.inf,)), "its script's controls at its start are not finite"),
    ],
)
def test_a_world_that_is_wrong_ends_with_one_sentence(world: PlainWorld, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as error:
        made(world=world).go(1.0)
    assert "\n" not in str(error.value)


def test_a_script_may_return_an_array() -> None:
    clock = made(world=scripted(PlainWorld(), np.array([0.25])))  # type: ignore[arg-type]
    clock.go(0.1)
    assert clock.running.vehicle[0] == 0.25


def paced(delays: Iterable[float]) -> tuple[list[float], int]:
    """Times of periods of 5 ms, where the work of each takes so long [ms]."""
    now, times = [0.0], []

    def sleep(seconds: float) -> None:
        now[0] += seconds

    pace = Pace(0.005, lambda: now[0], sleep)
    for delay in delays:
        times.append(round(1e3 * pace.wait(), 6))
        now[0] += delay / 1e3
    return times, pace.missed


def test_periods_are_kept_and_short_delays_caught_up() -> None:
    assert paced([1, 1, 1]) == ([5, 10, 15], 0)
    assert paced([1, 12, 1, 1, 1, 1]) == ([5, 10, 22, 23, 25, 30], 0)


def test_long_delays_are_left_out_and_counted() -> None:
    times, missed = paced([1, 1000 * MOST_BEHIND_S + 50, 1, 1, 1])
    assert missed == 29 and times[-1] - times[2] < 15
