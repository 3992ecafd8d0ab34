"""A simulated controller behind a pseudo terminal, which programs open like a serial device."""

from __future__ import annotations

import os
import tty
from pathlib import Path
from typing import final

from motionbase.errors import UsageError
from motionbase.rig.serial.port import MOST_BYTES
from motionbase.rig.serial.simulated import Controller


@final
class Terminal:
    """A controller's line as a device, by a link whose name stays when it is unplugged and plugged in again.

    Attributes:
        path: of the device
    """

    def __init__(self, controller: Controller, path: Path) -> None:
        self._controller, self.path = controller, path
        self._ends: tuple[int, ...] = ()
        self.plug()

    def plug(self) -> None:
        """Put the plug in; a terminal is the same as before only in name."""
        if not self._ends:
            if self.path.exists():
                raise UsageError(f"simulated controller at {self.path}: another process plays it already")
            self.path.unlink(missing_ok=True)  # what a killed process left behind
            self._ends = os.openpty()
            tty.setraw(self._ends[1])
            os.set_blocking(self._ends[0], False)
            self.path.symlink_to(_device(self._ends[1]))
            self._controller.plugged = True

    def unplug(self) -> None:
        """Pull it out; twice does no harm."""
        for end in self._ends:
            os.close(end)
        if self._ends:
            self.path.unlink()
        self._ends, self._controller.plugged = (), False

    def exchange(self, now: float) -> None:
        """Give the controller what has arrived, let it run until a time [s], and send what it says."""
        self._controller.receive(self._read())
        self._controller.advance(now)
        said = self._controller.send()
        if self._ends and said:
            try:
                os.write(self._ends[0], said)
            except BlockingIOError:
                pass  # nobody reads: a serial line loses it too

    def _read(self) -> bytes:
        try:
            return os.read(self._ends[0], MOST_BYTES) if self._ends else b""
        except BlockingIOError:
            return b""


def _device(end: int) -> str:
    """A name that is gone with our process: the system gives /dev/pts/7 to the next shell that somebody opens."""
    name = f"/proc/{os.getpid()}/fd/{end}"
    return name if os.path.exists(name) else os.ttyname(end)
