"""Calling compiled code with NumPy arrays: errors that name the port, and a fast path that allocates nothing."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.port import Port
from motionbase.compile.programs import Unit
from motionbase.errors import PortError

if TYPE_CHECKING:
    from motionbase.native.jit import BuildTimes, Library


def lane_shape(port: Port, lanes: int) -> tuple[int, ...]:
    """Shape of a port's array; with lanes, the last axis counts the scenarios."""
    return port.array_shape if lanes == 1 else (*port.array_shape, lanes)


def checked(owner: str, port: Port, value: object, shape: tuple[int, ...], *, writes: bool = False) -> Array:
    """The array itself if native code can use it in place; otherwise an error that names the port."""
    where = f"{owner}: port {port.name!r}"
    if not isinstance(value, np.ndarray):
        raise PortError(f"{where} is {type(value).__name__}, a NumPy array of float64 with shape {shape} is wanted")
    if value.dtype != np.float64:
        raise PortError(f"{where} has dtype {value.dtype}, float64 is wanted")
    if value.shape != shape and not (shape == () and value.shape == (1,)):
        raise PortError(f"{where} has shape {value.shape}, {shape} is wanted")
    if not value.flags.c_contiguous:
        raise PortError(f"{where} is not contiguous, row by row; numpy.ascontiguousarray makes it so")
    if not value.flags.aligned:
        raise PortError(f"{where} is not aligned to its doubles; a copy of it is")
    if writes and not value.flags.writeable:
        raise PortError(f"{where} is read only, but it is written")
    return value


def converted(owner: str, port: Port, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A number, list or array as float64 of the given shape; narrowing conversions are refused."""
    try:
        given = np.asarray(value)
    except ValueError:
        raise PortError(f"{owner}: port {port.name!r} is not a regular array, shape {shape} is wanted") from None
    if not np.can_cast(given.dtype, np.float64, "safe"):
        raise PortError(f"{owner}: port {port.name!r} has dtype {given.dtype}, float64 is wanted")
    array = np.require(given, np.float64, ["C", "ALIGNED"])
    if given.shape != shape and not (shape == () and given.shape == (1,)):
        raise PortError(f"{owner}: port {port.name!r} has shape {given.shape}, {shape} is wanted")
    return array


def check_apart(owner: str, ports: Sequence[Port], arrays: Sequence[Array], inputs: int) -> None:
    """No output or memory may overlap another array, because compiled code reads and writes in any order."""
    spans = [(a.ctypes.data, a.ctypes.data + a.nbytes) for a in arrays]
    for k in range(inputs, len(arrays)):
        for j in range(k):
            if spans[k][0] < spans[j][1] and spans[j][0] < spans[k][1]:
                raise PortError(f"{owner}: ports {ports[j].name!r} and {ports[k].name!r} share memory")


def addresses_of(arrays: Sequence[Array]) -> Any:
    """Addresses of the arrays as one C array of pointers, so that a call passes a single argument."""
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))


def by_name(owner: str, ports: Sequence[Port], given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """Values in the ports' order from positional and named ones; None for missing ones."""
    if len(given) > len(ports):
        raise PortError(f"{owner}: {len(given)} values for {len(ports)} inputs")
    names = [p.name for p in ports]
    values: list[Any] = list(given) + [None] * (len(ports) - len(given))
    for name, value in named.items():
        if name not in names:
            raise PortError(f"{owner}: no port {name!r}; ports: {', '.join(names) or 'none'}")
        k = names.index(name)
        if k < len(given):
            raise PortError(f"{owner}: port {name!r} is given twice")
        values[k] = value
    return values


def named_values(owner: str, ports: Sequence[Port], named: Mapping[str, Any]) -> dict[str, Any]:
    """A value for every port's name, None for missing ones; unknown names are refused."""
    return dict(zip((p.name for p in ports), by_name(owner, ports, (), named), strict=True))


@final
class Compiled:
    """A compiled unit. Call it with arrays in port order or by name; or `bind` arrays once and call the result.

    `compiled(q, v, tau)` returns new arrays; `compiled(q, v, tau, out=qdd)` writes into `qdd` and, called again with
    the same arrays, neither checks nor allocates. `out` is an array, a sequence of arrays or a mapping by port name.
    """

    def __init__(
        self,
        unit: Unit,
        native: Callable[..., None],
        lanes: int,
        target: str,
        *,
        packed: Callable[[Any], None] | None = None,
        mapped: Callable[..., None] | None = None,
        library: Library | None = None,
        times: BuildTimes | None = None,
    ) -> None:
        self.unit, self.lanes, self.target, self.library, self.times = unit, lanes, target, library, times
        self._native, self._mapped = native, mapped
        self._run = packed or (lambda addresses: native(*addresses))
        self._owner = f"{unit.name!r} on {target}"
        self._takes = unit.inputs + unit.memory
        self._last: tuple[tuple[Any, ...], Any, Any] = ((), None, None)

    def __call__(self, /, *given: ArrayLike, out: Any = None, **named: ArrayLike) -> Any:
        """Inputs, then memory; by position or by name."""
        last, last_out, addresses = self._last
        if out is not None and out is last_out and not named and len(given) == len(last) and all(map(is_, given, last)):
            self._run(addresses)
            return out
        values = by_name(self._owner, self._takes, given, named)
        inputs = [self._input(port, value) for port, value in zip(self._takes, values, strict=True)]
        n = len(self.unit.inputs)
        outputs = self._outputs(out)
        arrays = [*inputs[:n], *outputs, *inputs[n:]]
        check_apart(self._owner, self.unit.ports, arrays, n)
        addresses = addresses_of(arrays)
        # The arrays are kept, so they cannot be freed while their addresses are in use. An array that is resized with
        # refcheck=False, or made read-only, between two calls goes unnoticed: that is the caller's responsibility.
        if isinstance(out, (np.ndarray, tuple)) and all(map(is_, values, inputs)) and not named:
            self._last = (given, out, addresses)
        self._run(addresses)
        if out is not None:
            return out
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _input(self, port: Port, value: Any) -> Array:
        shape = lane_shape(port, self.lanes)
        if value is None:
            raise PortError(f"{self._owner}: port {port.name!r} is not given; shape {shape} is wanted")
        if port in self.unit.memory:
            return checked(self._owner, port, value, shape, writes=True)
        if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous and value.flags.aligned:
            return checked(self._owner, port, value, shape)
        return converted(self._owner, port, value, shape)

    def _outputs(self, out: Any) -> list[Array]:
        ports = self.unit.outputs
        if out is None:
            return [np.empty(lane_shape(p, self.lanes)) for p in ports]
        if isinstance(out, Mapping):
            out = self._outputs_by_name(out)
        given = [out] if isinstance(out, np.ndarray) else list(out)
        if len(given) != len(ports):
            raise PortError(f"{self._owner}: {len(given)} output arrays for {len(ports)} outputs")
        return [
            checked(self._owner, port, array, lane_shape(port, self.lanes), writes=True)
            for port, array in zip(ports, given, strict=True)
        ]

    def _outputs_by_name(self, out: Mapping[str, Any]) -> list[Any]:
        arrays = by_name(self._owner, self.unit.outputs, (), out)
        for port, array in zip(self.unit.outputs, arrays, strict=True):
            if array is None:
                raise PortError(f"{self._owner}: out has no array for output {port.name!r}")
        return arrays

    def arrays(self) -> dict[str, Array]:
        """New zeroed arrays for every port, by name, for use with `bind`."""
        return {p.name: np.zeros(lane_shape(p, self.lanes)) for p in self.unit.ports}

    def bind(self, /, **arrays: Array) -> Bound:
        """Fix every port's array once; calling the result is the fastest way to run repeatedly."""
        ports = self.unit.ports
        values = by_name(self._owner, ports, (), arrays)
        n = len(self.unit.inputs)
        found = []
        for k, (port, value) in enumerate(zip(ports, values, strict=True)):
            shape = lane_shape(port, self.lanes)
            if value is None:
                raise PortError(f"{self._owner}: port {port.name!r} is not given; shape {shape} is wanted")
            found.append(checked(self._owner, port, value, shape, writes=k >= n))
        check_apart(self._owner, ports, found, n)
        return Bound(self._run, found)

    def map(self, /, **arrays: Array) -> dict[str, Array]:
        """Run for many sets of arguments: every array has one more leading axis, of the same length; native on llvm.

        Missing outputs are created; returns outputs and memory by name.
        """
        bound = self.bind_map(**arrays)
        bound()
        n = len(self.unit.inputs)
        return {p.name: a for p, a in zip(self.unit.ports[n:], bound.arrays[n:], strict=True)}

    def bind_map(self, /, **arrays: Array) -> Bound:
        """`map` with fixed arrays; calling the result runs all sets."""
        unit, n = self.unit, len(self.unit.inputs)
        values = by_name(self._owner, unit.ports, (), arrays)
        if all(v is None for v in values):
            names = ", ".join(p.name for p in unit.ports)
            raise PortError(f"{self._owner}: no array is given; map takes arrays by port name: {names or 'none'}")
        counts = {len(v) for v in values if v is not None and np.ndim(v)}
        if len(counts) != 1:
            raise PortError(f"{self._owner}: all arrays must have the same first length, not {sorted(counts)}")
        count = counts.pop()
        found = []
        for k, (port, value) in enumerate(zip(unit.ports, values, strict=True)):
            shape = (count, *lane_shape(port, self.lanes))
            if value is None and port in unit.outputs:
                value = np.empty(shape)
            found.append(checked(self._owner, port, value, shape, writes=k >= n))
        check_apart(self._owner, unit.ports, found, n)
        mapped = self._mapped or self._python_map(found)
        return Bound(lambda addresses: mapped(count, *addresses), found)

    def _python_map(self, arrays: list[Array]) -> Callable[..., None]:
        """The work of the native map, one call at a time."""

        def run(count: int, *pointers: int) -> None:
            for k in range(count):
                self._native(*(p + k * (a.nbytes // count) for p, a in zip(pointers, arrays, strict=True)))

        return run

    def __repr__(self) -> str:
        return f"<compiled {self._owner}, {self.lanes} lane{'s' if self.lanes > 1 else ''}>"


@final
class Bound:
    """Compiled code with its arrays: `bound()` runs it on their present contents, without checking them again.

    It keeps the arrays alive. The caller must not resize them with refcheck=False or make written ones read-only.
    """

    __slots__ = ("_addresses", "_run", "arrays")

    def __init__(self, run: Callable[[Any], None], arrays: list[Array]) -> None:
        self._run, self.arrays = run, arrays
        self._addresses = addresses_of(arrays)

    def __call__(self) -> None:
        self._run(self._addresses)
