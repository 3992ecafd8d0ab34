"""The recorder as a process of a supervised run."""

from __future__ import annotations

from pathlib import Path

from motionbase.interpreter import python
from motionbase.recording.recorder.items import CLOSE_S
from motionbase.ring.catalogue import left_epoch

STOP_S = CLOSE_S + 5.0  # time that a supervisor gives it to end


def command(ring: str, *, out: Path | None = None, wait: bool = False) -> tuple[str, ...]:
    """Command line of a recorder of the whole next run; made before the run's writer starts, so it skips earlier runs.

    Restarted, it continues after the last record on the disk. On SIGTERM it finishes in good order, after the last
    record of a writer that ended before.
    """
    where = ("--out", str(out)) if out is not None else ()
    begin = ("--wait",) if wait else ()
    run = ("--after", str(left_epoch(ring)))
    return python("-m", "motionbase.recording.recorder.main", ring, *run, *begin, *where)
