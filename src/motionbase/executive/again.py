"""A writer that has ended while its readers stay: how it ended, and the request to restart it."""

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
    """A writer that ended and can be restarted.

    Attributes:
        why: how it ended, to follow its name; utc: when it was noticed [s]
        by: who asked to restart it, "" while nobody has; since: when, by the monotonic clock [s]
        trouble: why it was not restarted although somebody asked
    """

    process: Process
    why: str
    utc: float
    by: str = ""
    since: float = 0.0
    trouble: str = ""


@final
class StartAgain:
    """Restarts of one run. The lifeline's thread calls `answer`, the supervisor's thread all else.

    Args:
        ring: what a writer left unsaved in it is saved before the next one begins, which would remove it
        say: takes a sentence
    """

    def __init__(self, ring: RunRing | None, say: Callable[[str], object]) -> None:
        self._ring, self._say, self._lock = ring, say, threading.Lock()
        self._gone: Gone | None = None
        self._started_utc = time.time()  # of the writer that runs: a ring that is older is not its own

    def left(self, process: Process, why: str) -> None:
        """Note that the writer has ended."""
        with self._lock:
            self._gone = Gone(process, why, time.time())
        what = f"{process.role.value} {process.name!r} {why}"
        self._say(
            f"{what}; the other processes stay: look at the run and restart it in the console, or end it with Ctrl-C"
        )

    def answer(self, request: Message) -> Reply | None:
        """Answer `run` (how is the writer?) and `start` (restart it); None for any other request."""
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
        """The writer with its restart command, once somebody has asked and its records are saved."""
        gone = self._gone
        if gone is None or not gone.by:
            return None
        if self._ring is not None and self._ring.is_unsaved:
            if time.monotonic() - gone.since > SAVING_S:
                trouble = f"it was not restarted: {self._ring.why_unsaved}"
                self._say(trouble)
                with self._lock:
                    self._gone = replace(gone, by="", since=0.0, trouble=trouble)
            return None
        assert gone.process.again is not None
        self._say(f"writer {gone.process.name!r} is restarted, as {gone.by} asked")
        with self._lock:
            self._gone, self._started_utc = None, time.time()
        return replace(gone.process, command=gone.process.again)
