"""C81 files, the usual form of airfoil tables: columns of seven characters, angles in degrees.

A header has the name in 30 columns and six counts of two digits: Mach numbers and angles of lift, drag and moment. Each
of the three blocks has a line of Mach numbers, then a line for each angle; lines hold nine numbers after the first
column, and go on below it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.loaders.toml_source import read_text
from motionbase.rotor.airfoils.airfoil import Airfoil, Coefficient

NAME, WIDTH, PER_LINE, MOST = 30, 7, 9, 99
BLOCKS = "lift", "drag", "moment"


def read_c81(path: Path | str) -> Airfoil:
    """The airfoil of a file; an error names the file, the line and what is expected."""
    return parse_c81(read_text(Path(path)), str(path))


def parse_c81(text: str, source: str) -> Airfoil:
    """The airfoil of a text; `source` is its name in errors."""
    lines = text.splitlines()
    if not lines:
        raise ModelError(f"{source}: the file is empty, a C81 table is wanted")
    counts = [lines[0][at : at + 2].strip() for at in range(NAME, NAME + 12, 2)]
    if not all(c.isascii() and c.isdigit() and int(c) > 0 for c in counts):
        raise ModelError(
            f"{source}, line 1: columns 31 to 42 must be six counts of two digits (Mach numbers and angles of lift, "
            f"drag, moment), they are {lines[0][NAME : NAME + 12]!r}"
        )
    numbers = _Lines(lines, source)
    found = []
    for block, machs, angles in zip(BLOCKS, map(int, counts[::2]), map(int, counts[1::2]), strict=True):
        _, mach = numbers.row(machs, f"Mach numbers of {block}", first=False)
        rows = [numbers.row(machs, f"{block} at an angle", first=True) for _ in range(angles)]
        alpha = np.deg2rad([angle for angle, _ in rows])
        try:
            found.append(Coefficient(alpha, np.array(mach), np.array([row for _, row in rows])))
        except ModelError as e:
            raise ModelError(f"{source}, {block}: {e}") from None
    return Airfoil(lines[0][:NAME].strip() or Path(source).stem, *found)


class _Lines:
    """The lines after the header, read number by number."""

    def __init__(self, lines: list[str], source: str) -> None:
        self.lines, self.source, self.at = lines, source, 1

    def row(self, count: int, what: str, *, first: bool) -> tuple[float, list[float]]:
        """The number in the first column, if there is one, and `count` numbers after it, over several lines."""
        begin, values = 0.0, list[float]()
        while len(values) < count:
            if self.at >= len(self.lines):
                raise ModelError(f"{self.source}: it ends after line {self.at}, {what} is still to come")
            line = self.lines[self.at]
            self.at += 1
            if first and not values:
                begin = self._number(line[:WIDTH], what)
            fields = min(PER_LINE, count - len(values))
            values += [self._number(line[WIDTH * k : WIDTH * (k + 1)], what) for k in range(1, fields + 1)]
        return begin, values

    def _number(self, field: str, what: str) -> float:
        try:
            value = float(field)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or "_" in field:
            raise ModelError(
                f"{self.source}, line {self.at}: {field!r} is no number; {what} is wanted, in seven columns"
            )
        return value


def write_c81(airfoil: Airfoil, path: Path | str) -> None:
    """Write a file; numbers are rounded to what seven columns hold."""
    Path(path).write_text(c81_text(airfoil), encoding="ascii")


def c81_text(airfoil: Airfoil) -> str:
    """The text of a file."""
    tables = airfoil.cl, airfoil.cd, airfoil.cm
    for block, c in zip(BLOCKS, tables, strict=True):
        if max(c.values.shape) > MOST:
            raise ModelError(f"airfoil {airfoil.name!r}: {block} has {c.values.shape} points, C81 has {MOST} at most")
    counts = "".join(f"{len(c.machs):2d}{len(c.angles):2d}" for c in tables)
    name = airfoil.name.encode("ascii", "replace").decode()[:NAME]
    lines = [f"{name:<{NAME}}{counts}"]
    for c in tables:
        lines += _wrapped(" " * WIDTH, c.machs)
        for angle, row in zip(np.rad2deg(c.angles), c.values, strict=True):
            lines += _wrapped(_field(float(angle)), row)
    return "\n".join(lines) + "\n"


def _wrapped(head: str, values: Array) -> Iterator[str]:
    for at in range(0, len(values), PER_LINE):
        yield (head if at == 0 else " " * WIDTH) + "".join(_field(float(v)) for v in values[at : at + PER_LINE])


def _field(value: float) -> str:
    """Seven characters with as many decimals as fit, four at most; neighbours may touch."""
    for decimals in range(4, -1, -1):
        text = f"{value:.{decimals}f}"
        if len(text) <= WIDTH:
            return f"{text:>{WIDTH}}"
    raise ModelError(f"airfoil: {value:g} does not fit into seven columns")
