"""A world in real time by a clock of the test: waiting, scripts, hands, and what it does when its numbers break."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from motionbase.executive.worlds.ears import Hear
from motionbase.executive.worlds.pace import MOST_BEHIND_S, Pace
from motionbase.executive.worlds.running import Running
from motionbase.record.vehicle import G
from motionbase.record.world import KEY_PLACES, KEYBOARD, NOBODY, SCRIPT, Hand
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
    assert world.resets > 1 and "begins again" in capsys.readouterr().err
    assert all(x == x for x in (*clock.running.vehicle, *clock.running.row))


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
