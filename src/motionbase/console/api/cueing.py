"""`/api/cueing`: two sets of cueing on the same motion of a vehicle, computed in a process; nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Response

from motionbase.console.access import Caller, viewer
from motionbase.console.api.rate_limit import RateLimit
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.api.windows import MOST_PIXELS, checked_places
from motionbase.console.cueing import trials
from motionbase.console.models import CueingChoices, CueingSetText, CueingTrial, Job, TryCueing
from motionbase.errors import UsageError
from motionbase.recording.times import check_times

if TYPE_CHECKING:
    from motionbase.console.console import Console

Viewer = Annotated[Caller, Depends(viewer)]
TRIALS_A_SECOND = 2


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/cueing", route_class=SentenceRoute)
    turns = console.turns.files
    pace = RateLimit("comparisons", TRIALS_A_SECOND)

    @api.get("", dependencies=[Depends(viewer)])
    async def known() -> CueingChoices:
        """Sets and algorithms that can be compared."""
        return await turns.take(lambda: trials.choices(console))

    @api.get("/set", dependencies=[Depends(viewer)])
    async def in_use() -> CueingSetText:
        """The live base's parameters of cueing as the file of a set."""
        return await turns.take(lambda: trials.in_use_text(console))

    @api.post("/trials")
    async def begin(caller: Viewer, wanted: TryCueing) -> Job:
        """Compare two sets as a job; its number is that of the result."""
        pace.check(caller.client)
        return await turns.take(lambda: trials.begun(console, wanted, caller))

    @api.get("/trials/{number}", dependencies=[Depends(viewer)])
    async def result(number: int) -> CueingTrial:
        """A comparison that is done; the last few are kept."""
        return console.trials.of(number).trial

    @api.get("/trials/{number}/window", dependencies=[Depends(viewer)], response_class=Response)
    async def stretch(
        number: int,
        channels: str,
        pixels: int = 800,
        start: Annotated[float | None, Query(alias="from")] = None,
        stop: Annotated[float | None, Query(alias="to")] = None,
    ) -> Response:
        """Channels of a comparison over a stretch of time, as a window frame."""
        found = console.trials.of(number)
        places = checked_places(channels, len(found.columns))
        check_times(start, stop)
        if not 1 <= pixels <= MOST_PIXELS:
            raise UsageError(f"pixels is {pixels}, it must be 1 to {MOST_PIXELS}")
        frame = await turns.take(lambda: trials.window(found, places, start, stop, pixels))
        return Response(frame, media_type="application/octet-stream")

    return api
