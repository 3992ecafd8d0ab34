"""Who asked for the emergency stop that acts, as the command block of the ring says."""

from __future__ import annotations

import struct

from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.mapping import attached
from motionbase.ring.command_words import BY_AT, ESTOP_ACK_AT, ESTOP_AT, WHO, printable

LONGEST = 48  # letters that are shown


def stopped_by(ring: str, backend: AbstractBackend) -> str | None:
    """Name of who asked; None where no stop was asked for over the ring, or nobody left a name."""
    try:
        segment, header = attached(ring, backend)
    except (RingError, OSError):
        return None
    at = header.layout.commands_at
    stops, released = (struct.unpack_from("<Q", segment.memory, at + word)[0] for word in (ESTOP_AT, ESTOP_ACK_AT))
    if stops == released:
        return None  # the law stopped by itself, or a button of the base did it
    _, name = WHO.unpack_from(segment.memory, at + BY_AT)
    return printable(name.rstrip(b"\0").decode(errors="replace"))[:LONGEST] or None
