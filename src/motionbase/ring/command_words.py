"""The first words of the command block, and the emergency stop in them; needs nothing but Python."""

from __future__ import annotations

import os
import secrets
import struct

# offsets in the block, a cache line apart; blocks/commands.py describes them
READY_AT, HEAD_AT, ESTOP_AT, ACK_AT, ESTOP_ACK_AT, BY_AT = (64 * k for k in range(6))
FORMAT = 1  # version of the form of commands
READY_WORD = int.from_bytes(b"MBCM", "little") << 32 | FORMAT
SENDER_BYTES = 48
WHO = struct.Struct(f"<q{SENDER_BYTES}s")
STOP_CHANNEL = "estop"  # channel of a record that is not 0 while the stop is active


def asked_again(stops: int) -> int:
    """The count of emergency stops after one more, for clients that cannot add atomically.

    Between load and store, the stop may be released or another client may add to the count. If every client added 1,
    two of them could store exactly the count that was just released; with random steps that does not happen.
    """
    return (stops + secrets.randbits(62) + 1) % 2**64


def signature(who: str) -> bytes:
    """Process and name of the client, in the form of the block."""
    return WHO.pack(os.getpid(), cut(who).encode())


def signed(program: str, person: str = "") -> str:
    """Program and person as in `console: Anna`, cut to fit the block; without a name, the user of this process."""
    return cut(f"{program}: {person or user()}")


def person_of(sender: str) -> str:
    """The person in a text made by `signed`; "" if it names only a program."""
    return sender.partition(": ")[2]


def user() -> str:
    """Name of the user of this process, or its number if it has no name."""
    import getpass  # imported late: the stop post does not need it

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without user names
        return f"user {os.getuid()}"


def cut(text: str, most: int = SENDER_BYTES) -> str:
    """The printable part of a text, at most `most` bytes of it."""
    return printable(text).encode(errors="replace")[:most].decode(errors="ignore")


def printable(text: str) -> str:
    """A text without characters that could disturb a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
