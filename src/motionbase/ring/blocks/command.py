"""An operator command as the 128 bytes it is in the ring."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import final

from motionbase.errors import CommandError
from motionbase.record.requests import ARGUMENTS, Command, Kind, Reason
from motionbase.ring.command_words import FORMAT, SENDER_BYTES

SLOT = struct.Struct(f"<QIIddqq{SENDER_BYTES}s")  # number, kind, format, two arguments, deadline, process, sender
CRC = struct.Struct("<I")
SLOT_BYTES = 128


@final
@dataclass(frozen=True)
class Order:
    """What the receiver takes from the ring: a command with its number, or the reason why its bytes are none.

    Attributes:
        number: counts from 1 in each ring
        command: None where `refusal` says why it must not be acted on; it has been answered already then
        sender, pid: who says to have sent it
    """

    number: int
    command: Command | None
    refusal: Reason = Reason.NONE
    sender: str = ""
    pid: int = 0


def encoded(number: int, command: Command, sender: str, pid: int, deadline_ns: int) -> bytes:
    """The bytes of a slot; the deadline is of CLOCK_MONOTONIC, 0 for none."""
    first, second = (*command.arguments, 0.0, 0.0)[:2]
    raw = SLOT.pack(number, command.kind, FORMAT, first, second, deadline_ns, pid, sender.encode())
    return (raw + CRC.pack(zlib.crc32(raw))).ljust(SLOT_BYTES, b"\0")


def decoded(raw: bytes, number: int, now_ns: int) -> Order:
    """The order in a slot that should be the given one; never raises, whatever the bytes are."""
    if zlib.crc32(raw[: SLOT.size]) != CRC.unpack_from(raw, SLOT.size)[0]:
        return Order(number, None, Reason.BAD_CHECKSUM)
    found, code, form, first, second, deadline_ns, pid, who = SLOT.unpack_from(raw)
    sender = "".join(c if c.isprintable() else "?" for c in who.rstrip(b"\0").decode(errors="replace"))
    if form != FORMAT:
        return Order(number, None, Reason.BAD_FORMAT, sender, pid)
    if found != number:
        return Order(number, None, Reason.BAD_NUMBER, sender, pid)
    try:
        kind = Kind(code)
        count = len(ARGUMENTS.get(kind, ()))
        if any((first, second)[count:]):
            return Order(number, None, Reason.BAD_COMMAND, sender, pid)
        command = Command(kind, (first, second)[:count])
    except (ValueError, CommandError):
        return Order(number, None, Reason.BAD_COMMAND, sender, pid)
    if deadline_ns and now_ns > deadline_ns:
        return Order(number, None, Reason.EXPIRED, sender, pid)
    return Order(number, command, Reason.NONE, sender, pid)


assert SLOT.size + CRC.size <= SLOT_BYTES
