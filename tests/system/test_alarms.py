"""No monitor raises an alarm in an ordinary drive near the limits, with the noise of the sensors."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.control.law import ControlLaw
from motionbase.control.watchdogs import Thresholds, Watch
from motionbase.platform.load import load_platform
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator, Shape, Space
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario
from tests.tier import some_of

SIMONA = load_platform("simona")
LIMITS = SIMONA.limits
FADES: dict[str, Any] = {"fade_in": 1.0, "fade_out": 1.0}
SECONDS, EVERY = 12.0, 4  # what monitors gather over 5 ms and more is seen in every fourth tick
WHERE = {"lost": 5, "fast": 6, "apart": 7, "stalled": 11}  # places in a watchdog's state
SHARE = 0.6  # of a threshold that an ordinary drive may use up


def dof(axis: str, shape: str, amplitude: float, frequency: float, **more: Any) -> Generator:
    numbers: dict[str, Any] = {"amplitude": amplitude, "frequency": frequency, **FADES, **more}
    return Generator(True, Space.DOF, (axis,), Shape(shape), **numbers)


def fastest(axis: int) -> float:
    """Frequency of a sine of 0.9 of the travel that just reaches the limit of speed [Hz]."""
    return LIMITS.velocity[axis] / (2 * np.pi * 0.9 * LIMITS.position[axis])


DRIVES = {
    "sine heave": (dof("heave", "sine", 0.9 * LIMITS.position[2], fastest(2)),),
    "square surge": (dof("surge", "square", 0.9 * LIMITS.position[0], 0.2),),
    "square pitch": (dof("pitch", "square", 0.9 * LIMITS.position[4], 0.2),),
    "triangle yaw": (dof("yaw", "triangle", 0.9 * LIMITS.position[5], 0.2),),
    "sawtooth sway": (dof("sway", "sawtooth", 0.9 * LIMITS.position[1], 0.2),),
    "random heave": (dof("heave", "random", 0.1, 0.1, end_frequency=1.5, tones=16, seed=7),),
    "slow heave": (dof("heave", "sine", 0.3, 0.02),),
    "square legs": (Generator(True, Space.LEG, (1, 3, 5), Shape.SQUARE, 0.15, 0.5, **FADES),),
}


@cache
def runner() -> Runner:
    return Runner(ClosedLoop.of(SIMONA), ("state", "fault", "x_next"))


@cache
def standby() -> dict[str, Any]:
    return runner().run(Scenario(), 10.0, every=2000).end


@pytest.mark.parametrize("name", DRIVES)
def test_an_ordinary_drive_leaves_every_monitor_far_below_its_threshold(name: str) -> None:
    law = runner().loop.law
    limits = {t.name: float(law.parameters.find(t.name).start_values[0]) for t in Thresholds.layout.ports}
    scenario = Scenario(settings=GeneratorSet(DRIVES[name]).values, version=2, seed=1)
    worst, drift, drove = np.zeros(Watch.layout.size), 0.0, False
    for piece in runner().pieces(scenario, SECONDS, standby(), every=EVERY):
        assert not piece["fault"].any()
        watch = law.state.part(piece["x_next"], "watch").reshape(-1, Watch.layout.size)
        worst = np.maximum(worst, np.abs(watch).max(axis=0))
        drift = max(drift, float(np.abs(watch[:, 8] - watch[:, 0]).max()))
        drove = drove or bool((piece["state"] == State.DRIVE).any())
    assert drove
    assert drift < SHARE * limits["drift_max"]
    assert worst[WHERE["lost"]] < SHARE * limits["tracking_time"]
    assert worst[WHERE["fast"]] < SHARE * limits["speed_time"]
    assert worst[WHERE["apart"]] == 0.0  # the model of the valve is that of the plant
    assert worst[WHERE["stalled"]] < SHARE * limits["stall_travel"]


@pytest.mark.parametrize("part", some_of([0.6, 1.5], 1))
def test_a_valve_slower_or_faster_than_the_law_knows_is_no_fault(part: float) -> None:
    """Nobody knows the frequency of a valve well; the drives that move it most are the ones with jumps."""
    assert isinstance(SIMONA.actuator, HydraulicActuator)
    frequency = part * SIMONA.actuator.valve_frequency
    other = replace(SIMONA, actuator=replace(SIMONA.actuator, valve_frequency=frequency))
    alike = Runner(ClosedLoop.of(other, law=ControlLaw(SIMONA)), ("state", "fault"))
    begin = alike.run(Scenario(), 10.0, every=2000).end
    for name in ("sine heave", "square surge", "square pitch"):
        scenario = Scenario(settings=GeneratorSet(DRIVES[name]).values, version=2, seed=1)
        made = alike.run(scenario, 12.0, begin, every=EVERY)
        assert not made["fault"].any(), name
        assert (made["state"] == State.DRIVE).any()
