"""SDL 2's joysticks and gamepads by ctypes: the library of the extra `joystick`, or that of the system."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import sys
from collections.abc import Iterator
from ctypes import c_char_p, c_int, c_int16, c_uint8, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from motionbase.errors import UsageError

JOYSTICK, GAMECONTROLLER = 0x200, 0x2000  # of SDL_Init
HINTS = {
    b"SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": b"1",  # there is no window
    b"SDL_NO_SIGNAL_HANDLERS": b"1",  # signals are ours
}
FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "SetHint": (c_int, (c_char_p, c_char_p)),
    "InitSubSystem": (c_int, (c_uint32,)),
    "QuitSubSystem": (None, (c_uint32,)),
    "GetError": (c_char_p, ()),
    "NumJoysticks": (c_int, ()),
    "JoystickGetDeviceInstanceID": (c_int, (c_int,)),
    "JoystickNameForIndex": (c_char_p, (c_int,)),
    "JoystickOpen": (c_void_p, (c_int,)),
    "JoystickClose": (None, (c_void_p,)),
    "JoystickUpdate": (None, ()),
    "JoystickGetAttached": (c_int, (c_void_p,)),
    "JoystickNumAxes": (c_int, (c_void_p,)),
    "JoystickNumButtons": (c_int, (c_void_p,)),
    "JoystickNumHats": (c_int, (c_void_p,)),
    "JoystickGetAxis": (c_int16, (c_void_p, c_int)),
    "JoystickGetButton": (c_uint8, (c_void_p, c_int)),
    "JoystickGetHat": (c_uint8, (c_void_p, c_int)),
    "IsGameController": (c_int, (c_int,)),
    "GameControllerOpen": (c_void_p, (c_int,)),
    "GameControllerClose": (None, (c_void_p,)),
    "GameControllerGetAxis": (c_int16, (c_void_p, c_int)),
    "GameControllerGetButton": (c_uint8, (c_void_p, c_int)),
    "JoystickAttachVirtual": (c_int, (c_int, c_int, c_int, c_int)),
    "JoystickDetachVirtual": (c_int, (c_int,)),
    "JoystickSetVirtualAxis": (c_int, (c_void_p, c_int, c_int16)),
    "JoystickSetVirtualButton": (c_int, (c_void_p, c_int, c_uint8)),
    "JoystickSetVirtualHat": (c_int, (c_void_p, c_int, c_uint8)),
}  # fmt: skip
WANTED = "joysticks need SDL 2: install motionbase[joystick], or your system's libsdl2"


def places() -> Iterator[str]:
    """Where SDL may be: in the package of the extra, then in the system."""
    package = importlib.util.find_spec("sdl2dll")
    if package is not None and package.origin is not None:
        names = {"darwin": "SDL2.framework/SDL2", "win32": "SDL2.dll"}
        yield str(Path(package.origin).parent / "dll" / names.get(sys.platform, "libSDL2-2.0.so"))
    if found := ctypes.util.find_library("SDL2-2.0") or ctypes.util.find_library("SDL2"):
        yield found


class Sdl:
    """The functions of `FUNCTIONS`, without `SDL_` in front."""

    def __init__(self, library: ctypes.CDLL) -> None:
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, f"SDL_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"SDL_{name} is not in FUNCTIONS")


@cache
def sdl() -> Sdl:
    """The library, loaded once; one sentence if there is none."""
    why = ""
    for place in places():
        try:
            made = Sdl(ctypes.CDLL(place))
        except (OSError, AttributeError) as error:  # another architecture, or a version before 2.24
            why = f" ({error})"
            continue
        for hint, value in HINTS.items():
            made.SetHint(hint, value)
        return made
    raise UsageError(WANTED + why)
