"""Name of the person who requested the active emergency stop, from the ring's command block."""

from __future__ import annotations

import struct

from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.mapping import attached
from motionbase.ring.command_words import BY_AT, ESTOP_ACK_AT, ESTOP_AT, WHO, printable

LONGEST = 48  # characters shown


def stopped_by(ring: str, backend: AbstractBackend) -> str | None:
    """Name of the person; None if no stop was requested through the ring, or without a name."""
    try:
        segment, header = attached(ring, backend)
    except (RingError, OSError):
        return None
    at = header.layout.commands_at
    stops, released = (struct.unpack_from("<Q", segment.memory, at + word)[0] for word in (ESTOP_AT, ESTOP_ACK_AT))
    if stops == released:
        return None  # the law stopped by itself, or by a button of the base
    _, name = WHO.unpack_from(segment.memory, at + BY_AT)
    return printable(name.rstrip(b"\0").decode(errors="replace"))[:LONGEST] or None
