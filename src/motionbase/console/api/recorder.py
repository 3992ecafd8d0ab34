"""`/api/recorder`: the recorder of the live ring, as `motionbase record-control`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, seated
from motionbase.console.api.folders import last_parts
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.models import Answer, AskRecorder, Recorder
from motionbase.errors import RecordingError, UsageError
from motionbase.recording.recorder import control

if TYPE_CHECKING:
    from motionbase.console.console import Console


def recorder_status(ring: str) -> Recorder | None:
    """Status of the recorder; None if there is none, or its status cannot be parsed."""
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


def told(ring: str, wanted: AskRecorder, who: str) -> Answer:
    """Send a command to the recorder; a note goes into the console's journal if nothing is recorded."""
    text = wanted.text.strip()
    if (wanted.do == "note") != bool(text):
        raise UsageError("a note needs its text" if wanted.do == "note" else f"{wanted.do} takes no text, only note")
    try:
        return Answer(accepted=True, text=control.ask(ring, wanted.do, text, person=who))
    except RecordingError as error:
        if wanted.do == "note":
            known = recorder_status(ring)
            is_recorded = known is not None and known.state != "stopped"
            why = f"it is not in the recording: {error}" if is_recorded else "nothing is being recorded"
            return Answer(accepted=True, text=f"noted among the console's events; {why}")
        raise WrongState(str(error)) from None


def router(console: Console) -> APIRouter:
    """The address."""
    api = APIRouter(route_class=SentenceRoute)

    @api.post("/api/recorder")
    async def ask(caller: Annotated[Caller, Depends(seated)], wanted: AskRecorder) -> Answer:
        """Start, stop, split or note, as `motionbase record-control`. The recorder writes the event, with the name."""
        who = console.person(caller)
        answer = await console.turns.operating.take(lambda: told(console.settings.ring, wanted, who))
        if wanted.do == "note":
            console.happened("note", wanted.text.strip(), person=who)
        else:
            console.happened("recorder", f"{wanted.do} asked for by {who}: {last_parts(answer.text)}", person=who)
        return answer

    return api
