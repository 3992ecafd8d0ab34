"""Drives: functions of time and of inputs, for imposed motions, forces and motors.

A drive is an expression, so its rates are exact (by differentiation) and it can be compiled into a step. It is also a
function of time for `simulate`'s inputs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name, numbers_of, shown
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr


class AbstractDrive(ABC):
    """A number that depends on time [s], and perhaps on inputs."""

    @abstractmethod
    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """Its value at a time, with the inputs that `names` lists."""

    @property
    def names(self) -> tuple[str, ...]:
        """Inputs that it reads."""
        return ()

    def rate(self, order: int = 1) -> AbstractDrive:
        """Its first or a higher derivative by time, inputs being constant."""
        return Rate(self, order)

    def __call__(self, t: float) -> float:
        """Its value at a time, where it depends on time alone."""
        if self.names:
            raise ModelError(f"a drive that reads the input {self.names[0]!r} is no function of time alone")
        return float(self._function(t))

    @cached_property
    def _function(self) -> ca.Function:
        t = ca.SX.sym("t")
        return ca.Function("drive", [t], [ca.densify(ca.SX(self.value(t, {})))])

    def __add__(self, other: AbstractDrive | float) -> Sum:
        return Sum((self, other))

    def __mul__(self, other: AbstractDrive | float) -> Product:
        return Product((self, other))

    __radd__, __rmul__ = __add__, __mul__


def drive_of(owner: str, given: object) -> AbstractDrive:
    """A drive, or a number, which is a constant one."""
    if isinstance(given, AbstractDrive):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool):
        return Constant(float(given))
    raise ModelError(f"{owner} is {shown(given)}, a drive or a number is wanted")


# ---- functions of time ---------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Constant(AbstractDrive):
    """A number."""

    constant: float

    def __post_init__(self) -> None:
        checked_number("constant drive", "constant", self.constant, "")

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """The number."""
        return ca.SX(self.constant)


@final
@dataclass(frozen=True)
class Ramp(AbstractDrive):
    """`initial` until `start`, then growing at `slope` for a `duration`, then held.

    Attributes:
        slope: [1/s]
        start: [s]
        duration: [s], for ever unless given
        initial: value before
    """

    slope: float
    start: float = 0.0
    duration: float = math.inf
    initial: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "ramp drive", "slope", "start", "initial")
        _check_span("ramp drive", "duration", self.duration)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """A straight line between its ends."""
        return self.initial + self.slope * _since(t, self.start, self.duration)


@final
@dataclass(frozen=True)
class Step(AbstractDrive):
    """From `initial` to `final` within a `duration`, by a polynomial whose first two rates begin and end at zero.

    Attributes:
        initial, final: values before and after
        start: [s]
        duration: [s]; zero jumps
    """

    final: float
    initial: float = 0.0
    start: float = 0.0
    duration: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "step drive", "initial", "final", "start")
        checked_number("step drive", "duration", self.duration, "s", least=0.0)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """10 x^3 - 15 x^4 + 6 x^5 of the way."""
        if not self.duration:
            return ca.if_else(t < self.start, self.initial, self.final)
        x = _since(t, self.start, self.duration) / self.duration
        return self.initial + (self.final - self.initial) * x * x * x * (10 + x * (6 * x - 15))


@final
@dataclass(frozen=True)
class Sine(AbstractDrive):
    """`initial` until `start`, then initial + amplitude sin(omega (t - start)) for so many cycles, then held.

    Attributes:
        omega: [rad/s]
        start: [s]
        cycles: for ever unless given; 0.5 is half a wave
        initial: value before
    """

    amplitude: float
    omega: float
    start: float = 0.0
    cycles: float = math.inf
    initial: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "sine drive", "amplitude", "start", "initial")
        checked_positive("sine drive", "omega", self.omega, "rad/s")
        _check_span("sine drive", "cycles", self.cycles)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """The wave."""
        return self.initial + self.amplitude * ca.sin(self.omega * _waving(self, t))


@final
@dataclass(frozen=True)
class Cosine(AbstractDrive):
    """`initial` until `start`, then initial + amplitude (1 - cos(omega (t - start))) for so many cycles, then held.

    It begins without speed; half a cycle goes from `initial` to initial + 2 amplitude and stops there.

    Attributes:
        omega: [rad/s]
        start: [s]
        cycles: for ever unless given
        initial: value before
    """

    amplitude: float
    omega: float
    start: float = 0.0
    cycles: float = math.inf
    initial: float = 0.0

    def __post_init__(self) -> None:
        _check(self, "cosine drive", "amplitude", "start", "initial")
        checked_positive("cosine drive", "omega", self.omega, "rad/s")
        _check_span("cosine drive", "cycles", self.cycles)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """The wave."""
        return self.initial + self.amplitude * (1 - ca.cos(self.omega * _waving(self, t)))


@final
@dataclass(frozen=True)
class Table(AbstractDrive):
    """Values at times, with straight lines or a cubic spline between them, held before and after.

    The spline begins and ends without speed, so that an imposed motion has no jump of speed anywhere; its second rate
    jumps at both ends. Every row makes the compiled step longer: for recorded signals of many rows use an input.

    Attributes:
        times: rising [s]
        values: as many
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolation: Literal["linear", "cubic"] = "linear"

    def __post_init__(self) -> None:
        for what in ("times", "values"):
            given = numbers_of(getattr(self, what))
            if given is None or given.ndim != 1 or len(given) < 2 or not np.all(np.isfinite(given)):
                raise ModelError(
                    f"table drive: {what} is {shown(getattr(self, what))}, two or more finite numbers are wanted"
                )
            object.__setattr__(self, what, tuple(given.tolist()))
        if len(self.times) != len(self.values):
            raise ModelError(f"table drive: {len(self.times)} times for {len(self.values)} values")
        if np.any(np.diff(self.times) <= 0):
            raise ModelError("table drive: times must rise from row to row")
        if self.interpolation not in ("linear", "cubic"):
            raise ModelError(
                f"table drive: interpolation is {shown(self.interpolation)}, it must be 'linear' or 'cubic'"
            )

    @cached_property
    def coefficients(self) -> Array:
        """(n - 1, 4) of x^0 to x^3 within each interval, x from its beginning."""
        x, y = np.array(self.times), np.array(self.values)
        h, rise = np.diff(x), np.diff(y) / np.diff(x)
        if self.interpolation == "linear":
            return np.column_stack([y[:-1], rise, np.zeros((len(h), 2))])
        # slopes s at the rows: second rates agree from both sides, and both ends are level
        A, b = np.eye(len(x)), np.zeros(len(x))
        for k in range(1, len(x) - 1):
            A[k, k - 1 : k + 2] = h[k], 2 * (h[k - 1] + h[k]), h[k - 1]
            b[k] = 3 * (h[k] * rise[k - 1] + h[k - 1] * rise[k])
        s = np.linalg.solve(A, b)
        square, cube = (3 * rise - 2 * s[:-1] - s[1:]) / h, (s[:-1] + s[1:] - 2 * rise) / h**2
        return np.column_stack([y[:-1], s[:-1], square, cube])

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """The polynomial of the interval."""
        first, last = self.times[0], self.times[-1]
        now = ca.fmin(ca.fmax(t, first), last)
        row = _chosen(now, self.times, np.column_stack([self.times[:-1], self.coefficients]))
        x = now - row[0]
        return row[1] + x * (row[2] + x * (row[3] + x * row[4]))


def _chosen(t: Expr, knots: Sequence[float], rows: Array) -> Expr:
    """The row of the interval that t is in, by halving."""
    if len(rows) == 1:
        return ca.SX(ca.DM(rows[0]))
    half = len(rows) // 2
    before, after = _chosen(t, knots[: half + 1], rows[:half]), _chosen(t, knots[half:], rows[half:])
    return ca.if_else(t < knots[half], before, after)


# ---- of other drives and of inputs ---------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Sum(AbstractDrive):
    """The sum of drives; numbers are constants."""

    parts: tuple[AbstractDrive | float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _parts("sum", self.parts))

    @property
    def names(self) -> tuple[str, ...]:
        """Of all parts."""
        return _names(self.parts)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """Added up."""
        return sum((drive_of("part", part).value(t, inputs) for part in self.parts), ca.SX(0))


@final
@dataclass(frozen=True)
class Product(AbstractDrive):
    """The product of drives; numbers are constants."""

    parts: tuple[AbstractDrive | float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _parts("product", self.parts))

    @property
    def names(self) -> tuple[str, ...]:
        """Of all parts."""
        return _names(self.parts)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """Multiplied."""
        found = ca.SX(1)
        for part in self.parts:
            found = found * drive_of("part", part).value(t, inputs)
        return found


@final
@dataclass(frozen=True)
class Input(AbstractDrive):
    """An input of the model by this name, which several drives may read.

    Attributes:
        unit: for its description
    """

    name: str
    unit: str = "-"

    def __post_init__(self) -> None:
        check_name("input drive", self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Itself."""
        return (self.name,)

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """The input."""
        return inputs[self.name]


@final
@dataclass(frozen=True)
class Rate(AbstractDrive):
    """A derivative of another drive by time, by differentiation."""

    of: AbstractDrive
    order: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The other's."""
        return self.of.names

    def value(self, t: Expr, inputs: Mapping[str, Expr]) -> Expr:
        """Differentiated at a symbol, so that t may be anything."""
        x = ca.SX.sym("x")
        found = ca.SX(self.of.value(x, inputs))
        for _ in range(self.order):
            found = ca.densify(ca.jacobian(found, x))
        return ca.substitute(found, x, ca.SX(t))


def _parts(kind: str, given: object) -> tuple[AbstractDrive, ...]:
    if not isinstance(given, tuple | list) or not given:
        raise ModelError(f"{kind} drive: parts are {shown(given)}, a list of drives or numbers is wanted")
    return tuple(drive_of(f"{kind} drive: a part", part) for part in given)


def _names(parts: Sequence[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts if isinstance(part, AbstractDrive) for name in part.names))


def _check(drive: AbstractDrive, owner: str, *fields: str) -> None:
    for what in fields:
        checked_number(owner, what, getattr(drive, what), "")


def _check_span(owner: str, what: str, value: float) -> None:
    if value != math.inf:
        checked_positive(owner, what, value, "")


def _since(t: Expr, start: float, duration: float) -> Expr:
    """Time since a start, from zero to a duration."""
    since = ca.fmax(t - start, 0)
    return since if duration == math.inf else ca.fmin(since, duration)


def _waving(drive: Sine | Cosine, t: Expr) -> Expr:
    return _since(t, drive.start, drive.cycles * 2 * math.pi / drive.omega)
