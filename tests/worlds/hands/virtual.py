"""A virtual joystick of SDL: SDL itself takes it for hardware, and needs none."""

from __future__ import annotations

from typing import Any, final

from motionbase.worlds.hands import sdl

GAMECONTROLLER, FLIGHT_STICK = 1, 6  # SDL_JoystickType


@final
class Virtual:
    """Plugged in from now on; SDL must run."""

    def __init__(self, kind: int = GAMECONTROLLER, axes: int = 6, buttons: int = 15, hats: int = 0) -> None:
        self.lib: Any = sdl.sdl()
        self.index = self.lib.JoystickAttachVirtual(kind, axes, buttons, hats)
        assert self.index >= 0, self.lib.GetError()
        self.number = self.lib.JoystickGetDeviceInstanceID(self.index)
        self.stick = self.lib.JoystickOpen(self.index)

    def axis(self, axis: int, value: float) -> None:
        self.lib.JoystickSetVirtualAxis(self.stick, axis, round(32767 * value))

    def button(self, button: int, is_down: bool) -> None:
        self.lib.JoystickSetVirtualButton(self.stick, button, is_down)

    def hat(self, value: int) -> None:
        self.lib.JoystickSetVirtualHat(self.stick, 0, value)

    def unplug(self) -> None:
        numbers = [self.lib.JoystickGetDeviceInstanceID(k) for k in range(self.lib.NumJoysticks())]
        if self.number in numbers:
            assert self.lib.JoystickDetachVirtual(numbers.index(self.number)) == 0
        self.lib.JoystickClose(self.stick)
