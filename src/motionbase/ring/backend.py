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
DEVICE_VARIABLE = "MOTIONBASE_RING_DEVICE"  # path, or path:bytes where the device cannot tell its size, or none
NO_DEVICE = "none"
FOLDER_VARIABLE = "MOTIONBASE_RING_FOLDER"
KNOWN_DEVICES = (Path("/dev/rfm2g0"),)  # reflective memory
DEVICE_BYTES = 64 * 1024 * 1024


class AbstractBackend(ABC):
    """One place for one ring."""

    @property
    @abstractmethod
    def path(self) -> Path:
        """The file to map."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """For people."""

    @property
    @abstractmethod
    def lock_path(self) -> Path:
        """The file whose lock the writer holds."""

    def __str__(self) -> str:
        """Both."""
        return f"{self.kind} {self.path}"


@final
@dataclass(frozen=True)
class Emulation(AbstractBackend):
    """Shared memory of this machine: what the tools use where there is no hardware."""

    name: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise RingError(
                f"ring name {self.name!r} must be 1 to 48 letters, digits, - or _, not starting with - or _"
            )

    @property
    def path(self) -> Path:
        """A file of the memory file system."""
        return shared_folder() / f"{PREFIX}{self.name}"

    @property
    def kind(self) -> str:
        """As the tools say it."""
        return "shared memory (emulation)"

    @property
    def lock_path(self) -> Path:
        """Beside it."""
        return shared_folder() / f"{PREFIX}{self.name}.lock"


@final
@dataclass(frozen=True)
class Left(AbstractBackend):
    """What a writer that died left under a name that another has taken since: NAME.left-EPOCH. Nobody writes it."""

    name: str

    def __post_init__(self) -> None:
        if not LEFT_NAME.fullmatch(self.name):
            raise RingError(f"ring name {self.name!r} is not that of records left by a writer, NAME.left-EPOCH")

    @property
    def ring(self) -> str:
        """The name that the dead writer had."""
        return self.name.rpartition(".left-")[0]

    @property
    def path(self) -> Path:
        """Beside the ring that has the name now."""
        return shared_folder() / f"{PREFIX}{self.name}"

    @property
    def kind(self) -> str:
        """As the tools say it."""
        return "shared memory (left by a dead writer)"

    @property
    def lock_path(self) -> Path:
        """Of its own: the ring's belongs to the writer that has the name now."""
        return shared_folder() / f"{PREFIX}{self.name}.lock"


@final
@dataclass(frozen=True)
class Device(AbstractBackend):
    """A device file that can be mapped, such as a reflective-memory card; it holds one ring, whatever its name."""

    device: Path
    size: int

    @property
    def path(self) -> Path:
        """The device."""
        return self.device

    @property
    def kind(self) -> str:
        """As the tools say it."""
        return "device (hardware)"

    @property
    def lock_path(self) -> Path:
        """In the folder of shared memory: a device has no place for it."""
        return shared_folder() / f"{PREFIX}device{str(self.device).replace('/', '-')}.lock"


def shared_folder() -> Path:
    """The memory file system, or a folder for files where a system has none."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    memory = Path("/dev/shm")
    return memory if memory.is_dir() else Path(tempfile.gettempdir())


def find(name: str = DEFAULT_NAME) -> AbstractBackend:
    """Hardware if it is there, else emulation; for NAME.left-EPOCH what a writer left."""
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
