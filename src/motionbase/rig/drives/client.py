"""A drive on CAN as its master reaches it: expedited transfers, network management, and what comes back."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, final

from motionbase.record.rig import RigFault
from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.canopen import Frame, Manage, Network, Transfer
from motionbase.rig.drives.profile import Object
from motionbase.rig.drives.reach import TRANSFER_TIME, Failed, Script
from motionbase.rig.drives.settings import settings
from motionbase.rig.drives.setup import Axis, Setup

if TYPE_CHECKING:
    from motionbase.rig.drives.node import Node

TRANSFER_TRIES = 3


@final
class Client:
    """One transfer with a node at a time.

    Attributes:
        now: time of the cycle [s]
        reply: the last answer, until it is taken
    """

    def __init__(self, axis: Axis, setup: Setup, send: Callable[[Frame], None]) -> None:
        self._node, self._send = axis.node, send
        self._wanted = settings(axis, setup)
        self.now = -math.inf
        self.reply: Transfer | None = None

    def hear(self, node: Node, function: int, data: bytes, synced_at: float) -> None:
        """A frame of this drive.

        Args:
            node: what the master knows of it
            function: the identifier without the node
            synced_at: time of the last SYNC [s]
        """
        if function == canopen.TRANSMIT_PDO1 and len(data) == canopen.PDO.size:
            statusword, position = canopen.PDO.unpack(data)
            node.take(statusword, position, synced_at)
        elif function == canopen.EMERGENCY and (code := canopen.emergency_code(data)) is not None:
            node.live()
            node.code = code
        elif function == canopen.HEARTBEAT and len(data) == 1:
            node.live()
            node.is_stopped = data[0] == Network.STOPPED
            if data[0] == Network.BOOT_UP:
                node.left("was restarted")
        elif function == canopen.SDO_ANSWER and (reply := canopen.answer_of(data)) is not None:
            node.live()
            self.reply = reply
        else:
            node.garbage += 1

    def connect(self) -> Generator[None, None, bool]:
        """Settings, then PDOs; a drive that was restarted has lost its settings."""
        self._send(canopen.manage(Manage.ENTER_PRE_OPERATIONAL, self._node))
        kept = yield from self.read(profile.CONSUMER_HEARTBEAT)
        if (yield from self.read(profile.DEVICE_TYPE)) & 0xFFFF != profile.NUMBER:
            raise Failed(RigFault.DEVICE, f"node {self._node} is no drive of the profile CiA 402")
        for (entry, _), value in self._wanted.items():
            yield from self.write(entry, value)
        self._send(canopen.manage(Manage.START, self._node))
        return kept == self._wanted[profile.CONSUMER_HEARTBEAT, 0]

    def ask(self) -> None:
        """Any answer is a sign of life."""
        self._send(canopen.read_request(self._node, profile.DEVICE_TYPE))

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
