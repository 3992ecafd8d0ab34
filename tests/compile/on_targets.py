"""Run a unit on every target over a batch of arguments, and compare the results to the bit."""

import ctypes
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Unit, compile
from motionbase.compile.render.python import run
from motionbase.compile.runtime import c
from tests.tier import ALL

Array = NDArray[np.float64]
Batch = dict[str, Array]  # by port name; the first axis counts the samples

ZIG = [sys.executable, "-m", "ziglang", "cc"]
COMPILERS = {"gcc": ["gcc"], "clang": ZIG}
LLVM = ("llvm1", "llvm2", "llvm4", "llvm8")
TARGETS = (*LLVM, *COMPILERS)  # every target beside the interpreter, which is the definition
USUAL = TARGETS if ALL else ("llvm1", "llvm8", "gcc")  # tests of operations and programs run on all in any case


def on_python(unit: Unit, given: Mapping[str, Array]) -> Batch:
    """The interpreter: every sample of the batch at once."""
    arrays, n = _prepared(unit, given)
    flat = [np.ascontiguousarray(a.reshape(n, -1).T) for a in arrays.values()]
    run(unit.routine, flat)
    return {p.name: f.T.reshape(n, *p.array_shape) for p, f in zip(unit.ports, flat, strict=True)}


def on_target(target: str, unit: Unit, given: Mapping[str, Array]) -> Batch:
    """A compiled target, sample by sample or lane by lane."""
    arrays, n = _prepared(unit, given)
    if target in COMPILERS:
        _sample_by_sample(native(unit, target), list(arrays.values()), n)
        return arrays
    lanes = int(target.removeprefix("llvm"))
    rounds = -(-n // lanes)
    packed = []
    for a in arrays.values():  # (rounds, size, lanes): what NAME.map walks through
        padded = np.resize(a.reshape(n, -1), (rounds * lanes, a.size // n))
        packed.append(np.ascontiguousarray(padded.reshape(rounds, lanes, -1).transpose(0, 2, 1)))
    native(unit, target)(rounds, *(p.ctypes.data for p in packed))
    return {
        port.name: p.transpose(0, 2, 1).reshape(rounds * lanes, *port.array_shape)[:n]
        for port, p in zip(unit.ports, packed, strict=True)
    }


_compiled: dict[tuple[int, str], tuple[Unit, Callable[..., Any]]] = {}  # with the unit, whose id must stay taken


def native(unit: Unit, target: str) -> Callable[..., Any]:
    """The unit's C function (warnings being errors), or LLVM's `NAME.map`; compiled once, never from the cache."""
    if (id(unit), target) not in _compiled:
        _compiled[id(unit), target] = unit, _native(unit, target)
    return _compiled[id(unit), target][1]


def _native(unit: Unit, target: str) -> Callable[..., Any]:
    if target in COMPILERS:
        return c.native(unit, COMPILERS[target], c.STRICT_FLAGS)
    compiled = compile(unit, "llvm", lanes=int(target.removeprefix("llvm")), cache=None)
    assert compiled.library is not None
    pointers = [ctypes.c_void_p] * len(unit.ports)
    function: Callable[..., Any] = compiled.library.function(f"{unit.name}.map", ctypes.c_int64, *pointers)
    return function


def _prepared(unit: Unit, given: Mapping[str, Array]) -> tuple[Batch, int]:
    """Fresh arrays for all ports: inputs and memory as given, outputs full of a number nobody computes."""
    n = len(next(iter(given.values())))
    arrays = {}
    for port in unit.ports:
        shape = (n, *port.array_shape)
        if port in unit.outputs:
            arrays[port.name] = np.full(shape, 123.456)
        else:
            arrays[port.name] = np.array(given[port.name], dtype=np.float64).reshape(shape)
    assert set(given) == {p.name for p in unit.inputs + unit.memory}
    return arrays, n


def _sample_by_sample(function: Callable[..., Any], arrays: list[Array], n: int) -> None:
    places = [(a.ctypes.data, a.strides[0]) for a in arrays]
    for k in range(n):
        function(*(start + k * stride for start, stride in places))


def assert_same_bits(got: Mapping[str, Array], wanted: Mapping[str, Array], what: str) -> None:
    """Every double equal to the bit; a NaN equals any NaN."""
    assert got.keys() == wanted.keys()
    for name, w in wanted.items():
        g = got[name]
        assert g.shape == w.shape, f"{what}: {name} has shape {g.shape}, not {w.shape}"
        differ = (g.view(np.uint64) != w.view(np.uint64)) & ~(np.isnan(g) & np.isnan(w))
        if differ.any():
            place = tuple(int(k) for k in np.argwhere(differ)[0])
            sample = {k: v[place[0]].tolist() for k, v in wanted.items() if v[place[0]].size <= 8}
            raise AssertionError(
                f"{what}: {name}{list(place)} is {float(g[place]).hex()}, not {float(w[place]).hex()} "
                f"({int(differ.sum())} of {g.size} differ); sample: {sample}"
            )


def assert_all_targets(unit: Unit, given: Mapping[str, Array], targets: tuple[str, ...] = USUAL) -> Batch:
    """All these targets give the interpreter's bits, which are returned."""
    wanted = on_python(unit, given)
    for target in targets:
        assert_same_bits(on_target(target, unit, given), wanted, f"{unit.name} on {target}")
    return wanted


def product(*values: Array) -> list[Array]:
    """Every combination, one flat array an argument."""
    return [g.ravel() for g in np.meshgrid(*values, indexing="ij")]


_BELOW_ONE, _ABOVE_ONE = np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)
_POSITIVE = [
    0.0, 5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 1e-300, 1e-17, 0.1, 0.25,
    np.nextafter(0.5, 0.0), 0.5, np.nextafter(0.5, 1.0), _BELOW_ONE, 1.0, _ABOVE_ONE, 1.5, 2.0, 2.5, 3.0, np.pi, 20.0,
    710.0, 2.0**52 - 0.5, 2.0**52, 2.0**53 + 2.0, 1e22, 1e154, 1e300, np.nextafter(np.inf, 0.0), np.inf,
]  # fmt: skip
EDGES: Array = np.array([s * x for x in _POSITIVE for s in (1.0, -1.0)] + [np.nan])
