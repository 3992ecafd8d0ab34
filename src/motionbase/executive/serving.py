"""The end of a process that serves a base until it is told to stop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Never

from motionbase.errors import MotionBaseError


def until_told(name: str, serve: Callable[..., Never], *arguments: str) -> None:
    """Serve until SIGTERM; what a person can mend is one sentence and exit code 2."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the supervisor ends its readers
    try:
        serve(*arguments)
    except MotionBaseError as error:
        print(f"{name}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
