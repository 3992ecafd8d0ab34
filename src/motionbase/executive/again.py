"""A writer that has ended while its readers stay: what is said of it, and the request to start it again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from motionbase.executive.process import Process
from motionbase.executive.run_ring import RunRing
from motionbase.ring.lifeline import Message, Reply

SAVING_S = 120.0  # for an ESTOP file on a slow disk
LONGEST = 1000  # letters of a sentence that goes over the lifeline


@final
@dataclass(frozen=True)
class Gone:
    """A writer that ended and can be started again.

    Attributes:
        why: how it ended, for behind its name; utc: when it was noticed [s]
        by: who asked to start it again, "" while nobody has; since: when, by the monotonic clock [s]
        trouble: why it was not, though somebody had asked
    """

    process: Process
    why: str
    utc: float
    by: str = ""
    since: float = 0.0
    trouble: str = ""


@final
class StartAgain:
    """Of one run. `answer` is for the lifeline's thread, all else for the supervisor's.

    Args:
        ring: what a writer left unsaved in it is saved before the next one begins, which would remove it
        say: takes a sentence
    """

    def __init__(self, ring: RunRing | None, say: Callable[[str], object]) -> None:
        self._ring, self._say, self._lock = ring, say, threading.Lock()
        self._gone: Gone | None = None
        self._started_utc = time.time()  # of the writer that runs: a ring that is older is not its own

    def left(self, process: Process, why: str) -> None:
        """It has ended."""
        with self._lock:
            self._gone = Gone(process, why, time.time())
        what = f"{process.role.value} {process.name!r} {why}"
        self._say(f"{what}; all else stays: look at it and start it again in the console, or end the run with Ctrl-C")

    def answer(self, request: Message) -> Reply | None:
        """To `run`, how the writer is, and to `start`, which starts it again; None for what is neither."""
        what = request.get("ask")
        if what not in ("run", "start"):
            return None
        with self._lock:
            gone = self._gone
            if gone is None:
                runs = {"run": {"doing": "runs", "utc": self._started_utc}}
                return Reply(runs if what == "run" else {"refused": "the base has not ended"})
            if what == "run":
                told = {"why": gone.why[:LONGEST], "utc": gone.utc, "trouble": gone.trouble[:LONGEST]}
                return Reply({"run": {"doing": "starting" if gone.by else "ended", **told}})
            by = gone.by or str(request.get("by", ""))[:64] or "somebody"
            self._gone = replace(gone, by=by, since=gone.since or time.monotonic(), trouble="")
            return Reply({"starts": True})

    def due(self) -> Process | None:
        """The writer, with the command that starts it again, once somebody has asked and its records are saved."""
        gone = self._gone
        if gone is None or not gone.by:
            return None
        if self._ring is not None and self._ring.is_unsaved:
            if time.monotonic() - gone.since > SAVING_S:
                trouble = f"it was not started again: {self._ring.why_unsaved}"
                self._say(trouble)
                with self._lock:
                    self._gone = replace(gone, by="", since=0.0, trouble=trouble)
            return None
        assert gone.process.again is not None
        self._say(f"writer {gone.process.name!r} is started again, asked for by {gone.by}")
        with self._lock:
            self._gone, self._started_utc = None, time.time()
        return replace(gone.process, command=gone.process.again)
