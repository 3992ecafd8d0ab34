"""Which joysticks and gamepads of the machine steer: all, those of a name, those of a file, or none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

from motionbase.errors import UsageError
from motionbase.worlds.hands import sdl

if TYPE_CHECKING:
    from motionbase.worlds.hands.calibration import Calibrations

ALL, NONE = "", "none"
NAME = "joystick"  # with a device's number, its name among all devices of a world


@final
@dataclass(frozen=True)
class Sticks:
    """A choice.

    Attributes:
        name: part of the names of the chosen devices; "" for all
        calibrations: definitions of the axes of some of them
    """

    name: str = ""
    calibrations: Calibrations | None = None


def sticks_of(text: str) -> Sticks | None:
    """The choice in a text: a part of a name, FILE.toml, ALL or NONE; None for no devices.

    Raises `UsageError` with one sentence for a file that cannot be used, and if SDL is missing although a device or a
    file is named.
    """
    if text == NONE:
        return None
    if text == ALL:
        return Sticks()
    if not text.isprintable() or not text.strip():
        raise UsageError(f"joystick {text[:60]!r}: give a part of its name, a .toml file, or none")
    sdl.sdl()
    if text.endswith(".toml"):
        from motionbase.worlds.hands.calibration import load_calibrations

        return Sticks(calibrations=load_calibrations(Path(text).expanduser()))
    return Sticks(name=text)
