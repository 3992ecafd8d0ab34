"""Files in the folder of rings: rings, records that dead writers left, and locks."""

from __future__ import annotations

from pathlib import Path

from motionbase.errors import RingError
from motionbase.ring.backend import LEFT_NAME, PREFIX, Device, Emulation, find, shared_folder

EXCHANGE = ".control"  # of a model and its controller
TAIL = ".tail"  # of a helicopter and its tail rotor
HOST = ".host"  # of a base and its host
PLANNER = ".planner"  # of a base and the planner of its cueing
PREVIEW = ".preview"  # of a host and that planner
WORLD = ".world"  # of a base and the world of its host
HAND = ".hand"  # of a world and who steers in it
RIG = ".rig"  # of a base and the process that moves its legs
OVERSEER = ".overseer"  # of that process and the one that watches it
BESIDE = (".lock", ".new", EXCHANGE, TAIL, HOST, PLANNER, PREVIEW, WORLD, HAND, RIG, OVERSEER)
PROBE = "probe"  # any valid name, used to find out whether there is a device


def device_here() -> Device | None:
    """The device that the tools would use, if there is one."""
    backend = find(PROBE)
    return backend if isinstance(backend, Device) else None


def ring_names() -> list[str]:
    """Names of rings, including files that only have the name of one."""
    return [f for f in _files() if _is_name(f)]


def left_over_names() -> set[str]:
    """Names of rings that have a lock or other file beside them; the device's lock does not count."""
    device = device_here()
    own = device.lock_path.name.removeprefix(PREFIX) if device else ""
    found = (f.partition(".")[0] for f in _files() if f != own and f.endswith(BESIDE))
    return {base for base in found if _is_name(base)}


def left_names() -> list[str]:
    """Names NAME.left-EPOCH of records that dead writers left."""
    return [f for f in _files() if LEFT_NAME.fullmatch(f)]


def left_overs(name: str) -> list[Path]:
    """Locks, unfinished files and exchanges with controllers beside a ring."""
    found = [f for f in _files() if f.startswith(f"{name}.") and f.endswith(BESIDE)]
    return [shared_folder() / f"{PREFIX}{f}" for f in found]


def _files() -> list[str]:
    """Names of our files in the folder, without the prefix."""
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
