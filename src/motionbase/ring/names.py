"""What lies in the folder of rings: rings, what dead writers left, and files beside them."""

from __future__ import annotations

from pathlib import Path

from motionbase.errors import RingError
from motionbase.ring.backend import LEFT_NAME, PREFIX, Device, Emulation, find, shared_folder

PROBE = "probe"  # any valid name: it only asks whether hardware is there


def device_here() -> Device | None:
    """The device that tools would use, if there is one."""
    backend = find(PROBE)
    return backend if isinstance(backend, Device) else None


def ring_names() -> list[str]:
    """Rings, or what lies where one would be."""
    return [f for f in _files() if _is_name(f)]


def left_over_names() -> set[str]:
    """Rings of which at least a lock or an unfinished file lies there; the device's lock is none."""
    device = device_here()
    own = device.lock_path.name.removeprefix(PREFIX) if device else ""
    found = (f.partition(".")[0] for f in _files() if f != own and f.endswith((".lock", ".new")))
    return {base for base in found if _is_name(base)}


def left_names() -> list[str]:
    """What dead writers left under names that others have taken since, NAME.left-EPOCH."""
    return [f for f in _files() if LEFT_NAME.fullmatch(f)]


def left_overs(name: str) -> list[Path]:
    """Locks and unfinished files beside a ring."""
    found = [f for f in _files() if f.startswith(f"{name}.") and f.endswith((".lock", ".new"))]
    return [shared_folder() / f"{PREFIX}{f}" for f in found]


def _files() -> list[str]:
    """What lies in the folder after our prefix."""
    try:
        return sorted(p.name.removeprefix(PREFIX) for p in shared_folder().glob(f"{PREFIX}*"))
    except OSError as error:
        raise RingError(f"rings are in {shared_folder()}: {error.strerror or error}") from None


def _is_name(text: str) -> bool:
    try:
        Emulation(text)
    except RingError:
        return False
    return True
