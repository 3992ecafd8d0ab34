"""A world as the host of a base: steps it, and passes its vehicle's motion to the loop and its row to the record."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Self, final

import numpy as np

from motionbase.errors import UsageError
from motionbase.executive.exchange import WORLD, Exchange
from motionbase.executive.host.feed import UNWANTED, LoopRow
from motionbase.executive.host.rows import drives
from motionbase.executive.preview import Previews
from motionbase.executive.worlds.ears import page_ears
from motionbase.executive.worlds.link import blocks_of
from motionbase.executive.worlds.pace import Pace
from motionbase.executive.worlds.running import Running
from motionbase.executive.worlds.stick_ear import StickEar
from motionbase.executive.worlds.watchdog import Watchdog
from motionbase.host.counting import Verdict
from motionbase.host.format import Frame
from motionbase.ring import names
from motionbase.ring.backend import AbstractBackend
from motionbase.worlds.hands.choice import ALL, NONE
from motionbase.worlds.library import WorldUrl, script_of

LOOK_S = 0.05  # between checks whether the base has ended


@final
class WorldFeed:
    """A world that serves one base after another, each time from its start.

    Args:
        joystick: which devices of the machine steer, see `worlds.hands.choice`
    """

    def __init__(self, url: WorldUrl, backend: AbstractBackend, joystick: str = ALL) -> None:
        self._url, self._backend, self._world = url, backend, url.made()
        self._sticks = None if joystick == NONE else StickEar(joystick)

    @property
    def sentence(self) -> str:
        """What it simulates, and who steers."""
        script = script_of(self._world, self._url.script)
        by = f"the script {script} steers" if script else "nobody steers"
        return f"simulates {self._world.name} at {1 / self._world.dt:g} Hz; {by} until a person does"

    def serve(self, exchange: Exchange, previews: Previews = UNWANTED) -> None:
        """Simulate until the base ends."""
        with ExitStack() as stack:
            told = stack.enter_context(self._told())
            self._running.begin()
            self._running.ears = [*page_ears(self._backend, stack), *([] if self._sticks is None else [self._sticks])]
            watchdog = stack.enter_context(Watchdog(f"world {self._world.name!r}"))
            self._run(exchange, LoopRow(exchange, previews), told, watchdog)

    def _run(self, exchange: Exchange, loop: LoopRow, told: Exchange, watchdog: Watchdog) -> None:
        pace, looked, running = Pace(self._world.dt), time.monotonic(), self._running
        counts, row = [0] * len(Verdict), np.zeros(1 + told.blocks.n)
        while True:
            now = pace.wait()
            running.step(now, drives(exchange))
            counts[Verdict.FRAME] += 1
            counts[Verdict.LOST] = pace.missed
            loop.frame(Frame(running.vehicle), counts)
            row[0] += 1.0
            row[1:] = running.row
            told.answers.put(row)
            watchdog.steps += 1
            if now - looked > LOOK_S:
                looked = now
                if exchange.is_replaced():
                    return

    @contextmanager
    def _told(self) -> Iterator[Exchange]:
        """The exchange for the record."""
        exchange = Exchange.attached(self._backend, names.WORLD, (WORLD,))
        if exchange is None:
            raise UsageError(f"the base of this ring has no world in its record; it needs --host {self._url.text}")
        with exchange:
            if exchange.blocks != (wanted := blocks_of(self._world.channels)):
                raise UsageError(
                    f"the base of this ring has another world, of {exchange.blocks.n} numbers, not {wanted.n}"
                )
            yield exchange

    def __enter__(self) -> Self:
        if self._sticks is not None:
            self._sticks.__enter__()
        try:
            self._running = Running(self._world, self._url.script)  # compiles, while there is time
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._sticks is not None:
            self._sticks.__exit__()
