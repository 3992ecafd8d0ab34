"""Removes the files that killed recorders and replays left beside a ring, unless a process uses them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.errors import RingError
from motionbase.ring.backend import LEFT_NAME, NAME, PREFIX, Device, shared_folder
from motionbase.ring.lock import FileLock
from motionbase.ring.names import device_here

RECORDER = (".recorder", ".recorder.json", ".recorder.json.part")  # socket and state of a recorder
RECORDER_LOCK = ".recorder.lock"
REPLAY = (".replay.json", ".replay.json.part")  # state of a replay, which is the ring's writer


@final
@dataclass(frozen=True)
class Outcome:
    """Whether a file was removed, and why."""

    path: Path
    removed: bool
    why: str


def beside(name: str, endings: tuple[str, ...]) -> list[Path]:
    """Existing files of a ring with these endings."""
    found = [shared_folder() / f"{PREFIX}{name}{ending}" for ending in endings]
    return [path for path in found if path.exists() or path.is_symlink()]


def names_beside() -> set[str]:
    """Names of rings that have such files, even if the rings are gone; files of the device do not count."""
    device = device_here()
    own = device_name(device) if device is not None else ""
    files = [path.name.removeprefix(PREFIX) for path in shared_folder().glob(f"{PREFIX}*")]
    endings = (*RECORDER, RECORDER_LOCK, *REPLAY)
    found = {file.removesuffix(ending) for file in files for ending in endings if file.endswith(ending)}
    return {base for base in found if base != own and (NAME.fullmatch(base) or LEFT_NAME.fullmatch(base))}


def device_name(device: Device) -> str:
    """Beginning of the names of files beside a device, after the common prefix."""
    return device.lock_path.stem.removeprefix(PREFIX)


def cleaned_recorder(name: str) -> Iterator[Outcome]:
    """Remove the files of a killed recorder; those of a living one stay."""
    lock_path = shared_folder() / f"{PREFIX}{name}{RECORDER_LOCK}"
    if not beside(name, (*RECORDER, RECORDER_LOCK)):
        return
    try:
        lock = FileLock(lock_path)
    except RingError as error:
        yield Outcome(lock_path, False, str(error))
        return
    with lock:
        if not lock.take():  # held while files are removed, so that no recorder can start meanwhile
            yield Outcome(lock_path, False, f"its recorder is alive, process {lock.holder()}")
            return
        for path in (*beside(name, RECORDER), lock_path):
            yield removed(path, "left over")


def removed(path: Path, why: str) -> Outcome:
    """Remove a file; the result says why, or why not."""
    try:
        path.unlink()
        return Outcome(path, True, why)
    except OSError as error:
        return Outcome(path, False, f"{error.strerror or error}")
