"""A simulated drive alone: the profile's transitions, homing, limits, watchdog, heat."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import numpy as np
import pytest

from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.canopen import PDO, Frame, Manage, Network
from motionbase.rig.drives.motor import Motor
from motionbase.rig.drives.profile import TRANSITIONS, Command, Event, Mode, State, Transition
from motionbase.rig.drives.settings import settings
from motionbase.rig.drives.simulated import HOTTEST, SimulatedDrive
from tests.rig.drives.bench import setup

PERIOD = 0.002
LOW, HIGH = -50_000.0, 50_000.0


class Alone:
    """A drive, set up and started, and the frames that it has sent."""

    def __init__(self, leg: int = 0, mode: Mode = Mode.CYCLIC_SYNCHRONOUS_POSITION, **changes: int) -> None:
        s = setup(least=np.full(6, 0.0), most=np.full(6, 2.0))
        axis = s.axes[leg]
        self.node, self.heard = axis.node, list[Frame]()
        self.drive = SimulatedDrive(axis.node, Motor(LOW, HIGH, acceleration=2e7, speed=1e6))
        self.beats = True
        self.wait(0.1)
        for (entry, _), value in settings(axis, s).items():
            self.tell(canopen.write_request(self.node, entry, value))
        self.set(profile.MODE, mode)
        for name, value in changes.items():
            self.set(getattr(profile, name), value)
        self.tell(canopen.manage(Manage.START, self.node))
        self.target = 0

    def tell(self, frame: Frame) -> None:
        self.drive.hear(frame)
        self.heard += self.drive.sent
        self.drive.sent.clear()

    def set(self, entry: profile.Object, value: int) -> None:
        self.tell(canopen.write_request(self.node, entry, value))

    def wait(self, seconds: float) -> None:
        self.drive.advance(self.drive.now + seconds)
        self.heard += self.drive.sent
        self.drive.sent.clear()

    def cycle(self, word: int, target: int | None = None) -> State | None:
        """SYNC with a controlword and a target, and the state that the drive answers a cycle later."""
        self.target = self.target if target is None else target
        self.tell(Frame(canopen.RECEIVE_PDO1 + self.node, PDO.pack(word, self.target)))
        self.tell(Frame(canopen.SYNC, b""))
        if self.beats:
            self.tell(canopen.heartbeat(canopen.MASTER, Network.OPERATIONAL))
        self.wait(PERIOD)
        return self.drive.state

    def reach(self, state: State) -> None:
        """By commands of a master; a fault by a fault."""
        if state in (State.FAULT, State.FAULT_REACTION_ACTIVE):
            self.reach(State.OPERATION_ENABLED)
            self.move(2000) if state is State.FAULT_REACTION_ACTIVE else None
            self.drive.fail(0x2310)
        for _ in range(200):
            if self.drive.state is state:
                return
            command = profile.towards(self.drive.state, state)
            self.cycle(command.word if command else 0)
        raise AssertionError(f"{state} is not reached from {self.drive.state}")

    def move(self, step: int, cycles: int = 20) -> None:
        for _ in range(cycles):
            self.cycle(0x0F, self.target + step)

    def words(self) -> list[int]:
        return [PDO.unpack(data)[0] for identifier, data in self.heard if identifier == 0x180 + self.node]

    def codes(self) -> list[int]:
        return [struct.unpack_from("<H", data)[0] for identifier, data in self.heard if identifier == 0x80 + self.node]

    def until(self, condition: Callable[[], bool], word: int = 0x0F, cycles: int = 2000) -> None:
        for _ in range(cycles):
            if condition():
                return
            self.cycle(word)
        raise AssertionError(f"not reached: {self.drive.state}, {self.codes()}")


COMMANDED = [t for t in TRANSITIONS if isinstance(t.cause, Command)]


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("change", COMMANDED, ids=lambda t: f"{t.number}-{t.cause.name}")
def test_every_commanded_transition_on_every_drive(leg: int, change: Transition) -> None:
    alone = Alone(leg)
    alone.reach(change.source)
    assert isinstance(change.cause, Command)
    alone.cycle(0) if change.source is State.FAULT else None
    alone.cycle(change.cause.word)
    left: State | None = alone.drive.state
    for _ in range(50):
        if left is not change.source:
            break
        left = alone.cycle(change.cause.word)
    assert left is change.target


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("command", Command)
def test_a_command_without_an_arrow_changes_nothing(state: State, command: Command) -> None:
    if profile.transition(state, command) is not None or state is State.FAULT_REACTION_ACTIVE:
        return
    alone = Alone()
    if state is not State.NOT_READY_TO_SWITCH_ON:
        alone.reach(state)
    else:
        alone.drive.restart()
    for _ in range(20):
        assert alone.cycle(command.word) is state


@pytest.mark.parametrize("state", [s for s in State if profile.transition(s, Event.FAULT_DETECTED)])
@pytest.mark.parametrize("leg", range(6))
def test_a_fault_ends_in_fault_from_every_state_and_says_why(leg: int, state: State) -> None:
    if state is State.NOT_READY_TO_SWITCH_ON:
        return  # it listens to nobody yet
    alone = Alone(leg)
    alone.reach(state)
    alone.drive.fail(0x7305)
    alone.until(lambda: alone.drive.state is State.FAULT)
    alone.tell(canopen.read_request(alone.node, profile.ERROR_CODE))
    assert alone.codes() == [0x7305] and alone.heard[-1].data[4:6] == b"\x05\x73"
    assert profile.state_of(alone.words()[-1]) in (State.FAULT, State.FAULT_REACTION_ACTIVE)


def test_power_takes_its_time() -> None:
    alone = Alone()
    alone.reach(State.READY_TO_SWITCH_ON)
    begin = alone.drive.now
    alone.reach(State.OPERATION_ENABLED)
    assert 0.06 <= alone.drive.now - begin <= 0.06 + 4 * PERIOD


def test_targets_are_interpolated_and_followed() -> None:
    """Behind a ramp, interpolation costs a cycle, and the critically damped control adds nothing once it is steady."""
    alone = Alone()
    alone.reach(State.OPERATION_ENABLED)
    alone.move(40, cycles=300)
    assert alone.drive.motor.v == pytest.approx(40 / PERIOD, rel=1e-3)
    assert alone.target - alone.drive.actual == pytest.approx(0, abs=25)  # as much as inertia makes it late
    for _ in range(200):
        alone.cycle(0x0F)
    assert alone.drive.actual == alone.target


def test_a_target_that_is_too_quick_is_a_following_error() -> None:
    alone = Alone()
    alone.reach(State.OPERATION_ENABLED)
    for _ in range(30):
        alone.cycle(0x0F, alone.target + 10_000)
        if alone.drive.state is not State.OPERATION_ENABLED:
            break
    assert alone.codes() == [profile.FOLLOWING_TOO_FAR]
    assert any(word & profile.FOLLOWING_ERROR and word & 0x6F == 0x27 for word in alone.words())


def test_a_quick_stop_brakes_at_its_deceleration_and_holds() -> None:
    alone = Alone(QUICK_STOP_DECELERATION=1_000_000)
    alone.reach(State.OPERATION_ENABLED)
    alone.move(100, cycles=200)
    v, x = alone.drive.motor.v, alone.drive.motor.x
    alone.until(lambda: alone.drive.motor.v == 0, word=0x02)
    assert alone.drive.state is State.QUICK_STOP_ACTIVE
    assert alone.drive.motor.x - x == pytest.approx(v * v / 2e6, rel=0.1)


@pytest.mark.parametrize("option,end", [(1, State.SWITCH_ON_DISABLED), (2, State.SWITCH_ON_DISABLED),
                                        (5, State.QUICK_STOP_ACTIVE), (6, State.QUICK_STOP_ACTIVE)])  # fmt: skip
def test_what_follows_a_quick_stop(option: int, end: State) -> None:
    alone = Alone(QUICK_STOP_OPTION=option)
    alone.reach(State.OPERATION_ENABLED)
    alone.move(100)
    for _ in range(200):
        alone.cycle(0x02)
    assert alone.drive.state is end and alone.drive.motor.v == 0


@pytest.mark.parametrize("method,edge", [(17, LOW), (18, HIGH)])
@pytest.mark.parametrize("offset", [0, 700])
def test_homing_at_a_switch(method: int, edge: float, offset: int) -> None:
    alone = Alone(mode=Mode.HOMING, HOMING_METHOD=method, HOMING_FAST=40_000, HOMING_SLOW=4000,
                  HOMING_ACCELERATION=400_000, HOME_OFFSET=offset)  # fmt: skip
    alone.reach(State.OPERATION_ENABLED)
    assert not alone.words()[-1] & profile.HOMING_ATTAINED
    alone.until(lambda: bool(alone.words()[-1] & profile.HOMING_ATTAINED), word=0x1F)
    assert alone.drive.motor.v == 0 and not alone.codes()
    assert alone.drive.motor.x - alone.drive.actual + offset == pytest.approx(edge, abs=4000 * 1e-3 + 1)


def test_homing_here_and_homing_that_it_does_not_know() -> None:
    alone = Alone(mode=Mode.HOMING, HOMING_METHOD=37, HOME_OFFSET=5)
    alone.reach(State.OPERATION_ENABLED)
    alone.until(lambda: bool(alone.words()[-1] & profile.HOMING_ATTAINED), word=0x1F, cycles=5)
    assert alone.drive.actual == 5
    alone = Alone(mode=Mode.HOMING, HOMING_METHOD=99)
    alone.reach(State.OPERATION_ENABLED)
    alone.until(lambda: bool(alone.words()[-1] & profile.HOMING_ERROR), word=0x1F, cycles=5)


def test_homing_is_interrupted_by_the_bit_that_starts_it() -> None:
    alone = Alone(mode=Mode.HOMING, HOMING_FAST=40_000, HOMING_ACCELERATION=400_000)
    alone.reach(State.OPERATION_ENABLED)
    for _ in range(100):
        alone.cycle(0x1F)
    assert alone.drive.motor.v < 0
    for _ in range(200):
        alone.cycle(0x0F)
    assert alone.drive.motor.v == 0 and alone.drive.state is State.OPERATION_ENABLED


@pytest.mark.parametrize("direction", [-1, 1])
def test_a_limit_switch_stops_and_lets_the_drive_out_again(direction: int) -> None:
    alone = Alone(LEAST_POSITION=-60_000, MOST_POSITION=60_000)
    alone.reach(State.OPERATION_ENABLED)
    for _ in range(2000):
        alone.cycle(0x0F, alone.target + 100 * direction)
        if alone.drive.state is State.FAULT:
            break
    assert alone.codes() == [profile.LIMIT_REACHED]
    assert alone.words()[-1] & profile.INTERNAL_LIMIT
    alone.cycle(0)
    alone.cycle(0x80)
    alone.target = alone.drive.actual
    alone.reach(State.OPERATION_ENABLED)
    alone.move(-100 * direction, cycles=300)
    assert alone.drive.state is State.OPERATION_ENABLED and not alone.words()[-1] & profile.INTERNAL_LIMIT


def test_targets_beyond_the_drives_own_limits_are_cut() -> None:
    alone = Alone(LEAST_POSITION=-100, MOST_POSITION=100)
    alone.reach(State.OPERATION_ENABLED)
    for _ in range(300):
        alone.cycle(0x0F, 400)
    assert alone.drive.actual == 100 and alone.words()[-1] & profile.INTERNAL_LIMIT
    assert not alone.words()[-1] & profile.FOLLOWS


@pytest.mark.parametrize("option,end", [(0, State.OPERATION_ENABLED), (1, State.FAULT), (2, State.SWITCH_ON_DISABLED),
                                        (3, State.QUICK_STOP_ACTIVE)])  # fmt: skip
def test_a_lost_master(option: int, end: State) -> None:
    alone = Alone(ABORT_CONNECTION_OPTION=option)
    alone.reach(State.OPERATION_ENABLED)
    alone.beats = False
    begin = alone.drive.now - PERIOD
    alone.until(lambda: alone.drive.network is not Network.OPERATIONAL)
    assert 0.03 <= alone.drive.now - begin <= 0.03 + 2 * PERIOD
    alone.wait(0.5)
    assert alone.drive.state is end and alone.drive.network is Network.PRE_OPERATIONAL
    assert alone.codes()[0] == profile.HEARTBEAT_LOST


def test_nobody_waits_for_a_master_that_never_sent_a_heartbeat() -> None:
    alone = Alone()
    alone.beats = False
    alone.reach(State.OPERATION_ENABLED)
    alone.wait(1.0)
    assert alone.drive.network is Network.OPERATIONAL and not alone.codes()


def test_heat() -> None:
    """Full acceleration to and fro without end is too much: 145 degrees in the end, 110 after a known time."""
    motor = Motor(LOW, HIGH, acceleration=1e6, speed=1e9)
    for k in range(100_000):
        motor.run(math.copysign(1e9, 0.5 - k % 2), 1e6, 1e-3)
    assert motor.temperature == pytest.approx(25 + 120 * (1 - math.exp(-100 / 60)), rel=1e-3)
    alone = Alone()
    alone.reach(State.OPERATION_ENABLED)
    alone.drive.motor.temperature = HOTTEST + 1
    alone.until(lambda: alone.drive.state is State.FAULT)
    assert alone.codes() == [profile.OVER_TEMPERATURE]
    alone.cycle(0)
    alone.cycle(0x80)
    alone.until(lambda: alone.drive.state is State.FAULT)  # still hot
    assert alone.codes() == [profile.OVER_TEMPERATURE, 0, profile.OVER_TEMPERATURE]


def test_a_pdo_of_another_length_is_refused() -> None:
    alone = Alone()
    alone.reach(State.OPERATION_ENABLED)
    alone.tell(Frame(canopen.RECEIVE_PDO1 + alone.node, b"\0"))
    alone.tell(Frame(canopen.SYNC, b""))
    assert alone.codes() == [profile.PDO_LENGTH] and alone.drive.state is State.OPERATION_ENABLED


@pytest.mark.parametrize("command", [Manage.RESET_NODE, Manage.RESET_COMMUNICATION])
def test_a_restart_is_told_and_forgets_settings_and_reference(command: Manage) -> None:
    alone = Alone()
    alone.reach(State.OPERATION_ENABLED)
    alone.move(100)
    alone.move(0)
    alone.heard.clear()
    alone.tell(canopen.manage(command, 0))
    alone.wait(0.1)
    assert alone.heard == [canopen.heartbeat(alone.node, Network.BOOT_UP)]
    assert alone.drive.actual == 0 and alone.drive.state is State.SWITCH_ON_DISABLED


def test_a_stopped_node_answers_nothing_but_lives() -> None:
    alone = Alone()
    alone.reach(State.OPERATION_ENABLED)
    alone.tell(canopen.manage(Manage.STOP, alone.node))
    alone.heard.clear()
    alone.tell(canopen.read_request(alone.node, profile.MODE))
    alone.cycle(0x0F)
    alone.wait(0.25)
    assert {frame.id for frame in alone.heard} == {0x700 + alone.node}
    assert alone.drive.state is State.QUICK_STOP_ACTIVE
