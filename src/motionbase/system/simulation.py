"""A run of a platform under its control law, as fast as possible: summary, traces, a file of records."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.record.schema import Channel
from motionbase.system.record_file import RecordFile
from motionbase.system.run_plot import Traces
from motionbase.system.runnable import Runnable
from motionbase.system.runs import Run, Runner, Scenario
from motionbase.system.summary import WATCHED, Summary, Tally


@final
@dataclass(frozen=True, eq=False)
class Done:
    """A finished run."""

    summary: Summary
    traces: Traces
    ticks: int
    records: int
    wall_s: float
    simulated_s: float


def simulated(
    loop: Runnable, channels: Sequence[Channel], scenario: Scenario, duration: float, every: int,
    out: Path | None, progress: Callable[[float], None], seen: Callable[[Run], object] = lambda _: None,
) -> Done:  # fmt: skip
    """Run piece by piece, so that memory use does not grow with the run.

    Args:
        channels: channels of the loop, for the file
        duration: [s]
        every: ticks between records of the file
        out: the file, if any: .csv or .parquet
        progress: called with the fraction done
        seen: called with every piece before the next one is run
    """
    hexapod, ticks = loop.hexapod, round(duration / loop.dt)
    runner, traces = Runner(loop, WATCHED), Traces(ticks)
    tally, wall, count = Tally(hexapod, loop.dt, legs_alone=scenario.legs_alone), 0.0, 0
    runner.prepare()
    with ExitStack() as stack:
        columns, about = [(c.name, c.unit) for c in channels], {"platform": hexapod.name, "schema": "hexapod"}
        file = stack.enter_context(RecordFile(out, columns, about)) if out is not None else None
        pieces = runner.pieces(scenario, duration)
        while True:
            begun = time.perf_counter()
            piece = next(pieces, None)
            wall += time.perf_counter() - begun
            if piece is None:
                break
            seen(piece)
            traces.add(piece, *tally.add(piece))
            if file is not None:
                kept = piece["tick"] % every == 0
                file.write({name: x[kept] for name, x in piece.columns.items()})
            count += len(piece.t)
            progress(count / ticks)
    return Done(tally.summary(), traces, count, file.rows if file is not None else 0, wall, count * loop.dt)
