"""Lines of text for ESP32 controllers: six numbers of 12 bits, separated by commas and ended by X.

The form is that of github.com/knaufinator/6DOF-Rotary-Stewart-Motion-Simulator, ControllerMultiCore.ino: an X ends a
line, carriage returns are skipped, a line has less than 60 characters, and nothing is answered. That firmware reads its
six numbers as a pose; here they are lengths of legs, for firmware that takes those.
"""

from __future__ import annotations

from collections.abc import Sequence

LEGS = 6
FULL = 4095  # largest number
BAUD = 115_200
LONGEST = len("4095,") * LEGS  # bytes of a line
BUFFER = 60  # characters a controller keeps of a line, its end included
REBOOT = b"rst:0x"  # in what the ESP32's boot loader prints


def line(counts: Sequence[int]) -> bytes:
    """The line that sets six targets."""
    if len(counts) != LEGS or not all(0 <= count <= FULL for count in counts):
        raise ValueError(f"targets are {list(counts)}, they must be {LEGS} numbers from 0 to {FULL}")
    return ",".join(str(int(count)) for count in counts).encode() + b"X"


def lines(data: bytes) -> tuple[list[tuple[int, ...]], bytes, int]:
    """Split what was received into lines.

    Returns:
        the numbers of each complete line; the beginning of one that is not complete; the number of lines that are wrong
    """
    *whole, rest = data.replace(b"\r", b"").split(b"X")
    read = [_numbers(text) for text in whole]
    good = [numbers for numbers in read if numbers is not None]
    return good, rest[:BUFFER], len(read) - len(good)


def _numbers(text: bytes) -> tuple[int, ...] | None:
    fields = text.split(b",")
    if len(fields) != LEGS or not all(field.isdigit() and len(field) <= 4 for field in fields):
        return None
    numbers = tuple(map(int, fields))
    return numbers if max(numbers) <= FULL else None
