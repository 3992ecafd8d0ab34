"""The recorder as a process of a supervised run."""

from __future__ import annotations

from pathlib import Path

from motionbase.interpreter import motionbase_command
from motionbase.recording.recorder.recorder import CLOSE_S

STOP_S = CLOSE_S + 5.0  # that a supervisor gives it to end


def command(ring: str, *, out: Path | None = None, wait: bool = False) -> tuple[str, ...]:
    """Its command line: from the oldest record on, since the writer may have been quicker.

    It ends in good order with SIGTERM, after the last record of a writer that ended before.
    """
    where = ("--out", str(out)) if out is not None else ()
    begin = "--wait" if wait else "--oldest"
    return motionbase_command("record", "--ring", ring, begin, *where)
