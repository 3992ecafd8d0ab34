"""The Python that a process of ours starts: one place gives its command line.

`python -m` and `python -c` put the folder they are started in before everything else, so that a `rich.py` or a
`numpy.py` lying there would be executed instead of the package. People start motionbase in folders with all kinds of
files, so every child gets `-P`, which leaves that folder out.
"""

from __future__ import annotations

import os
import sys

SAFE_PATH = "PYTHONSAFEPATH"  # the same as -P, for what others start
BARE = (sys.executable, "-I", "-S", "-c")  # without packages, ours included: for a few lines that must start at once


def python(*arguments: str) -> tuple[str, ...]:
    """The command line of another process with this Python and its packages: `python("-m", "motionbase", "run")`."""
    return (sys.executable, "-P", *arguments)


def motionbase_command(*arguments: str) -> tuple[str, ...]:
    """The command line of a motionbase command: `motionbase_command("record", "--ring", "rig")`."""
    return python("-m", "motionbase", *arguments)


def leave_out_current_folder() -> None:
    """For `python -m motionbase` without `-P`: what is imported from here on does not come from the current folder.

    A folder that holds the package itself stays. Only modules that every Python has loaded by now are used here.
    """
    holds_package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0]) != holds_package:
        del sys.path[0]
