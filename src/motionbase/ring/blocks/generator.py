"""One function generator: what it makes, where it acts, and the bounds of every number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple, final

from motionbase.errors import GeneratorError, told_apart
from motionbase.ring.schema import DOFS, LEGS

COUNT = 7  # generators, as many as the motion base of NASA Langley has
TONES = 32  # of a multisine or random signal, at most
LARGEST_M, LARGEST_RAD = 5.0, math.pi  # of amplitude and offset: beyond any platform, far below a slip of the finger
HIGHEST_HZ = 50.0
ANGULAR = 0b111000  # roll, pitch, yaw among the six bits of the axes
LINEAR = 0b000111


class Space(StrEnum):
    """What the axes are."""

    LEG = "leg"
    DOF = "dof"


class Shape(StrEnum):
    """What a generator makes; docs/generators.md has the formulas."""

    SINE = "sine"
    SQUARE = "square"
    TRIANGLE = "triangle"
    SAWTOOTH = "sawtooth"
    STEP = "step"
    RAMP = "ramp"
    CHIRP = "chirp"
    MULTISINE = "multisine"
    RANDOM = "random"


SPACES, SHAPES = tuple(Space), tuple(Shape)
PERIODIC = (Shape.SINE, Shape.SQUARE, Shape.TRIANGLE, Shape.SAWTOOTH)
BANDS = (Shape.MULTISINE, Shape.RANDOM)


class Column(NamedTuple):
    """One number of a generator's row: its bounds, and whether it must be whole."""

    name: str
    unit: str
    low: float
    high: float
    whole: bool = False


COLUMNS = (
    Column("enabled", "", 0, 1, True),
    Column("space", "", 0, len(SPACES) - 1, True),
    Column("axes", "", 0, 63, True),  # bit k: leg k + 1, or degree of freedom k
    Column("shape", "", 0, len(SHAPES) - 1, True),
    Column("amplitude", "m", -LARGEST_M, LARGEST_M),
    Column("frequency", "Hz", 0, HIGHEST_HZ),
    Column("end_frequency", "Hz", 0, HIGHEST_HZ),
    Column("phase", "rad", -2 * math.pi, 2 * math.pi),
    Column("offset", "m", -LARGEST_M, LARGEST_M),
    Column("fade_in", "s", 0, 600),
    Column("fade_out", "s", 0, 600),
    Column("start", "s", 0, 86_400),
    Column("cycles", "", 0, 1e6),
    Column("duration", "s", 0, 3600),
    Column("tones", "", 0, TONES, True),
    Column("seed", "", 0, 2**32 - 1, True),
)
PLACE = {column.name: k for k, column in enumerate(COLUMNS)}


@final
@dataclass(frozen=True)
class Generator:
    """One card. The default is what a block of zeros means: off, with every number 0.

    Attributes:
        space: leg or dof
        axes: legs 1 to 6, or names of degrees of freedom; linear and angular ones do not go together
        amplitude: [m], or [rad] on angular axes
        frequency: [Hz]; of chirp, multisine and random the first of the band
        end_frequency: [Hz] the last of the band
        phase: [rad]
        offset: added, and faded with the rest [m] or [rad]
        fade_in, fade_out: [s]; fade_out begins at the end of the cycles, or when the drive is told to stop
        start: [s] after the transition to drive
        cycles: 0 until stopped; of shapes without a period they count `duration`
        duration: [s] of a sweep or of the rise of a ramp, else of one cycle
        tones: of multisine and random
        seed: of random
    """

    enabled: bool = False
    space: Space = Space.LEG
    axes: tuple[int | str, ...] = ()
    shape: Shape = Shape.SINE
    amplitude: float = 0.0
    frequency: float = 0.0
    end_frequency: float = 0.0
    phase: float = 0.0
    offset: float = 0.0
    fade_in: float = 0.0
    fade_out: float = 0.0
    start: float = 0.0
    cycles: float = 0.0
    duration: float = 0.0
    tones: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool):
            raise GeneratorError(f"enabled is {self.enabled!r}, it must be true or false")
        object.__setattr__(self, "space", _member(Space, "space", self.space))
        object.__setattr__(self, "shape", _member(Shape, "shape", self.shape))
        object.__setattr__(self, "axes", _axes(self.space, self.axes))
        for column in COLUMNS[4:]:
            object.__setattr__(self, column.name, _number(column, getattr(self, column.name)))
        if problem := row_problem(self.row):
            raise GeneratorError(problem)

    @property
    def row(self) -> tuple[float, ...]:
        """As a row of float64, in the order of COLUMNS."""
        names: tuple[int | str, ...] = LEGS if self.space is Space.LEG else DOFS
        mask = sum(1 << names.index(axis) for axis in self.axes)
        codes = (self.enabled, SPACES.index(self.space), mask, SHAPES.index(self.shape))
        return tuple(float(v) for v in (*codes, *(getattr(self, c.name) for c in COLUMNS[4:])))

    @staticmethod
    def from_row(row: Sequence[float]) -> Generator:
        """The generator of a row, or one sentence about why there is none."""
        if problem := row_problem(row):
            raise GeneratorError(problem)
        space = SPACES[int(row[1])]
        names: tuple[int | str, ...] = LEGS if space is Space.LEG else DOFS
        axes = tuple(name for k, name in enumerate(names) if int(row[2]) >> k & 1)
        return Generator(bool(row[0]), space, axes, SHAPES[int(row[3])], *row[4:])  # type: ignore[arg-type]

    @property
    def unit(self) -> str:
        """Of its output: "m" or "rad"."""
        return _unit(self.row)

    @property
    def peak(self) -> float:
        """What its output never exceeds [m] or [rad]."""
        crest = math.sqrt(self.tones) if self.shape in BANDS else 1.0
        return abs(self.offset) + crest * abs(self.amplitude)

    @property
    def run_time(self) -> float:
        """Of all cycles, from start to the beginning of the fade-out [s]; infinite if they have no number or length."""
        if self.shape in PERIODIC:
            return self.cycles / self.frequency if self.cycles and self.frequency else math.inf
        return self.cycles * self.duration or math.inf


def row_problem(row: Sequence[float]) -> str:
    """What is wrong with a row: the field, its value and its bounds; "" for a good one. Cheap enough for a tick."""
    if len(row) != len(COLUMNS):
        return f"{len(row)} numbers, {len(COLUMNS)} are wanted"
    for column, value in zip(COLUMNS, row, strict=True):
        name, unit, low, high, whole = column
        if unit == "m" and _unit(row) == "rad":  # space and axes come before and are good
            unit, low, high = "rad", -LARGEST_RAD, LARGEST_RAD
        if not low <= value <= high:  # NaN fails too
            number, least, most = told_apart(value, low, high, digits=6)
            return f"{name} is {number}{_spaced(unit)}, it must be {least} to {most}"
        if whole and value != math.floor(value):
            return f"{name} is {value:.6g}, it must be a whole number"
    return _axes_problem(row) or (_shape_problem(row) if row[0] else "")


def _axes_problem(row: Sequence[float]) -> str:
    mask = int(row[2])
    if row[0] and mask == 0:
        return f"axes is empty, it must name {'legs 1 to 6' if row[1] == 0 else 'some of ' + ', '.join(DOFS)}"
    if row[1] == 1 and mask & LINEAR and mask & ANGULAR:
        return "axes has linear and angular ones, metres and radians need a generator each"
    return ""


def _shape_problem(row: Sequence[float]) -> str:
    """What an enabled generator of this shape still needs."""
    shape = SHAPES[int(row[3])]
    frequency, end, cycles = row[PLACE["frequency"]], row[PLACE["end_frequency"]], row[PLACE["cycles"]]
    if shape not in (Shape.STEP, Shape.RAMP) and frequency <= 0:
        return f"frequency is {frequency:.6g} Hz, a {shape} needs more than 0, up to {HIGHEST_HZ:g}"
    if shape is Shape.CHIRP and end <= 0:
        return f"end_frequency is {end:.6g} Hz, a chirp needs more than 0, up to {HIGHEST_HZ:g}"
    if shape in BANDS and row[PLACE["tones"]] < 1:
        return f"tones is {row[PLACE['tones']]:g}, a {shape} needs 1 to {TONES}"
    if shape in BANDS and end <= frequency:
        return f"end_frequency is {end:.6g} Hz, a {shape} needs more than its frequency, {frequency:.6g} Hz"
    timed = shape in (Shape.RAMP, Shape.CHIRP) or (shape not in PERIODIC and cycles > 0)
    if timed and row[PLACE["duration"]] <= 0:
        return f"duration is {row[PLACE['duration']]:.6g} s, this {shape} needs more than 0, up to 3600"
    return ""


def _unit(row: Sequence[float]) -> str:
    return "rad" if row[1] == 1 and int(row[2]) & ANGULAR else "m"


def _spaced(unit: str) -> str:
    return f" {unit}" if unit else ""


def _member(kind: type[StrEnum], name: str, given: Any) -> StrEnum:
    try:
        return kind(given)
    except ValueError:
        raise GeneratorError(f"{name} is {given!r}, it must be one of {', '.join(kind)}") from None


def _axes(space: Space, given: Any) -> tuple[int | str, ...]:
    names: tuple[int | str, ...] = LEGS if space is Space.LEG else DOFS
    listed = isinstance(given, list | tuple)
    if not listed or any(isinstance(a, bool) or a not in names for a in given) or len(set(given)) < len(given):
        wanted = ", ".join(str(n) for n in names)
        raise GeneratorError(f"axes is {given!r}, in {space} space it must be a list of some of {wanted}, each once")
    return tuple(name for name in names if name in given)


def _number(column: Column, given: Any) -> float | int:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise GeneratorError(f"{column.name} is {given!r}, it must be a number{_spaced(column.unit)}")
    try:
        number = float(given)
    except OverflowError:
        raise GeneratorError(f"{column.name} is beyond 1e308, it must be at most {column.high:.6g}") from None
    return int(number) if column.whole and number.is_integer() else number


assert tuple(f.name for f in fields(Generator)) == tuple(c.name for c in COLUMNS)
