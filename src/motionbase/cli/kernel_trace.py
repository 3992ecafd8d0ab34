"""One run of a kernel in the interpreter with inputs from the command line, and the diagnosis of a NaN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from motionbase.cli.suggest import unknown
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.compile import Port, Unit
    from motionbase.compile.inspection.diagnose import Finding

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Result:
    """Values of all ports after the run, and the finding if an output is NaN (or, else, infinite)."""

    unit: Unit
    values: dict[str, Array]
    finding: Finding | None
    infinity: Finding | None


def run(unit: Unit, given: Sequence[str], zeros: bool, seed: int | None, probes: Sequence[str]) -> Result:
    """Read the inputs, run, and look for a NaN."""
    from motionbase.compile import Kernel, Program
    from motionbase.compile.inspection.diagnose import evaluate, find_infinity, find_nan

    if probes:
        if not isinstance(unit, (Kernel, Program)):
            raise UsageError(f"--probe: {unit.name!r} is a {type(unit).__name__.lower()}, which has no probes")
        unit = unit.with_probes(*probes)
    values = inputs(unit, given, zeros, seed)
    after = evaluate(unit, **values)
    finding = find_nan(unit, **values)
    return Result(unit, after, finding, None if finding else find_infinity(unit, **values))


def inputs(unit: Unit, given: Sequence[str], zeros: bool, seed: int | None) -> dict[str, Array]:
    """An array for every input, and for the memory that is given."""
    if zeros and seed is not None:
        raise UsageError("--zeros and --random exclude each other")
    ports = {p.name: p for p in unit.inputs + unit.memory}
    values: dict[str, Array] = {}
    for text in given:
        name, equals, numbers = text.partition("=")
        if not equals:
            raise UsageError(f"--input {text!r}: the form is PORT=VALUES, like q=1,2,3 or q=@file.npy")
        if name not in ports:
            raise unknown("input port", name, ports)
        values[name] = _fitted(ports[name], numbers)
    missing = [p for p in unit.inputs if p.name not in values]
    if missing and not zeros and seed is None:
        names = ", ".join(map(str, missing))
        raise UsageError(f"no value for {names}; give --input {missing[0].name}=..., or --zeros, or --random SEED")
    random = np.random.default_rng(seed)
    for port in missing:
        values[port.name] = np.zeros(port.array_shape) if zeros else random.uniform(-1.0, 1.0, port.array_shape)
    return values


def _fitted(port: Port, text: str) -> Array:
    """Numbers, or the contents of a file, in the shape of a port."""
    numbers = _file(port, text[1:]) if text.startswith("@") else _numbers(port, text)
    if numbers.ndim > 1 and numbers.shape != port.array_shape:
        raise UsageError(f"--input {port.name}: {text[1:]!r} has shape {numbers.shape}, {port.array_shape} is wanted")
    if numbers.size == 1:
        return np.full(port.array_shape, float(numbers.ravel()[0]))
    if numbers.size != port.size:
        raise UsageError(f"--input {port.name}: {numbers.size} numbers came, port {port} takes {port.size}")
    return numbers.reshape(port.array_shape)


def _numbers(port: Port, text: str) -> Array:
    try:
        return np.array([float(part) for part in text.split(",")])
    except ValueError:
        raise UsageError(f"--input {port.name}: {text!r} must be numbers with commas between, or @file.npy") from None


def _file(port: Port, name: str) -> Array:
    try:
        if name.endswith(".npy"):
            return np.asarray(np.load(name, allow_pickle=False), dtype=np.float64)
        return np.loadtxt(name, delimiter=",", ndmin=1)
    except (OSError, ValueError, TypeError) as e:
        reason = getattr(e, "strerror", None) or str(e).partition("\n")[0]
        raise UsageError(f"--input {port.name}: cannot read numbers from {name!r}: {reason}") from None


def show(result: Result) -> None:
    """Outputs with their units, then the diagnosis."""
    width = max((len(p.name) for p in _written(result.unit)), default=0)
    for port in _written(result.unit):
        rows = _rows(result.values[port.name])
        for k, row in enumerate(rows):
            unit = f"  [{port.unit}]" if k == 0 and port.unit != "-" else ""
            print(f"{port.name if k == 0 else '':<{width}} {'=' if k == 0 else ' '} {row}{unit}")
    print()
    if result.finding is not None:
        print(result.finding)
    elif result.infinity is not None:
        print(f"no NaN, but an output is infinite\n{result.infinity}")
    else:
        print("no NaN")


def as_json(result: Result) -> dict[str, Any]:
    """Plain data."""
    from motionbase.compile.inspection.finding import plain

    return {
        "name": result.unit.name,
        "outputs": {p.name: [plain(float(x)) for x in result.values[p.name].ravel()] for p in _written(result.unit)},
        "nan": None if result.finding is None else result.finding.as_json(),
        "infinity": None if result.infinity is None else result.infinity.as_json(),
    }


def _written(unit: Unit) -> tuple[Port, ...]:
    return unit.outputs + unit.memory


def _rows(values: Array) -> list[str]:
    """Numbers with twelve digits, a matrix row by row."""
    if values.ndim == 0:
        return [f"{float(values):.12g}"]
    if values.ndim == 1:
        return [" ".join(f"{x:.12g}" for x in values[k : k + 6]) for k in range(0, len(values), 6)]
    return [" ".join(f"{x:.12g}" for x in row) for row in values]
