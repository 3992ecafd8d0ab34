"""What recorders and replays that were killed have left beside a ring; removed only where nobody uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.errors import RingError
from motionbase.ring.backend import LEFT_NAME, NAME, PREFIX, Device, shared_folder
from motionbase.ring.lock import FileLock
from motionbase.ring.names import device_here

RECORDER = (".recorder", ".recorder.json", ".recorder.json.part")  # socket and state; a lock beside them says who lives
RECORDER_LOCK = ".recorder.lock"
REPLAY = (".replay.json", ".replay.json.part")  # the state of a replay, which is the ring's writer


@final
@dataclass(frozen=True)
class Outcome:
    """What cleaning did with one file, and why."""

    path: Path
    removed: bool
    why: str


def beside(name: str, endings: tuple[str, ...]) -> list[Path]:
    """Files of a ring with these endings that are there."""
    found = [shared_folder() / f"{PREFIX}{name}{ending}" for ending in endings]
    return [path for path in found if path.exists() or path.is_symlink()]


def names_beside() -> set[str]:
    """Rings that such files belong to, whether or not anything else is there; the device's are none."""
    device = device_here()
    own = device_name(device) if device is not None else ""
    files = [path.name.removeprefix(PREFIX) for path in shared_folder().glob(f"{PREFIX}*")]
    endings = (*RECORDER, RECORDER_LOCK, *REPLAY)
    found = {file.removesuffix(ending) for file in files for ending in endings if file.endswith(ending)}
    return {base for base in found if base != own and (NAME.fullmatch(base) or LEFT_NAME.fullmatch(base))}


def device_name(device: Device) -> str:
    """What the names of files beside a device begin with, after our prefix."""
    return device.lock_path.stem.removeprefix(PREFIX)


def cleaned_recorder(name: str) -> Iterator[Outcome]:
    """Remove what a recorder left that was killed; one that lives keeps all of it."""
    lock_path = shared_folder() / f"{PREFIX}{name}{RECORDER_LOCK}"
    if not beside(name, (*RECORDER, RECORDER_LOCK)):
        return
    try:
        lock = FileLock(lock_path)
    except RingError as error:
        yield Outcome(lock_path, False, str(error))
        return
    with lock:
        if not lock.take():  # held while files are removed: no recorder can begin here meanwhile
            yield Outcome(lock_path, False, f"its recorder is alive, process {lock.holder()}")
            return
        for path in (*beside(name, RECORDER), lock_path):
            yield removed(path, "left over")


def removed(path: Path, why: str) -> Outcome:
    """Remove it, and say why, or why not."""
    try:
        path.unlink()
        return Outcome(path, True, why)
    except OSError as error:
        return Outcome(path, False, f"{error.strerror or error}")
