"""The process that saves the ESTOP files of one ring, at low priority.

python -m motionbase.recording.estop.process motionbase --folder rescued --after 30
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from motionbase.interpreter import python
from motionbase.recording.estop import AFTER_S
from motionbase.recording.estop.files import KEEP
from motionbase.recording.estop.watch import EstopWatch
from motionbase.ring.gentle import be_gentle
from motionbase.ring.printer import Printer, to_stdout
from motionbase.ring.signals import heard, orphaned

LOOK_S = 0.05  # between looks
UNSAVED = 1  # exit code: it was tried, and something is left


def command(name: str, *, folder: Path | None = None, after_s: float = AFTER_S, keep: int = KEEP) -> tuple[str, ...]:
    """The command line of a watch in a process of its own."""
    where = ("--folder", str(folder)) if folder is not None else ()
    module = "motionbase.recording.estop.process"
    return python("-m", module, name, *where, "--after", str(after_s), "--keep", str(keep))


def main(argv: Sequence[str] | None = None) -> int:
    """Watch until a signal or the end of the parent; 1 if something is left unsaved."""
    parser = argparse.ArgumentParser(prog="motionbase.recording.estop.process", description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--after", type=float, default=AFTER_S, help="seconds of recording after a stop")
    parser.add_argument("--keep", type=int, default=KEEP, help="files of this ring")
    parser.add_argument("--once", action="store_true", help="save what is unsaved, then end")
    given = parser.parse_args(argv)
    be_gentle()
    stop, parent, say = list[object](), os.getppid(), Printer(to_stdout)
    with heard(stop.append, parent):
        watch = EstopWatch(
            given.name,
            folder=given.folder,
            after_s=given.after,
            keep=given.keep,
            say=say,
        )
        while not (stop or given.once or orphaned(parent)):
            watch.look()
            time.sleep(LOOK_S)
        watch.finish()
    say.close()
    return UNSAVED if watch.pending else 0


if __name__ == "__main__":
    sys.exit(main())
