"""Who asked for the emergency stop that acts, as the command block of the ring says."""

from __future__ import annotations

import os

from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.command import SENDER_BYTES
from motionbase.ring.blocks.commands import BY, ESTOP, ESTOP_ACK, WHO, CommandSender
from motionbase.ring.blocks.mapping import attached

LONGEST = 48  # letters that are shown


def sign(sender: CommandSender, who: str) -> None:
    """Write who asked for the stop that was just raised; for people, so nothing waits for it."""
    name = _printable(who).encode(errors="replace")[:SENDER_BYTES].decode(errors="ignore")
    sender.map.memory[BY : BY + WHO.size] = WHO.pack(os.getpid(), name.encode())


def stopped_by(ring: str, backend: AbstractBackend) -> str | None:
    """Name of who asked; None where no stop was asked for over the ring, or nobody left a name."""
    try:
        segment, header = attached(ring, backend)
    except (RingError, OSError):
        return None
    at = header.layout.commands_at
    if segment.counter(at + ESTOP) == segment.counter(at + ESTOP_ACK):
        return None  # the law stopped by itself, or a button of the base did it
    _, name = WHO.unpack_from(segment.memory, at + BY)
    return _printable(name.rstrip(b"\0").decode(errors="replace"))[:LONGEST] or None


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
