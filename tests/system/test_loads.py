"""Safety loads against what masses, pressures and speeds allow, and faults at the moments that are unkind."""

from functools import cache

import numpy as np
import pytest

from motionbase.errors import SimulationError
from motionbase.plant.fault_plan import OF_OIL, FaultKind
from motionbase.plant.plant import SEIZED_DAMPING
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.fault_cases import SHOWS, FaultStudy, Moment, Outcome, Swing
from motionbase.system.loads import PHASES, SEARCH, Allowables, Loads, end_sine, full_speed, swings

SIMONA = load_platform("simona")
SLOPE = 2.39 / 2.70613  # rate of a leg for a rate of heave: height over length at neutral
UP, TURN, DOWN = 0.0, 0.25, 0.5
WANTED: dict[tuple[FaultKind | None, str, float], int | None] = {  # all at once, on lanes
    **{(None, pace, phase): None for pace in ("fast heave",) for phase in (UP, DOWN)},
    **{
        (kind, "fast heave", phase): 1
        for kind in (FaultKind.VALVE_STUCK, FaultKind.VALVE_HARD_IN, FaultKind.VALVE_REVERSED)
        for phase in (UP, DOWN)
    },
    **{
        (kind, pace, phase): 1
        for kind in (FaultKind.SENSOR_LOST, FaultKind.SENSOR_FROZEN, FaultKind.SENSOR_OFFSET, FaultKind.RATE_LOST)
        for pace, phase in (("fast heave", UP), ("slow heave", TURN))
    },
    (FaultKind.LEG_SEIZED, "fast heave", UP): 1,
    (FaultKind.LEG_SEIZED, "slow heave", UP): 1,
    (FaultKind.SUPPLY_LOST, "fast heave", UP): None,
    (FaultKind.HOST_DROPOUT, "fast heave", UP): None,
    (FaultKind.RATE_FROZEN, "rest", UP): 1,
    (FaultKind.SENSOR_FROZEN, "rest", UP): 1,
}


@cache
def study() -> FaultStudy:
    return FaultStudy(SIMONA, swings(SIMONA, ("heave",)))


@cache
def outcomes() -> dict[tuple[FaultKind | None, str, float], Outcome]:
    by_name = {swing.name: swing for swing in study().swings}
    moments = [Moment(kind, leg, by_name[pace], phase) for (kind, pace, phase), leg in WANTED.items()]
    return dict(zip(WANTED, study().run(moments), strict=True))


def case(kind: FaultKind | None, pace: str = "fast heave", phase: float = UP) -> Outcome:
    return outcomes()[kind, pace, phase]


def test_motions_are_as_fast_as_they_say() -> None:
    """Of legs, by differences over a tick; the tracking error of a 60 Hz host is below 1 %."""
    dt = study().dt
    for swing in study().swings[1:]:
        lead = study().leads[swing]
        rate = np.diff(lead.l[:, 0]) / dt
        quarter = round(swing.period / 4 / dt)
        wanted = swing.amplitude * swing.frequency * SLOPE
        assert rate[1:20].mean() == pytest.approx(wanted, rel=0.02)
        assert abs(rate[quarter - 10 : quarter + 10].mean()) < 0.03 * wanted
        assert rate[2 * quarter - 10 : 2 * quarter + 10].mean() == pytest.approx(-wanted, rel=0.02)


@pytest.mark.parametrize("phase", [UP, DOWN])
def test_emergency_stop_is_gentle_and_ends_down(phase: float) -> None:
    """Its deceleration is a part of the limits: forces stay near the weight's share, nothing meets an end."""
    found = case(None, phase=phase)
    share = (3500 + 6 * 50) * 9.80665 / 6 / SLOPE
    assert found.found is Fault.ESTOP and found.found_after is not None and found.found_after <= 1.5e-3
    assert found.end is State.OFF and found.contact is None and found.rest_after is not None
    assert share < found.force < 2 * share
    assert found.acceleration < 0.5 * SIMONA.limits.acceleration[2]


@pytest.mark.parametrize(("pace", "phase"), [("fast heave", UP), ("slow heave", TURN)])
@pytest.mark.parametrize("kind", [FaultKind.SENSOR_LOST, FaultKind.SENSOR_FROZEN, FaultKind.SENSOR_OFFSET])
def test_without_a_length_sensor_the_base_goes_down_as_gently_as_in_an_emergency_stop(
    kind: FaultKind, pace: str, phase: float
) -> None:
    """A frozen one is found before the leg is 2 mm off, at a reversal of a slow motion as well as at full speed."""
    found, stop = case(kind, pace, phase), case(None)
    assert found.found is Fault.MEASUREMENT and found.end is State.OFF and found.contact is None
    assert found.detected_after == 0.0
    assert found.acceleration < 1.2 * stop.acceleration and found.force < 1.3 * stop.force


@pytest.mark.parametrize(("pace", "phase"), [("fast heave", UP), ("slow heave", TURN)])
def test_without_a_rate_sensor_the_length_is_believed(pace: str, phase: float) -> None:
    found = case(FaultKind.RATE_LOST, pace, phase)
    assert found.found is Fault.MEASUREMENT and found.end is State.OFF and found.contact is None
    assert found.force < 1.3 * case(None).force


@pytest.mark.parametrize("phase", [UP, DOWN])
@pytest.mark.parametrize("kind", [FaultKind.VALVE_STUCK, FaultKind.VALVE_HARD_IN, FaultKind.VALVE_REVERSED])
def test_with_a_valve_out_of_order_the_base_sinks_softly(kind: FaultKind, phase: float) -> None:
    """No leg pushes much above relief pressure on its area, and it lands at the speed of the bleeds, not at that of a
    closed valve, which braked by 60 m/s2."""
    found = case(kind, phase=phase)
    assert found.found is Fault.VALVE and found.end is State.HELD and found.rest_after is not None
    assert found.contact is not None and found.contact_is_soft
    assert found.force < 1.1 * 20.0e6 * 25e-4 and found.acceleration < 20.0


def test_without_supply_the_base_sinks_softly() -> None:
    found = case(FaultKind.SUPPLY_LOST)
    assert found.found is Fault.SUPPLY and found.end is State.HELD and found.contact_is_soft
    assert found.rest_after is not None


def test_a_seized_leg_loads_its_joint_with_its_brake() -> None:
    """The first moment: leg speed times the damping of what holds it."""
    found = case(FaultKind.LEG_SEIZED)
    assert found.joint == pytest.approx(SEIZED_DAMPING * 0.9 * SLOPE, rel=0.1)
    assert found.joint > 2 * found.force  # the actuator itself does not push that
    assert found.found is Fault.TRACKING and found.found_after is not None and found.found_after < 0.06
    assert found.end is State.HELD and found.contact is None and found.rest_after is not None


def test_a_leg_that_seizes_in_a_slow_motion_is_found_soon_after_it_shows() -> None:
    found = case(FaultKind.LEG_SEIZED, "slow heave")
    assert found.found is Fault.TRACKING and found.detected_after is not None and found.detected_after < 0.06


def test_a_silent_host_is_no_fault() -> None:
    found = case(FaultKind.HOST_DROPOUT)
    assert found.found is Fault.NONE and found.found_after is None and found.end is State.STANDBY
    assert found.acceleration < 8.0


@pytest.mark.parametrize("kind", [FaultKind.RATE_FROZEN, FaultKind.SENSOR_FROZEN])
def test_a_fault_of_what_nobody_moves_is_dormant(kind: FaultKind) -> None:
    found = case(kind, "rest")
    assert found.shows_after is None and found.detected_after is None and found.end is State.DRIVE


@pytest.mark.parametrize(("name", "at"), [("simona", 20.190), ("emotion-1500", 21.940)])
def test_a_sensor_that_freezes_near_a_slow_reversal_is_no_runaway(name: str, at: float) -> None:
    """Heave of 5 cm at 0.1 Hz. The leg was driven into its end at 1.1 m/s, and with five times the allowable force."""
    hexapod = load_platform(name)
    swing = Swing("slow heave", "heave", 0.0, 0.05, 0.2 * np.pi)
    one = FaultStudy(hexapod, (swing,))
    phases = [at / 10 % 1.0, 0.24, 0.25, 0.26, 0.74, 0.75, 0.76, 0.3]
    for found in one.run(Moment(FaultKind.SENSOR_FROZEN, 1, swing, phase) for phase in phases):
        assert found.found is Fault.MEASUREMENT and found.end is State.OFF and found.detected_after == 0.0
        assert found.contact_is_soft and found.force < 0.3 * Allowables.of(hexapod).force


def test_every_fault_is_tried_on_every_leg_and_at_every_moment() -> None:
    loads = Loads(SIMONA, ("heave",))
    tried = list(loads.faults)
    for kind in FaultKind:
        legs = [leg for k, leg in tried if k is kind]
        assert legs == ([1, 2, 3] if kind.of_a_leg else [None])
    electric = [kind for kind, _ in Loads(load_platform("emotion-1500")).faults]
    assert not set(OF_OIL) & set(electric) and set(electric) == {None, *FaultKind} - set(OF_OIL)
    moments = list(loads.moments)
    assert len(moments) == len(tried) * (1 + 2 * len(PHASES))
    assert {m.phase for m in moments if m.swing.axis} == set(PHASES)


def test_the_search_goes_on_around_the_worst_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an outcome that is worst at a phase nobody starts with."""
    loads = Loads(SIMONA, ("heave",), (1,))
    monkeypatch.setattr(Loads, "faults", [(FaultKind.VALVE_STUCK, 1)])
    seen: list[float] = []

    def run(self: FaultStudy, moments: list[Moment], progress: object) -> tuple[Outcome, ...]:
        seen.extend(m.phase for m in moments)
        return tuple(
            Outcome(
                m, 1e5 - 1e5 * abs(m.phase - 0.7109375), 0.0, 0, 0, None, None, None, Fault.NONE, None, State.OFF, 0
            )
            for m in moments
        )

    monkeypatch.setattr(FaultStudy, "run", run)
    found = loads.predict()
    assert max(found, key=lambda o: o.force).moment.phase == 0.7109375  # 0.75 - 1/32 - 2/256
    assert len(seen) == 9 + 8 * len(SEARCH)


def test_full_speed_is_within_axis_and_legs() -> None:
    np.testing.assert_allclose(full_speed(SIMONA, "heave"), (0.9, 0.6 * 0.61))
    for name in ("simona", "cmf", "odu"):
        hexapod = load_platform(name)
        for k, axis in enumerate(("surge", "sway", "heave", "roll", "pitch", "yaw")):
            speed, amplitude = full_speed(hexapod, axis)
            assert 0 < speed <= hexapod.limits.velocity[k]
            assert speed**2 / amplitude <= 0.9 * hexapod.limits.acceleration[k] + 1e-12
    with pytest.raises(SimulationError, match="axis is 'up', it must be one of surge,"):
        full_speed(SIMONA, "up")


def test_faults_near_the_end_come_at_the_speed_that_braking_allows() -> None:
    amplitude, w, phase = end_sine(SIMONA, "heave")
    for swing, side in zip(swings(SIMONA, ("heave",), near_ends=True)[3:], (1, -1), strict=True):
        x, v, a = swing.host(phase / w)[:, 2]
        assert x == pytest.approx(side * 0.9 * 0.61, abs=5e-4)
        assert v == pytest.approx(side * amplitude * w * np.cos(phase), rel=1e-9)
        assert v * side > 0.6 and abs(a) * SLOPE < SIMONA.limits.leg_braking
        assert abs(swing.host(np.pi / 2 / w)[0, 2]) == pytest.approx(0.61, abs=1e-12)  # where it turns


def test_a_valve_that_fails_near_the_end_meets_it_softly() -> None:
    swing = swings(SIMONA, ("heave",), near_ends=True)[3]
    phase = end_sine(SIMONA, "heave")[2] / (2 * np.pi)
    (found,) = FaultStudy(SIMONA, (swing,)).run([Moment(FaultKind.VALVE_HARD_OUT, 1, swing, phase)])
    assert found.found is Fault.VALVE and found.end is State.HELD and found.contact_is_soft
    assert found.rest_after is not None and found.force < 1.1 * 20.0e6 * 25e-4


def test_what_shows_is_a_leg_off_its_motion() -> None:
    """A leg that seizes at full speed is off by SHOWS once the others' command has gone on by that, and little more."""
    found = case(FaultKind.LEG_SEIZED)
    assert found.shows_after is not None
    assert SHOWS / (0.9 * SLOPE) < found.shows_after < 4 * SHOWS / (0.9 * SLOPE)


def test_allowables_are_given_or_illustrative() -> None:
    assert Allowables.of(SIMONA) == Allowables(80e3, 80e3, True)
    assert Allowables.of(SIMONA, 5e4, 6e4) == Allowables(5e4, 6e4, False)
    for name in ("force", "joint"):
        with pytest.raises(SimulationError, match=f"allowable {name} is -1.0 N, it must be above 0"):
            Allowables.of(SIMONA, **{name: -1.0})
