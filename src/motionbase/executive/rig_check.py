"""The ring and the console beside a check of a rig: what it sees, for people who look at curves; and their stop."""

from __future__ import annotations

import selectors
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.executive.child import Child
from motionbase.executive.process import Process
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.record.axes import DOFS
from motionbase.record.requests import Reason, Result
from motionbase.record.rig_check import STEPS, STOPPING, check_schema
from motionbase.rig.check.hand import Seen
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.offspring import Sentinel
from motionbase.ring.writer import Writer

CODES = {step: code for code, step in enumerate(STEPS)}
LOOK_S = 0.1


@final
class Published:
    """Writes every cycle of a check into a ring."""

    def __init__(self, ring: str, period: float, platform: Hexapod, text: str) -> None:
        """Make the ring.

        Args:
            ring: its name
            period: of a cycle [s]
            platform: whose legs are checked
            text: of the platform, for viewers
        """
        schema = check_schema()
        self._writer = Writer(
            schema, name=ring, dt=period,
            platform=text, program="motionbase rig check",
        )  # fmt: skip
        self._commands = CommandReceiver(self._writer.segment, self._writer.header.layout)
        self._at = {name: schema.place(name) for name in ("t", "tick", "leg", "go", "state", "estop", "command_ack")}
        self._six = {name: schema.place(f"leg1_{name}") for name in ("l_cmd", "l_meas", "l_seen", "state", "fault")}
        self._pose = slice(schema.place(f"pose_meas_{DOFS[0]}"), schema.place(f"pose_meas_{DOFS[-1]}") + 1)
        forward = compile(kinematics_of(platform).dof_of_legs())
        self._io = forward.arrays()
        self._forward = forward.bind(**self._io)
        self._begun: float | None = None
        self._count = self._ack = 0

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for an emergency stop through the ring; also before the first cycle."""
        self._commands.look()
        return self._commands.estop

    def watch(self, seen: Seen) -> None:
        """Write a cycle."""
        begun = self._begun = seen.now if self._begun is None else self._begun
        row, six = self._writer.record, self._six
        six_of: dict[str, Any] = {
            "l_cmd": seen.l, "l_meas": seen.answer.l, "l_seen": seen.sight, "state": seen.answer.states,
            "fault": seen.answer.faults,
        }  # fmt: skip
        for name, values in six_of.items():
            row[six[name] : six[name] + 6] = values
        self._refuse_commands()
        single = {
            "t": seen.now - begun, "tick": self._count, "leg": seen.leg, "go": seen.go,
            "state": STOPPING if seen.stop else CODES.get(seen.step, 0), "estop": self.stopped,
            "command_ack": self._ack,
        }  # fmt: skip
        for name, value in single.items():
            row[self._at[name]] = value
        row[self._pose] = self._posed(seen.answer.l)
        self._count += 1
        self._writer.publish()

    def close(self) -> None:
        """Close the ring."""
        self._writer.close(remove=True)

    def _posed(self, l: Array) -> Array:
        """Pose with these legs [m, rad]; NaN if there is none, as before legs are homed."""
        io = self._io
        io["l"][...] = l
        self._forward()
        if io["converged"] != 1:
            io["dof_start"][...] = 0.0
            return np.full(len(DOFS), np.nan)
        io["dof_start"][...] = io["dof"]
        return io["dof"]

    def _refuse_commands(self) -> None:
        """A check has one operator, who is beside it."""
        while (order := self._commands.poll()) is not None:
            self._ack = order.number
            if order.command is not None:
                self._commands.answer(order, Result.REFUSED, Reason.NOT_SUPPORTED)


@contextmanager
def beside(process: Process) -> Iterator[None]:
    """A process such as the console, whose output is passed on, until the block ends."""
    selector, sentinel, over = selectors.DefaultSelector(), Sentinel(), threading.Event()
    child = Child(process, selector, _say, _say)
    sentinel.guard(child.pid, process.stop_s)

    def forward() -> None:
        while not over.is_set():
            for key, _ in selector.select(LOOK_S):
                key.data()

    thread = threading.Thread(target=forward, name="output of the console", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        child.terminate()
        _wait(child, process.stop_s)
        sentinel.forget(child.pid)
        sentinel.close()
        selector.close()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _wait(child: Child, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not child.has_ended():
        if time.monotonic() > end:
            child.kill()
        time.sleep(LOOK_S)
