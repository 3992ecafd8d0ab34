"""Six legs behind controllers on serial lines as actuators: answers in, targets and questions out, in every cycle.

These controllers cannot be switched off by their line, and hold the last target when it falls silent. So OFF means that
they get no targets, and stopped legs get the targets that they had when they were stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.record.rig import LegState, Order, RigFault, Silence
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.gate import Gate
from motionbase.rig.serial.boards import Board, Esp32Board, Smc3Board
from motionbase.rig.serial.port import Link, Port, SerialPort
from motionbase.rig.serial.setup import LEGS, Kind, Setup

OFF, STARTING, UNHOMED, HOMING = LegState.OFF, LegState.STARTING, LegState.UNHOMED, LegState.HOMING
READY, FOLLOWING, STOPPING = LegState.READY, LegState.FOLLOWING, LegState.STOPPING
TARGETED = HOMING, READY, FOLLOWING, STOPPING  # controllers get targets
ENABLE_AGAIN = 0.5  # [s] between orders to switch motors on
SLOWEST_START = 2.0  # [s] for motors to say that they are on


@final
class SerialLegs:
    """Legs of SMC3 boards or of an ESP32 controller.

    Attributes:
        promise: what is guaranteed
    """

    def __init__(self, setup: Setup, ports: Sequence[Callable[[], Port]]) -> None:
        """Opens the ports, one for each controller, in the order of the legs."""
        if len(ports) * setup.kind.legs != LEGS:
            raise UsageError(
                f"{setup.kind.value} moves {setup.kind.legs} legs with a controller: "
                f"{LEGS // setup.kind.legs} serial ports are needed, {len(ports)} are given"
            )
        make = Smc3Board if setup.kind is Kind.SMC3 else Esp32Board
        step = setup.kind.legs
        self._legs = [slice(k, k + step) for k in range(0, LEGS, step)]
        self._boards: list[Board] = [make(setup.axes[legs], setup) for legs in self._legs]
        self._links: list[Link] = []
        try:
            for port in ports:
                self._links.append(Link(port))
        except BaseException:
            self._release()
            raise
        names = " and ".join(link.name for link in self._links)
        self.promise = Promise(
            f"{setup.kind.value} on {names}", setup.period, setup.least, setup.most, setup.jump, setup.silence,
            Silence.HOLDS, homes=not setup.kind.measures, measures=setup.kind.measures,
        )  # fmt: skip
        self.setup = setup
        self._gate = Gate(self.promise)
        self._phase = OFF
        self._off_wanted = self._enable = self._stopped = self._closed = False
        self._opened = [0] * len(self._links)
        self._l = 0.5 * (setup.least + setup.most)  # lengths, in the middle as long as nothing is known
        self._targets = np.full(LEGS, np.nan)
        self._now = self._until = self._begun_at = self._enabled_at = self._held_at = -np.inf
        self._away_since = np.full(LEGS, np.inf)

    @property
    def why(self) -> str:
        """What is wrong with the lines, for people."""
        return "; ".join(link.why for link in self._links if link.why)

    def cycle(self, now: float, demand: Demand) -> Answer:
        """Read, decide, send."""
        self._now = now
        self._listen()
        follows = self._decide(demand)
        if self._gate.closed:
            self._stop()
        else:
            self._stopped = False
            self._work(demand.order, demand.l if follows else None)
        self._speak()
        return self._answer()

    def close(self) -> None:
        """Stop and release the ports; twice does no harm. The controllers hold their last targets."""
        if not self._closed:
            self._closed = True
            self._release()

    # A cycle

    def _listen(self) -> None:
        """What has arrived; a lost port is opened again while no leg follows."""
        for k, (link, board) in enumerate(zip(self._links, self._boards, strict=True)):
            data = link.read(self._now, reopen=self._phase is not FOLLOWING)
            if link.opened != self._opened[k]:
                self._opened[k] = link.opened
                self._forget(k)
            board.hear(self._now, data)
        heard = np.concatenate([board.lengths for board in self._boards])
        self._known = np.isfinite(heard)
        self._l = np.where(self._known, heard, self._l)
        self._targets = np.where(self._known, self._targets, np.nan)

    def _decide(self, demand: Demand) -> bool:
        """Whether the legs follow."""
        self._off_wanted |= demand.order is Order.DISABLE
        was_closed, found = self._gate.closed, self._found()
        allowed = replace(demand, go=demand.go and not self._off_wanted)
        follows = self._gate.decide(self._now, allowed, self._l, found, self._phase in (READY, FOLLOWING))
        if was_closed and not self._gate.closed:
            self._phase, self._off_wanted = OFF, False
        return follows

    def _found(self) -> list[RigFault]:
        """What is wrong with each leg now."""
        late = self._phase is STARTING and self._now > self._until
        powered = (self._phase in TARGETED or late) and not self._gate.closed
        found: list[RigFault] = []
        for link, board in zip(self._links, self._boards, strict=True):
            silent = [RigFault.SILENT_LEG] * self.setup.kind.legs
            found += silent if link.why else board.trouble(self._now, powered)
        return [fault or (RigFault.FOLLOWING_ERROR if away else fault)
                for fault, away in zip(found, self._away(powered), strict=True)]  # fmt: skip

    def _away(self, powered: bool) -> list[bool]:
        """Legs that have been too far from their targets for too long."""
        if not powered:
            self._away_since[:] = np.inf
        far = powered & (np.abs(self._l - self._targets) > self.setup.following)
        self._away_since = np.where(far, np.minimum(self._away_since, self._now), np.inf)
        return [bool(away) for away in self._now - self._away_since > self.setup.following_time]

    def _stop(self) -> None:
        """Targets stay where they are; a leg that does not get to its own is not pushed any further."""
        if self._stopped:
            return
        self._stopped, self._off_wanted = True, False
        if self._phase is HOMING:  # the legs are on their way, where nobody knows
            for k in range(len(self._boards)):
                self._forget(k)
        blocked = np.array([fault is RigFault.FOLLOWING_ERROR for fault in self._gate.faults])
        self._targets = np.where(blocked, self._l, self._targets)
        self._until = self._now + self.setup.settling
        self._phase = STOPPING if self._phase in TARGETED else OFF

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
                    self._phase, self._begun_at = STARTING, self._now
                    self._until = self._now + self.setup.boot + SLOWEST_START
            case LegState.STARTING:
                self._start()
            case LegState.UNHOMED | LegState.READY if self._off_wanted:
                self._phase = OFF
            case LegState.UNHOMED if order is Order.HOME and self.setup.home is not None:
                self._phase, self._until = HOMING, self._now + self.setup.homing
                self._targets = self.setup.home.copy()
            case LegState.READY | LegState.FOLLOWING if demanded is not None:
                self._phase = FOLLOWING
                most = self.setup.speed * self.setup.period
                self._targets = self._targets + np.clip(demanded - self._targets, -most, most)
            case LegState.FOLLOWING:
                self._phase, self._until = STOPPING, self._now + self.setup.settling
            case LegState.HOMING | LegState.STOPPING if self._now >= self._until:
                self._phase = READY

    def _start(self) -> None:
        """Motors on, with the targets that their controllers have, or where the legs are if those are not known."""
        if self._off_wanted:
            self._phase = OFF
        elif self.promise.homes:
            self._phase = READY if self._known.all() else UNHOMED
        elif self._known.all() and all(board.measured_at >= self._begun_at for board in self._boards):
            if self._held_at < self._begun_at:
                self._held_at = self._now
                for board, legs in zip(self._boards, self._legs, strict=True):
                    if not board.holds(self._targets[legs]):
                        self._targets[legs] = self._l[legs]
            on = all(board.on for board in self._boards) and self._enabled_at >= self._begun_at
            self._phase = READY if on and self._now - self._held_at >= self.setup.settling else STARTING
            if self._now - self._enabled_at >= ENABLE_AGAIN:
                self._enable, self._enabled_at = True, self._now

    def _speak(self) -> None:
        """Targets that are known, questions, and the order to switch on."""
        targeted = self._phase in TARGETED or (self._phase is STARTING and self._held_at >= self._begun_at)
        for link, board, legs in zip(self._links, self._boards, self._legs, strict=True):
            if link.why:
                continue
            counts = self._counts(legs) if targeted and np.isfinite(self._targets[legs]).all() else None
            link.write(board.output(self._now, counts, self._enable))
        self._enable = False

    def _counts(self, legs: slice) -> list[int]:
        """Targets in counts, within what the controller takes."""
        setup = self.setup
        pairs = zip(setup.axes[legs], self._targets[legs], strict=True)
        return [min(max(axis.counts(l), setup.lowest_count), setup.highest_count) for axis, l in pairs]

    def _answer(self) -> Answer:
        rest = self._phase
        if self._gate.closed and self._phase is STOPPING and self._now >= self._until:
            rest = READY  # the controllers hold the legs
        states = tuple(LegState.FAULT if fault else rest for fault in self._gate.faults)
        oldest = min(board.measured_at for board in self._boards)
        return Answer(oldest, self._l.copy(), states, self._gate.faults)

    # Besides

    def _forget(self, k: int) -> None:
        """Where a controller's legs are, and its targets, so that nothing moves because a plug is put in again."""
        self._boards[k].begin(self._now)
        self._targets[self._legs[k]] = np.nan

    def _release(self) -> None:
        for link in self._links:
            link.close()


def serial_legs(setup: Setup, paths: Sequence[str]) -> SerialLegs:
    """Legs behind serial devices such as /dev/ttyUSB0, one for each controller, in the order of the legs."""
    return SerialLegs(setup, [partial(SerialPort, path, setup.rate) for path in paths])
