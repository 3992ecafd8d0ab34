"""`scan`: a native loop that runs a step many times with its state fed back, without returning to Python."""

from __future__ import annotations

import ctypes
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.kernels import Kernel
from motionbase.compile.keys import code_key
from motionbase.compile.mode import Mode
from motionbase.compile.options import check_lanes, choice, whole_number
from motionbase.compile.programs import Program, Turn, Unit
from motionbase.compile.render.llvm import Module
from motionbase.compile.render.llvm_scan import loop_module, scan_function, workspace_doubles
from motionbase.compile.routine import instructions
from motionbase.compile.runtime import python
from motionbase.compile.runtime.calling import checked, converted, lane_shape, named_values
from motionbase.compile.scan_plan import Feed, ScanPlan, fed_back, needed, plan
from motionbase.compile.target import compile_llvm
from motionbase.errors import KernelError, PortError
from motionbase.native import jit
from motionbase.native.cache import ObjectCache

CHUNK_SECONDS = 0.1
SHARED_FROM = 2000  # instructions from which a step is compiled once and shared by all loops around it
_NOTHING: Array = np.empty(0)  # stands for an output that is not kept


def _count(owner: str, what: str, value: int, least: int) -> int:
    number = whole_number(owner, what, value, PortError)
    if number < least:
        raise PortError(f"{owner}: {what} is {number}, it must be at least {least}")
    return number


def scan(
    step: Unit,
    feedback: Mapping[str, str] | None = None,
    *,
    per_step: Sequence[str] = (),
    record: Sequence[str] = (),
    target: Literal["llvm", "python"] = "llvm",
    lanes: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    each: Literal["lanes", "loops"] = "lanes",
    cache: ObjectCache | None | Literal["default"] = "default",
) -> Scan:
    """Compile a loop around a step.

    Args:
        feedback: state input -> the output with its next value, such as {"x": "x_next"}; by default, every struct that
            is both an input and an output
        per_step: inputs with one row per step; the others are held
        record: outputs whose rows are recorded
        lanes: number of scenarios at once; every array then has a last axis of that length
        each: run iterations of `for_each` on the lanes of a register if that is faster, or one by one; same bits
    """
    owner = f"scan of {step.name!r}"
    if str(target) == "cuda":
        raise KernelError(f"{owner}: target 'cuda' is motionbase.compile.runtime.cuda.scan_cuda")
    choice(owner, "target", target, ("llvm", "python"))
    choice(owner, "mode", mode, ("strict", "fast"))
    choice(owner, "each", each, ("lanes", "loops"))
    lanes = check_lanes(owner, lanes, target)
    states = fed_back(step) if feedback is None else feedback
    if target == "python":
        planned = needed(step, states, per_step, record)
        return Scan(planned, _interpreted(planned, python.native(planned.unit, lanes), lanes), lanes)
    store = ObjectCache() if cache == "default" else cache
    how = lanes, Mode(mode), each == "lanes", store
    whole = plan(step, states, per_step, record)  # refuses wrong names before anything is traced
    if lanes == 1 and _is_long(step):  # batches need speed: they get their own step
        return Scan(whole, _around(whole, *how), lanes)
    planned = needed(step, states, per_step, record)
    return Scan(planned, _compiled(planned, *how), lanes)


def _is_long(step: Unit) -> bool:
    """Whether all loops around a step share it. The trace of a large one is enough to tell: it need not be lowered,
    which would take longer than everything else where the object comes from the cache."""
    return _traced(step, {}) >= 2 * SHARED_FROM or instructions(step.routine) >= SHARED_FROM


def _traced(unit: Unit, seen: dict[int, Unit]) -> int:
    """Instructions of CasADi of a unit and all it calls, each counted once."""
    if id(unit) in seen:
        return 0
    seen[id(unit)] = unit
    if isinstance(unit, Kernel):
        return int(unit.function.n_instructions())
    if isinstance(unit, (Program, Turn)):
        callees = (record.unit for record in unit.assembly.trace.root.calls())
        return len(unit.assembly.steps) + sum(_traced(callee, seen) for callee in callees)
    return 0


@final
class Scan:
    """A compiled loop: `run(n, x=x0, ...)`. It runs without holding Python's GIL."""

    def __init__(self, planned: ScanPlan, native: Callable[..., None], lanes: int) -> None:
        self.plan, self.lanes = planned, lanes
        self._native = native
        self._owner = f"scan of {planned.unit.name!r}"

    def __call__(
        self, steps: int, /, *, every: int = 1, out: Mapping[str, Array] | None = None, **arrays: ArrayLike
    ) -> dict[str, Array]:
        """Run `steps` steps and return the final states and the recorded rows, by port name.

        Row r of a recorded output is its value after (r + 1) * `every` steps. The given states and memory are not
        changed; `out` may name arrays for rows and final states (including a state's own array). Ctrl-C is checked
        about ten times a second; the arrays of `out` then hold the results so far.
        """
        steps, every = _count(self._owner, "steps", steps, 0), _count(self._owner, "every", every, 1)
        given = self._given(steps, arrays)
        used = self._written(steps, every, given, out or {})
        self._check_apart(given, used)
        for k, array in enumerate(used):
            if self.plan.feeds[k] in (Feed.STATE, Feed.MEMORY) and array is not given[k]:
                array[...] = given[k]
        self._run(steps, every, used)
        written = [k for k, feed in enumerate(self.plan.feeds) if feed in (Feed.STATE, Feed.MEMORY)]
        return {self.plan.unit.ports[k].name: used[k] for k in (*written, *self.plan.recorded)}

    def _given(self, steps: int, arrays: Mapping[str, ArrayLike]) -> dict[int, Array]:
        """The caller's arrays by port: states, memory, held inputs and inputs with a row per step."""
        unit = self.plan.unit
        values = named_values(self._owner, unit.inputs + unit.memory, arrays)
        given = {}
        for k, (port, feed) in enumerate(zip(unit.ports, self.plan.feeds, strict=True)):
            if feed is not Feed.OUTPUT:
                shape = lane_shape(port, self.lanes)
                wanted = (steps, *shape) if feed is Feed.PER_STEP else shape
                if values[port.name] is None:
                    raise PortError(f"{self._owner}: port {port.name!r} is not given; shape {wanted} is wanted")
                given[k] = converted(self._owner, port, values[port.name], wanted)
        return given

    def _written(self, steps: int, every: int, given: dict[int, Array], out: Mapping[str, Array]) -> list[Array]:
        """An array for every port: new ones or the caller's for written ports, the given ones for the others."""
        unit = self.plan.unit
        targets = named_values(self._owner, unit.ports, out)
        used = []
        for k, (port, feed) in enumerate(zip(unit.ports, self.plan.feeds, strict=True)):
            target, kept = targets[port.name], feed in (Feed.STATE, Feed.MEMORY) or k in self.plan.recorded
            if target is not None and not kept:
                raise PortError(f"{self._owner}: out has {port.name!r}, which is neither a state, memory nor recorded")
            shape = lane_shape(port, self.lanes)
            if k in self.plan.recorded:
                shape = (steps // every, *shape)
            if not kept:
                used.append(given.get(k, _NOTHING))
            elif target is None:
                used.append(np.empty(shape))
            else:
                used.append(checked(self._owner, port, target, shape, writes=True))
        return used

    def _check_apart(self, given: dict[int, Array], used: list[Array]) -> None:
        """Written arrays must not share memory, except a state or memory with the very array it starts from."""
        writes = [feed not in (Feed.HELD, Feed.PER_STEP) for feed in self.plan.feeds]
        places = [(j, a, False) for j, a in given.items()]
        places += [(k, a, writes[k]) for k, a in enumerate(used) if a is not given.get(k) or writes[k]]
        bounds = sorted((*byte_bounds(a), j, is_written) for j, a, is_written in places if a.size)
        reach: list[tuple[int, int, bool]] = []  # end, port and whether it is written, of open intervals
        for low, high, j, is_written in bounds:
            reach = [r for r in reach if r[0] > low]
            for _, k, other in reach:
                if k != j and (is_written or other):
                    ports = self.plan.unit.ports
                    first, second = min(j, k), max(j, k)
                    raise PortError(
                        f"{self._owner}: ports {ports[first].name!r} and {ports[second].name!r} share memory"
                    )
            reach.append((high, j, is_written))

    def _run(self, steps: int, every: int, arrays: list[Array]) -> None:
        """Native calls of about a tenth of a second, so that Python can handle Ctrl-C in between."""
        places = np.array([a.ctypes.data for a in arrays], dtype=np.int64)
        bytes_a_step, bytes_a_row = np.zeros((2, len(arrays)), dtype=np.int64)
        for k in self.plan.per_step:
            bytes_a_step[k] = self.plan.size(k) * self.lanes * 8
        for k in self.plan.recorded:
            bytes_a_row[k] = self.plan.size(k) * self.lanes * 8
        workspace = np.empty(workspace_doubles(self.plan, self.lanes))
        done, chunk = 0, every * max(1, 1000 // every)
        while done < steps:
            now = min(chunk, steps - done)
            start = time.perf_counter()
            at = places + done * bytes_a_step + (done // every) * bytes_a_row
            self._native(now, every, workspace.ctypes.data, *at.tolist())
            done += now
            elapsed = time.perf_counter() - start
            # multiples of `every`, so that each call starts a new row count
            chunk = every * max(1, int(min(10.0, CHUNK_SECONDS / max(elapsed, 1e-6)) * chunk) // every)


def _compiled(
    planned: ScanPlan, lanes: int, mode: Mode, each_on_lanes: bool, store: ObjectCache | None
) -> Callable[..., None]:
    unit = planned.unit
    options = (
        f"scan lanes={lanes} mode={mode.value} {each_on_lanes} {planned.feeds} {planned.feedback} {planned.recorded}"
    )

    def render() -> str:
        """The step as an inner function, and the loop."""
        module = Module(unit.routine, lanes, mode, each_on_lanes)
        loop = scan_function(planned, lanes, f"{unit.name}.scan", f"@{module.entry}")
        return module.text(exported=False, more=[loop])

    library, _ = jit.build(render, code_key(unit.digest, options), store)
    types: list[Any] = [ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * (1 + len(unit.ports))]
    native: Callable[..., None] = library.function(f"{unit.name}.scan", *types)
    return native


def _around(
    planned: ScanPlan, lanes: int, mode: Mode, each_on_lanes: bool, store: ObjectCache | None
) -> Callable[..., None]:
    """A small loop around the step, which is compiled once for all choices of recorded outputs."""
    step = compile_llvm(planned.unit, lanes, mode, each_on_lanes, store).library
    assert step is not None
    text = loop_module(planned, lanes)
    library, _ = jit.build(lambda: text, jit.object_key(hashlib.sha256(text.encode()).hexdigest(), "scan"), store)
    types: list[Any] = [ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * (1 + len(planned.unit.ports))]
    loop = library.function("scan", ctypes.c_void_p, *types)

    def native(*arguments: int, code: jit.Library = step, address: int = step.address(planned.unit.name)) -> None:
        """The loop with its step, whose code must live as long as the loop."""
        loop(address, *arguments)

    return native


def _interpreted(planned: ScanPlan, step: Callable[..., None], lanes: int) -> Callable[..., None]:
    """The same loop in Python: the definition of the compiled one."""

    def run(steps: int, every: int, workspace: int, *pointers: int) -> None:
        """The step works on copies where the native loop uses the workspace."""
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
