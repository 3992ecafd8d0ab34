"""Limits of a power unit, in simulated time; and the simulated unit against what its laws give in closed form."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.record.rig import RigFault
from motionbase.rig.border import PowerState
from motionbase.rig.power import simulated
from motionbase.rig.power.judge import Judge, Reading
from motionbase.rig.power.simulated import SimulatedPowerUnit
from tests.rig.power.bench import changed, setup_of

GOOD = {"supply": 160e5, "return": 1e5, "temperature": 313.0, "level": 0.8, "running": 1.0}
OFF = {**GOOD, "supply": 0.0, "running": 0.0}


class Trial:
    """Readings every 0.1 s."""

    def __init__(self) -> None:
        self.judge, self.now = Judge(setup_of()), 50.0

    def read(self, seconds: float = 0.1, wanted: bool = True, alarms: int = 0, **values: float) -> PowerState:
        base = GOOD if values.get("running", 1.0) else OFF
        for _ in range(round(seconds / 0.1)):
            self.now += 0.1
            state = self.judge.judged(Reading(self.now, {**base, **values}, alarms), wanted)
        return state


@pytest.fixture
def trial() -> Trial:
    return Trial()


def test_a_good_unit(trial: Trial) -> None:
    state = trial.read(10.0)
    assert state == PowerState(trial.now, True, 160e5, 1e5, 313.0, RigFault.NONE)


def test_a_pump_that_nobody_wants_may_stand(trial: Trial) -> None:
    assert trial.read(20.0, wanted=False, running=0.0).fault is RigFault.NONE


def test_pressure_has_its_time_to_rise_and_less_to_dip(trial: Trial) -> None:
    trial.read(1.0, running=0.0)
    assert trial.read(6.0, supply=50e5).fault is RigFault.NONE
    assert trial.read(0.2, supply=50e5).fault is RigFault.SUPPLY
    assert trial.read(5.0, supply=125e5).fault is RigFault.SUPPLY  # not clearly above 120 bar
    assert trial.read(supply=126.1e5).fault is RigFault.NONE
    trial.read(1.0)
    assert trial.read(0.1, supply=119e5).fault is RigFault.NONE
    assert trial.read(0.2, supply=119e5).fault is RigFault.SUPPLY
    assert "119.0 bar, at least 120.0 bar are needed" in trial.judge.why
    trial.read(1.0)
    assert trial.read(0.1, supply=0.0).fault is RigFault.NONE and trial.read(3.0).fault is RigFault.NONE


def test_a_pump_that_does_not_start_or_stops_by_itself(trial: Trial) -> None:
    assert trial.read(6.0, running=0.0).fault is RigFault.NONE
    assert trial.read(0.2, running=0.0).fault is RigFault.SUPPLY
    assert trial.read(running=0.0, wanted=False).fault is RigFault.NONE
    trial.read(8.0)
    assert trial.read(running=0.0).fault is RigFault.SUPPLY  # at once
    assert "does not run" in trial.judge.why


def test_temperature_warns_stops_and_is_forgiven_when_it_is_clearly_lower(trial: Trial) -> None:
    assert trial.read(temperature=328.0).fault is RigFault.NONE and not trial.judge.warnings
    assert trial.read(temperature=328.2).fault is RigFault.NONE and trial.judge.warnings
    assert trial.read(temperature=326.0).fault is RigFault.NONE and trial.judge.warnings
    assert trial.read(temperature=325.0).fault is RigFault.NONE and not trial.judge.warnings
    assert trial.read(temperature=338.2).fault is RigFault.TEMPERATURE
    assert trial.read(temperature=335.2).fault is RigFault.TEMPERATURE
    assert trial.read(temperature=335.1).fault is RigFault.NONE


def test_level_is_low_until_it_is_clearly_higher(trial: Trial) -> None:
    assert trial.read(level=0.301).fault is RigFault.NONE
    assert trial.read(level=0.299).fault is RigFault.SUPPLY and "30 % of full" in trial.judge.why
    assert trial.read(level=0.319).fault is RigFault.SUPPLY
    assert trial.read(level=0.321).fault is RigFault.NONE


def test_the_smallest_fault_counts_and_only_alarms_have_a_code(trial: Trial) -> None:
    trial.read(8.0)
    state = trial.read(alarms=1, temperature=340.0, level=0.1)
    assert state.fault is RigFault.TEMPERATURE and state.code == 0
    state = trial.read(alarms=1, temperature=330.0)
    assert state.fault is RigFault.DEVICE and state.code == 1
    assert trial.read(alarms=1, supply=np.nan).fault is RigFault.SENSOR


@pytest.mark.parametrize("name", ["supply", "return", "temperature", "level"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e9])
def test_numbers_that_are_none(trial: Trial, name: str, value: float) -> None:
    state = trial.read(**{name: value})  # type: ignore[arg-type]
    assert state.fault is RigFault.SENSOR and trial.judge.why.startswith(name)
    assert trial.read().fault is RigFault.NONE


def test_quantities_without_a_register_are_not_judged() -> None:
    registers = {k: r for k, r in setup_of().registers.items() if k in ("supply", "running")}
    limits = replace(setup_of().limits, warm=None, hot=None, least_level=None)
    judge = Judge(changed(registers=registers, limits=limits, alarms=()))
    state = judge.judged(Reading(1.0, {"supply": 1e5, "running": 0.0}), False)
    assert state.fault is RigFault.NONE and np.isnan(state.temperature) and np.isnan(state.p_return)


# The simulated unit


def running(seconds: float = 30.0, **changes: float) -> SimulatedPowerUnit:
    unit = SimulatedPowerUnit(**changes)  # type: ignore[arg-type]
    unit.command(True)
    unit.advance(seconds)
    return unit


def test_accumulators_hold_what_boyle_says() -> None:
    """A volume V taken lowers the pressure from p1 to p2 with V = V0 p0 (1/p2 - 1/p1), beside the oil's elasticity."""
    unit = running()
    p1, t, use = unit.pressure, unit.time, 0.4e-3
    unit.stuck, unit.speed, unit.use = True, 0.6, use  # the pump is as good as off; the dump valve is still shut
    simulated_pump, simulated.FLOW = simulated.FLOW, 0.0
    try:
        while unit.pressure > 130e5:
            unit.speed = 0.6
            unit.advance(unit.time + simulated.STEP)
    finally:
        simulated.FLOW = simulated_pump
    p2, taken = unit.pressure, use * (unit.time - t)
    leaked = simulated.LEAKAGE * 0.5 * (p1 + p2) * (unit.time - t)
    gas = simulated.GAS * simulated.PRECHARGE * unit.setting * (1 / p2 - 1 / p1)
    assert taken + leaked == pytest.approx(gas + simulated.STIFF * (p1 - p2), rel=0.01)


def test_the_compensator_keeps_the_pressure_until_the_flow_is_too_large() -> None:
    unit = running(setting=70e5)
    for use in (0.0, 1e-3, 2e-3):
        unit.use = use
        unit.advance(unit.time + 10.0)
        needed = use + simulated.LEAKAGE * unit.pressure
        expected = unit.setting * (1 - simulated.BAND * needed / simulated.FLOW)
        assert unit.pressure == pytest.approx(expected, rel=1e-3)
    unit.use = 1.2 * simulated.FLOW
    unit.advance(unit.time + 30.0)
    assert unit.pressure < 0.7 * unit.setting


def test_oil_ends_where_heating_is_cooling() -> None:
    unit = running()
    unit.temperature = 318.0
    unit.advance(unit.time + 20 * 3600.0 * 0.02)
    pumped = simulated.LEAKAGE * unit.pressure
    power = simulated.STANDBY + simulated.LOST * pumped * unit.pressure
    k, c = simulated.WALLS, simulated.COOLING
    end = (power + k * simulated.AMBIENT + c * simulated.COOL_FROM) / (k + c)
    assert unit.temperature == pytest.approx(end, abs=0.2)


def test_a_stopped_unit_empties_its_accumulators_and_starts_again() -> None:
    unit = running()
    unit.command(False)
    unit.advance(unit.time + 10.0)
    assert unit.pressure < 1e5 and unit.speed == 0.0 and unit.share < 0.1
    unit.command(True)
    unit.advance(unit.time + 10.0)
    assert unit.running and unit.share > 0.99


@pytest.mark.parametrize("cause", ["hot", "dry", "alarm", "watchdog"])
def test_the_units_own_protection(cause: str) -> None:
    unit = running()
    match cause:
        case "hot":
            unit.temperature = simulated.OVERHEATED + 1
        case "dry":
            unit.spill = 1.0
        case "alarm":
            unit.alarms = 4
        case _:
            unit.watchdog = 0.5
    unit.advance(unit.time + 3.0)
    assert not unit.commanded and not unit.running
    assert unit.alarms == {"alarm": 4, "watchdog": simulated.WATCHDOG}.get(cause, 0)
