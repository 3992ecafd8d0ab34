"""Two pseudo terminals with a wire between them, which can be cut."""

from __future__ import annotations

import os
import select
import tty
from threading import Thread
from typing import Any, final


@final
class Cable:
    """Whatever one end is given comes out of the other.

    Attributes:
        ends: devices
        is_cut: bytes get lost
    """

    def __init__(self) -> None:
        pairs = [os.openpty() for _ in range(2)]
        self._masters, self._slaves = [a for a, _ in pairs], [b for _, b in pairs]
        for end in self._slaves:
            tty.setraw(end)
        self.ends = tuple(os.ttyname(end) for end in self._slaves)
        self.is_cut = False
        self._over, self._end = os.pipe()
        self._thread = Thread(target=self._carry, daemon=True)

    def __enter__(self) -> Cable:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        os.write(self._end, b"x")
        self._thread.join()
        for end in (*self._masters, *self._slaves, self._over, self._end):
            os.close(end)

    def _carry(self) -> None:
        while True:
            ready, _, _ = select.select([*self._masters, self._over], [], [])
            if self._over in ready:
                return
            for end in ready:
                data = os.read(end, 4096)
                if not self.is_cut:
                    os.write(self._masters[1 - self._masters.index(end)], data)
