"""Primitives: table lookup, delay buffer and random numbers, built once over basic operations for every target."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.block import Builder, Value, floor, select, sqrt
from motionbase.compile.names import check_name
from motionbase.compile.ops import Op
from motionbase.compile.options import choice, whole_number
from motionbase.compile.port import Port, as_ports, check_distinct
from motionbase.compile.routine import Buffer, Routine, Statement, arguments_of
from motionbase.errors import KernelError

MAGIC = 2.0**52  # adding it to a whole number 0 <= n < 2**52 leaves n in the low bits
EXPONENT_OF_ONE = 0x3FF0000000000000
QUIET_NAN = 0x7FF8000000000000
LAST_GROUP = 2**31 - 1  # largest group of random numbers


@final
@dataclass(frozen=True, eq=False)
class Primitive:
    """A unit that is written directly in basic operations.

    Attributes:
        body: its block, or statements over its ports and then its buffers, which use all of the ports' numbers
        buffers: local arrays
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    memory: tuple[Port, ...]
    body: Builder | tuple[Statement, ...]
    tables: tuple[tuple[float, ...], ...] = ()
    description: str = ""
    buffers: tuple[Buffer, ...] = ()

    def __post_init__(self) -> None:
        check_name("primitive", self.name)
        for attribute in ("inputs", "outputs", "memory"):
            as_ports(f"primitive {self.name!r}: {attribute}", getattr(self, attribute))
        check_distinct(f"primitive {self.name!r}", self.ports)
        looped = not isinstance(self.body, Builder)
        body = self.body if not isinstance(self.body, Builder) else (self.body.block(),)
        routine = Routine(self.name, arguments_of(self), body, self.buffers, self.tables, self, whole=looped)
        object.__setattr__(self, "_routine", routine)

    def __call__(self, /, *values: Any, **named: Any) -> Any:
        """A call inside a program."""
        from motionbase.compile.flow import call

        return call(self, values, named)

    def inlined(self, values: Sequence[Any]) -> list[Any]:
        """Not possible: a primitive is not an expression."""
        raise KernelError(f"primitive {self.name!r} cannot be part of a kernel; call it in a program")

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, outputs, memory."""
        return self.inputs + self.outputs + self.memory

    @property
    def routine(self) -> Routine:
        """The lowered form."""
        routine: Routine = self._routine  # type: ignore[attr-defined]
        return routine

    @property
    def digest(self) -> str:
        """Content hash."""
        inner = [(r.name, r.arguments, r.body) for r in self.routine.callees()]
        text = f"{self.name}\n{self.ports}\n{inner}\n{self.tables}\n{self.buffers}"
        return hashlib.sha256(text.encode()).hexdigest()


def whole(x: Value, largest: int) -> Value:
    """A double as a word from 0 to `largest`; fractions are dropped, values outside are clamped, NaN becomes 0."""
    clamped = select(x > 0.0, x, 0.0)  # NaN becomes 0
    clamped = select(clamped < float(largest), floor(clamped), float(largest))
    return (clamped + MAGIC).bits() & 0xFFFFFFFFFFFFF


# ---- table lookup --------------------------------------------------------------------------------------------------


def table(
    name: str,
    axes: Sequence[ArrayLike],
    values: ArrayLike,
    *,
    inputs: Sequence[Port],
    output: Port,
    outside: Literal["hold", "extend"] = "hold",
    description: str = "",
) -> Primitive:
    """Linear interpolation in a table of one or more axes.

    Args:
        axes: increasing breakpoints, one array per axis
        values: array of shape (len(axis) of each axis, then the output's own shape)
        inputs: one scalar port per axis
        output: the port that receives the value
        outside: beyond the ends, `hold` the end value or `extend` the last slope
    """
    choice(f"table {name!r}", "outside", outside, ("hold", "extend"))
    points = [np.asarray(a, dtype=np.float64) for a in axes]
    data = np.asarray(values, dtype=np.float64)
    _check_table(name, points, data, inputs, output)
    b = Builder()
    places = [_locate(b, k, x, points[k], outside) for k, x in enumerate(b.load(k, 0) for k in range(len(points)))]
    for element in range(output.size):
        corners = [_corner(b, data.shape, places, corner, len(points), element) for corner in range(1 << len(points))]
        for _, fraction in places:  # the first axis is the lowest bit of a corner's number
            corners = [
                (1.0 - fraction) * corners[2 * k] + fraction * corners[2 * k + 1] for k in range(len(corners) // 2)
            ]
        b.store(len(points), element, corners[0])
    padded = [_padded(p) for p in points]
    tables = (*padded, tuple(float(v) for v in data.ravel()))
    return Primitive(name, tuple(inputs), (output,), (), b, tables, description)


def _check_table(name: str, points: list[Array], data: Array, inputs: Sequence[Port], output: Port) -> None:
    if len(points) != len(inputs) or not points:
        raise KernelError(f"table {name!r}: {len(points)} axes and {len(inputs)} inputs; there must be one an axis")
    for port, axis in zip(inputs, points, strict=True):
        if port.size != 1:
            raise KernelError(f"table {name!r}: input {port} must be one number")
        if axis.ndim != 1 or len(axis) < 2 or not np.all(np.isfinite(axis)) or not np.all(np.diff(axis) > 0):
            raise KernelError(f"table {name!r}: axis {port.name!r} must be two or more finite increasing numbers")
    if output.sparsity is not None:
        raise KernelError(f"table {name!r}: output {output} is sparse; use a vector port of {output.size}")
    wanted = tuple(len(a) for a in points) + output.dims
    if data.shape != wanted:
        raise KernelError(f"table {name!r}: values have shape {data.shape}, axes and output make it {wanted}")


def _padded(axis: Array) -> tuple[float, ...]:
    """Breakpoints padded to a power of two, so that the binary search never reads outside."""
    size = 1 << int(np.ceil(np.log2(len(axis))))
    return tuple(float(x) for x in axis) + (float("inf"),) * (size - len(axis))


def _locate(b: Builder, k: int, x: Value, axis: Array, outside: str) -> tuple[Value, Value]:
    """Index of the interval and fraction along it, by a branchless binary search."""
    if outside == "hold":
        x = select(x < float(axis[0]), float(axis[0]), select(x > float(axis[-1]), float(axis[-1]), x))
    position = b.word(0)
    step = 1 << (int(np.ceil(np.log2(len(axis)))) - 1)
    while step:
        candidate = position + step
        position = select(b.emit(Op.TABLE, candidate, imm=k) <= x, candidate, position)
        step //= 2
    last = b.emit(Op.TABLE, b.word(len(axis) - 1), imm=k)
    position = select(last <= x, b.word(len(axis) - 2), position)  # the last interval is closed
    left, right = b.emit(Op.TABLE, position, imm=k), b.emit(Op.TABLE, position + 1, imm=k)
    return position, (x - left) / (right - left)


def _corner(
    b: Builder, shape: tuple[int, ...], places: list[tuple[Value, Value]], corner: int, dims: int, element: int
) -> Value:
    """A value at one corner of the cell; `corner` has one bit per axis."""
    index = b.word(element)
    stride = int(np.prod(shape[dims:]))
    for k in reversed(range(dims)):
        index = index + (places[k][0] + ((corner >> k) & 1)) * stride
        stride *= shape[k]
    return b.emit(Op.TABLE, index, imm=dims)


# ---- delay buffer --------------------------------------------------------------------------------------------------


def delay(name: str, port: Port, samples: int, *, variable: bool = False, description: str = "") -> Primitive:
    """The input as it was `samples` calls ago (zero before that), in memory updated in place.

    Ports: input PORT, output PORT_delayed, memory PORT_line: the position of the oldest sample, then the samples.
    With `variable`, a further input `delay` (in calls, 0 to `samples`) chooses the delay, with linear interpolation
    between whole calls.
    """
    samples = whole_number(f"delay {name!r}", "the number of samples", samples)
    if samples < 1:
        raise KernelError(f"delay {name!r}: {samples} samples, there must be at least one")
    size, slots = port.size, samples + 1
    line = Port(
        f"{port.name}_line", 1 + slots * size, "-", f"delay line: position, then {slots} samples of {port.name}"
    )
    out = Port(f"{port.name}_delayed", port.dims, port.unit, f"{port.name} of earlier calls", port.sparsity)
    inputs = (port, Port("delay", (), "-", "delay in calls")) if variable else (port,)
    at_out, at_line = len(inputs), len(inputs) + 1
    b = Builder()
    head = whole(b.load(at_line, 0), slots - 1)
    fresh = [b.load(0, k) for k in range(size)]
    for k in range(size):
        b.emit(Op.STORE_AT, head * size + (1 + k), fresh[k], imm=at_line)
    # the sample of n calls ago is n slots behind the head, modulo the number of slots
    if variable:
        wanted = b.load(1, 0)
        wanted = select(wanted > 0.0, select(wanted < float(samples), wanted, float(samples)), 0.0)
        calls_ago = floor(wanted)
        fraction = wanted - calls_ago
        near = _behind(b, head, whole(calls_ago, samples), slots)
        far = _behind(b, head, whole(calls_ago + 1.0, samples), slots)
        for k in range(size):
            newer = b.emit(Op.LOAD_AT, near * size + (1 + k), imm=at_line)
            older = b.emit(Op.LOAD_AT, far * size + (1 + k), imm=at_line)
            between = (1.0 - fraction) * newer + fraction * older
            b.store(at_out, k, select(fraction.equals(0.0), newer, between))  # a neighbouring infinity must not matter
    else:
        oldest = _behind(b, head, b.word(samples), slots)
        for k in range(size):
            b.store(at_out, k, b.emit(Op.LOAD_AT, oldest * size + (1 + k), imm=at_line))
    following = select((head + 1).equals(slots), b.word(0), head + 1)
    b.store(at_line, 0, (following + b.constant(MAGIC).bits()).from_bits() - MAGIC)
    return Primitive(name, inputs, (out,), (line,), b, (), description)


def _behind(b: Builder, head: Value, calls_ago: Value, slots: int) -> Value:
    """(head - calls_ago) modulo slots, for 0 <= calls_ago < slots; without a signed comparison of words."""
    ahead = head + slots - calls_ago  # 1 to 2 slots - 1
    as_double = (ahead + b.constant(MAGIC).bits()).from_bits() - MAGIC
    return select(as_double < float(slots), ahead, ahead - slots)


# ---- counter-based random numbers ----------------------------------------------------------------------------------


def random(
    name: str,
    output: Port,
    *,
    kind: Literal["uniform", "normal"] = "uniform",
    stream: int = 0,
    grouped: bool = False,
    description: str = "",
) -> Primitive:
    """Random numbers as a pure function of (seed, counter): Philox 4x32 with ten rounds (Salmon et al. 2011).

    Ports: inputs `seed` and `counter`, any doubles (usually the number of a scenario and the tick), used by their bits;
    all NaNs count as one, since their bits are not specified. The output is uniform on [0, 1) with 52 bits, or normal
    with mean 0 and standard deviation 1. Different `stream` numbers give independent sequences for the same seed and
    counter.

    With `grouped`, a further input `group` (a whole number) selects where to begin: group k starts at number 2 k of a
    longer output, so `for_each` over groups gives the same numbers, on lanes.
    """
    choice(f"random {name!r}", "kind", kind, ("uniform", "normal"))
    stream = whole_number(f"random {name!r}", "stream", stream)
    if not 0 <= stream < 1 << 32:
        raise KernelError(f"random {name!r}: stream {stream} must be from 0 to 2**32 - 1")
    b = Builder()
    seed, counter = (_bits_of_number(b.load(k, 0)) for k in (0, 1))
    uniforms: list[Value] = []
    first = whole(b.load(2, 0), LAST_GROUP) if grouped else None
    for group in range(-(-output.size // 2)):
        w = _philox(b, counter, stream, group if first is None else first + group, seed)
        uniforms += [_uniform(w[0], w[1]), _uniform(w[2], w[3])]
    numbers = uniforms if kind == "uniform" else _box_muller(uniforms)
    for k in range(output.size):
        b.store(2 + grouped, k, numbers[k])
    begin = (Port("group", (), "-", "a whole number"),) if grouped else ()
    inputs = (Port("seed", (), "-", "any double"), Port("counter", (), "-", "any double"), *begin)
    return Primitive(name, inputs, (output,), (), b, (), description)


def _bits_of_number(x: Value) -> Value:
    """The bits of a double, the same for every NaN."""
    return select(x.equals(x), x.bits(), x.builder.word(QUIET_NAN))


def _philox(b: Builder, counter: Value, stream: int, group: Value | int, key: Value) -> list[Value]:
    """Four 32-bit words (in 64-bit words) from a 128-bit counter and a 64-bit key."""
    low = 0xFFFFFFFF
    c = [counter & low, counter >> 32, b.word(stream), group if isinstance(group, Value) else b.word(group)]
    k = [key & low, key >> 32]
    for _ in range(10):
        p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & low, (p0 >> 32) ^ c[3] ^ k[1], p0 & low]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    return c


def _uniform(high: Value, low: Value) -> Value:
    """52 of 64 random bits as a double in [0, 1)."""
    bits = ((high << 32) | low) >> 12
    return (bits | EXPONENT_OF_ONE).from_bits() - 1.0


def _box_muller(uniforms: list[Value]) -> list[Value]:
    """Pairs of normal numbers from uniform ones (Box & Muller 1958)."""
    normals: list[Value] = []
    for u, v in zip(uniforms[::2], uniforms[1::2], strict=True):
        radius = sqrt(-2.0 * u.builder.call("log", 1.0 - u))
        angle = v * float(2.0 * np.pi)
        normals += [radius * u.builder.call("cos", angle), radius * u.builder.call("sin", angle)]
    return normals
