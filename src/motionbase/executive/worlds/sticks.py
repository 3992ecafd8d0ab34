"""Joysticks and gamepads of the machine: SDL runs in a process of its own, so that it can hang or crash alone.

python -m motionbase.executive.worlds.sticks CHOICE

writes packets of 88 bytes to its output: for every device one whenever its state changes, and ten a second otherwise.
Devices that are plugged in and out are reported on stderr. It ends at the end of its input, even if SDL hangs, and
exits with code 1 if the thread that polls SDL fails.
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

REPEAT_S = 0.1  # a device that is silent for `SILENT_S` of steering.py is taken for absent


@final
class Teller:
    """Writes the packets, and reports devices that come and go."""

    def __init__(self, sticks: Sticks, out: int) -> None:
        self._sticks, self._out = sticks, out
        self._told: dict[int, tuple[Hand, float]] = {}
        self._names: dict[int, str] = {}
        self._unheard: dict[int, str] = {}
        self._has_looked = False

    def look(self, joysticks: Joysticks, now: float) -> None:
        """Called after every poll of all devices."""
        self._news([found for found, _ in joysticks.told], joysticks.unheard)
        for found, hand in joysticks.told:
            before, at = self._told.get(found.number, (None, 0.0))
            if hand != before or now - at >= REPEAT_S:
                self._told[found.number] = hand, now
                with suppress(OSError):  # the pipe is full, as the world hangs; the state is repeated later
                    os.write(self._out, PACKET.pack(found.number, hand.device, hand.buttons, *hand.axes))

    def _news(self, found: list[Found], unheard: dict[int, str]) -> None:
        names = {one.number: one.name for one in found}
        is_first, self._has_looked = not self._has_looked, True
        for one in found:
            if one.number not in self._names:
                say(f"{one.name!r} {'is connected' if is_first else 'was plugged in'}: {kind_of(one)}")
        for number, name in self._names.items():
            if number not in names:
                say(f"{name!r} was unplugged")
                self._told.pop(number, None)
        for number, why in unheard.items():
            if number not in self._unheard:
                say(why)
        if is_first and self._sticks.name and not found:
            say(f"none with {self._sticks.name!r} in its name is connected yet")
        self._names, self._unheard = names, unheard


def kind_of(found: Found) -> str:
    """The kind of a device, in words."""
    if found.is_gamepad:
        return "a gamepad; move it to steer"
    how = "its axes are as in the file" if found.calibrated else "`motionbase host sticks` shows its axes"
    return f"a joystick with {found.axes} axes and {found.buttons} buttons; move it to steer; {how}"


def say(text: str) -> None:
    """Print a line for people."""
    print(f"joysticks: {text}", file=sys.stderr, flush=True)


def main(choice: str) -> None:
    """Write packets until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the world's process ends this one
    be_prompt()
    out = os.dup(1)
    os.set_blocking(out, False)
    os.dup2(2, 1)  # output of libraries must not mix with the packets
    threading.Thread(target=serve, args=(choice, out), daemon=True).start()
    while os.read(0, 1):
        pass
    os._exit(0)  # without waiting for SDL


def serve(choice: str, out: int) -> None:
    """Poll devices for ever; ends the process if that cannot work or fails."""
    try:
        if (sticks := sticks_of(choice)) is None:
            os._exit(0)
        teller = Teller(sticks, out)
        joysticks = Joysticks(sticks.name, sticks.calibrations, looked=lambda: teller.look(joysticks, time.monotonic()))
        with joysticks:
            joysticks.wait()
        say("polling SDL failed")
    except MotionBaseError as error:
        if choice or "SDL finds" in str(error):
            say(str(error))
        os._exit(0)
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
