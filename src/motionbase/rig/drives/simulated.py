"""A simulated drive that behaves as CiA 301 and CiA 402 say."""

from __future__ import annotations

import struct
from enum import Enum
from typing import final

from motionbase.rig.drives import canopen, dictionary, profile
from motionbase.rig.drives.canopen import HEARTBEAT, SDO_REQUEST, Frame, Manage, Network
from motionbase.rig.drives.motor import STEP, Motor
from motionbase.rig.drives.profile import Command, Event, Mode, Object, State, Transition

BOOT_TIME, POWER_TIMES = 0.05, {3: 0.02, 4: 0.04}  # by the number of the transition [s]
HOTTEST = 110.0  # [deg C]
STANDS = 100.0  # slower than this a motor counts as standing [1/s]
TO_NEGATIVE_SWITCH, TO_POSITIVE_SWITCH, HERE = 17, 18, 37  # methods of homing
ON_ABORT = {2: Command.DISABLE_VOLTAGE, 3: Command.QUICK_STOP}  # 6007h


class Homing(Enum):
    """What a drive does in homing mode."""

    NOT_STARTED = "not started"
    SEEKING = "towards the switch"
    LEAVING = "off the switch"
    SETTLING = "coming to rest"
    DONE = "done"
    FAILED = "failed"


@final
class SimulatedDrive:
    """A drive with its motor.

    Attributes:
        plugged: false while its cable is cut; it goes on by itself then
        network: state of network management
        state: of power
        values: its object dictionary
        changed_at: time of the last change of the power state [s]
        sent: frames that it has sent and nobody has taken yet
    """

    def __init__(self, node: int, motor: Motor, objects: dict[Object, int] = dictionary.CAN_DRIVE) -> None:
        """A drive that is switched on.

        Args:
            node: its number
            motor: its mechanics
            objects: with their values after power-up
        """
        self.node, self.motor, self.plugged, self.now = node, motor, True, 0.0
        self._objects = objects
        self.sent: list[Frame] = []
        self.restart()

    def restart(self) -> None:
        """Power lost and restored: settings and reference are gone."""
        self.network, self.state = Network.BOOT_UP, State.NOT_READY_TO_SWITCH_ON
        self.values = dict(self._objects)
        self._zero = self.motor.x
        self._pending: tuple[Transition, float] | None = None
        self.changed_at, self._up_at = self.now, self.now + BOOT_TIME
        self._word, self._received, self._homing = 0, b"", Homing.NOT_STARTED
        self._beat_at: float | None = None
        self._beaten_at = self._astray = 0.0
        self._from = self._to = self._since = 0.0
        self._limited = False

    @property
    def actual(self) -> int:
        """Position [increments]."""
        return round(self.motor.x - self._zero)

    def fail(self, code: int) -> None:
        """A fault: the emergency object, the reaction, and the state until a reset."""
        if self.state not in (State.FAULT_REACTION_ACTIVE, State.FAULT, State.NOT_READY_TO_SWITCH_ON):
            self.values[profile.ERROR_CODE] = code
            self._report(code, 0x01)
            self._go(Event.FAULT_DETECTED)

    # What it hears

    def hear(self, frame: Frame) -> None:
        """A frame on the bus."""
        if not self.plugged or self.network is Network.BOOT_UP:
            return
        match frame.id:
            case canopen.NMT if len(frame.data) == 2 and frame.data[1] in (0, self.node):
                self._manage(frame.data[0])
            case canopen.SYNC:
                self._sync()
            case identifier if identifier == SDO_REQUEST + self.node and self.network is not Network.STOPPED:
                if (request := canopen.request_of(frame.data)) is not None:
                    self._send(canopen.answer(self.node, dictionary.served(self.values, request)))
            case identifier if identifier == self.values[profile.RECEIVE_PDO]:
                self._received = frame.data
            case identifier if identifier == HEARTBEAT + (self.values[profile.CONSUMER_HEARTBEAT] >> 16):
                self._beat_at = self.now

    def _manage(self, command: int) -> None:
        match command:
            case Manage.START:
                self.network = Network.OPERATIONAL
            case Manage.STOP:
                self.leave_operation(Network.STOPPED)
            case Manage.ENTER_PRE_OPERATIONAL:
                self.leave_operation(Network.PRE_OPERATIONAL)
            case Manage.RESET_NODE | Manage.RESET_COMMUNICATION:
                self.restart()

    def leave_operation(self, network: Network) -> None:
        """The master is gone, or says so; 6007h tells what to do."""
        if self.network is Network.OPERATIONAL and self.state is State.OPERATION_ENABLED:
            option = self.values[profile.ABORT_CONNECTION_OPTION]
            if option == 1:
                self.fail(profile.HEARTBEAT_LOST)
            elif option in ON_ABORT:
                self._go(ON_ABORT[option])
        self.network, self._received = network, b""

    def _sync(self) -> None:
        """Take the target, give the position."""
        if self.network is not Network.OPERATIONAL:
            return
        data, self._received = self._received, b""
        given = self.exchange(data)
        if not self.values[profile.TRANSMIT_PDO] & canopen.DISABLED:
            self._send(Frame(self.values[profile.TRANSMIT_PDO], given))

    def exchange(self, data: bytes) -> bytes:
        """Take what a receive PDO holds, nothing if it is empty; give what the transmit PDO holds."""
        self._take_targets(data)
        self.values[profile.STATUSWORD] = self._statusword()
        self.values[profile.ACTUAL_POSITION] = self.actual
        self.values[profile.MODE_DISPLAY] = self.values[profile.MODE]
        entries = dictionary.mapping(self.values, profile.TRANSMIT_MAP)
        return b"".join([canopen.packed(entry, self.values[entry]) for entry in entries])

    def _take_targets(self, data: bytes) -> None:
        entries = dictionary.mapping(self.values, profile.RECEIVE_MAP)
        codes = "<" + "".join(entry.code for entry in entries)
        if not data:
            return
        if len(data) != struct.calcsize(codes):
            self._report(profile.PDO_LENGTH, 0x11)
            return
        self.values.update(zip(entries, struct.unpack(codes, data), strict=True))
        word, before = self.values[profile.CONTROLWORD], self._word
        self._word = word
        if (command := profile.command_of(word, before)) is not None:
            self._go(command)
        if word & ~before & profile.START_HOMING and self.values[profile.MODE] == Mode.HOMING:
            self._homing = Homing.SEEKING
        wanted = self.values[profile.TARGET_POSITION]
        target = max(self.values[profile.LEAST_POSITION], min(self.values[profile.MOST_POSITION], wanted))
        self._limited = target != wanted
        self._from, self._to, self._since = self._demand()[0], float(target), self.now

    def _statusword(self) -> int:
        word = self.state.value[1] | (profile.VOLTAGE if self._powered else 0)
        word |= profile.INTERNAL_LIMIT if self._limited or self.motor.at_low or self.motor.at_high else 0
        if self.values[profile.MODE] == Mode.HOMING:
            word |= (profile.HOMING_ATTAINED | profile.TARGET_REACHED) if self._homing is Homing.DONE else 0
            word |= profile.HOMING_ERROR if self._homing is Homing.FAILED else 0
        elif self.state is State.OPERATION_ENABLED:
            word |= profile.FOLLOWING_ERROR if self._astray else 0
            word |= 0 if self._limited else profile.FOLLOWS
        return word

    @property
    def _powered(self) -> bool:
        return self.state in (State.OPERATION_ENABLED, State.QUICK_STOP_ACTIVE, State.FAULT_REACTION_ACTIVE)

    # What it does by itself

    def advance(self, now: float) -> None:
        """Go on until a time [s]."""
        while now - self.now > 1e-9:
            dt = min(STEP, now - self.now)
            self.now += dt
            self._tick(dt)

    def _tick(self, dt: float) -> None:
        if self.network is Network.BOOT_UP and self.now >= self._up_at:
            self.network = Network.PRE_OPERATIONAL
            self._send(canopen.heartbeat(self.node, Network.BOOT_UP))
            self._go(Event.INITIALISED)
        if self._pending is not None and self.now >= self._pending[1]:
            self._enter(self._pending[0].target)
        self._keep_contact()
        self._move(dt)
        if self.motor.temperature > HOTTEST:
            self.fail(profile.OVER_TEMPERATURE)

    def _keep_contact(self) -> None:
        """Heartbeats: ours, and those of the master once it has sent one."""
        every = 1e-3 * self.values.get(profile.PRODUCER_HEARTBEAT, 0)
        if every and self.now - self._beaten_at >= every:
            self._beaten_at = self.now
            self._send(canopen.heartbeat(self.node, self.network))
        patience = 1e-3 * (self.values.get(profile.CONSUMER_HEARTBEAT, 0) & 0xFFFF)
        if patience and self._beat_at is not None and self.now - self._beat_at > patience:
            self._beat_at = None
            self._report(profile.HEARTBEAT_LOST, 0x11)
            if self.network is Network.OPERATIONAL:
                self.leave_operation(Network.PRE_OPERATIONAL)

    def _move(self, dt: float) -> None:
        deceleration = float(self.values[profile.QUICK_STOP_DECELERATION])
        match self.state:
            case State.OPERATION_ENABLED if self.values[profile.MODE] == Mode.HOMING:
                self._home(dt)
            case State.OPERATION_ENABLED:
                self._follow(dt)
            case State.QUICK_STOP_ACTIVE:
                self.motor.run(0.0, deceleration, dt)
                if self._stands and self.values[profile.QUICK_STOP_OPTION] in (1, 2):
                    self._go(Event.STOPPED)
            case State.FAULT_REACTION_ACTIVE:
                self.motor.run(0.0, deceleration, dt)
                if self._stands:
                    self._go(Event.REACTION_DONE)
            case _:
                self.motor.lock(dt)

    @property
    def _stands(self) -> bool:
        return abs(self.motor.v) < STANDS

    def _demand(self) -> tuple[float, float]:
        """Position between two targets, and its rate: the drive reaches a target one interpolation time later."""
        time = self.values[profile.INTERPOLATION_TIME] * 10.0 ** self.values[profile.INTERPOLATION_EXPONENT]
        share = (self.now - self._since) / time
        if share > 1.0 + 1e-6:
            return self._to, 0.0
        return self._from + share * (self._to - self._from), (self._to - self._from) / time

    def _follow(self, dt: float) -> None:
        demand, rate = self._demand()
        self.motor.follow(demand + self._zero, rate, dt)
        is_astray = abs(demand - self.actual) > self.values[profile.FOLLOWING_WINDOW]
        self._astray = self._astray + dt if is_astray else 0.0
        if self._astray > 1e-3 * self.values[profile.FOLLOWING_TIME]:
            self.fail(profile.FOLLOWING_TOO_FAR)
        elif (self.motor.at_low and self.motor.v < -STANDS) or (self.motor.at_high and self.motor.v > STANDS):
            self.fail(profile.LIMIT_REACHED)

    def _home(self, dt: float) -> None:
        method, motor = self.values[profile.HOMING_METHOD], self.motor
        acceleration = float(self.values[profile.HOMING_ACCELERATION])
        towards, pressed = (-1, motor.at_low) if method == TO_NEGATIVE_SWITCH else (1, motor.at_high)
        speed = 0.0
        if self._homing in (Homing.SEEKING, Homing.LEAVING) and not self._word & profile.START_HOMING:
            self._homing = Homing.NOT_STARTED  # interrupted
        match self._homing:
            case Homing.SEEKING if method == HERE:
                self._refer()
            case Homing.SEEKING if method not in (TO_NEGATIVE_SWITCH, TO_POSITIVE_SWITCH):
                self._homing = Homing.FAILED
            case Homing.SEEKING:
                speed = 0.0 if pressed else float(towards * self.values[profile.HOMING_FAST])
                self._homing = Homing.LEAVING if pressed else Homing.SEEKING
            case Homing.LEAVING if pressed:
                speed = float(-towards * self.values[profile.HOMING_SLOW])
            case Homing.LEAVING:
                self._refer()
            case Homing.SETTLING if self._stands:
                self._homing = Homing.DONE
        motor.run(speed, acceleration, dt)

    def _refer(self) -> None:
        """This is the reference."""
        self._zero = self.motor.x - self.values[profile.HOME_OFFSET]
        self._homing = Homing.SETTLING

    def _go(self, cause: Command | Event) -> None:
        """Leave the state, if the profile says so; some changes take time."""
        change = profile.transition(self.state, cause)
        if change is None or (self._pending is not None and self._pending[0] is change):
            return
        if change.number in POWER_TIMES:
            self._pending = change, self.now + POWER_TIMES[change.number]
        else:
            self._enter(change.target)

    def _enter(self, state: State) -> None:
        if self.state is State.FAULT:
            self.values[profile.ERROR_CODE] = 0
            self._report(0, 0x00)
        self.state, self._pending, self._astray = state, None, 0.0
        self.changed_at = self.now
        if state is State.OPERATION_ENABLED:
            self._from = self._to = float(self.actual)
            self._homing = Homing.NOT_STARTED

    def _report(self, code: int, register: int) -> None:
        """An emergency object; a stopped node sends none."""
        if self.network is not Network.STOPPED:
            self._send(canopen.emergency(self.node, code, register))

    def _send(self, frame: Frame) -> None:
        if self.plugged:
            self.sent.append(frame)
