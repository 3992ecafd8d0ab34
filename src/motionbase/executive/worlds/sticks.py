"""Joysticks and gamepads of the machine: SDL has a process of its own, which can hang or crash without the world.

python -m motionbase.executive.worlds.sticks CHOICE

writes to its output, for every device, 88 bytes whenever it says something new and ten times a second otherwise. What
comes and goes is told on stderr. It ends when its input does, even if SDL hangs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import final

from motionbase.errors import MotionBaseError
from motionbase.executive.worlds.stick_ear import PACKET
from motionbase.record.world import Hand
from motionbase.ring.gentle import be_prompt
from motionbase.worlds.hands.choice import Sticks, sticks_of
from motionbase.worlds.hands.joysticks import Found, Joysticks

REPEAT_S = 0.1  # a device that says nothing for longer than `SILENT_S` of steering.py is nobody


@final
class Teller:
    """Writes what devices say, and tells people what comes and goes."""

    def __init__(self, sticks: Sticks, out: int) -> None:
        self._sticks, self._out = sticks, out
        self._told: dict[int, tuple[Hand, float]] = {}
        self._names: dict[int, str] = {}
        self._unheard: dict[int, str] = {}
        self._has_looked = False

    def look(self, joysticks: Joysticks, now: float) -> None:
        """After a look at all devices."""
        self._news([found for found, _ in joysticks.told], joysticks.unheard)
        for found, hand in joysticks.told:
            before, at = self._told.get(found.number, (None, 0.0))
            if hand != before or now - at >= REPEAT_S:
                self._told[found.number] = hand, now
                with suppress(OSError):  # the world stands still: what it misses is repeated
                    os.write(self._out, PACKET.pack(found.number, hand.device, hand.buttons, *hand.axes))

    def _news(self, found: list[Found], unheard: dict[int, str]) -> None:
        names = {one.number: one.name for one in found}
        is_first, self._has_looked = not self._has_looked, True
        for one in found:
            if one.number not in self._names:
                say(f"{one.name!r} {'is there' if is_first else 'is plugged in'}: {kind_of(one)}")
        for number, name in self._names.items():
            if number not in names:
                say(f"{name!r} is unplugged")
                self._told.pop(number, None)
        for number, why in unheard.items():
            if number not in self._unheard:
                say(why)
        if is_first and self._sticks.name and not found:
            say(f"none whose name contains {self._sticks.name!r} is there yet")
        self._names, self._unheard = names, unheard


def kind_of(found: Found) -> str:
    """What a device is, in words."""
    if found.is_gamepad:
        return "a gamepad, which steers as soon as it is moved"
    how = "as the file says" if found.calibrated else "see `motionbase host sticks` for its axes"
    return f"a joystick of {found.axes} axes and {found.buttons} buttons, which steers as soon as it is moved; {how}"


def say(text: str) -> None:
    """To people."""
    print(f"joysticks: {text}", file=sys.stderr, flush=True)


def main(choice: str) -> None:
    """Tell until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the world's process ends it
    be_prompt()
    out = os.dup(1)
    os.set_blocking(out, False)
    os.dup2(2, 1)  # libraries that print shall not spoil the packets
    threading.Thread(target=serve, args=(choice, out), daemon=True).start()
    while os.read(0, 1):
        pass
    os._exit(0)  # without waiting for SDL


def serve(choice: str, out: int) -> None:
    """Look for devices; ends the process with a sentence if that cannot work."""
    try:
        if (sticks := sticks_of(choice)) is None:
            os._exit(0)
        teller = Teller(sticks, out)
        joysticks = Joysticks(sticks.name, sticks.calibrations, looked=lambda: teller.look(joysticks, time.monotonic()))
        with joysticks:
            threading.Event().wait()
    except MotionBaseError as error:
        if choice or "SDL finds" in str(error):
            say(str(error))
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
