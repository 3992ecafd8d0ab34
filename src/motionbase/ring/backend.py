"""Where a ring's memory is: a memory-mapped device if one is there, else shared memory of this machine."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.errors import RingError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
LEFT_NAME = re.compile(rf"({NAME.pattern})\.left-(\d{{1,20}})")
DEFAULT_NAME = "motionbase"
PREFIX = "motionbase-"
DEVICE_VARIABLE = "MOTIONBASE_RING_DEVICE"  # a path, path:bytes for a device that does not report its size, or `none`
NO_DEVICE = "none"
FOLDER_VARIABLE = "MOTIONBASE_RING_FOLDER"
KNOWN_DEVICES = (Path("/dev/rfm2g0"),)  # reflective memory
DEVICE_BYTES = 64 * 1024 * 1024


class AbstractBackend(ABC):
    """The place of one ring in memory: shared memory or a device."""

    @property
    @abstractmethod
    def path(self) -> Path:
        """The file that is mapped."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """Name of the kind of memory, as shown to users."""

    @property
    @abstractmethod
    def lock_path(self) -> Path:
        """The file that the writer keeps locked."""

    def __str__(self) -> str:
        """Kind and path."""
        return f"{self.kind} {self.path}"


@final
@dataclass(frozen=True)
class Emulation(AbstractBackend):
    """Shared memory of this machine, used where no device is installed."""

    name: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise RingError(
                f"ring name {self.name!r} must be 1 to 48 letters, digits, - or _, not starting with - or _"
            )

    @property
    def path(self) -> Path:
        """A file in the memory file system."""
        return shared_folder() / f"{PREFIX}{self.name}"

    @property
    def kind(self) -> str:
        """As the tools say it."""
        return "shared memory (emulation)"

    @property
    def lock_path(self) -> Path:
        """A file beside the ring."""
        return shared_folder() / f"{PREFIX}{self.name}.lock"


@final
@dataclass(frozen=True)
class Left(AbstractBackend):
    """Records of a writer that died, renamed to NAME.left-EPOCH when another writer took the name. Read only."""

    name: str

    def __post_init__(self) -> None:
        if not LEFT_NAME.fullmatch(self.name):
            raise RingError(f"ring name {self.name!r} is not that of records left by a writer, NAME.left-EPOCH")

    @property
    def ring(self) -> str:
        """The original name of the ring."""
        return self.name.rpartition(".left-")[0]

    @property
    def path(self) -> Path:
        """A file beside the ring that now has the name."""
        return shared_folder() / f"{PREFIX}{self.name}"

    @property
    def kind(self) -> str:
        """As the tools say it."""
        return "shared memory (left by a dead writer)"

    @property
    def lock_path(self) -> Path:
        """Its own lock file; that of the ring belongs to the current writer."""
        return shared_folder() / f"{PREFIX}{self.name}.lock"


@final
@dataclass(frozen=True)
class Device(AbstractBackend):
    """A device file that can be mapped, such as a reflective-memory card; it holds one ring, whatever its name."""

    device: Path
    size: int

    @property
    def path(self) -> Path:
        """The device file."""
        return self.device

    @property
    def kind(self) -> str:
        """As the tools say it."""
        return "device (hardware)"

    @property
    def lock_path(self) -> Path:
        """A file in the folder of shared memory, because a device has no folder of its own."""
        return shared_folder() / f"{PREFIX}device{str(self.device).replace('/', '-')}.lock"


def shared_folder() -> Path:
    """The memory file system, or the folder for temporary files on systems without one."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    memory = Path("/dev/shm")
    return memory if memory.is_dir() else Path(tempfile.gettempdir())


def find(name: str = DEFAULT_NAME) -> AbstractBackend:
    """The device if there is one, else shared memory; for a name NAME.left-EPOCH, the records left by that writer."""
    if LEFT_NAME.fullmatch(name):
        return Left(name)
    emulation = Emulation(name)
    given = os.environ.get(DEVICE_VARIABLE)
    if given == NO_DEVICE:
        return emulation
    if given:
        path, _, size = given.partition(":")
        return _device(Path(path), size)
    for device in KNOWN_DEVICES:
        if device.exists():
            return _device(device, "")
    return emulation


def _device(path: Path, size: str) -> Device:
    try:
        info = path.stat()
    except OSError as error:
        raise RingError(
            f"{DEVICE_VARIABLE} names {path}: {error.strerror or error}; unset it to use shared memory"
        ) from None
    if size:
        if not size.isdigit() or int(size) < 1:
            raise RingError(f"{DEVICE_VARIABLE}: {size!r} after the path must be a number of bytes")
        return Device(path, int(size))
    return Device(path, info.st_size if stat.S_ISREG(info.st_mode) else DEVICE_BYTES)
