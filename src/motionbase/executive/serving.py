"""What processes that serve a base have in common: they wait for one, and end when they are told."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Never

from motionbase.errors import MotionBaseError
from motionbase.executive.exchange import Exchange
from motionbase.ring.backend import AbstractBackend

LOOK_S = 0.05  # between looks for a base, and whether it has ended


def awaited(backend: AbstractBackend, ending: str, magics: tuple[bytes, ...]) -> Exchange:
    """The exchange of a base, as soon as there is one."""
    while (exchange := Exchange.attached(backend, ending, magics)) is None:
        time.sleep(LOOK_S)
    return exchange


def next_due(due: float, period: float) -> float:
    """Sleep until a period after the last due time, and return that; what was missed is not made up for [s]."""
    due += period
    now = time.monotonic()
    if now >= due:
        return now
    time.sleep(due - now)
    return due


def until_told(name: str, serve: Callable[..., Never], *arguments: str) -> Never:
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
