"""`scan`: a native loop that runs a step many times with its state fed back, without returning to Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile.cache import ObjectCache
from motionbase.compile.mode import Mode
from motionbase.compile.program import Unit
from motionbase.compile.render.llvm import Module
from motionbase.compile.render.llvm_scan import scan_function
from motionbase.compile.runtime import llvm, python
from motionbase.compile.runtime.calling import check_apart, checked, converted, lane_shape, named_values
from motionbase.compile.scan_plan import Feed, ScanPlan, plan
from motionbase.errors import KernelError, PortError

Array = NDArray[np.float64]


def scan(
    step: Unit,
    feedback: Mapping[str, str],
    *,
    per_step: Sequence[str] = (),
    record: Sequence[str] = (),
    target: Literal["llvm", "python"] = "llvm",
    lanes: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    cache: ObjectCache | None | Literal["default"] = "default",
) -> Scan:
    """Compile a loop around a step.

    Args:
        feedback: state input -> the output that is its next value, such as {"x": "x_next"}
        per_step: inputs with one row a step; the others are held
        record: outputs of which rows are kept
        lanes: scenarios at once; every array then has a last axis of that length
    """
    planned = plan(step, feedback, per_step, record)
    if target == "python":
        return Scan(planned, _interpreted(planned, python.native(step, lanes), lanes), lanes)
    if target != "llvm":
        raise KernelError(f"scan of {step.name!r}: no target {target!r}; targets: llvm, python (cuda: see scan_cuda)")
    return Scan(planned, _compiled(planned, lanes, Mode(mode), ObjectCache() if cache == "default" else cache), lanes)


@final
class Scan:
    """A compiled loop: `run(n, x=x0, ...)`. Python's lock is free while it runs."""

    def __init__(self, planned: ScanPlan, native: Callable[..., None], lanes: int) -> None:
        self.plan, self.lanes = planned, lanes
        self._native = native
        self._owner = f"scan of {planned.unit.name!r}"

    def __call__(
        self, steps: int, *, every: int = 1, out: Mapping[str, Array] | None = None, **arrays: ArrayLike
    ) -> dict[str, Array]:
        """Run `steps` steps and return the final states and the recorded rows, by port name.

        Row r of a recorded output is its value after (r + 1) * `every` steps. States and memory given are not
        changed; `out` may give arrays to write rows and final states into.
        """
        if steps < 0 or every < 1:
            raise PortError(f"{self._owner}: {steps} steps, every {every}; steps >= 0 and every >= 1 are wanted")
        unit = self.plan.unit
        takes = unit.inputs + unit.memory
        given = named_values(self._owner, takes, arrays)
        given_out = named_values(self._owner, unit.ports, out or {})
        used: list[Array] = []
        results: dict[str, Array] = {}
        for k, (port, feed) in enumerate(zip(unit.ports, self.plan.feeds, strict=True)):
            shape = lane_shape(port, self.lanes)
            target = given_out[port.name]
            if feed is Feed.OUTPUT:
                rows = (steps // every, *shape) if k in self.plan.recorded else (0,)
                if target is None:
                    target = np.empty(rows)
                array = checked(self._owner, port, target, rows, writes=True)
                if k in self.plan.recorded:
                    results[port.name] = array
            else:
                wanted = (steps, *shape) if feed is Feed.PER_STEP else shape
                if given[port.name] is None:
                    raise PortError(f"{self._owner}: port {port.name!r} is not given; shape {wanted} is wanted")
                array = converted(self._owner, port, given[port.name], wanted)
                if feed in (Feed.STATE, Feed.MEMORY):
                    if target is None:
                        array = array.copy()
                    else:
                        final = checked(self._owner, port, target, shape, writes=True)
                        final[...] = array
                        array = final
                    results[port.name] = array
            used.append(array)
        check_apart(self._owner, unit.ports, used, len(unit.inputs))
        self._native(steps, every, *(a.ctypes.data for a in used))
        return results


def _compiled(planned: ScanPlan, lanes: int, mode: Mode, store: ObjectCache | None) -> Callable[..., None]:
    unit = planned.unit
    options = f"scan lanes={lanes} mode={mode.value} {planned.feeds} {planned.feedback} {planned.recorded}"

    def render() -> str:
        """The step as an inner function, and the loop."""
        module = Module(unit.routine, lanes, mode)
        return module.text(exported=False, more=[scan_function(module, planned)])

    library, _ = llvm.build(render, llvm.object_key(unit.digest, options), store)
    types: list[Any] = [ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * len(unit.ports)]
    native: Callable[..., None] = library.function(f"{unit.name}.scan", *types)
    return native


def _interpreted(planned: ScanPlan, step: Callable[..., None], lanes: int) -> Callable[..., None]:
    """The same loop in Python: the definition of what the compiled one does."""

    def run(steps: int, every: int, *pointers: int) -> None:
        """Copy what the step writes, as the native loop does."""
        doubles = [planned.size(k) * lanes for k in range(len(pointers))]
        local = {k: np.empty(doubles[k]) for k, feed in enumerate(planned.feeds) if feed in (Feed.STATE, Feed.OUTPUT)}
        for k in planned.states:
            ctypes.memmove(local[k].ctypes.data, pointers[k], doubles[k] * 8)
        kept = 0
        for s in range(steps):
            places = [
                local[k].ctypes.data
                if k in local
                else pointers[k] + (s * doubles[k] * 8 if feed is Feed.PER_STEP else 0)
                for k, feed in enumerate(planned.feeds)
            ]
            step(*places)
            for state, output in planned.feedback:
                local[state][:] = local[output]
            if (s + 1) % every == 0:
                for k in planned.recorded:
                    ctypes.memmove(pointers[k] + kept * doubles[k] * 8, local[k].ctypes.data, doubles[k] * 8)
                kept += 1
        for k in planned.states:
            ctypes.memmove(pointers[k], local[k].ctypes.data, doubles[k] * 8)

    return run
