"""Objects of a drive, read and written in steps, so that a cycle never waits for an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import final

from motionbase.record.rig import RigFault
from motionbase.rig.drives import canopen
from motionbase.rig.drives.canopen import Frame, Transfer
from motionbase.rig.drives.profile import Object

Script = Generator[None, None, None]  # runs to the next `yield` in every cycle
TRANSFER_TIME, TRANSFER_TRIES = 0.1, 3  # for an answer [s]


class Failed(Exception):
    """A script cannot go on; the message is for people."""

    def __init__(self, fault: RigFault, why: str) -> None:
        super().__init__(why)
        self.fault = fault


@final
class Client:
    """Expedited transfers with a node, one at a time.

    Attributes:
        now: time of the cycle [s]
        reply: the last answer, until it is taken
    """

    def __init__(self, node: int, send: Callable[[Frame], None]) -> None:
        self._node, self._send = node, send
        self.now = -math.inf
        self.reply: Transfer | None = None

    def write(self, entry: Object, value: int) -> Script:
        """Set an object."""
        yield from self._transfer(canopen.write_request(self._node, entry, value), entry, is_write=True)

    def read(self, entry: Object) -> Generator[None, None, int]:
        """The value of an object."""
        reply = yield from self._transfer(canopen.read_request(self._node, entry), entry, is_write=False)
        value = canopen.unpacked(entry, reply.data)
        if value is None:
            raise Failed(RigFault.DEVICE, f"drive {self._node} has another size for {entry.words}")
        return value

    def _transfer(self, request: Frame, entry: Object, is_write: bool) -> Generator[None, None, Transfer]:
        for _ in range(TRANSFER_TRIES):
            self.reply = None
            self._send(request)
            until = self.now + TRANSFER_TIME
            while self.now < until:
                yield
                reply = self._taken(entry)
                if reply is not None and reply.abort:
                    said = f"drive {self._node} refuses {entry.words}, abort code {reply.abort:08X}h"
                    raise Failed(RigFault.DEVICE, said)
                if reply is not None and reply.is_write is is_write:
                    return reply
        raise Failed(RigFault.SILENT_LEG, f"drive {self._node} does not answer about {entry.words}")

    def _taken(self, entry: Object) -> Transfer | None:
        """An answer about an object, if it came since the last cycle."""
        reply, self.reply = self.reply, None
        return reply if reply is not None and (reply.number, reply.sub) == entry[:2] else None
