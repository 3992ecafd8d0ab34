"""A law whose legs are a rig's: what it senses, when it has power, and a platform that follows through it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault, WarningBit
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.rig import RIG, RIG_PLACES, LegState, RigFault
from motionbase.record.states import Mode, State
from motionbase.record.vehicle import G
from motionbase.system.measured_loop import MeasuredLoop, Wanted, guard_of_rig, law_of_rig
from motionbase.system.rig_senses import AHEAD, SETTLED, RigSenses

ODU = load_platform("odu")
NAMES = tuple(c.name for c in hexapod_schema(ODU.electric).channels)
PATIENCE = 0.1
EVERY = 10  # ticks of a cycle: 5 ms
WANTED = Wanted.layout.starts


@cache
def loop() -> MeasuredLoop:
    law = law_of_rig(ODU)
    return MeasuredLoop(ODU, law, guard_of_rig(ODU, law.dt), RigSenses(ODU, PATIENCE, law.dt), NAMES)


class Rigged:
    """The loop with legs that are where they are told, a cycle later."""

    def __init__(self, l: Array, state: LegState = LegState.READY) -> None:
        loop_, dt = loop(), loop().dt
        start: dict[str, Any] = {**loop_.quiet_inputs(), **loop_.at_rest()}
        self.io = {p.name: np.array(start[p.name], float).reshape(p.dims) for p in loop_.program.inputs}
        self.io |= {p.name: np.zeros(p.dims) for p in loop_.program.outputs}
        self.io["mode"][...] = float(Mode.MAINTENANCE)
        self._step = compile(loop_.program).bind(**self.io)
        self.dt, self.k, self.l, self.state, self.fault = dt, 0, l.copy(), state, RigFault.NONE
        self.noise, self.delay, self.speaks = 0.0, 0.001, True
        self._random = np.random.default_rng(1)

    def cycle(self) -> None:
        """What the process of a rig does."""
        wanted = self.io["wanted"]
        if wanted[WANTED["go"]]:
            self.l = wanted[:6].copy()
        row = self.io["rig_row"]
        follows = LegState.FOLLOWING if wanted[WANTED["go"]] else self.state
        for name, value in (
            ("rig_l", self.l + self.noise * self._random.standard_normal(6)),
            ("rig_state", float(follows if self.state is LegState.READY else self.state)),
            ("rig_fault", float(self.fault)),
        ):
            first = RIG_PLACES[f"leg1_{name}"]
            row[first : first + 6] = value
        for name, value in (
            ("rig_measured", self.k * self.dt - self.delay), ("rig_delay", self.delay),
            ("power_supply", ODU.actuator.p_supply), ("power_return", ODU.actuator.p_return),
        ):  # fmt: skip
            row[RIG_PLACES[name]] = value
        self.io["rig_taken"] += 1.0

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / self.dt)):
            if self.speaks and self.k % EVERY == 0:
                self.cycle()
            self._step()
            for state, after in loop().feedback.items():
                self.io[state][...] = self.io[after]
            self.k += 1

    @property
    def base(self) -> tuple[State, Fault]:
        return State(int(self.io["state"])), Fault(int(self.io["fault"]))

    def sensed(self, name: str) -> Array:
        """A measurement as the law got it."""
        schema = hexapod_schema(ODU.electric)
        first = schema.index[f"leg1_{name}" if name.startswith("l") else name]
        return np.asarray(self.io["record"][first : first + (6 if name.startswith("l") else 3)])


DOWN = np.full(6, ODU.l_down)


def test_a_platform_rises_and_follows_readings_with_noise() -> None:
    rig = Rigged(DOWN)
    rig.noise = 1.2e-4  # [m], of the published rig's potentiometers: 2 mV
    rig.run(14.0)
    assert rig.base == (State.DRIVE, Fault.NONE)
    np.testing.assert_allclose(rig.l, ODU.l_neutral, atol=1e-6)  # neutral is the demand without generators
    assert not int(rig.io["warning"]) & WarningBit.GYROS_WRONG  # what is put in the place of gyros agrees with the legs


def test_lengths_between_readings_go_on_with_their_rate() -> None:
    """Legs of constant speed are sensed without error once the filter has settled: age and delay are made up for."""
    rig = Rigged(DOWN)
    rig.run(1.0)
    speed = np.linspace(0.01, 0.02, 6)
    rig.io["wanted"][...] = 0.0
    begin = rig.k
    for _ in range(round(1.0 / rig.dt)):
        rig.l = DOWN + speed * ((rig.k - begin) * rig.dt - rig.delay)
        rig.run(rig.dt)
        rig.io["wanted"][WANTED["go"]] = 0.0
    np.testing.assert_allclose(rig.sensed("l_dot_meas"), speed, rtol=1e-6)
    np.testing.assert_allclose(rig.sensed("l_meas"), DOWN + speed * (rig.k - 1 - begin) * rig.dt, atol=1e-8)


def test_gyros_and_accelerometers_follow_from_the_legs() -> None:
    """A platform that turns: the rates of its legs give back the angular rate, the pose gravity."""
    rig, kinematics = Rigged(DOWN), kinematics_of(ODU)
    legs_of, pose_of = compile(kinematics.inverse), compile(kinematics.pose_of_dof)
    yaw_rate, begin = 0.05, rig.k
    tilt = np.array([0.0, 0.0, 0.0, 0.02, 0.03, 0.0])
    for _ in range(round(4.0 / rig.dt)):
        t = (rig.k - begin) * rig.dt
        dof = tilt + np.array([0, 0, 0, 0, 0, yaw_rate * max(t - rig.delay - 3.0, 0.0)])
        if rig.k % EVERY == 0:
            rig.l = np.ravel(legs_of(*pose_of(dof))[0])
        rig.run(rig.dt)
        rig.io["wanted"][WANTED["go"]] = 0.0
    # Euler rates to rates in P at this attitude (ZYX): a yaw rate about W's vertical
    roll, pitch = tilt[3], tilt[4]
    vertical = np.array([-np.sin(pitch), np.cos(pitch) * np.sin(roll), np.cos(pitch) * np.cos(roll)])
    np.testing.assert_allclose(rig.sensed("omega_x"), yaw_rate * vertical, atol=2e-4)
    np.testing.assert_allclose(rig.sensed("acc_x"), G * vertical, atol=1e-3)


@pytest.mark.parametrize("state", [LegState.OFF, LegState.STARTING, LegState.UNHOMED, LegState.HOMING, LegState.FAULT])
def test_legs_that_are_not_ready_give_no_power(state: LegState) -> None:
    rig = Rigged(DOWN, state)
    rig.run(1.0)
    assert rig.base == (State.OFF, Fault.NONE)
    rig.state = LegState.READY
    rig.run(SETTLED - 0.05)
    assert rig.base == (State.OFF, Fault.NONE)  # a law must not ask for motion before legs have seen it not asking
    rig.run(0.2)
    assert rig.base == (State.RISING, Fault.NONE)


def test_lengths_that_jump_when_legs_are_homed_are_no_fault() -> None:
    rig = Rigged(DOWN + 0.15, LegState.UNHOMED)
    rig.run(1.0)
    rig.l, rig.state = DOWN.copy(), LegState.READY
    rig.run(4.0)
    assert rig.base == (State.RISING, Fault.NONE)


@pytest.mark.parametrize("what", ["fault", "silence", "power"])
def test_a_rig_that_fails_ends_in_the_laws_own_stop(what: str) -> None:
    rig = Rigged(DOWN)
    rig.run(3.0)
    assert rig.base[0] is State.RISING
    if what == "silence":
        rig.speaks = False
    elif what == "fault":
        rig.fault = RigFault.SILENT_LEG
    else:
        rig.state = LegState.OFF
        rig.io["wanted"][WANTED["go"]] = 0.0
    seen = set()
    for _ in range(20):
        rig.run(0.1)
        seen.add(rig.base[0])
        if what == "power":
            rig.io["wanted"][WANTED["go"]] = 0.0
    assert {State.STOPPING, State.HELD} <= seen
    assert rig.base == (State.HELD, Fault.SUPPLY)
    assert rig.io["wanted"][WANTED["go"]] == 0.0


def test_hostile_numbers_do_not_get_through() -> None:
    rig = Rigged(DOWN)
    rig.run(3.0)
    rig.speaks = False
    random = np.random.default_rng(2)
    for _ in range(200):
        rig.io["rig_row"][:] = random.choice([np.nan, np.inf, -np.inf, 1e308, 0.0, -1.0, 5.0], len(RIG))
        rig.io["rig_taken"] += 1.0
        rig.run(rig.dt)
        wanted = rig.io["wanted"]
        assert np.isfinite(wanted).all()
    assert rig.base[0] in (State.HELD, State.STOPPING, State.ABORT, State.OFF, State.RISING)
    assert AHEAD < PATIENCE
