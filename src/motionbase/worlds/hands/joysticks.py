"""Joysticks and gamepads of this machine, through SDL: polled in a thread, and plugged in and out while it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, final

from motionbase.errors import UsageError
from motionbase.record.world import AXIS_COUNT, BUTTON_COUNT, GAMEPAD, JOYSTICK, Hand
from motionbase.worlds.hands import sdl

if TYPE_CHECKING:
    from motionbase.worlds.hands.calibration import Calibrations

POLL_S = 0.004
IDLE_S = 0.05  # between polls while there is no device
BEGIN_S = 20.0  # for SDL to start
END_S = 1.0  # for the thread to end; one that hangs in SDL is abandoned
FULL = 32767.0
STANDARD_BUTTONS = (0, 1, 2, 3, 9, 10, None, None, 4, 6, 7, 8, 11, 12, 13, 14, 5)
"""SDL's numbers of a gamepad's buttons, in the order of the browsers' standard layout; triggers are axes."""
HAT_AT, HATS = 12, (0x01, 0x04, 0x08, 0x02)  # up, down, left, right: as a gamepad's cross
TRIGGER_PRESSED = 0.5


@final
@dataclass(frozen=True)
class Found:
    """A device of this machine.

    Attributes:
        number: SDL's instance id, a new one whenever a device is plugged in
        name: as the device reports it
        is_gamepad: SDL knows its layout
        axes, buttons, hats: how many it has
        calibrated: an entry of the calibration file defines its axes
    """

    number: int
    name: str
    is_gamepad: bool
    axes: int
    buttons: int
    hats: int
    calibrated: bool


@final
class _Open:
    """An open device."""

    def __init__(self, lib: Any, index: int, calibrations: Calibrations | None) -> None:
        self._lib, self._stick = lib, lib.JoystickOpen(index)
        if not self._stick:
            raise OSError(lib.GetError().decode(errors="replace"))
        name = (lib.JoystickNameForIndex(index) or b"unknown").decode(errors="replace")
        self._calibration = calibrations.of(name) if calibrations else None
        is_gamepad = self._calibration is None and bool(lib.IsGameController(index))
        self._pad = lib.GameControllerOpen(index) if is_gamepad else None
        counts = (lib.JoystickNumAxes, lib.JoystickNumButtons, lib.JoystickNumHats)
        axes, buttons, hats = (max(0, count(self._stick)) for count in counts)
        number, is_calibrated = lib.JoystickGetDeviceInstanceID(index), self._calibration is not None
        self.found = Found(number, name, self._pad is not None, axes, buttons, hats, is_calibrated)

    @property
    def is_there(self) -> bool:
        return bool(self._lib.JoystickGetAttached(self._stick))

    def hand(self) -> Hand:
        """Its state now."""
        return self._of_gamepad() if self._pad else self._of_joystick()

    def _of_gamepad(self) -> Hand:
        axes = [self._lib.GameControllerGetAxis(self._pad, k) / FULL for k in range(6)]
        bits = sum(
            1 << place
            for place, number in enumerate(STANDARD_BUTTONS)
            if number is not None and self._lib.GameControllerGetButton(self._pad, number)
        )
        bits |= sum(1 << place for place, pressed in ((6, axes[4]), (7, axes[5])) if pressed > TRIGGER_PRESSED)
        return Hand(GAMEPAD, _filled(axes), bits)

    def readings(self) -> list[float]:
        """Readings of its own axes, -1 to 1."""
        return [max(-1.0, self._lib.JoystickGetAxis(self._stick, k) / FULL) for k in range(self.found.axes)]

    def _of_joystick(self) -> Hand:
        found, axes = self.found, self.readings()
        if self._calibration is not None:
            axes = self._calibration.axes_of(axes)
        held = [bool(self._lib.JoystickGetButton(self._stick, k)) for k in range(min(found.buttons, HAT_AT))]
        bits = sum(1 << k for k, is_held in enumerate(held) if is_held)
        if found.hats:
            hat = self._lib.JoystickGetHat(self._stick, 0)
            bits |= sum(1 << HAT_AT + k for k, bit in enumerate(HATS) if hat & bit)
        for k in range(HAT_AT, min(found.buttons, BUTTON_COUNT - len(HATS))):
            bits |= bool(self._lib.JoystickGetButton(self._stick, k)) << k + len(HATS)
        return Hand(JOYSTICK, _filled(axes), bits)

    def close(self) -> None:
        if self._pad:
            self._lib.GameControllerClose(self._pad)
        self._lib.JoystickClose(self._stick)


def _filled(axes: list[float]) -> tuple[float, ...]:
    kept = [max(-1.0, min(1.0, x)) for x in axes[:AXIS_COUNT]]
    return *kept, *(0.0,) * (AXIS_COUNT - len(kept))


@final
class Joysticks:
    """All devices, or those whose name contains a text; a context manager with a thread that polls.

    Args:
        looked: called by the thread after every poll
        reads: also keep the readings of the devices' own axes

    Attributes:
        polls: how many there were; while the thread hangs there are none, and its devices are silent
        told: devices with their newest state, replaced as a whole by the thread
        readings: by number, the readings of a device's axes, in its own order
        unheard: by number, connected devices that are ignored, each with the reason in words
    """

    def __init__(
        self, wanted: str = "", calibrations: Calibrations | None = None, *,
        looked: Callable[[], object] | None = None, reads: bool = False,
    ) -> None:  # fmt: skip
        self._lib = sdl.sdl()
        self._wanted, self._calibrations = wanted.casefold(), calibrations
        self._open: dict[int, _Open] = {}
        self._looked, self._reads = looked, reads
        self._begun, self._end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._poll, name="joysticks", daemon=True)
        self._why = ""
        self.polls, self.told = 0, tuple[tuple[Found, Hand], ...]()
        self.unheard: dict[int, str] = {}
        self.readings: dict[int, list[float]] = {}

    def _look(self) -> None:
        """Open new devices, close those that are gone, and poll all."""
        lib = self._lib
        lib.JoystickUpdate()
        numbers = {lib.JoystickGetDeviceInstanceID(k): k for k in range(lib.NumJoysticks())}
        for number in [n for n, one in self._open.items() if n not in numbers or not one.is_there]:
            self._open.pop(number).close()
        for number, index in numbers.items():
            if number >= 0 and number not in self._open and number not in self.unheard:
                self._take(number, index)
        self.unheard = {number: why for number, why in self.unheard.items() if number in numbers}
        self.told = tuple((one.found, one.hand()) for one in self._open.values())
        if self._reads:
            self.readings = {number: one.readings() for number, one in self._open.items()}
        self.polls += 1
        if self._looked is not None:
            self._looked()

    def _take(self, number: int, index: int) -> None:
        name = (self._lib.JoystickNameForIndex(index) or b"").decode(errors="replace")
        if self._wanted not in name.casefold():
            self._refuse(number, f"{name!r} is ignored: its name does not contain {self._wanted!r}")
            return
        try:
            self._open[number] = _Open(self._lib, index, self._calibrations)
        except OSError as error:
            self._refuse(number, f"{name!r} cannot be opened: {error}")

    def _refuse(self, number: int, why: str) -> None:
        self.unheard = {**self.unheard, number: why}

    def _poll(self) -> None:
        """All calls of SDL are made here: some systems report devices only to the thread that asked first."""
        which = sdl.JOYSTICK | sdl.GAMECONTROLLER
        try:
            if self._lib.InitSubSystem(which):
                self._why = self._lib.GetError().decode(errors="replace")
                return
            self._look()
        finally:
            self._begun.set()
        while not self._end.wait(POLL_S if self._open else IDLE_S):
            self._look()
        for one in self._open.values():
            one.close()
        self._lib.QuitSubSystem(which)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._begun.wait(BEGIN_S):
            raise UsageError(f"SDL has not started within {BEGIN_S:g} s")
        if self._why:
            raise UsageError(f"SDL finds no joysticks: {self._why}")
        return self

    def wait(self) -> None:
        """Block until the thread ends, which it does by itself only if it fails."""
        self._thread.join()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(END_S)
