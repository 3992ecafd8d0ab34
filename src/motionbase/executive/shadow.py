"""A law beside a live base, ring to ring: `motionbase shadow`. It reads the base's ring and can send nothing to it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import final

from motionbase.control.law_file import load_law
from motionbase.errors import RingError, UsageError
from motionbase.executive.tuning import parameter_table
from motionbase.platform.load import load_text
from motionbase.record.faults import Fault
from motionbase.record.words import told
from motionbase.ring.blocks.parameter_files import load_parameters
from motionbase.ring.reader import Batch, Reader, ReaderState
from motionbase.ring.writer import Writer
from motionbase.system.shadow import Shadow, shadow_loop

WAIT_S = 0.1
BEAT_S = 0.5
SENTENCES = {float(fault): fault.sentence for fault in Fault}


@final
class ShadowRun:
    """Follows one base after the other until it is told to stop.

    Args:
        live: ring of the base
        ring: ring of the shadow
        law: FILE.py:NAME of a law, the platform's own if it is None
        parameters: a file of tuned ones
        say: takes a sentence for people
    """

    def __init__(
        self, live: str, ring: str, law: str | None = None, parameters: Path | None = None,
        say: Callable[[str], object] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> None:  # fmt: skip
        if live == ring:
            raise UsageError(f"--ring {ring!r} is the ring of the base itself; the shadow needs one of its own")
        self._live, self._name, self._law, self._parameters, self._say = live, ring, law, parameters, say
        self.is_over = False

    def run(self, duration: float | None = None) -> None:
        """Until the time is over, or `is_over` is set."""
        end = None if duration is None else time.monotonic() + duration
        with closing(Reader(self._live)) as reader:
            while not self._is_over(end):
                batch = reader.wait(WAIT_S)
                if batch.state is ReaderState.LIVE and len(batch.rows):
                    self._beside(reader, batch, end)

    def _is_over(self, end: float | None) -> bool:
        return self.is_over or (end is not None and time.monotonic() >= end)

    def _beside(self, reader: Reader, batch: Batch, end: float | None) -> None:
        """One base, to its end."""
        layout = reader.header.layout
        shadow, table = self._made(reader)
        with Writer(
            shadow.schema, name=self._name, program="motionbase shadow", dt=layout.dt, every=layout.every,
            platform=layout.platform, parameters=table,
        ) as writer:  # fmt: skip
            self._say(f"ring {self._name!r}: what the law would do beside ring {self._live!r}; it commands nothing")
            news, beat = News(self._say), time.monotonic()
            while batch.state is ReaderState.LIVE and not self._is_over(end):
                for row in batch.rows:
                    writer.record[:] = shadow.take(row)
                    writer.publish()
                    news.look(shadow, float(row[0]))
                if batch.lost:
                    self._say(f"{batch.lost} records of the base were lost: this machine is too slow for its rate")
                if (now := time.monotonic()) - beat > BEAT_S:
                    writer.beat()
                    beat = now
                batch = reader.wait(WAIT_S)
        self._say(f"ring {self._live!r}: {batch.state.value}")

    def _made(self, reader: Reader) -> tuple[Shadow, str]:
        """The law for the base of the ring, and the text of its parameters."""
        layout = reader.header.layout
        if not layout.platform or "leg1_valve_cmd" not in layout.schema.index:
            raise RingError(f"ring {self._live!r} is not that of a platform on six legs")
        hexapod = load_text(layout.platform)
        law = None if self._law is None else load_law(self._law, hexapod)
        loop = shadow_loop(hexapod, layout.schema, law)
        if abs(loop.dt - layout.dt) > 1e-12:
            raise UsageError(
                f"the law has a tick of {loop.dt:g} s, the base of ring {self._live!r} one of {layout.dt:g} s"
            )
        table = parameter_table(loop)
        tuned = {} if self._parameters is None else load_parameters(self._parameters, table)
        return Shadow(loop, layout.schema, layout.every, tuned), table.json


@final
class News:
    """Says when the law would have stopped, and when it goes along again."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say, self._stops, self._joins = say, 0, 0

    def look(self, shadow: Shadow, t: float) -> None:
        """After a record of the base [s]."""
        if shadow.stops != self._stops:
            fault = shadow.fault
            why = told(SENTENCES[fault], electric=False) if fault in SENTENCES else f"fault {fault:g} of its own"
            self._say(f"{t:8.1f} s  the law would have stopped: {why}")
        if shadow.joins != self._joins:
            self._say(f"{t:8.1f} s  the law goes along, {shadow.state.name.lower()}")
        self._stops, self._joins = shadow.stops, shadow.joins
