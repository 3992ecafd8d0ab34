"""The live base while no records come: it is starting, or has ended and can be restarted by `motionbase run`."""

from __future__ import annotations

from typing import Any

from motionbase.console.models import Answer, BaseLife
from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.lifeline import Role, asked
from motionbase.ring.lock import is_own

LINE_S = 0.3  # longest wait for an answer on a lifeline


def base_life(backend: AbstractBackend, epoch_utc: float = 0.0) -> BaseLife | None:
    """State of the base from the processes of the ring; None if there is none, one hangs, or the base has records.

    Args:
        epoch_utc: start of the ring on display [s]; 0 if there is none
    """
    for found in asked(backend, Role.WRITER, {"ask": "who"}, LINE_S):
        return _starting(found.said.get("about")) if found.said.get("head") == 0 else None
    for found in asked(backend, Role.SUPERVISOR, {"ask": "run"}, LINE_S):
        run = found.said.get("run")
        if not isinstance(run, dict):
            return None
        if run.get("doing") == "runs" and epoch_utc >= (_number(run.get("utc")) or 0.0):
            return None  # the ring belongs to the writer that has just ended
        if run.get("doing") != "ended":
            return _starting(None)
        why, trouble = (str(run.get(key, "")) for key in ("why", "trouble"))
        text = "; ".join(part for part in (f"the base {why}", trouble) if part)
        return BaseLife(doing="ended", platform="", text=text, utc=_number(run.get("utc")), may_start=True)
    return None


def _starting(about: Any) -> BaseLife:
    """A base that is starting; `about` is the writer's answer, whose invalid parts are left out."""
    told = about if isinstance(about, dict) else {}
    platform = str(told.get("platform", ""))[:80]
    text = f"the base {platform} is being compiled" if platform else "the base is being started"
    return BaseLife(doing="starting", platform=platform, text=text, utc=_number(told.get("since")), may_start=False)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def started_again(ring: str, backend: AbstractBackend, who: str) -> Answer:
    """Ask the supervisor to restart a base, which comes up at rest. `RingError` if there is no supervisor."""
    for found in asked(backend, Role.SUPERVISOR, {"ask": "start", "by": who}, whose=is_own):
        if found.said.get("starts"):
            return Answer(accepted=True, text="the base is started again; it comes up at rest, switched off")
        why = found.said.get("refused") or "its supervisor does not answer"
        return Answer(accepted=False, text=f"the base was not started again: {why}")
    raise RingError(f"no `motionbase run` waits to start the base of ring {ring!r} again; start one with that command")
