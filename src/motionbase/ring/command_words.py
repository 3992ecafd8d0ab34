"""The first words of the command block, and how an emergency stop is put there; nothing here needs more than Python."""

from __future__ import annotations

import os
import secrets
import struct

# offsets in the block, a cache line apart; what they mean is at the top of blocks/commands.py
READY_AT, HEAD_AT, ESTOP_AT, ACK_AT, ESTOP_ACK_AT, BY_AT = (64 * k for k in range(6))
FORMAT = 1  # of commands
READY_WORD = int.from_bytes(b"MBCM", "little") << 32 | FORMAT
SENDER_BYTES = 48
WHO = struct.Struct(f"<q{SENDER_BYTES}s")
STOP_CHANNEL = "estop"  # of a record: not 0 while the stop acts


def asked_again(stops: int) -> int:
    """The word of emergency stops after one more, for who cannot add to it in one step.

    Somebody may release what was there, or ask as well, between the look and the store. Where such a pair of steps
    added 1, two of them could leave exactly the word that has just been released; a step of random length cannot.
    """
    return (stops + secrets.randbits(62) + 1) % 2**64


def signature(who: str) -> bytes:
    """Process and name of who asks, as they stand in the block."""
    return WHO.pack(os.getpid(), cut(who).encode())


def signed(program: str, person: str = "") -> str:
    """Who asks, with what: `console: Anna`. Without a name it is the user of this process; it fits the block."""
    return cut(f"{program}: {person or user()}")


def person_of(sender: str) -> str:
    """The person in what `signed` gave; "" where a program said only its own name."""
    return sender.partition(": ")[2]


def user() -> str:
    """Name of the user of this process, or the number where it has none."""
    import getpass  # the stop post does without it

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without a list of users
        return f"user {os.getuid()}"


def cut(text: str, most: int = SENDER_BYTES) -> str:
    """Printable, and so many bytes at most."""
    return printable(text).encode(errors="replace")[:most].decode(errors="ignore")


def printable(text: str) -> str:
    """What a screen may show of a name that anybody may have written."""
    return "".join(c if c.isprintable() else "?" for c in text)
