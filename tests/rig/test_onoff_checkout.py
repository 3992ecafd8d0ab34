"""The paper's check-out finds what is wrong with a simulated rig, and measures what a law needs to know."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.onoff.acquisition import SHUT, Wiring
from motionbase.rig.onoff.checkout import PERIOD, Bench, Report, check_potentiometers, check_valves
from motionbase.rig.onoff.laws import NOMINAL
from motionbase.rig.onoff.potentiometer import Potentiometer
from motionbase.rig.onoff.simulated import SimulatedPerson, SimulatedRig, spread_paces

SWAPPED_INPUTS = Wiring(inputs=(0, 3, 2, 1, 4, 5))
SWAPPED_VALVES = Wiring(extend=(0, 6, 4, 2, 8, 10), retract=(1, 7, 5, 3, 9, 11))
EXCHANGED = Wiring(extend=(0, 2, 5, 6, 8, 10), retract=(1, 3, 4, 7, 9, 11))


def potentiometers(rig: SimulatedRig) -> Report:
    return check_potentiometers(Bench(rig), SimulatedPerson(rig))


def with_leg(leg: int, **changes: float) -> tuple[Potentiometer, ...]:
    pots = [Potentiometer()] * 6
    pots[leg] = replace(pots[leg], **changes)
    return tuple(pots)


def faults(report: Report) -> list[tuple[int, str]]:
    return [(step.leg, step.fault) for step in report.faults]


def test_sound_rig_passes_and_is_measured() -> None:
    rig = SimulatedRig()
    bench = Bench(rig)
    assert (first := check_potentiometers(bench, SimulatedPerson(rig))).passed
    assert all(abs(pot.scale - 1) < 2e-3 and abs(pot.offset) < 5e-4 for pot in first.potentiometers.values())
    rig.extensions[:] = np.linspace(0.02, 0.28, 6)
    report = check_valves(bench)
    assert report.passed and len(report.steps) == 6 * 7
    speeds = np.array([report.speeds[leg] for leg in range(6)])
    np.testing.assert_allclose(speeds, rig.pace, rtol=0.02)
    delays = np.array([report.delays[leg] for leg in range(6)])
    # delay, half of the switching time, and up to a period until a reading shows it
    expected = rig.actuator.delay + 0.5 * rig.actuator.switching
    np.testing.assert_allclose(delays, expected, atol=0.005)
    coasts = np.array([report.coasts[leg] for leg in range(6)])
    np.testing.assert_allclose(coasts, rig.pace * expected, atol=1.5e-3)


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.6])
def test_a_check_out_measures_the_valves_for_a_law(factor: float) -> None:
    """Delay and switching time within half a period of readings."""
    valves = replace(NOMINAL, delay=factor * NOMINAL.delay, switching=factor * NOMINAL.switching)
    found = check_valves(Bench(SimulatedRig(actuator=valves))).actuator(NOMINAL)
    assert found.delay == pytest.approx(valves.delay, abs=0.5 * PERIOD)
    assert found.switching == pytest.approx(valves.switching, abs=PERIOD)
    assert found.speed == pytest.approx(spread_paces().mean(), rel=0.01)


def test_a_check_out_of_a_rig_that_does_not_move_has_nothing_for_a_law() -> None:
    with pytest.raises(UsageError, match="no leg moved as it should"):
        check_valves(Bench(SimulatedRig(reversed=set(range(6))))).actuator(NOMINAL)


def test_legs_move_one_at_a_time_and_not_far() -> None:
    rig = SimulatedRig(s=np.full(6, 0.1))
    reached: list[Array] = []
    bench = Bench(rig, wait=lambda seconds: reached.append(rig.extensions.copy()))
    check_valves(bench)
    path = np.array(reached)
    assert ((np.abs(np.diff(path, axis=0)) > 1e-6).sum(axis=1) <= 1).all()
    assert np.ptp(path, axis=0).max() < 0.06


def test_report_is_a_line_for_each_step() -> None:
    report = potentiometers(SimulatedRig(broken={2}))
    lines = report.text().splitlines()
    assert len(lines) == len(report.steps) and sum("FAULT" in line for line in lines) == 1
    assert lines[0] == "leg 1  ok     supply: 5.000 V"


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (dict(broken={3}), {(4, "broken wire")}),
        (dict(wiring=SWAPPED_INPUTS), {(2, "input of leg 4 moved"), (4, "input of leg 2 moved")}),
        (dict(potentiometers=with_leg(5, length=10 * 0.0254)), {(6, "calibration")}),
        (dict(potentiometers=with_leg(0, offset=0.012)), {(1, "calibration")}),
        (dict(potentiometers=with_leg(1, supply=4.6)), {(2, "it should be 5.00 V"), (2, "calibration")}),
    ],
    ids=["broken", "swapped", "scale", "offset", "supply"],
)
def test_faults_of_potentiometers(wrong: dict[str, Any], expected: set[tuple[int, str]]) -> None:
    found = faults(potentiometers(SimulatedRig(**wrong)))
    assert len(found) == len(expected)
    assert all(any(leg == other and part in text for other, text in found) for leg, part in expected)


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (dict(broken={3}), {(4, "broken wire")}),
        (dict(stuck={2: False}), {(2, "did not move")}),
        (dict(stuck={7: True}), {(4, "moves with all solenoids off")}),
        (dict(reversed={2}), {(3, "wrong way")}),
        (dict(wiring=EXCHANGED), {(3, "wrong way")}),
        (dict(wiring=SWAPPED_VALVES), {(2, "leg 4 moved instead"), (4, "leg 2 moved instead")}),
        (dict(wiring=SWAPPED_INPUTS), {(2, "leg 4 moved instead"), (4, "leg 2 moved instead")}),
        (dict(potentiometers=with_leg(5, length=7 * 0.0254)), {(6, "wrong scale")}),
    ],
    ids=["broken", "dead", "stuck", "reversed", "exchanged", "valves", "inputs", "scale"],
)
def test_faults_of_valves(wrong: dict[str, Any], expected: set[tuple[int, str]]) -> None:
    found = faults(check_valves(Bench(SimulatedRig(**wrong))))
    assert {leg for leg, _ in found} == {leg for leg, _ in expected}
    assert all(any(leg == other and part in text for other, text in found) for leg, part in expected)


def test_all_solenoids_are_off_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, written = SimulatedRig(), [SHUT]
    write = rig.write

    def kept(lines: tuple[bool, ...]) -> None:
        written.append(lines)
        write(lines)

    monkeypatch.setattr(rig, "write", kept)

    def wait(seconds: float) -> None:
        if any(written[-1]):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_valves(Bench(rig, wait=wait))
    assert written[-1] == SHUT and len(written) > 2
