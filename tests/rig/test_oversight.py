"""The overseer's second opinion: every reason to stop is found, with the leg and what was measured, and no other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, StopCause
from motionbase.rig.border import Sight
from motionbase.rig.oversight import NOTHING, Bounds, Claim, Overseer, Reason

BOUNDS = Bounds(least=1.0, most=1.4, speed=0.3)
DT = 0.005
FOLLOWING, READY, UNHOMED, OFF = (
    (state,) * 6 for state in (LegState.FOLLOWING, LegState.READY, LegState.UNHOMED, LegState.OFF)
)


def motion(t: float) -> Array:
    """Legs at up to 0.2 m/s, each at its own phase."""
    return np.asarray(1.2 + 0.05 * np.sin(4.0 * t + np.arange(6)))


def looked(
    seconds: float, *, change: dict[str, object] | None = None, seen: object = None, age: float = 0.002
) -> Reason:
    """An overseer that looks at legs in motion, whose claims and readings differ as the arguments say."""
    overseer = Overseer(BOUNDS)
    reason = NOTHING
    for k in range(1, round(seconds / DT)):
        now = k * DT
        claim = Claim(now, now - age, motion(now - age), motion(now), FOLLOWING)
        given = {name: value(now) if callable(value) else value for name, value in (change or {}).items()}
        sight = Sight(now, motion(now)) if seen is None else seen(now)  # type: ignore[operator]
        reason = overseer.look(now, replace(claim, **given), sight)  # type: ignore[arg-type]
        if reason.cause:
            return reason
    return reason


def test_legs_that_follow_are_no_reason_to_stop() -> None:
    assert looked(3.0) is NOTHING
    assert looked(3.0, age=0.02) is NOTHING  # the backend's readings are older than its own


def test_a_platform_gives_bounds_beyond_its_own() -> None:
    simona = load_platform("simona")
    bounds = Bounds.of(simona)
    assert bounds.least < simona.stroke.hard_min and bounds.most > simona.stroke.hard_max
    assert bounds.speed > simona.limits.leg_velocity


def one(value: float, leg: int = 3) -> Array:
    return np.where(np.arange(6) == leg, value, 0.0)


CASES = {
    StopCause.READING: {"change": {"l": lambda t: motion(t) + one(0.013)}},
    StopCause.AWAY: {"change": {"wanted": lambda t: motion(t) + one(0.07)}},
    StopCause.RANGE: {
        "seen": lambda t: Sight(t, motion(t) + one(0.25)), "change": {"l": lambda t: motion(t) + one(0.25)},
    },
    StopCause.SPEED: {
        "seen": lambda t: Sight(t, motion(t) - one(0.4 * t)),
        "change": {"l": lambda t: motion(t) - one(0.4 * t), "wanted": lambda t: motion(t) - one(0.4 * t)},
    },
    StopCause.UNASKED: {"change": {"states": READY, "l": lambda t: motion(t)}},
    StopCause.SILENT: {"change": {"at": 0.1, "measured_at": 0.1}},
    StopCause.BLIND: {"seen": lambda t: Sight(min(t, 0.5), motion(min(t, 0.5)))},
}  # fmt: skip
WITHOUT_LEG = StopCause.SILENT, StopCause.BLIND


@pytest.mark.parametrize("cause", CASES, ids=lambda c: c.name)
def test_every_cause_is_found_with_leg_and_measure(cause: StopCause) -> None:
    reason = looked(2.0, **CASES[cause])  # type: ignore[arg-type]
    assert reason.cause is cause
    assert reason.value > reason.bound
    assert reason.leg == -1 if cause in WITHOUT_LEG else reason.leg in range(6)
    if cause not in (*WITHOUT_LEG, StopCause.UNASKED):
        assert reason.leg == 3
    assert cause.sentence in reason.sentence


def test_a_short_disturbance_is_no_reason() -> None:
    wrong = round(0.03 / DT)  # shorter than its patience

    def seen(t: float) -> Sight:
        return Sight(t, motion(t) + one(0.013 if 100 <= round(t / DT) < 100 + wrong else 0.0))

    assert looked(2.0, seen=seen) is NOTHING


def test_lengths_before_homing_say_nothing() -> None:
    for states in (UNHOMED, OFF):
        found = looked(1.0, change={"states": states, "l": np.zeros(6)}, seen=lambda t: Sight(t, np.full(6, 0.1 * t)))
        assert found is NOTHING


def test_a_leg_that_is_not_seen_is_no_reason_and_hides_no_other() -> None:
    def seen(t: float) -> Sight:
        return Sight(t, np.where(np.arange(6) == 0, np.nan, motion(t)))

    assert looked(1.0, seen=seen) is NOTHING
    found = looked(1.0, seen=seen, change={"l": lambda t: motion(t) + one(0.02, leg=5)})
    assert (found.cause, found.leg) == (StopCause.READING, 5)


def test_a_witness_that_never_saw_the_legs_stops_them_only_once_they_follow() -> None:
    def seen(t: float) -> Sight:
        return Sight(-np.inf, np.full(6, np.nan))

    assert looked(2.0, seen=seen, change={"states": READY}) is NOTHING
    found = looked(2.0, seen=seen)
    assert found.cause is StopCause.BLIND and BOUNDS.silence < found.value < 2 * BOUNDS.silence


def test_before_the_first_claim_there_is_nothing_to_stop() -> None:
    overseer = Overseer(BOUNDS)
    assert overseer.look(10.0, None, Sight(-np.inf, np.full(6, np.nan))) is NOTHING


def test_who_was_not_run_himself_does_not_blame_others() -> None:
    overseer = Overseer(BOUNDS)
    still = np.full(6, 1.2)

    def look(now: float, at: float) -> Reason:
        return overseer.look(now, Claim(at, at, still, still, READY), Sight(at, still))

    for k in range(100):
        look(k * DT, k * DT)
    assert look(2.0, 0.495) is NOTHING  # the machine stood still for one and a half seconds, for everybody
    for k in range(1, 40):
        assert look(2.0 + k * DT, 0.495) is NOTHING
    for k in range(40, 60):
        reason = look(2.0 + k * DT, 0.495)
    assert reason.cause is StopCause.SILENT  # and then nothing came all the same
