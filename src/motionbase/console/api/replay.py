"""`/api/replay`: plays a recording into the replay ring with `motionbase replay`, in a separate process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from fastapi import APIRouter, Depends
from pydantic import ValidationError

from motionbase.console.access import seated
from motionbase.console.api.folders import ESTOP, shown
from motionbase.console.api.recordings import estop_folder, path_of
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.models import Answer, Replay, ReplayControl, SourceName, StartReplay
from motionbase.console.stop.button import PROGRAM
from motionbase.errors import RingError
from motionbase.interpreter import motionbase_command
from motionbase.record.requests import replay_command
from motionbase.recording.recorder.control import beside, read_status
from motionbase.ring.backend import DEVICE_VARIABLE, NO_DEVICE, AbstractBackend
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.lock import is_held

if TYPE_CHECKING:
    from motionbase.console.console import Console

ROLE = "replay"
STARTS_S = 60.0  # usually a second or two, longer on a busy machine or for a huge file
ENDS_S = 5.0
LOOK_S = 0.03


@final
class Starts:
    """One start at a time: a request for the file being started joins it, one for another file replaces it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._turn = threading.Lock()
        self._newest = 0  # number of the last request
        self._file = ""  # file being started

    def begin(self, wanted: StartReplay) -> Answer:
        """Play a file instead of the present one."""
        path = path_of(self._console, wanted.file)
        if wanted.file == self._file:
            return self._joined(wanted)
        self._newest += 1
        number = self._newest
        with self._turn:
            if number != self._newest:
                return _gave_way(wanted)
            self._file = wanted.file
            try:
                return begun(self._console, wanted, path, lambda: number == self._newest)
            finally:
                self._file = ""

    def _joined(self, wanted: StartReplay) -> Answer:
        with self._turn:  # until it is ready
            child = self._console.children.of(ROLE)
            if child is None or not child.lives:
                return Answer(accepted=False, text=f"{wanted.file} could not be replayed; try again")
        if wanted.paused:
            return Answer(accepted=True, text=f"replaying {wanted.file}")
        return controlled(self._console, ReplayControl(source="replay", action="play"))


def _gave_way(wanted: StartReplay) -> Answer:
    return Answer(accepted=False, text=f"{wanted.file} was replaced by another recording before it was ready")


def begun(console: Console, wanted: StartReplay, path: Path, is_wanted: Callable[[], bool]) -> Answer:
    """Start the process and wait until it is ready, while it is still wanted."""
    ended(console)
    ring, backend = console.settings.replay_ring, console.source("replay").backend
    if is_held(backend.lock_path):
        raise WrongState(f"ring {ring!r} is written by another program; end that first")
    paused = ("--paused",) if wanted.paused else ()
    command = motionbase_command("replay", str(path), "--ring", ring, *paused)
    # always shared memory: a replay must never reach hardware
    child = console.children.start(ROLE, command, environment={DEVICE_VARIABLE: NO_DEVICE})
    end = time.monotonic() + STARTS_S
    while child.lives and time.monotonic() < end:
        found = _status(backend)
        if found is not None and found.get("pid") == child.pid:
            return Answer(accepted=True, text=f"replaying {wanted.file}")
        if not is_wanted():
            child.end(ENDS_S)
            return _gave_way(wanted)
        time.sleep(LOOK_S)
    if child.lives:
        child.end()
        return Answer(accepted=False, text=f"{wanted.file} was not ready after {STARTS_S:g} s")
    why = shown(console, child.complaint) or f"the replay of {wanted.file} was ended before it was ready"
    return Answer(accepted=False, text=why)


def controlled(console: Console, wanted: ReplayControl) -> Answer:
    """Control a replay; a running base refuses these commands."""
    follower = console.source(wanted.source)
    command = replay_command(wanted.action, tuple(wanted.values))
    ack = CommandSender(follower.ring, sender=PROGRAM, backend=follower.backend).request(command)
    if ack.accepted:
        return Answer(accepted=True, text=f"{command}")
    found = _status(follower.backend) or {}
    span = f"; the replay is from {found['begin']:.6g} to {found['end']:.6g} s" if "begin" in found else ""
    return Answer(accepted=False, text=f"{command} was refused: {ack}{span}")


def ended(console: Console) -> Answer:
    """End the console's own replay."""
    child = console.children.of(ROLE)
    if child is None or not child.lives:
        return Answer(accepted=True, text="nothing is being replayed by this console")
    child.end(ENDS_S)
    return Answer(accepted=True, text="ended")


def replay_status(console: Console) -> Replay | None:
    """Status of the replay in the replay ring, else in the live one; None if there is none."""
    sources: tuple[SourceName, ...] = ("replay", "live")
    for source in sources:
        try:
            found = _status(console.source(source).backend)
        except RingError:
            continue
        if found is not None and (made := _model(console, source, found)) is not None:
            return made
    return None


def _status(backend: AbstractBackend) -> dict[str, Any] | None:
    found = read_status(beside(backend, "replay.json"))
    return found if found is not None and is_held(backend.lock_path) else None


def _model(console: Console, source: SourceName, found: dict[str, Any]) -> Replay | None:
    keys = ("state", "record", "records", "time", "begin", "end", "speed", "period", "loop", "damage")
    try:
        file = _shown(console, Path(str(found["file"])))
        return Replay.model_validate({"source": source, "file": file, **{key: found[key] for key in keys}})
    except (KeyError, ValidationError):
        return None


def _shown(console: Console, path: Path) -> str:
    """Name of a file as pages know it; only the last part of a file in another folder."""
    for folder, before in ((console.settings.recordings, ""), (estop_folder(), f"{ESTOP}/")):
        if path.is_relative_to(root := folder.resolve()):
            return f"{before}{path.relative_to(root)}"
    return path.name


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/replay", route_class=SentenceRoute, dependencies=[Depends(seated)])
    starts = Starts(console)

    @api.post("")
    async def begin(wanted: StartReplay) -> Answer:
        """Play a recording into the replay ring."""
        return await console.turns.working.take(lambda: starts.begin(wanted))

    @api.post("/control")
    async def control(wanted: ReplayControl) -> Answer:
        """Control a replay."""
        return await console.turns.working.take(lambda: controlled(console, wanted))

    @api.delete("")
    async def end() -> Answer:
        """End the console's replay."""
        return await console.turns.working.take(lambda: ended(console))

    return api
