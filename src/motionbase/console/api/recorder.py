"""`/api/recorder`: the recorder of the live ring, as `motionbase record-control`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends

from motionbase.console.access import seated
from motionbase.console.api.folders import last_parts
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.models import Answer, AskRecorder, Recorder
from motionbase.errors import RecordingError, UsageError
from motionbase.recording.recorder import control

if TYPE_CHECKING:
    from motionbase.console.console import Console


def recorder_status(ring: str) -> Recorder | None:
    """None where nobody records, or what it says is not to be understood."""
    try:
        found: dict[str, Any] = control.status(ring)
        return Recorder.model_validate(
            {
                **{key: found[key] for key in ("state", "bytes", "files", "records", "lost", "gaps")},
                **{key: last_parts(str(found[key])) for key in ("trouble", "incident")},
                "file": Path(found["file"]).name if found["file"] else "",
            }
        )
    except (RecordingError, KeyError, TypeError, ValueError):
        return None


def told(ring: str, wanted: AskRecorder) -> Answer:
    """What the recorder says."""
    text = wanted.text.strip()
    if (wanted.do == "note") != bool(text):
        raise UsageError("a note needs its text" if wanted.do == "note" else f"{wanted.do} takes no text, only note")
    try:
        return Answer(accepted=True, text=control.ask(ring, wanted.do, text))
    except RecordingError as error:
        raise WrongState(str(error)) from None


def router(console: Console) -> APIRouter:
    """The address."""
    api = APIRouter(route_class=SentenceRoute)

    @api.post("/api/recorder", dependencies=[Depends(seated)])
    async def ask(wanted: AskRecorder) -> Answer:
        """Start, stop, split or note, as motionbase record-control."""
        answer = await console.turns.operating.take(lambda: told(console.settings.ring, wanted))
        t = console.source("live").value("t")
        what = f"note: {wanted.text.strip()}" if wanted.do == "note" else f"recorder: {answer.text}"
        console.events.add("note" if wanted.do == "note" else "recorder", what, t=t)
        return answer

    return api
