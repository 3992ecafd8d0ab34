"""Writes a recording into a ring, so that readers of the ring see it as if it were live."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.record.requests import Command, Kind, Reason, Result
from motionbase.recording.recorder.control import beside, read_status, write_status
from motionbase.recording.recording import Recording
from motionbase.recording.replay.player import FASTEST, SLOWEST, Player
from motionbase.recording.times import check_times
from motionbase.ring.backend import DEFAULT_NAME, find
from motionbase.ring.blocks.command import Order
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.lock import is_held
from motionbase.ring.writer import Writer

PROGRAM = "motionbase replay"
LONGEST_REST_S, SHORTEST_REST_S = 0.02, 2e-3  # between turns; above 500 Hz each turn writes several records
STATUS_S = 0.25
LONGEST_PERIOD_S = 60.0


@final
@dataclass(frozen=True)
class Settings:
    """Settings of a replay; commands change most of them later.

    Attributes:
        start, stop: only records between these times [s] since the recording's epoch
        speed: 0.01 to 100; period: fixed time between records [s], 0 for the recorded times
        loop: repeat the records
        paused: show the first record and wait for a command
        once: end after the last record instead of waiting for commands
    """

    ring: str = DEFAULT_NAME
    start: float | None = None
    stop: float | None = None
    speed: float = 1.0
    period: float = 0.0
    loop: bool = False
    paused: bool = False
    once: bool = False

    def __post_init__(self) -> None:
        if not SLOWEST <= self.speed <= FASTEST:
            raise RecordingError(f"replay: speed is {self.speed:g}, it must be {SLOWEST:g} to {FASTEST:g}")
        if self.period and not 1e-6 <= self.period <= LONGEST_PERIOD_S:
            raise RecordingError(f"replay: period is {self.period:g} s, it must be 1e-06 to {LONGEST_PERIOD_S:g}")
        if self.once and self.loop:
            raise RecordingError("replay: a loop has no last record to end after; leave out --loop or --once")
        check_times(self.start, self.stop)


@final
class Replay:
    """Writes the records of a file into a ring; refused if the ring has a writer already.

    Args:
        say: called with a sentence for the operator; must not block
        clock: any steady clock [s]

    Attributes:
        written: records shown so far
        over: whether a command has ended it or, with `once`, the last record has been shown
    """

    def __init__(
        self,
        recording: Recording,
        settings: Settings,
        say: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.recording, self.settings, self._say, self._clock = recording, settings, say, clock
        self.player, self.written = Player(recording, settings.start, settings.stop, period=settings.period), 0
        self.player.speed = settings.speed
        try:
            self.writer = _writer(recording, settings.ring, self.player.step_s)
        except BaseException:
            self.player.close()
            raise
        self._commands = CommandReceiver(self.writer.segment, self.writer.header.layout)
        self._status_path, self._status_at = beside(self.writer.backend, "replay.json"), 0.0
        self.over = False
        now = clock()
        if settings.loop:
            self.player.loop_all()
        if settings.paused:
            self._write(self.player.show(self.player.span.begin, now))
        else:
            self.player.play(now)

    def run(self, stop: threading.Event) -> None:
        """Replay until `stop` is set, a command ends it or, with `once`, the last record is shown."""
        try:
            while not (stop.is_set() or self.over):
                self.turn()
                rest = self.player.wait(self._clock())
                stop.wait(min(max(rest, SHORTEST_REST_S), LONGEST_REST_S))
        finally:
            self.close()

    def turn(self) -> None:
        """Carry out commands, write records that are due, send a heartbeat."""
        now, played = self._clock(), self.player.playing
        while (order := self._commands.poll()) is not None:
            self._obey(order, now)
        if self._commands.estop:  # a replay moves only pictures, but it stops as well
            self.player.pause()
            self._commands.release_estop()
            self._say("paused by an emergency stop")
        for rows in self.player.due(now):
            self._write(rows)
        self.writer.beat()
        self.over = self.over or (self.settings.once and self.player.ended)
        if time.monotonic() >= self._status_at or played is not self.player.playing:
            self._tell_status()

    def _write(self, rows: Array) -> None:
        if len(rows):
            self.writer.write(np.ascontiguousarray(rows))
            self.written += len(rows)

    def close(self) -> None:
        """Close the ring in good order."""
        self._status_path.unlink(missing_ok=True)
        self.player.close()
        self.writer.close()

    # ---- commands ----

    def _obey(self, order: Order, now: float) -> None:
        if order.command is None:
            self._say(f"a command was refused: {order.refusal.name.lower().replace('_', ' ')}")
            return
        refusal = self._done(order.command, now)
        self._tell_status()  # before the answer, so that the status agrees with it
        self._commands.answer(order, Result.REFUSED if refusal else Result.ACCEPTED, refusal)
        if not refusal:
            self._say(f"{order.command} ({order.sender}, process {order.pid})")

    def _done(self, command: Command, now: float) -> Reason:
        player, values = self.player, command.arguments
        shown: Array | None = np.empty((0, 0))
        match command.kind:
            case Kind.PLAY:
                player.play(now)
            case Kind.PAUSE:
                player.pause()
            case Kind.REWIND:
                shown = player.rewind(now)
            case Kind.STEP:
                shown = player.step(int(values[0]), now)
            case Kind.SEEK:
                shown = player.seek(values[0], now)
            case Kind.SPEED:
                player.set_speed(values[0], now)
            case Kind.LOOP:
                shown = player.set_loop(values[0], values[1], now)
            case Kind.LOOP_OFF:
                player.loop = None
            case Kind.END_REPLAY:
                self.over = True
            case _:
                return Reason.NOT_SUPPORTED
        if shown is None:
            return Reason.OUT_OF_RANGE
        self._write(shown)
        return Reason.NONE

    # ---- status ----

    def status(self) -> dict[str, Any]:
        """The status, shown by console and command line; docs/replay.md lists it."""
        player = self.player
        row = max(player.position - 1, player.span.begin)
        return {
            "ring": self.settings.ring,
            "pid": os.getpid(),
            "file": str(self.recording.path.absolute()),
            "state": "playing" if player.playing else "ended" if player.ended else "paused",
            "record": row,
            "time": player.time(row),
            "begin": player.begin_s,
            "end": player.end_s,
            "records": player.span.end - player.span.begin,
            "speed": player.speed,
            "period": self.settings.period or None,
            "loop": list(player.loop_s) if player.loop is not None else None,
            "written": self.written,
            "held_up": player.held_up,
            "damage": [damage.text for damage in self.recording.damage],
        }

    def _tell_status(self) -> None:
        self._status_at = time.monotonic() + STATUS_S
        write_status(self._status_path, self.status())


def status(ring: str) -> dict[str, Any]:
    """Status of the replay that writes a ring; an error if there is none."""
    backend = find(ring)
    found = read_status(beside(backend, "replay.json"))
    if found is None or not is_held(backend.lock_path):
        raise RecordingError(f"nothing is replayed into ring {ring!r}; `motionbase replay FILE --ring {ring}` does")
    return found


def _writer(recording: Recording, ring: str, step_s: float) -> Writer:
    """Writer of a ring with the layout of the recorded one."""
    about = recording.source.about
    dt, every = _number(about, "dt"), _number(about, "every")
    if not (dt > 0 and every >= 1 and every == int(every)):
        dt, every = step_s, 1.0
    epoch = _number(about, "epoch_utc_ns")
    return Writer(
        recording.schema,
        name=ring,
        dt=dt,
        every=int(every),
        platform=about.get("platform", ""),
        world=about.get("world", ""),
        program=PROGRAM,
        utc_ns=int(about["epoch_utc_ns"]) if math.isfinite(epoch) and 0 <= epoch < 2**63 else None,
    )


def _number(about: Mapping[str, str], key: str) -> float:
    try:
        return float(about[key])
    except (KeyError, ValueError):
        return math.nan
