"""`/api/recordings`: lists recordings, describes them, and serves any stretch of them for drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import numpy as np
from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import TypeAdapter

from motionbase.console.access import seated, viewer
from motionbase.console.api import names
from motionbase.console.api.downloads import Sent
from motionbase.console.api.folders import ESTOP
from motionbase.console.api.rows import rows
from motionbase.console.api.scene import stored_scene
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.api.upload import Uploads
from motionbase.console.api.windows import window
from motionbase.console.api.world import stored_world, world_name
from motionbase.console.live.derived import formula_of
from motionbase.console.live.formula import FormulaError
from motionbase.console.live.runs import derived_channel
from motionbase.console.models import (
    Channel,
    Derive,
    ModelScene,
    RecordingEvent,
    RecordingFile,
    RecordingInfo,
    Scene,
    Schema,
    Ticket,
    WorldScene,
)
from motionbase.errors import UsageError
from motionbase.record import schema as ring_schema
from motionbase.recording.estop.details import EXTENSION, OLD_EXTENSION
from motionbase.recording.happened import JOURNAL, SIDE_ENDING
from motionbase.recording.mcap.messages import Event
from motionbase.recording.recorder.control import read_status
from motionbase.recording.recorder.files import platform_name
from motionbase.recording.recording import Recording
from motionbase.recording.source import Damage
from motionbase.ring.backend import shared_folder
from motionbase.ring.folders import data_folder

if TYPE_CHECKING:
    from motionbase.console.console import Console

STRIPS = ("strips", "exports", "viewers")  # folders of downloadable strip charts beside the recordings
STRIP_ENDINGS = (".pdf", ".png")
LONGEST_ABOUT = 400  # characters of each metadata entry
NOT_SHOWN = ("schema", "platform", "parameters", "world", JOURNAL)  # long entries that are shown elsewhere
BAD_KINDS = ("fault", "estop", "gap", "disk")
EVENTS = TypeAdapter(list[RecordingEvent])
MOST_EVENTS, MOST_DAMAGE, MOST_ABOUT = 10_000, 1000, 200


def estop_folder() -> Path:
    """Folder of ESTOP files."""
    return data_folder(ESTOP)


def path_of(console: Console, file: str) -> Path:
    """Path of a recording named by a page."""
    return names.recording_path(console.settings.recordings, estop_folder(), file)


def listed(recordings: Path, estop: Path) -> list[RecordingFile]:
    """All files, newest first."""
    growing = files_being_written()
    found = [(n, p) for n, p in names.files_below(recordings, names.RECORDINGS) if not n.startswith(f"{ESTOP}/")]
    found += [(f"{ESTOP}/{n}", p) for n, p in names.files_below(estop, (EXTENSION, OLD_EXTENSION), depth=1)]
    made = []
    for name, path in found:
        try:
            names.relative_parts(name)
            state = path.stat()
        except (UsageError, OSError):
            continue  # not a valid name, or removed meanwhile
        made.append(
            RecordingFile.model_validate(
                {
                    "file": name,
                    "bytes": state.st_size,
                    "modified_utc": state.st_mtime,
                    "format": path.suffix[1:].lower(),
                    "is_written": path.resolve() in growing,
                }
            )
        )
    return sorted(made, key=lambda f: (f.modified_utc, f.file), reverse=True)


def files_being_written() -> set[Path]:
    """Files that recorders of this machine are writing."""
    statuses = (read_status(p) for p in shared_folder().glob("motionbase-*.recorder.json"))
    return {Path(str(s["file"])).resolve() for s in statuses if s is not None and s.get("file")}


def schema_of(schema: ring_schema.Schema, kept: Iterable[Derive] = ()) -> Schema:
    """The schema as a model of the interface, with the stored derived channels that fit it at the end."""
    channels = [
        Channel(
            place=place,
            name=c.name,
            unit=c.unit,
            description=c.description,
            group=c.group,
            leg=c.leg,
            dof=c.dof,
            codes=None if c.codes is None else list(c.codes),
            bits=None if c.bits is None else list(c.bits),
        )
        for place, c in enumerate(schema.channels)
    ]
    for one in kept:
        with suppress(FormulaError):  # for another platform
            if one.name not in schema.index:
                formula_of(one.formula, schema)
                channels.append(derived_channel(len(channels), one.name, one.unit, one.formula))
    return Schema(name=schema.name, hash=schema.hash.hex(), channels=channels)


def info(file: str, recording: Recording, kept: Iterable[Derive] = ()) -> RecordingInfo:
    """Description of a recording, without reading its records."""
    about = recording.source.about
    shown = [(k, v) for k, v in about.items() if k not in NOT_SHOWN]
    epoch_ns = _number(about.get("epoch_utc_ns"))
    events = [e for e in recording.events if math.isfinite(e.t)][:MOST_EVENTS]
    damage = recording.damage[:MOST_DAMAGE]
    return RecordingInfo(
        file=file,
        recording_schema=schema_of(recording.schema),
        derived=schema_of(recording.schema, kept).channels[len(recording.schema.channels) :],
        records=recording.count,
        start=recording.start,
        end=recording.end,
        rate_hz=_rate(recording),
        epoch_utc=epoch_ns / 1e9 if epoch_ns > 0 else None,
        platform=about.get("platform_name", "") or platform_name(about.get("platform", "")),
        world=world_name(about.get("world", "")),
        events=[event_of(e) for e in events],
        damage=[d.text for d in damage],
        damage_at=[damage_times(recording, d) for d in damage],
        about={k[:LONGEST_ABOUT]: str(v)[:LONGEST_ABOUT] for k, v in shown[:MOST_ABOUT]},
    )


def event_of(e: Event) -> RecordingEvent:
    """An event as a model of the interface; older files do not mark bad events."""
    is_bad = e.is_bad or (e.tick is None and e.kind in BAD_KINDS)
    return RecordingEvent(t=e.t, kind=e.kind, text=e.text, tick=e.tick, person=e.person, is_bad=is_bad)


def damage_times(recording: Recording, damage: Damage) -> tuple[float, float] | None:
    """Start and end of damage [s]; None if it concerns no record, or there is none."""
    if damage.first is None or damage.last is None or not recording.count:
        return None
    missing = damage.first == damage.last  # between the record before and this one
    rows = (damage.first - 1, damage.first) if missing else (damage.first, damage.last - 1)
    begin, end = (float(t) for t in recording.times_of(np.clip(rows, 0, recording.count - 1)))
    return (begin, end) if math.isfinite(begin) and math.isfinite(end) else None


def _rate(recording: Recording) -> float:
    """Records per second by its metadata, or by its records; 0 for a single record."""
    about = recording.source.about
    period = _number(about.get("dt")) * _number(about.get("every"))
    if period > 0:
        return 1 / period
    span = recording.end - recording.start
    return (recording.count - 1) / span if span > 0 else 0.0


def _number(text: Any) -> float:
    try:
        found = float(text)
    except (TypeError, ValueError):
        return 0.0
    return found if math.isfinite(found) else 0.0


def _downloaded(console: Console, file: str) -> Path:
    """Path of a downloadable file: a recording, an ESTOP file, a strip chart, or the events of a CSV file."""
    parts = names.relative_parts(file)
    if file.lower().endswith(SIDE_ENDING):
        return names.inside(console.settings.recordings, file, (SIDE_ENDING,))
    if parts[0] in STRIPS and file.lower().endswith(STRIP_ENDINGS):
        return names.inside(console.settings.recordings, file, STRIP_ENDINGS)
    return path_of(console, file)


def download_router(console: Console) -> APIRouter:
    """Router of downloads, which need no token because their address contains a ticket."""
    api = APIRouter(route_class=SentenceRoute)

    @api.get("/api/download/{ticket}/{name}", response_class=FileResponse)
    async def by_ticket(ticket: str, name: str) -> Sent:
        """Download the file of a ticket."""
        file = console.tickets.file(ticket)
        if file is None:
            raise HTTPException(401, "this address was valid for a minute; download the file again from the page")
        return await console.turns.files.take(lambda: Sent(_downloaded(console, file)))

    return api


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/recordings", route_class=SentenceRoute)
    turns = console.turns.files
    opened, uploads = console.opened, Uploads(console.settings.recordings, console.turns.working)

    @api.get("", dependencies=[Depends(viewer)])
    async def show() -> list[RecordingFile]:
        """The files of the recordings folder, newest first."""
        return await turns.take(lambda: listed(console.settings.recordings, estop_folder()))

    @api.get("/info", dependencies=[Depends(viewer)], response_model=RecordingInfo)
    async def about(file: str) -> Response:
        """Description of a recording."""

        def look() -> str:  # serialised here, too: with ten thousands of channels that would block the event loop
            with opened.use(path_of(console, file)) as recording:
                return info(file, recording, console.kept.all()).model_dump_json()

        return Response(await turns.take(look), media_type="application/json")

    @api.get("/events", dependencies=[Depends(viewer)], response_model=list[RecordingEvent])
    async def happened(file: str) -> Response:
        """All events, including those found in the records; the first time may take a while."""

        def look() -> bytes:
            with opened.use(path_of(console, file)) as recording:
                found = [e for e in recording.journal() if math.isfinite(e.t)][:MOST_EVENTS]
                return EVENTS.dump_json([event_of(e) for e in found])

        return Response(await turns.take(look), media_type="application/json")

    @api.get("/window", dependencies=[Depends(viewer)], response_class=Response)
    async def stretch(
        file: str,
        channels: str = "",
        formula: Annotated[list[str] | None, Query()] = None,
        pixels: int = 800,
        start: Annotated[float | None, Query(alias="from")] = None,
        stop: Annotated[float | None, Query(alias="to")] = None,
    ) -> Response:
        """Channels and formulas over a stretch of time, as a window frame."""

        def look() -> bytes:
            with opened.use(path_of(console, file)) as recording:
                return window(recording, channels, formula or (), start, stop, pixels)

        return Response(await turns.take(look), media_type="application/octet-stream")

    @api.get("/rows", dependencies=[Depends(viewer)], response_class=Response)
    async def whole_records(
        file: str, at: float | None = None, first: int | None = None, count: int = 1, every: int = 1
    ) -> Response:
        """Whole records from a time or a number on, for pages that replay a recording by themselves."""

        def look() -> bytes:
            with opened.use(path_of(console, file)) as recording:
                return rows(recording, at, first, count, every)

        return Response(await turns.take(look), media_type="application/octet-stream")

    @api.get("/scene", dependencies=[Depends(viewer)])
    async def platform(file: str) -> Scene | ModelScene:
        """The platform or model of a recording to scale, without mesh files, because its text may name any file."""

        def look() -> Scene | ModelScene:
            with opened.use(path_of(console, file)) as recording:
                return stored_scene(str(recording.source.about.get("platform", "")))

        return await turns.take(look)

    @api.get("/world", dependencies=[Depends(viewer)])
    async def world(file: str) -> WorldScene:
        """The world of the host's vehicle in a recording."""

        def look() -> WorldScene:
            with opened.use(path_of(console, file)) as recording:
                return stored_world(str(recording.source.about.get("world", "")))

        return await turns.take(look)

    @api.get("/download", dependencies=[Depends(viewer)], response_class=FileResponse)
    async def download(file: str) -> Sent:
        """Download a file; the complete part of one that is being written."""
        return await turns.take(lambda: Sent(_downloaded(console, file)))

    @api.post("/ticket", dependencies=[Depends(viewer)])
    async def ticket(file: str) -> Ticket:
        """An address for one download by a browser, which sends no token; valid for a minute."""
        path = await turns.take(lambda: _downloaded(console, file))
        return Ticket(address=f"/api/download/{console.tickets.give(file)}/{quote(path.name)}")

    @api.put("/upload", dependencies=[Depends(seated)])
    async def upload(name: str, request: Request) -> RecordingFile:
        """Upload a recording; it is checked by opening it, and refused as a whole if that fails."""
        return await uploads.take(name, request)

    return api
