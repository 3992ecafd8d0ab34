"""Command lines of the Python processes that motionbase starts.

`python -m` and `python -c` search the current folder first, so a `rich.py` or `numpy.py` in that folder would run
instead of the package. Users start motionbase in folders with arbitrary files, so every child process gets `-P`, which
removes the current folder from the search path.
"""

from __future__ import annotations

import os
import sys

SAFE_PATH = "PYTHONSAFEPATH"  # same effect as -P, inherited by processes that others start
BARE = (sys.executable, "-I", "-S", "-c")  # no packages, not even motionbase: for a few lines that must start at once


def python(*arguments: str) -> tuple[str, ...]:
    """Command line of a child process with this Python and its packages: `python("-m", "motionbase", "run")`."""
    return (sys.executable, "-P", *arguments)


def motionbase_command(*arguments: str) -> tuple[str, ...]:
    """Command line of a motionbase command: `motionbase_command("record", "--ring", "rig")`."""
    return python("-m", "motionbase", *arguments)


def leave_out_current_folder() -> None:
    """Remove the current folder from the search path, for `python -m motionbase` without `-P`.

    A folder that contains the package itself stays. This uses only modules that every Python has already loaded.
    """
    holds_package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0]) != holds_package:
        del sys.path[0]
