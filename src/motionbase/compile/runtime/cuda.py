"""The `cuda` target: the generated source compiled by NVRTC and run through CuPy, one scenario a thread."""

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

THREADS = 128  # a block


def _cupy() -> Any:
    """CuPy with a device, or one clear sentence."""
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
    """A CuPy function from generated source; this needs no other part of motionbase."""
    return _cupy().RawModule(code=source, options=cuda.OPTIONS[fast]).get_function(function)


def compile_cuda(unit: Unit, *, mode: Literal["strict", "fast"] = "strict") -> CudaBatch:
    """The unit on the GPU, for any number of scenarios a call."""
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
    planned, fast = needed(step, feedback, per_step, record), mode == "fast"
    return CudaScan(planned, compile_source(cuda.render_scan(planned, fast), f"{step.name}_scan", fast))


def _placed(xp: Any, owner: str, port: Port, value: Any, shape: tuple[int, ...], n: int) -> tuple[Any, int, int]:
    """The array on the device, and its steps from element to element and from scenario to scenario."""
    if value is None:
        raise PortError(f"{owner}: port {port.name!r} is not given; shape {(*shape, n)} is wanted")
    if not np.can_cast(getattr(value, "dtype", np.float64), np.float64, "safe"):
        raise PortError(f"{owner}: port {port.name!r} has dtype {value.dtype}, float64 is wanted")
    array = xp.ascontiguousarray(xp.asarray(value, dtype=xp.float64))
    if array.shape == (*shape, n):
        return array, n, 1
    if array.shape == shape:
        return array, 1, 0
    raise PortError(
        f"{owner}: port {port.name!r} has shape {array.shape}, {(*shape, n)} or, shared by all, {shape} is wanted"
    )


def _launch(function: Any, n: int, arguments: list[Any]) -> None:
    if n:
        function(((n + THREADS - 1) // THREADS,), (THREADS,), (*arguments, np.int64(n)))


@final
class CudaBatch:
    """A unit on the GPU: arrays have a last axis of n scenarios, or none where all share them."""

    def __init__(self, unit: Unit, function: Any) -> None:
        self.unit, self._function = unit, function
        self._owner = f"{unit.name!r} on cuda"

    def __call__(self, scenarios: int, /, **arrays: Any) -> dict[str, Any]:
        """Outputs (new CuPy arrays) and memory (updated in place where it is a CuPy array already) by name."""
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
    """A loop on the GPU: `run(scenarios, steps, x=x0, ...)`."""

    def __init__(self, planned: ScanPlan, function: Any) -> None:
        self.plan, self._function = planned, function
        self._owner = f"scan of {planned.unit.name!r} on cuda"

    def __call__(self, scenarios: int, /, steps: int, *, every: int = 1, **arrays: Any) -> dict[str, Any]:
        """Final states, memory and recorded rows (rows, shape, scenarios), as CuPy arrays by name."""
        xp, unit, n = _cupy(), self.plan.unit, scenarios
        takes = unit.inputs + unit.memory
        given = named_values(self._owner, takes, arrays)
        passed: list[Any] = []
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
            passed += [array, np.int64(s), np.int64(t)]
        for k in self.plan.states:
            port = unit.ports[k]
            results[port.name] = xp.empty((*port.array_shape, n))
            passed.append(results[port.name])
        _launch(self._function, n, [*passed, np.int64(steps), np.int64(every)])
        return results
