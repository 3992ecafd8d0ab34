"""Registers of a Modbus device as data: where a quantity is, and how its words are to be read.

A register has 16 bits, sent high byte first. Quantities of 32 bits take two, in an order that differs between makers.
Units are SI outside this file.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, final, get_args

from motionbase.errors import UsageError, unknown

Kind = Literal["holding", "input", "coil", "discrete"]
Type = Literal["u16", "i16", "u32", "i32", "f32"]
Words = Literal["big", "little"]

MOST_IN_REQUEST = 100  # registers; the protocol allows 125
HIGHEST = 65535  # address
BITS = ("coil", "discrete")
WRITABLE = ("coil", "holding")
FORMS: Mapping[str, str] = {"u16": ">H", "i16": ">h", "u32": ">I", "i32": ">i", "f32": ">f"}
UNITS: Mapping[str, tuple[str, float, float]] = {  # quantity, factor, offset: SI = factor * value + offset
    "Pa": ("pressure", 1.0, 0.0), "kPa": ("pressure", 1e3, 0.0), "MPa": ("pressure", 1e6, 0.0),
    "bar": ("pressure", 1e5, 0.0), "psi": ("pressure", 6894.757293168361, 0.0),
    "K": ("temperature", 1.0, 0.0), "degC": ("temperature", 1.0, 273.15),
    "degF": ("temperature", 5 / 9, 273.15 - 32 * 5 / 9),
    "1": ("part", 1.0, 0.0), "%": ("part", 0.01, 0.0),
}  # fmt: skip


@final
@dataclass(frozen=True)
class Register:
    """Where a quantity is: value in `unit` = scale * number + offset.

    Attributes:
        address: in requests, counted from 0; manuals that write 40001 or 30001 count from 1
        kind: holding or input register, or coil or discrete input, which are single bits
        type: of the number; bits have none
        words: order of the two words of 32 bits: big is high word first
        scale, offset: of the number
        unit: one of UNITS
        bit: of a register that counts, 0 is the lowest; None for the whole
        on: number that is written for yes; for no it is 0
    """

    address: int
    kind: Kind = "holding"
    type: Type = "u16"
    words: Words = "big"
    scale: float = 1.0
    offset: float = 0.0
    unit: str = "1"
    bit: int | None = None
    on: int = 1

    def __post_init__(self) -> None:
        for name, allowed in (("kind", get_args(Kind)), ("type", get_args(Type)), ("words", get_args(Words))):
            if getattr(self, name) not in allowed:
                raise UsageError(str(unknown(f"{name} of a register", getattr(self, name), allowed, f"{name}s")))
        if not 0 <= self.address <= HIGHEST + 1 - self.size:
            raise UsageError(
                f"register: address is {self.address}, it must be 0 to {HIGHEST + 1 - self.size}; "
                "addresses of requests count from 0"
            )
        if not (math.isfinite(self.scale) and self.scale != 0 and math.isfinite(self.offset)):
            raise UsageError(
                f"register: scale is {self.scale} and offset is {self.offset}, they must be numbers, and scale not 0"
            )
        if self.unit not in UNITS:
            raise UsageError(str(unknown("unit of a register", self.unit, UNITS, "units")))
        if self.bit is not None and (self.is_bit or self.type != "u16" or not 0 <= self.bit < 16):
            raise UsageError(f"register: bit is {self.bit}; bits 0 to 15 of a register of type u16 can be read")
        if not 1 <= self.on <= HIGHEST or (self.is_bit and self.on != 1):
            raise UsageError(f"register: on is {self.on}; a coil takes 1, a register 1 to {HIGHEST}")

    @property
    def is_bit(self) -> bool:
        """Whether it is a coil or a discrete input."""
        return self.kind in BITS

    @property
    def size(self) -> int:
        """Registers, or bits, that it takes."""
        return 1 if self.is_bit or self.type in ("u16", "i16") else 2

    @property
    def quantity(self) -> str:
        """What its unit measures."""
        return UNITS[self.unit][0]

    def number(self, words: Sequence[int]) -> float:
        """The number in these words, without scale and unit; floats may be NaN."""
        if self.is_bit:
            return float(bool(words[0]))
        ordered = words if self.words == "big" else words[::-1]
        if self.bit is not None:
            return float(words[0] >> self.bit & 1)
        (value,) = struct.unpack(FORMS[self.type], struct.pack(f">{len(ordered)}H", *ordered))
        return float(value)

    def value(self, words: Sequence[int]) -> float:
        """The quantity in these words, in SI units."""
        _, factor, offset = UNITS[self.unit]
        return factor * (self.scale * self.number(words) + self.offset) + offset

    def encoded(self, value: float) -> list[int]:
        """Words for a quantity in SI units, the nearest that the type can hold."""
        _, factor, offset = UNITS[self.unit]
        number = ((value - offset) / factor - self.offset) / self.scale
        if self.is_bit:
            return [int(number > 0.5)]
        if self.bit is not None:
            return [int(number > 0.5) << self.bit]
        if self.type == "f32":
            packed = struct.pack(">f", number)
        else:
            bits = int(self.type[1:])
            low, high = (0, 2**bits - 1) if self.type[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            packed = struct.pack(FORMS[self.type], min(max(round(number), low), high))
        words = list(struct.unpack(f">{self.size}H", packed))
        return words if self.words == "big" else words[::-1]


@final
@dataclass(frozen=True)
class Block:
    """Neighbouring registers of one kind, read by one request.

    Attributes:
        names: of the quantities in it, with their places
    """

    kind: Kind
    address: int
    count: int
    names: tuple[str, ...]


def blocks(registers: Mapping[str, Register]) -> tuple[Block, ...]:
    """Requests that read all registers; what lies between two of them is never asked for, as a device may refuse it."""
    made: list[Block] = []
    for name, register in sorted(registers.items(), key=lambda item: (item[1].kind, item[1].address)):
        end = register.address + register.size
        last = made[-1] if made else None
        if (
            last is not None
            and last.kind == register.kind
            and register.address <= last.address + last.count
            and end - last.address <= MOST_IN_REQUEST
        ):
            count = max(last.count, end - last.address)
            made[-1] = Block(last.kind, last.address, count, (*last.names, name))
        else:
            made.append(Block(register.kind, register.address, register.size, (name,)))
    return tuple(made)
