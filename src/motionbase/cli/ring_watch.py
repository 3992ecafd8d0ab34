"""The live view of `motionbase ring watch`: chosen channels of a ring, redrawn a few times a second."""

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cli import terminal
from motionbase.errors import RingError
from motionbase.record.schema import Schema
from motionbase.ring.gentle import stop_requested
from motionbase.ring.reader import Batch, Reader, ReaderState

if TYPE_CHECKING:
    from rich.console import Group

BARS = "▁▂▃▄▅▆▇█"
CURVE = 40  # updates in the small curve
MOST_BY_DEFAULT = 20
MOST_BATCHES = 64  # between two updates; in a damaged ring the head may be any number


@final
class View:
    """Values of the chosen channels; least and greatest are since the start or the writer's restart."""

    def __init__(self, reader: Reader, wanted: tuple[str, ...]) -> None:
        self.reader, self._wanted = reader, wanted
        self.notes: deque[str] = deque(maxlen=4)
        self.received, self._state, self._epoch = 0, reader.state, -1
        self._places: list[tuple[str, str, int]] = []
        self._last: Array = np.empty(0)
        self._least, self._greatest = self._last, self._last
        self._curves: list[deque[float]] = []
        if (schema := self.schema) is not None:
            schema.places(wanted)  # a wrong name is an error now; a later writer may have other channels

    @property
    def schema(self) -> Schema | None:
        """Schema of the ring; None if there is no ring."""
        try:
            return self.reader.schema
        except RingError:
            return None

    def take(self) -> None:
        """Read records since the last update; limited, so that Ctrl-C works in between."""
        for _ in range(MOST_BATCHES):
            batch = self.reader.read()
            self._note(batch)
            if len(batch.rows):
                self._feed(batch.rows)
            if len(batch.rows) == 0 or self.reader.behind == 0:
                break
        for k, curve in enumerate(self._curves):
            if self.received:
                curve.append(float(self._last[k]))

    def _note(self, batch: Batch) -> None:
        schema = self.schema
        if schema is not None and (epoch := self.reader.header.epoch) != self._epoch:
            if self._epoch != -1:
                self._say("the writer was restarted")
            self._epoch, self.received = epoch, 0
            self._choose(schema)
        if batch.lost:
            self._say(f"{batch.lost} records were overwritten before they were read")
        state = self.reader.state
        if state is not self._state and state is not ReaderState.RESTARTED:
            if state in (ReaderState.STOPPED, ReaderState.NO_SEGMENT, ReaderState.LIVE):
                self._say({ReaderState.LIVE: "records come"}.get(state, state.value))
            self._state = state

    def _say(self, text: str) -> None:
        self.notes.append(f"{time.strftime('%H:%M:%S')} {text}")

    def _choose(self, schema: Schema) -> None:
        names = self._wanted or tuple(group[0] for group in schema.groups.values())[:MOST_BY_DEFAULT]
        if missing := [n for n in names if n not in schema.index]:
            self._say(f"the ring has no channel {', '.join(missing)} now")
        here = [n for n in names if n in schema.index]
        self._places = [(n, schema.channels[schema.index[n]].unit, schema.index[n]) for n in here]
        self._least = np.full(len(here), np.inf)
        self._greatest = -self._least
        self._curves = [deque(maxlen=CURVE) for _ in here]

    def _feed(self, rows: Array) -> None:
        chosen = rows[:, [place for *_, place in self._places]]
        self.received += len(rows)
        self._last = chosen[-1].copy()
        self._least = np.fmin(self._least, np.fmin.reduce(chosen, axis=0))
        self._greatest = np.fmax(self._greatest, np.fmax.reduce(chosen, axis=0))

    def status(self) -> str:
        """One line: the ring, its backend and the state of its writer."""
        reader = self.reader
        return (
            f"{reader.name}: {reader.backend.kind}: {reader.state.value}; {self.received} records, {reader.lost} lost"
        )

    def line(self) -> str:
        """The output for a pipe: the status, then the values."""
        values = [f"{n}={x:.6g}" for (n, *_), x in zip(self._places, self._last, strict=False)] if self.received else []
        return " ".join([self.status(), *values])

    def picture(self) -> "Group":
        """The output for a terminal."""
        from rich.console import Group
        from rich.text import Text

        table = terminal.table(
            "", "channel", "value", "least", "greatest", "unit", "curve", right=("value", "least", "greatest")
        )
        for k, (name, unit, _) in enumerate(self._places):
            figures = (self._last[k], self._least[k], self._greatest[k]) if self.received else ()
            cells = [f"{x:.6g}" for x in figures] or ["-", "-", "-"]
            table.add_row(name, *cells, unit, sparkline(self._curves[k]))
        return Group(Text(self.status(), style="bold"), table, *(Text(n, style="dim") for n in self.notes))


def sparkline(values: "deque[float]") -> str:
    """Values as bars of eight heights, least to greatest; a dot if a value is not finite."""
    finite = [x for x in values if np.isfinite(x)]
    if not finite:
        return "." * len(values)
    low, span = min(finite), max(finite) - min(finite)
    heights = [(x - low) / span if span else 0.5 for x in values]
    return "".join(BARS[min(7, int(8 * h))] if np.isfinite(h) else "." for h in heights)


def watch(name: str, channels: tuple[str, ...], period: float, duration: float | None) -> None:
    """Watch channels until Ctrl-C or the end of the duration."""
    from rich.live import Live

    live_terminal = sys.stdout.isatty()
    with stop_requested() as stop, Reader(name) as reader:
        view = View(reader, channels)
        end = None if duration is None else time.monotonic() + duration
        with Live(console=terminal.console(), auto_refresh=False, transient=True) as live:
            while not stop.is_set() and (end is None or time.monotonic() < end):
                view.take()
                if live_terminal:
                    live.update(view.picture(), refresh=True)
                else:
                    print("\n".join([*view.notes, view.line()]), flush=True)
                    view.notes.clear()
                stop.wait(period)
        print(view.status())
