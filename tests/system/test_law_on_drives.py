"""The law over simulated drives: in every state of the law, any fault of any drive ends in the law's own stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Compiled, compile
from motionbase.executive.rig.driver import AT, IN, Driver
from motionbase.executive.rig.link import Told
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.record.states import Mode, Request, State
from motionbase.rig.drives.setup import Axis, Setup
from motionbase.rig.drives.simulated import HERE
from motionbase.system.measured_loop import MeasuredLoop, guard_of_rig, law_of_rig
from motionbase.system.rig_senses import RigSenses
from tests.rig.drives.bench import Bench
from tests.tier import some_of

PERIOD = 0.004
DOWN = 0.03  # [m] below neutral: this platform rises in a second and a half
STANDING = (State.OFF, State.HELD)
STOPPING = (State.STOPPING, State.ABORT, *STANDING)


@cache
def platform() -> Hexapod:
    """An electric one whose legs are almost at neutral when it is down."""
    full = load_platform("emotion-1500")
    down = float(full.l_neutral.min()) - DOWN
    limits = replace(full.limits, position=(0.05,) * 6)
    stroke = replace(full.stroke, hard_min=down - 0.02, l_min=down - 0.005)
    return replace(full, l_down=down, stroke=stroke, limits=limits)


@cache
def compiled() -> tuple[MeasuredLoop, Compiled]:
    law = law_of_rig(platform())
    loop = MeasuredLoop(platform(), law, guard_of_rig(platform(), law.dt), RigSenses(platform(), 0.1, law.dt))
    return loop, compile(loop.program)


class Base:
    """Law, process of the rig and drives, step by step."""

    def __init__(self) -> None:
        self.loop, unit = compiled()
        start: dict[str, Any] = {**self.loop.quiet_inputs(), **self.loop.at_rest()}
        self.io = {p.name: np.array(start[p.name], float).reshape(p.dims) for p in self.loop.program.inputs}
        self.io |= {p.name: np.zeros(p.dims) for p in self.loop.program.outputs}
        self.io["mode"][...], self.io["automatic"][...] = float(Mode.MAINTENANCE), 0.0
        self._step = unit.bind(**self.io)
        stroke = platform().stroke
        down = np.full(6, platform().l_down)
        axes = tuple(Axis(leg + 1, 8192, 0.02, home=platform().l_down) for leg in range(6))
        setup = Setup(
            axes, np.full(6, stroke.hard_min), np.full(6, stroke.hard_max), period=PERIOD, homing_method=HERE,
            jump=0.03, speed=0.8, deceleration=4.0, silence=0.1, watchdog=0.05,
        )  # fmt: skip
        self.bench = Bench(down, setup)
        for drive in self.bench.drives:
            drive.motor.low, drive.motor.high = -1e9, 1e9
        self.driver = Driver(self.bench, None, (platform().actuator.p_supply, 0.0), clock=lambda: self.bench.now)
        self.k, self.number, self.order = 0, 0, Order.NONE

    def run(self, seconds: float) -> None:
        every = round(PERIOD / self.loop.dt)
        for _ in range(round(seconds / self.loop.dt)):
            if self.k % every == 0:
                self._cycle()
            self._step()
            for state, after in self.loop.feedback.items():
                self.io[state][...] = self.io[after]
            self.io["asked"][...] = self.io["reset"][...] = 0.0
            self.k += 1

    def _cycle(self) -> None:
        told = np.zeros(2 + Told.layout.size)
        told[0], told[IN["l"] : AT["wanted"] + 14] = self.k + 1, self.io["wanted"]
        told[AT["order"]], told[AT["number"]] = self.order, self.number
        now = (self.k + 1) * self.loop.dt
        self.io["rig_row"][:] = self.driver.cycle(now, now, told)[1:]
        self.io["rig_taken"] += 1.0

    def give(self, order: Order) -> None:
        self.number, self.order = self.number + 1, order
        if order is Order.RESET:
            self.io["reset"][...] = 1.0

    def until(self, reached: Callable[[], bool], within: float = 20.0, request: Request = Request.NONE) -> None:
        """Ask, and ask again while nothing happens: a law hears a request only when the legs are ready."""
        before = self.state
        for _ in range(round(within / 0.02)):
            if reached():
                return
            if self.state is before:
                self.io["asked"][...] = float(request)
            self.run(0.02)
        raise AssertionError(f"not within {within} s: {self.state}, {self.fault}, {self.bench.why}")

    @property
    def state(self) -> State:
        return State(int(self.io["state"]))

    @property
    def fault(self) -> Fault:
        return Fault(int(self.io["fault"]))

    def legs_are(self, state: LegState) -> bool:
        return self.driver.answer is not None and self.driver.answer.all_are(state)

    def to(self, wanted: State) -> None:
        """By the way of an operator, from wherever it is."""
        self.run(0.1)
        if self.driver.answer is not None and self.driver.answer.fault:
            self.give(Order.RESET)
            self.until(lambda: self.driver.answer is not None and not self.driver.answer.fault)
        self.io["reset"][...] = 1.0
        self.run(0.1)
        if self.legs_are(LegState.OFF):
            self.give(Order.ENABLE)
            self.until(lambda: self.legs_are(LegState.UNHOMED) or self.legs_are(LegState.READY))
        if self.legs_are(LegState.UNHOMED):
            self.give(Order.HOME)
            self.until(lambda: self.legs_are(LegState.READY))
        self.run(2.0)
        if self.state in STANDING and wanted not in STANDING:
            if self.state is State.HELD:
                self.until(lambda: self.state is State.DOWN, request=Request.LOWER)
            self.until(lambda: self.state is State.DOWN, request=Request.DOWN)
        for request, state in WAYS[wanted]:
            self.until(lambda state=state: self.state is state, request=request)  # type: ignore[misc]


UP = ((Request.STANDBY, State.RISING),)
HIGH = ((Request.STANDBY, State.STANDBY),)
DRIVEN = (*HIGH, (Request.DRIVE, State.DRIVE))
WAYS: dict[State, tuple[tuple[Request, State], ...]] = {
    State.OFF: (), State.DOWN: (), State.RISING: UP, State.STANDBY: HIGH,
    State.ENGAGING: (*HIGH, (Request.DRIVE, State.ENGAGING)), State.DRIVE: DRIVEN,
    State.SETTLING: (*DRIVEN, (Request.SETTLE, State.SETTLING)),
    State.LOWERING: (*HIGH, (Request.LOWER, State.LOWERING)),
    State.FREEZE: (*DRIVEN, (Request.FREEZE, State.FREEZE)), State.ABORT: (*HIGH, (Request.ABORT, State.ABORT)),
}  # fmt: skip
HARMS: dict[str, tuple[Callable[[Base, int], object], RigFault]] = {
    "following error": (lambda base, leg: base.bench.drives[leg].fail(0x8611), RigFault.FOLLOWING_ERROR),
    "hot motor": (lambda base, leg: base.bench.drives[leg].fail(0x4310), RigFault.TEMPERATURE),
    "limit switch": (lambda base, leg: base.bench.drives[leg].fail(0x8612), RigFault.LIMIT_SWITCH),
    "too much current": (lambda base, leg: base.bench.drives[leg].fail(0x2310), RigFault.OVERLOAD),
    "too little voltage": (lambda base, leg: base.bench.drives[leg].fail(0x3220), RigFault.SUPPLY),
    "broken encoder": (lambda base, leg: base.bench.drives[leg].fail(0x7305), RigFault.SENSOR),
    "unplugged": (lambda base, leg: base.bench.plug(leg, False), RigFault.SILENT_LEG),
}


@pytest.mark.parametrize("state", some_of([State.DRIVE, *(s for s in WAYS if s is not State.DRIVE)], 1), ids=str)
@pytest.mark.parametrize("what", some_of(HARMS, 2))
def test_a_fault_of_any_drive_in_any_state_ends_in_the_laws_own_stop(what: str, state: State) -> None:
    base, (do, expected) = Base(), HARMS[what]
    for leg in range(6):
        base.to(state)
        moved = state not in (State.OFF, State.DOWN)
        do(base, leg)
        base.run(0.1)
        assert base.driver.answer is not None
        assert base.driver.answer.faults[leg] is expected
        assert sum(map(bool, base.driver.answer.faults)) == 1
        if moved:
            assert base.state in STOPPING
            base.until(lambda: base.state in STANDING, within=3.0)
            assert base.fault in (Fault.SUPPLY, Fault.OPERATOR_ABORT)
        before = base.bench.lengths
        base.run(0.5)
        np.testing.assert_allclose(base.bench.lengths, before, atol=1e-6)  # nothing moves any more
        base.bench.plug(leg, True)
    base.bench.leave()
