"""One function generator: its waveform, its axes, and every number of its row with unit, description and bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, final

from motionbase.errors import GeneratorError
from motionbase.record.axes import DOFS, LEGS
from motionbase.record.quantity import Setting

COUNT = 7  # as many generators as NASA Langley's motion base has
TONES = 32  # largest number of tones of a multisine or random signal
LARGEST_M, LARGEST_RAD = 5.0, math.pi  # of amplitude and offset: enough for any platform, and catches typing errors
HIGHEST_HZ = 50.0
ANGULAR = 0b111000  # roll, pitch, yaw among the six bits of the axes
LINEAR = 0b000111


class Space(StrEnum):
    """Whether the axes are legs or degrees of freedom."""

    LEG = "leg"
    DOF = "dof"

    @property
    def code(self) -> int:
        """Number of the space in a row."""
        return SPACES.index(self)


class Shape(StrEnum):
    """Waveform of a generator; docs/generators.md has the formulas."""

    SINE = "sine"
    SQUARE = "square"
    TRIANGLE = "triangle"
    SAWTOOTH = "sawtooth"
    STEP = "step"
    RAMP = "ramp"
    CHIRP = "chirp"
    MULTISINE = "multisine"
    RANDOM = "random"

    @property
    def code(self) -> int:
        """Number of the waveform in a row."""
        return SHAPES.index(self)


SPACES, SHAPES = tuple(Space), tuple(Shape)
PERIODIC = (Shape.SINE, Shape.SQUARE, Shape.TRIANGLE, Shape.SAWTOOTH)
BANDS = (Shape.MULTISINE, Shape.RANDOM)


BY_AXES = "m, rad"  # metres on legs and linear axes, radians on angular ones
COLUMNS = (
    Setting("enabled", "-", "1 on, 0 off", 0, 1, True),
    Setting("space", "-", "what the axes are: 0 legs, 1 degrees of freedom", 0, len(SPACES) - 1, True),
    Setting(
        "axes",
        "-",
        f"where it acts: the sum of 1, 2, 4, 8, 16, 32 for legs 1 to 6, or {', '.join(DOFS)}",
        0,
        63,
        True,
    ),
    Setting("shape", "-", "a number of `Shape`", 0, len(SHAPES) - 1, True),
    Setting("amplitude", BY_AXES, "half the peak-to-peak height of a wave", -LARGEST_M, LARGEST_M),
    Setting("frequency", "Hz", "for chirp, multisine and random: lower end of the band", 0, HIGHEST_HZ),
    Setting("end_frequency", "Hz", "upper end of the band", 0, HIGHEST_HZ),
    Setting("phase", "rad", "phase of the wave at its start", -2 * math.pi, 2 * math.pi),
    Setting("offset", BY_AXES, "added, and faded with the rest", -LARGEST_M, LARGEST_M),
    Setting("fade_in", "s", "smooth in position, velocity and acceleration", 0, 600),
    Setting("fade_out", "s", "after the last cycle, or when the drive ends", 0, 600),
    Setting("start", "s", "after the transition to drive", 0, 86_400),
    Setting("cycles", "-", "then it fades out; 0 runs until it is stopped", 0, 1e6),
    Setting("duration", "s", "of a sweep or of a ramp's rise; otherwise the length of one cycle", 0, 3600),
    Setting("tones", "-", "number of sines in the band of multisine and random", 0, TONES, True),
    Setting("seed", "-", "the same seed gives the same random signal", 0, 2**32 - 1, True),
)
BY_UNIT = {  # amplitude and offset with the unit of the axes
    "m": tuple(replace(c, unit="m") if c.unit == BY_AXES else c for c in COLUMNS),
    "rad": tuple(
        replace(c, unit="rad", low=-LARGEST_RAD, high=LARGEST_RAD) if c.unit == BY_AXES else c for c in COLUMNS
    ),
}
PLACE = {column.name: k for k, column in enumerate(COLUMNS)}


@final
@dataclass(frozen=True)
class Generator:
    """One generator. The default equals a row of zeros: off, with every number 0.

    Attributes:
        axes: legs 1 to 6, or names of degrees of freedom; linear and angular ones cannot be mixed
        amplitude: this and the following attributes are described in COLUMNS
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
        """The generator as a row of float64, in the order of COLUMNS."""
        names: tuple[int | str, ...] = LEGS if self.space is Space.LEG else DOFS
        mask = sum(1 << names.index(axis) for axis in self.axes)
        codes = (self.enabled, self.space.code, mask, self.shape.code)
        return tuple(float(v) for v in (*codes, *(getattr(self, c.name) for c in COLUMNS[4:])))

    @staticmethod
    def from_row(row: Sequence[float]) -> Generator:
        """The generator of a row; raises `GeneratorError` if the row is not valid."""
        if problem := row_problem(row):
            raise GeneratorError(problem)
        space = SPACES[int(row[1])]
        names: tuple[int | str, ...] = LEGS if space is Space.LEG else DOFS
        axes = tuple(name for k, name in enumerate(names) if int(row[2]) >> k & 1)
        return Generator(bool(row[0]), space, axes, SHAPES[int(row[3])], *row[4:])  # type: ignore[arg-type]

    @property
    def unit(self) -> str:
        """Unit of the output: "m" or "rad"."""
        return _unit(self.row)

    @property
    def peak(self) -> float:
        """Upper bound of the absolute output [m] or [rad]."""
        crest = math.sqrt(self.tones) if self.shape in BANDS else 1.0
        return abs(self.offset) + crest * abs(self.amplitude)

    @property
    def run_time(self) -> float:
        """Duration of all cycles, from the start to the beginning of the fade-out [s]; infinite if unlimited."""
        if self.shape in PERIODIC:
            return self.cycles / self.frequency if self.cycles and self.frequency else math.inf
        return self.cycles * self.duration or math.inf


def row_problem(row: Sequence[float]) -> str:
    """What is wrong with a row: field, value and bounds; "" for a valid row. Fast enough to be called in a tick."""
    if len(row) != len(COLUMNS):
        return f"the row has {len(row)} numbers, it must have {len(COLUMNS)}"
    for k, column in enumerate(COLUMNS):
        if column.unit == BY_AXES:
            column = BY_UNIT[_unit(row)][k]  # space and axes come first and have been checked
        if problem := column.problem(row[k]):
            return problem
    return _axes_problem(row) or (_shape_problem(row) if row[0] else "")


def _axes_problem(row: Sequence[float]) -> str:
    mask = int(row[2])
    if row[0] and mask == 0:
        return f"axes is empty, it must name {'legs 1 to 6' if row[1] == 0 else 'some of ' + ', '.join(DOFS)}"
    if row[1] == 1 and mask & LINEAR and mask & ANGULAR:
        return "axes mixes linear and angular ones; metres and radians need separate generators"
    return ""


def _shape_problem(row: Sequence[float]) -> str:
    """What an enabled generator of this shape still lacks."""
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


def _number(column: Setting, given: Any) -> float | int:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise GeneratorError(f"{column.name} is {given!r}, it must be a number{column.after}")
    try:
        number = float(given)
    except OverflowError:
        raise GeneratorError(f"{column.name} is beyond 1e308, it must be at most {column.high:.6g}") from None
    return int(number) if column.whole and number.is_integer() else number


assert tuple(f.name for f in fields(Generator)) == tuple(c.name for c in COLUMNS)
