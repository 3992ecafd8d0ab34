"""Sensors with delay in the closed loop: it drives, it lags by what they lag, and exported state has their history."""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from motionbase.platform.load import load_platform
from motionbase.platform.sensors import Sensors
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.export import plant_border
from motionbase.system.runs import Runner, Scenario

DELAY, SPEED = 1e-3, 0.05 * 2 * np.pi * 0.5  # [s]; largest of a sine of 0.05 m and 0.5 Hz [m/s]
SINE = Generator(True, "dof", ("heave",), "sine", 0.05, 0.5, fade_in=1.0)  # type: ignore[arg-type]


@cache
def loop() -> ClosedLoop:
    usual = Sensors()
    late = Sensors(**{f.name: replace(getattr(usual, f.name), delay=DELAY) for f in fields(usual)})
    return ClosedLoop.of(replace(load_platform("simona"), sensors=late))


def test_the_loop_follows_what_it_believes() -> None:
    """It keeps the late reading on the demand, so the platform itself is early by the delay: v times 1 ms."""
    run = Runner(loop(), ("state", "fault", "cmd", "p_W_next")).run(
        Scenario(settings=GeneratorSet((SINE,)).values), 14.0, every=4
    )
    assert run["state"][-1] == State.DRIVE and not run["fault"].any()
    late = run.t > 10.0
    demand, velocity = run["cmd"][late, 2, 0], run["cmd"][late, 2, 1]
    heave = run["p_W_next"][late, 2] - loop().plant.hexapod.p_neutral[2]
    tick = velocity * loop().dt  # a row has the demand at the start of its tick and the motion at the end of it
    early = heave - demand - tick
    assert np.abs(velocity).max() == pytest.approx(SPEED, rel=1e-3)
    slope = float(early @ velocity / (velocity @ velocity))
    assert slope == pytest.approx(DELAY, rel=0.2)  # friction and noise are the rest


def test_the_history_is_exported_as_a_state() -> None:
    border = plant_border(loop())
    state = {p.name: p.dims for p in border.groups["state"]}
    assert state["sensed"] == (2, 48)
    assert not any(p.name.startswith("sensed") for group in ("inputs", "outputs") for p in border.groups[group])
