"""The master of six drives of the profile CiA 402, on any bus: it decides in every cycle, and leads them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault, Silence
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.drives.node import Node
from motionbase.rig.drives.profile import Command
from motionbase.rig.drives.reach import BusError, Reach, Script
from motionbase.rig.drives.setup import Setup
from motionbase.rig.gate import Gate

UNHOMED, READY, FOLLOWING, STOPPING = LegState.UNHOMED, LegState.READY, LegState.FOLLOWING, LegState.STOPPING
POWERED = UNHOMED, LegState.HOMING, READY, FOLLOWING
SETTLING = 0.5  # that a stop may take beside its ramp [s]


class AbstractDrives(ABC):
    """Drives in cyclic synchronous position mode.

    A cycle reads what has arrived, decides, and sends six targets; it waits for nothing. Positions are those that the
    drives took in the cycle before. All else (settings, power, homing, reset) goes on beside it, a step of each drive's
    script per cycle. A bus adds how to `_receive`, `_send`, `_leave` and `_release` it.

    Attributes:
        promise: what is guaranteed
        nodes: the drives, of legs 1 to 6
        why: what is wrong with the bus or a drive, for people; empty if nothing is
    """

    def __init__(self, setup: Setup, name: str, reaches: tuple[Reach, ...], pause: Callable[[float], None]) -> None:
        """The drives are set up from the first cycle on.

        Args:
            setup: what is known of the drives
            name: of the machine, for people
            reaches: the ways to the drives
            pause: waits while `close` stops the drives; a simulation moves on instead
        """
        self.promise = Promise(
            name, setup.period, setup.least, setup.most, setup.jump, setup.silence, Silence.STOPS, True
        )
        self.setup, self._pause = setup, pause
        self.nodes = tuple(Node(axis, setup, reach) for axis, reach in zip(setup.axes, reaches, strict=True))
        self._gate = Gate(self.promise)
        self._phase = LegState.OFF
        self._resetting = self._off_wanted = self._stale = self._closed = False
        self._broken = ""
        self._codes = [0] * 6
        self._targets, self._rates = np.zeros(6), np.zeros(6)
        self._now = self._sent_at = self._stop_by = -np.inf

    @abstractmethod
    def _receive(self) -> None:
        """Hand to the nodes what has arrived; set `_stale` if it is too old to be used. May raise `BusError`."""

    @abstractmethod
    def _send(self) -> None:
        """Controlwords and targets of all nodes, and what scripts ask. May raise `BusError`."""

    @abstractmethod
    def _leave(self) -> None:
        """Take the drives out of operation, once they are without power. May raise `BusError`."""

    @abstractmethod
    def _release(self) -> None:
        """Close the connection to the bus."""

    @property
    def why(self) -> str:
        """What is wrong, for people."""
        return "; ".join(filter(None, (self._broken, *(node.why for node in self.nodes))))

    def cycle(self, now: float, demand: Demand) -> Answer:
        """Read, decide, send."""
        self._begin(now)
        self._listen()
        follows = self._decide(demand)
        if self._gate.closed:
            self._stop(demand.order)
        else:
            self._work(demand.order, demand.l if follows else None)
        for node in self.nodes:
            node.advance()
        self._speak()
        return self._answer()

    def close(self) -> None:
        """Stop, switch off, release the bus; twice does no harm."""
        if self._closed:
            return
        self._closed = True
        try:
            self._run(Command.QUICK_STOP, self._stopping_time, lambda node: node.stands or not node.answers)
            self._run(Command.DISABLE_VOLTAGE, SETTLING, lambda node: node.is_off or not node.answers)
            with suppress(BusError):  # without a bus the drives stop by their own watchdogs
                self._leave()
        finally:
            self._release()

    # A cycle

    def _begin(self, now: float) -> None:
        first, self._now = self._now == -np.inf, now
        for node in self.nodes:
            node.begin_cycle(now)
            if first:
                node.measured_at = node.heard_at = now
                node.begin(node.connect())

    def _listen(self) -> None:
        """What arrived; a node that gave nothing has missed the cycle."""
        for node in self.nodes:
            node.missed += node.connected
        try:
            self._receive()
        except BusError as error:
            self._broken = str(error)

    def _decide(self, demand: Demand) -> bool:
        """Whether the legs follow; a reset reaches the gate when the drives have done it."""
        found = [self._found(node) for node in self.nodes]
        self._off_wanted |= demand.order is Order.DISABLE
        done = self._resetting and not self._busy
        self._resetting &= not done
        order = Order.RESET if done else Order.NONE
        asked = replace(demand, order=order, go=demand.go and not self._off_wanted)
        lengths = np.array([node.length for node in self.nodes])
        follows = self._gate.decide(self._now, asked, lengths, found, self._phase in (READY, FOLLOWING))
        if done and not self._gate.closed:
            self._phase = LegState.OFF
        for leg, (fault, node) in enumerate(zip(self._gate.faults, self.nodes, strict=True)):
            self._codes[leg] = (self._codes[leg] or node.code) if fault else 0
        return follows

    def _found(self, node: Node) -> RigFault:
        if self._broken:
            return RigFault.SILENT_LEG
        if self._stale:
            return RigFault.STALE
        return node.trouble(self._phase in POWERED or (self._phase is STOPPING and not self._off_wanted))

    def _stop(self, order: Order) -> None:
        """Quick stop of all drives, which then hold; one that is not seen at rest in time loses its power."""
        if self._phase is not LegState.FAULT:
            self._phase = LegState.FAULT
            self._off_wanted = self._resetting = False
            self._stop_by = self._now + self._stopping_time
            self._command(Command.QUICK_STOP)
        if self._resetting:
            return
        for node in self.nodes:
            if self._now > self._stop_by and not node.stands:
                node.controlword = Command.DISABLE_VOLTAGE.word
            node.look_after()
        at_rest = all(node.stands or not node.answers for node in self.nodes)
        if order is Order.RESET and at_rest and not any(node.is_gone for node in self.nodes):
            self._broken, self._resetting = "", True
            for node in self.nodes:
                node.begin(node.reset())

    def _work(self, order: Order, demanded: Array | None) -> None:
        """What goes on while nothing is wrong.

        Args:
            order: the operator's
            demanded: (6,) lengths to follow [m], None to follow nothing
        """
        match self._phase:
            case LegState.OFF:
                self._off_wanted = False
                if order is Order.ENABLE:
                    self._lead(LegState.STARTING, Node.enable)
            case LegState.STARTING if not self._busy:
                self._hold(READY if all(node.homed for node in self.nodes) else UNHOMED)
            case LegState.HOMING if not self._busy:
                self._hold(READY)
            case LegState.UNHOMED | LegState.READY if self._off_wanted:
                self._lead(STOPPING, Node.disable)
            case LegState.UNHOMED | LegState.READY if order is Order.HOME:
                self._lead(LegState.HOMING, Node.home)
            case LegState.READY | LegState.FOLLOWING if demanded is not None:
                self._phase = FOLLOWING
                self._move(demanded - self._targets)
            case LegState.FOLLOWING | LegState.STOPPING if not self._busy:
                self._brake()

    def _lead(self, phase: LegState, script: Callable[[Node], Script]) -> None:
        self._phase = phase
        for node in self.nodes:
            node.then(script(node))

    def _hold(self, phase: LegState) -> None:
        """Hold the legs where they are."""
        self._phase = phase
        for node in self.nodes:
            node.hold()
        self._targets = np.array([node.axis.length(node.target) for node in self.nodes])
        self._rates = np.zeros(6)

    def _move(self, step: Array) -> None:
        """Move the targets, no faster than a leg may be."""
        self._rates = np.clip(step / self.setup.period, -self.setup.speed, self.setup.speed)
        self._targets = self._targets + self._rates * self.setup.period
        for node, l in zip(self.nodes, self._targets, strict=True):
            node.target = node.axis.increments(l)

    def _brake(self) -> None:
        """Bring moving targets to rest; then hold, or end in being switched off."""
        self._phase = STOPPING
        if all(node.is_off for node in self.nodes):
            self._phase = LegState.OFF
        elif not self._rates.any() and all(node.stands for node in self.nodes):
            self._phase = READY
        else:
            change = self.setup.deceleration * self.setup.period
            rates = self._rates - np.clip(self._rates, -change, change)
            ahead = np.clip(self._targets + rates * self.setup.period, self.setup.least, self.setup.most)
            self._move(np.where(rates == 0.0, 0.0, ahead - self._targets))

    def _speak(self) -> None:
        self._sent_at = self._now
        try:
            self._send()
        except BusError as error:
            self._broken = str(error)

    def _answer(self) -> Answer:
        states: tuple[LegState, ...] = (self._phase,) * 6
        if self._gate.closed:
            states = tuple(
                LegState.FAULT if fault else node.stopping
                for node, fault in zip(self.nodes, self._gate.faults, strict=True)
            )
        lengths = np.array([node.length for node in self.nodes])
        oldest = min(node.measured_at for node in self.nodes)
        return Answer(oldest, lengths, states, self._gate.faults, tuple(self._codes))

    # Besides

    @property
    def _busy(self) -> bool:
        """Whether any drive is led through a script."""
        return any(node.busy for node in self.nodes)

    @property
    def _stopping_time(self) -> float:
        """Longest time of a stop [s]."""
        return self.setup.speed / self.setup.deceleration + SETTLING

    def _command(self, command: Command) -> None:
        """The same command to all drives, instead of what they are led through."""
        for node in self.nodes:
            node.leave()
            node.standing, node.controlword = 0, command.word

    def _run(self, command: Command, seconds: float, is_done: Callable[[Node], bool]) -> None:
        """Cycles of a command until all drives that answer have done it."""
        self._command(command)
        until = self._now + seconds
        while self._now < until and not all(map(is_done, self.nodes)):
            self._speak()
            self._pause(self.setup.period)
            self._begin(self._now + self.setup.period)
            self._listen()
