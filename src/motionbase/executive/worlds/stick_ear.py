"""The world's side of the machine's joysticks and gamepads: starts SDL's process, and never waits for it."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Self, final

from motionbase.executive.worlds.ears import Hear
from motionbase.interpreter import python
from motionbase.record.world import AXIS_COUNT, Hand
from motionbase.worlds.hands.choice import NAME

PACKET = struct.Struct(f"<qqq{AXIS_COUNT}d")  # number of the device, kind of device, buttons, axes
MOST_AT_ONCE = 64  # packets
AGAIN_S, TRIES = 2.0, 5  # pause before a process that failed is restarted, and how often it is
CALM_S = 30.0  # after running for so long the count starts again


def command(choice: str) -> tuple[str, ...]:
    """The command line of the process."""
    return python("-m", "motionbase.executive.worlds.sticks", choice)


@final
class StickEar:
    """Reads what the process writes, and restarts it if it fails; a context manager. Never blocks."""

    def __init__(self, choice: str, start: Callable[[str], tuple[str, ...]] = command) -> None:
        self._command = start(choice)
        self._process: subprocess.Popen[bytes] | None = None
        self._rest, self._tries, self._begun, self._again_at = b"", 0, 0.0, 0.0

    def speak(self, hear: Hear) -> None:
        """Pass on the packets of all devices since the last call, oldest first."""
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
            print(f"joysticks are ignored: {error.strerror}", file=sys.stderr, flush=True)
            return
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        self._process = process

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        code = process.poll()
        if code is None:  # its output is closed, and it is about to end
            return
        self._close()
        if code == 0:  # it has printed why, or there is no SDL
            return
        self._tries = 1 if time.monotonic() - self._begun > CALM_S else self._tries + 1
        what = f"joysticks: SDL's process {f'was ended by signal {-code}' if code < 0 else f'failed with code {code}'}"
        if self._tries > TRIES:
            print(f"{what}; joysticks are ignored from now on", file=sys.stderr, flush=True)
            return
        self._again_at = time.monotonic() + AGAIN_S
        print(f"{what}; it restarts in {AGAIN_S:g} s", file=sys.stderr, flush=True)

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
            process.kill()  # it has nothing to clean up
            process.wait()
