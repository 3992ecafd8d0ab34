"""CANopen (CiA 301) as far as drives need it: identifiers, network management, expedited transfers, emergency objects.

Little-endian throughout. A node's identifiers are those of the predefined connection set.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

from motionbase.rig.drives.profile import Object

NMT, SYNC, EMERGENCY = 0x000, 0x080, 0x080  # an emergency object has its node's number added
TRANSMIT_PDO1, RECEIVE_PDO1 = 0x180, 0x200  # as seen by the drive
SDO_ANSWER, SDO_REQUEST, HEARTBEAT = 0x580, 0x600, 0x700
FUNCTION, NODE = 0x780, 0x07F
MASTER = 127  # our node number
BAD_LENGTH, NO_OBJECT, READ_ONLY, BAD_COMMAND = 0x06070010, 0x06020000, 0x06010002, 0x05040001  # abort codes
DISABLED = 1 << 31  # of a PDO's identifier
PDO = struct.Struct("<Hi")  # controlword or statusword, position


class Frame(NamedTuple):
    """A data frame with an identifier of 11 bits."""

    id: int
    data: bytes


class Network(IntEnum):
    """States that a heartbeat tells."""

    BOOT_UP = 0x00
    STOPPED = 0x04
    OPERATIONAL = 0x05
    PRE_OPERATIONAL = 0x7F


class Manage(IntEnum):
    """Commands of network management."""

    START = 0x01
    STOP = 0x02
    ENTER_PRE_OPERATIONAL = 0x80
    RESET_NODE = 0x81
    RESET_COMMUNICATION = 0x82


class Transfer(NamedTuple):
    """An expedited transfer, as a server reads or a client understands it.

    Attributes:
        number, sub: of the object
        is_write: download to the server, otherwise upload from it
        data: 1 to 4 bytes, empty in a request to read or a confirmation of writing
        abort: code, 0 unless the transfer was refused
    """

    number: int
    sub: int
    is_write: bool
    data: bytes = b""
    abort: int = 0


def manage(command: Manage, node: int) -> Frame:
    """A command of network management; node 0 is all."""
    return Frame(NMT, bytes((command, node)))


def heartbeat(node: int, state: Network) -> Frame:
    """What a node shows that it lives with."""
    return Frame(HEARTBEAT + node, bytes((state,)))


def emergency(node: int, code: int, register: int) -> Frame:
    """An emergency object."""
    return Frame(EMERGENCY + node, struct.pack("<HB5x", code, register))


def emergency_code(data: bytes) -> int | None:
    """The error code of an emergency object; None if the frame is none."""
    return int(struct.unpack_from("<H", data)[0]) if len(data) == 8 else None


def packed(entry: Object, value: int) -> bytes:
    """A value of an object."""
    return struct.pack(f"<{entry.code}", value)


def unpacked(entry: Object, data: bytes) -> int | None:
    """The value of an object; None if the data has another length."""
    code = f"<{entry.code}"
    return int(struct.unpack(code, data)[0]) if len(data) == struct.calcsize(code) else None


def mapped(entry: Object) -> int:
    """An object as an entry of a PDO's mapping."""
    return entry.number << 16 | entry.sub << 8 | 8 * struct.calcsize(f"<{entry.code}")


def write_request(node: int, entry: Object, value: int) -> Frame:
    """Ask a node to take a value."""
    return _transfer(SDO_REQUEST + node, 0x20, entry.number, entry.sub, packed(entry, value))


def read_request(node: int, entry: Object) -> Frame:
    """Ask a node for a value."""
    return Frame(SDO_REQUEST + node, struct.pack("<BHB4x", 0x40, entry.number, entry.sub))


def answer(node: int, transfer: Transfer) -> Frame:
    """What a server says to a request."""
    to, index, sub = SDO_ANSWER + node, transfer.number, transfer.sub
    if transfer.abort:
        return Frame(to, struct.pack("<BHBI", 0x80, index, sub, transfer.abort))
    if transfer.is_write:
        return Frame(to, struct.pack("<BHB4x", 0x60, index, sub))
    return _transfer(to, 0x40, index, sub, transfer.data)


def request_of(data: bytes) -> Transfer | None:
    """A request, as a server reads it; None if the frame is no SDO. Other than expedited ones get an abort code."""
    return _read(data, writing=0x20, reading=0x40) if len(data) == 8 else None


def answer_of(data: bytes) -> Transfer | None:
    """An answer, as a client reads it; None if the frame is none that it understands."""
    if len(data) != 8:
        return None
    command, index, sub, code = struct.unpack("<BHBI", data)
    if command == 0x80:
        return Transfer(index, sub, False, abort=code)
    if command == 0x60:
        return Transfer(index, sub, True)
    found = _read(data, writing=0x40, reading=None)
    return None if found is None or found.abort else found._replace(is_write=False)


def _transfer(identifier: int, command: int, index: int, sub: int, data: bytes) -> Frame:
    """With 1 to 4 bytes of data and their number."""
    head = struct.pack("<BHB", command | 0x03 | (4 - len(data)) << 2, index, sub)
    return Frame(identifier, (head + data).ljust(8, b"\0"))


def _read(data: bytes, writing: int, reading: int | None) -> Transfer:
    command, index, sub = struct.unpack_from("<BHB", data)
    if command & 0xF3 == writing | 0x03:
        return Transfer(index, sub, True, data[4 : 8 - (command >> 2 & 3)])
    if command == reading:
        return Transfer(index, sub, False)
    return Transfer(index, sub, False, abort=BAD_COMMAND)
