"""The `cuda` target: the generated source compiled by NVRTC and run through CuPy, one scenario per thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, final

import numpy as np

from motionbase.compile.options import choice
from motionbase.compile.port import Port
from motionbase.compile.programs import Unit
from motionbase.compile.render import cuda
from motionbase.compile.runtime.calling import named_values
from motionbase.compile.scan_plan import Feed, ScanPlan, needed
from motionbase.errors import PortError, TargetUnavailable

THREADS = 128  # per block, for batches
RESERVED = 1024  # bytes of shared memory that a block uses besides its own request


def _cupy() -> Any:
    """CuPy with a device; raises `TargetUnavailable` otherwise."""
    try:
        import cupy
    except ImportError:
        raise TargetUnavailable("target 'cuda': CuPy is not installed; `pip install motionbase[cuda]`") from None
    try:
        if cupy.cuda.runtime.getDeviceCount() > 0:
            return cupy
    except cupy.cuda.runtime.CUDARuntimeError:
        pass
    raise TargetUnavailable("target 'cuda': no CUDA device on this machine")


def compile_source(source: str, function: str, fast: bool = False) -> Any:
    """A CuPy function from generated source; independent of the rest of motionbase."""
    return _cupy().RawModule(code=source, options=cuda.OPTIONS[fast]).get_function(function)


def compile_cuda(unit: Unit, *, mode: Literal["strict", "fast"] = "strict") -> CudaBatch:
    """The unit on the GPU, for any number of scenarios per call."""
    choice(repr(unit.name), "mode", mode, ("strict", "fast"))
    fast = mode == "fast"
    return CudaBatch(unit, compile_source(cuda.render(unit, fast), f"{unit.name}_batch", fast))


def scan_cuda(
    step: Unit,
    feedback: Mapping[str, str],
    *,
    per_step: Sequence[str] = (),
    record: Sequence[str] = (),
    mode: Literal["strict", "fast"] = "strict",
) -> CudaScan:
    """The loop of `scan` on the GPU: every scenario runs all steps in its own thread."""
    choice(f"scan of {step.name!r}", "mode", mode, ("strict", "fast"))
    _cupy()
    return CudaScan(needed(step, feedback, per_step, record), fast=mode == "fast")


def _placed(xp: Any, owner: str, port: Port, value: Any, shape: tuple[int, ...], n: int) -> tuple[Any, int, int]:
    """The array on the device, and its strides from element to element and from scenario to scenario."""
    if value is None:
        raise PortError(f"{owner}: port {port.name!r} is not given; shape {(*shape, n)} is wanted")
    if not np.can_cast(getattr(value, "dtype", np.float64), np.float64, "safe"):
        raise PortError(f"{owner}: port {port.name!r} has dtype {value.dtype}, float64 is wanted")
    array = xp.asarray(value, dtype=xp.float64)
    array = xp.ascontiguousarray(array).reshape(array.shape)  # a scalar would become an array of one
    if array.shape == (*shape, n):
        return array, n, 1
    if array.shape == shape:
        return array, 1, 0
    raise PortError(
        f"{owner}: port {port.name!r} has shape {array.shape}, {(*shape, n)} or, shared by all, {shape} is wanted"
    )


def _launch(function: Any, n: int, arguments: list[Any], threads: int = THREADS, near: int = 0) -> None:
    """Run n threads, with `near` doubles of shared memory each."""
    if n:
        blocks = (n + threads - 1) // threads
        function((blocks,), (threads,), (*arguments, np.int64(n)), shared_mem=8 * near * threads)


def _near() -> int:
    """Doubles of shared memory available to a thread of a scan; an odd number."""
    attributes = _cupy().cuda.Device().attributes
    whole = int(attributes["MaxSharedMemoryPerMultiprocessor"]) // cuda.BLOCKS - RESERVED
    numbers = min(whole, int(attributes["MaxSharedMemoryPerBlockOptin"])) // (8 * cuda.THREADS)
    return max(numbers - (numbers + 1) % 2, 0)


@final
class CudaBatch:
    """A unit on the GPU: arrays have a last axis of n scenarios, or none if all scenarios share them."""

    def __init__(self, unit: Unit, function: Any) -> None:
        self.unit, self._function = unit, function
        self._owner = f"{unit.name!r} on cuda"

    def __call__(self, scenarios: int, /, **arrays: Any) -> dict[str, Any]:
        """Outputs (new CuPy arrays) and memory (updated in place if it is already a CuPy array) by name."""
        xp, unit, n = _cupy(), self.unit, scenarios
        takes = unit.inputs + unit.memory
        given = named_values(self._owner, takes, arrays)
        passed: list[Any] = []
        results: dict[str, Any] = {}
        for port in unit.ports:
            if port in unit.outputs:
                array, s, t = xp.empty((*port.array_shape, n)), n, 1
            else:
                array, s, t = _placed(xp, self._owner, port, given[port.name], port.array_shape, n)
            if port not in unit.inputs:
                if t == 0:
                    raise PortError(f"{self._owner}: memory {port.name!r} cannot be shared by all scenarios")
                results[port.name] = array
            passed += [array, np.int64(s), np.int64(t)]
        _launch(self._function, n, passed)
        return results


@final
class CudaScan:
    """A loop on the GPU: `run(scenarios, steps, x=x0, ...)`.

    It is compiled at its first run, and again when the set of shared inputs changes. Runs of one loop share its
    constant memory, so they execute one after the other, on one stream.
    """

    def __init__(self, planned: ScanPlan, fast: bool) -> None:
        self.plan, self._fast = planned, fast
        self._owner = f"scan of {planned.unit.name!r} on cuda"
        self._modules: dict[frozenset[str], Any] = {}

    def _function(self, arrays: Mapping[str, tuple[Any, int, int]], near: int) -> Any:
        """The function for these inputs; shared ones go to its constant memory."""
        plan = self.plan
        held = (p.name for p, feed in zip(plan.unit.ports, plan.feeds, strict=True) if feed is Feed.HELD)
        shared = frozenset(name for name in held if arrays[name][2] == 0)
        if shared not in self._modules:
            source = cuda.render_scan(plan, self._fast, shared, near)
            self._modules[shared] = _cupy().RawModule(code=source, options=cuda.OPTIONS[self._fast])
        module = self._modules[shared]
        constants = module.get_global("mb_shared")
        for name, at in cuda.shared_places(plan, shared).items():
            array = arrays[name][0]
            (constants + 8 * at).copy_from_device_async(array.data, array.nbytes)
        function = module.get_function(f"{plan.unit.name}_scan")
        function.max_dynamic_shared_size_bytes = 8 * near * cuda.THREADS
        return function

    def __call__(self, scenarios: int, /, steps: int, *, every: int = 1, **arrays: Any) -> dict[str, Any]:
        """Final states, memory and recorded rows (rows, shape, scenarios), as CuPy arrays by name."""
        xp, unit, n = _cupy(), self.plan.unit, scenarios
        takes = unit.inputs + unit.memory
        given = named_values(self._owner, takes, arrays)
        placed: dict[str, tuple[Any, int, int]] = {}
        results: dict[str, Any] = {}
        for k, (port, feed) in enumerate(zip(unit.ports, self.plan.feeds, strict=True)):
            if feed is Feed.OUTPUT:
                rows = steps // every if k in self.plan.recorded else 0
                array, s, t = xp.empty((rows, *port.array_shape, n)), n, 1
                if k in self.plan.recorded:
                    results[port.name] = array
            else:
                shape = (steps, *port.array_shape) if feed is Feed.PER_STEP else port.array_shape
                array, s, t = _placed(xp, self._owner, port, given[port.name], shape, n)
                if feed is Feed.MEMORY:
                    results[port.name] = array
            placed[port.name] = array, s, t
        passed = [x for array, s, t in placed.values() for x in (array, np.int64(s), np.int64(t))]
        for k in self.plan.states:
            port = unit.ports[k]
            results[port.name] = xp.empty((*port.array_shape, n))
            passed.append(results[port.name])
        near = _near()
        function = self._function(placed, near)
        _launch(function, n, [*passed, np.int64(steps), np.int64(every)], cuda.THREADS, near)
        return results
