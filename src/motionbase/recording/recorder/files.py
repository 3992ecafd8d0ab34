"""Folders, file names and metadata of recordings."""

from __future__ import annotations

import os
import platform
import re
import socket
import subprocess
import time
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import final

from motionbase import private
from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.happened import JOURNAL
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.folders import data_folder
from motionbase.ring.layout import Header

EXTENSION = ".mcap"
GIT_S = 2.0  # time limit for reading the revision of a checkout


def default_folder() -> Path:
    """`recordings` in the data folder, beside the ESTOP files."""
    return data_folder("recordings")


@final
@dataclass(frozen=True)
class Names:
    """Files of one recording: STEM.mcap, then STEM_001.mcap and so on.

    Attributes:
        take: counts recordings of the same name from 1; the second has the stem BASE_2
    """

    folder: Path
    base: str
    take: int = 1

    @property
    def stem(self) -> str:
        """Beginning of the names of all its files."""
        return self.base if self.take == 1 else f"{self.base}_{self.take}"

    def next(self) -> Names:
        """Names of another recording with the same base."""
        return replace(self, take=self.take + 1)

    def path(self, piece: int) -> Path:
        """Path of a piece, from 0."""
        return self.folder / f"{self.stem}{f'_{piece:03d}' if piece else ''}{EXTENSION}"


@final
@dataclass(frozen=True)
class Place:
    """Folder and base name of a recorder's recordings.

    Attributes:
        base: beginning of the files' names; "" takes start time and ring
    """

    folder: Path
    base: str
    ring: str

    def names(self, utc_ns: int) -> Names:
        """Names of a recording that begins at `utc_ns`; names with times sort by time."""
        when = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(utc_ns // 10**9))
        return Names(self.folder, self.base or f"{when}_{self.ring}")


def place(out: Path | None, ring: str) -> Place:
    """`out` is a file, a folder, or None for the default folder."""
    if out is not None and out.suffix.lower() == EXTENSION and not out.is_dir():
        return Place(out.parent, out.name[: -len(EXTENSION)], ring)
    if out is not None and out.suffix and not out.is_dir():
        raise RecordingError(f"recording {str(out)!r}: the name must end in {EXTENSION}, or be that of a folder")
    return Place(out or default_folder(), "", ring)


def require_place(place: Place, goes_on: bool = False) -> None:
    """Raise an error if nothing can be recorded to this place.

    Args:
        goes_on: an existing recording may be continued; else a name given by the user must be free
    """
    if place.base and not goes_on and (path := place.names(0).path(0)).exists():
        raise RecordingError(f"recording {str(path)!r} exists already; choose another name")
    try:
        private.make_folder(place.folder)
    except OSError as error:
        raise RecordingError(f"folder {str(place.folder)!r} cannot be made: {error.strerror or error}") from None
    if not os.access(place.folder, os.W_OK | os.X_OK):
        raise RecordingError(f"folder {str(place.folder)!r} cannot be written; choose another with --out")


@final
@dataclass(frozen=True, eq=False)
class Origin:
    """Properties common to all records of a file; when they change, a new file begins.

    Attributes:
        epoch_utc_ns: UTC from which the time of the recording counts
        epoch: number of the writer's run
        about: metadata of the file, by name
    """

    schema: Schema
    epoch_utc_ns: int
    about: dict[str, str]
    epoch: int = 0


def origin(ring: str, backend: AbstractBackend, header: Header, epoch_utc_ns: int, program: dict[str, str]) -> Origin:
    """Origin of a writer's records; `program` is the result of `program()`."""
    layout = header.layout
    return Origin(
        layout.schema,
        epoch_utc_ns,
        {
            **program,
            "ring": ring,
            "backend": backend.kind,
            "writer": header.writer,
            "epoch": str(header.epoch),
            "dt": repr(layout.dt),
            "every": str(layout.every),
            "epoch_utc_ns": str(epoch_utc_ns),
            "platform": layout.platform,
            "platform_name": platform_name(layout.platform),
            "parameters": layout.parameters,
            "world": layout.world,
            JOURNAL: "1",
        },
        header.epoch,
    )


def platform_name(text: str) -> str:
    """Name in the platform's text, TOML or JSON; "" if it has none."""
    found = re.search(r"""(?m)^\s*name\s*=\s*["']([^"'\n]*)["']|"name"\s*:\s*"([^"\n]*)\"""", text)
    return (found[1] or found[2] or "") if found else ""


def our_version() -> str:
    """Of motionbase; "unknown" if it is not installed as a package."""
    try:
        return version("motionbase")
    except PackageNotFoundError:
        return "unknown"


def program() -> dict[str, str]:
    """Versions and machine; the revision of the checkout where there is one."""
    return {
        "motionbase": our_version(),
        "python": platform.python_version(),
        "git": _revision(),
        "host": socket.gethostname(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _revision() -> str:
    root = Path(__file__).resolve().parents[4]
    if not ((root / ".git").exists() and (root / "src" / "motionbase").is_dir()):
        return ""
    # without optional locks, so that a recorder does not disturb work in the checkout
    command = ("git", "--no-optional-locks", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    try:
        found = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=GIT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip()
