"""`/api/export` and `/api/jobs`: exports parts of recordings to files of another format, or splits them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase import private
from motionbase.console.access import Caller, viewer
from motionbase.console.api import lent, names
from motionbase.console.api.folders import shown
from motionbase.console.api.rate_limit import RateLimit
from motionbase.console.api.recordings import path_of
from motionbase.console.api.rolls import chart_for, drawn
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.jobs import Task, Work
from motionbase.console.models import Export, Job
from motionbase.errors import MotionBaseError, UsageError
from motionbase.recording.export import Exported, export
from motionbase.recording.happened import SIDE_ENDING
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.split import split
from motionbase.recording.strip.chart import Chart
from motionbase.recording.times import rows_of

if TYPE_CHECKING:
    from motionbase.console.console import Console

FOLDER = "exports"  # folder inside that of recordings
EXPORTS_A_SECOND = 4
MOST_LISTED = 100  # files listed by a job


def started(console: Console, wanted: Export, caller: Caller) -> Job:
    """Start an export as a job; bad requests are refused at once. Without the seat it is limited, in another folder."""
    is_lent = not console.access.me(caller).seated
    source, settings = path_of(console, wanted.file), console.settings
    if is_lent and not caller.client:
        raise UsageError("an export belongs to a page: give its name in X-Client, 1 to 64 letters, digits, - or _")
    if wanted.piece_records is not None and wanted.piece_seconds is not None:
        raise UsageError("pieces have a number of records or of seconds; give one of the two")
    if wanted.format == "pdf" and _in_pieces(wanted):
        raise UsageError("a strip chart is one roll; it has no pieces")
    name = names.checked_name("export", wanted.name or f"{source.stem}_export")
    with open_recording(source) as recording:
        chosen = recording.select(wanted.channels, wanted.groups, wanted.legs)
        first, last = rows_of(recording, wanted.start, wanted.stop)
        span = (recording.time_of(first), recording.time_of(last - 1))
        chart = chart_for(wanted, recording, list(chosen)) if wanted.format == "pdf" else None
    if is_lent:
        lent.check_size(wanted, last - first, len(chosen), span[1] - span[0])
    out = (lent.made_room(settings.recordings) if is_lent else settings.recordings / FOLDER) / name
    target = out if _in_pieces(wanted) else out.with_name(f"{name}.{wanted.format}")
    if os.path.lexists(target):
        raise WrongState(f"there is an export {target.name!r} already; choose another name")
    if chart is not None:
        work: Work = partial(_rolled, console, source, target, chart, span)
        return console.jobs.start(f"strip chart of {source.name}", _named(console, work), caller.client, is_lent)
    what = f"{'split' if _in_pieces(wanted) else 'export'} {source.name} as {wanted.format}"
    work = partial(_written, settings.recordings, source, target, wanted)
    return console.jobs.start(what, _named(console, work), caller.client, is_lent)


def _rolled(console: Console, source: Path, target: Path, chart: Chart, span: tuple[float, float], task: Task) -> str:
    said = drawn(console, source, target, chart, span, task)
    _tell(task, console.settings.recordings, [target])
    return said


def _named(console: Console, work: Work) -> Work:
    """The work with its errors reworded for pages."""

    def named(task: Task) -> str:
        try:
            return work(task)
        except MotionBaseError as error:
            raise MotionBaseError(shown(console, str(error))) from None

    return named


def _written(recordings: Path, source: Path, target: Path, wanted: Export, task: Task) -> str:
    with open_recording(source) as recording:
        chosen = recording.select(wanted.channels, wanted.groups, wanted.legs)
        if not _in_pieces(wanted):
            private.make_folder(target.parent)
            done = [export(recording, target, chosen, wanted.start, wanted.stop, progress=task.progress)]
            _tell(task, recordings, [target, *([done[0].beside] if done[0].beside else [])])
        else:
            done = _split(recordings, recording, target, chosen, wanted, task)
        damaged = f"; {len(recording.damage)} places could not be read" if recording.damage else ""
    return _summary(done) + damaged


def _split(
    recordings: Path, recording: Recording, folder: Path, chosen: Sequence[str], wanted: Export, task: Task
) -> list[Exported]:
    """However it ends, the job lists the complete files; an empty folder is removed."""
    try:
        return split(
            recording,
            folder,
            records=wanted.piece_records,
            seconds=wanted.piece_seconds,
            names=chosen,
            start=wanted.start,
            stop=wanted.stop,
            ending=f".{wanted.format}",
            progress=task.progress,
        )
    finally:
        # unfinished files have other names, and the folder belongs to this job
        whole = (f"[!.]*.{wanted.format}", f"[!.]*{SIDE_ENDING}")
        _tell(task, recordings, sorted(path for pattern in whole for path in folder.glob(pattern)))
        if not task.files:
            with suppress(OSError):
                folder.rmdir()


def _tell(task: Task, recordings: Path, files: list[Path]) -> None:
    task.finished = sum(not path.name.endswith(SIDE_ENDING) for path in files)
    task.files = [str(path.relative_to(recordings)) for path in files[:MOST_LISTED]]


def _in_pieces(wanted: Export) -> bool:
    return wanted.piece_records is not None or wanted.piece_seconds is not None


def _summary(done: list[Exported]) -> str:
    records, size = sum(e.count for e in done), sum(e.bytes for e in done)
    files = "1 file" if len(done) == 1 else f"{len(done)} files"
    return f"{records} records of {done[0].channels} channels, {size / 1e6:.1f} MB, in {files}"


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(route_class=SentenceRoute)
    pace = RateLimit("exports", EXPORTS_A_SECOND)

    @api.post("/api/export")
    async def begin(caller: Annotated[Caller, Depends(viewer)], wanted: Export) -> Job:
        """Start an export, a split or a strip chart of a recording as a job; without the seat only small ones."""
        if console.access.me(caller).seated:
            return await console.turns.working.take(lambda: started(console, wanted, caller))
        pace.check(caller.client)
        return await console.turns.files.take(lambda: started(console, wanted, caller))

    @api.delete("/api/jobs/{number}")
    async def cancel(caller: Annotated[Caller, Depends(viewer)], number: int) -> Job:
        """Cancel a job: allowed to the page that started it and to the holder of the operator's seat."""
        return console.jobs.cancel(number, None if console.access.me(caller).seated else caller.client)

    return api
