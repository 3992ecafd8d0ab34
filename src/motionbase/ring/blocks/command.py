"""The 128 bytes of an operator command in the ring."""

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
    """A slot as the receiver reads it: a command with its number, or the reason for refusing it.

    Attributes:
        number: counts from 1 in each ring
        command: None if refused; `refusal` has the reason, and the sender already has its answer
        sender, pid: name and process that the sender gave; not verified
    """

    number: int
    command: Command | None
    refusal: Reason = Reason.NONE
    sender: str = ""
    pid: int = 0


def encoded(number: int, command: Command, sender: str, pid: int, deadline_ns: int) -> bytes:
    """The bytes of a slot; the deadline is a time of CLOCK_MONOTONIC [ns], 0 for none."""
    first, second = (*command.arguments, 0.0, 0.0)[:2]
    raw = SLOT.pack(number, command.kind, FORMAT, first, second, deadline_ns, pid, sender.encode())
    return (raw + CRC.pack(zlib.crc32(raw))).ljust(SLOT_BYTES, b"\0")


def decoded(raw: bytes, number: int, now_ns: int) -> Order:
    """The order in a slot, which should have the given number; never raises, whatever the bytes are."""
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
