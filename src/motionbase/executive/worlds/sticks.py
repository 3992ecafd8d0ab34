"""Joysticks and gamepads of the machine: SDL has a process of its own, which can hang or crash without the world.

python -m motionbase.executive.worlds.sticks CHOICE

writes to its output, for every device, 88 bytes whenever it says something new and ten times a second otherwise. What
comes and goes is told on stderr. It ends when its input does, even if SDL hangs.
"""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self, final

from motionbase.errors import MotionBaseError
from motionbase.executive.worlds.ears import Hear
from motionbase.interpreter import python
from motionbase.record.world import AXIS_COUNT, Hand
from motionbase.ring.gentle import be_prompt
from motionbase.worlds.hands.choice import Sticks, sticks_of
from motionbase.worlds.hands.joysticks import NAME, Found, Joysticks

PACKET = struct.Struct(f"<qqq{AXIS_COUNT}d")  # number of the device, what kind of hand it is, buttons, axes
MOST_AT_ONCE = 64  # packets
REPEAT_S = 0.1  # a device that says nothing for longer than `SILENT_S` of steering.py is nobody
AGAIN_S, TRIES = 2.0, 5  # before a process that failed is started again, and how often
CALM_S = 30.0  # after so long a life the count starts again


def command(choice: str) -> tuple[str, ...]:
    """The command line of the process."""
    return python("-m", "motionbase.executive.worlds.sticks", choice)


# ---- the world's side ----------------------------------------------------------------------------------------------


@final
class StickEar:
    """Hears the process, and starts it again if it fails; a context manager. It never waits for it."""

    def __init__(self, choice: str, start: Callable[[str], tuple[str, ...]] = command) -> None:
        self._command = start(choice)
        self._process: subprocess.Popen[bytes] | None = None
        self._rest, self._tries, self._begun, self._again_at = b"", 0, 0.0, 0.0

    def speak(self, hear: Hear) -> None:
        """What every device has said since the last time, oldest first."""
        process = self._process
        if process is None:
            if self._again_at and time.monotonic() >= self._again_at:
                self._start()
            return
        assert process.stdout is not None
        try:
            data = os.read(process.stdout.fileno(), MOST_AT_ONCE * PACKET.size)
        except BlockingIOError:
            return
        if not data:
            self._ended(process)
            return
        data = self._rest + data
        whole = len(data) - len(data) % PACKET.size
        self._rest = data[whole:]
        for number, device, buttons, *axes in PACKET.iter_unpack(data[:whole]):
            hear((NAME, number), Hand(device, tuple(axes), buttons))

    def _start(self) -> None:
        pipe = subprocess.PIPE
        self._begun, self._again_at, self._rest = time.monotonic(), 0.0, b""
        try:
            process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, bufsize=0)
        except OSError as error:
            print(f"joysticks are not heard: {error.strerror}", file=sys.stderr, flush=True)
            return
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        self._process = process

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        code = process.poll()
        if code is None:  # its output is closed, and it is about to end
            return
        self._close()
        if code >= 0:  # it has said why, or there is no SDL
            return
        self._tries = 1 if time.monotonic() - self._begun > CALM_S else self._tries + 1
        what = f"joysticks: SDL's process was ended by signal {-code}"
        if self._tries > TRIES:
            print(f"{what}; they are not heard any more", file=sys.stderr, flush=True)
            return
        self._again_at = time.monotonic() + AGAIN_S
        print(f"{what}; it starts again in {AGAIN_S:g} s", file=sys.stderr, flush=True)

    def _close(self) -> None:
        if (process := self._process) is None:
            return
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        self._close()
        if process is not None:
            process.kill()  # it has nothing to put in order
            process.wait()


# ---- the process ---------------------------------------------------------------------------------------------------


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
