"""`scan`: a native loop that runs a step many times with its state fed back, without returning to Python."""

from __future__ import annotations

import ctypes
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import ArrayLike, NDArray

from motionbase.compile.keys import code_key
from motionbase.compile.mode import Mode
from motionbase.compile.options import check_lanes, choice, whole_number
from motionbase.compile.programs import Unit
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

Array = NDArray[np.float64]
CHUNK_SECONDS = 0.1
SHARED_FROM = 2000  # instructions of a step that all loops around it share; a shorter one is part of its loop
_NOTHING: Array = np.empty(0)  # stands for an output nobody keeps


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
        feedback: state input -> the output that is its next value, such as {"x": "x_next"}; if it is not given, every
            struct that is both an input and an output
        per_step: inputs with one row a step; the others are held
        record: outputs of which rows are kept
        lanes: scenarios at once; every array then has a last axis of that length
        each: turns of `for_each` on the lanes of a register where that pays, or one after the other; the same bits
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
    if lanes == 1 and instructions(step.routine) >= SHARED_FROM:  # batches are for speed: they get a step of their own
        return Scan(whole, _around(whole, *how), lanes)
    planned = needed(step, states, per_step, record)
    return Scan(planned, _compiled(planned, *how), lanes)


@final
class Scan:
    """A compiled loop: `run(n, x=x0, ...)`. Python's lock is free while it runs."""

    def __init__(self, planned: ScanPlan, native: Callable[..., None], lanes: int) -> None:
        self.plan, self.lanes = planned, lanes
        self._native = native
        self._owner = f"scan of {planned.unit.name!r}"

    def __call__(
        self, steps: int, /, *, every: int = 1, out: Mapping[str, Array] | None = None, **arrays: ArrayLike
    ) -> dict[str, Array]:
        """Run `steps` steps and return the final states and the recorded rows, by port name.

        Row r of a recorded output is its value after (r + 1) * `every` steps. States and memory given are not
        changed; `out` may give arrays to write rows and final states into (a state's own array among them).
        Ctrl-C is heard about ten times a second; the arrays of `out` then hold what was reached.
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
        """What the caller gives, by port: states, memory, held inputs and inputs with a row a step."""
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
        """An array for every port: new ones or the caller's for what is written, the given ones for the rest."""
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
        """What is written may share memory with nothing but, for a state or memory, the very array it starts from."""
        writes = [feed not in (Feed.HELD, Feed.PER_STEP) for feed in self.plan.feeds]
        places = [(j, a, False) for j, a in given.items()]
        places += [(k, a, writes[k]) for k, a in enumerate(used) if a is not given.get(k) or writes[k]]
        bounds = sorted((*byte_bounds(a), j, is_written) for j, a, is_written in places if a.size)
        reach: list[tuple[int, int, bool]] = []  # end, port and whether it is written, of those that are still open
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
        """Native calls of about a tenth of a second, so that Python hears Ctrl-C in between."""
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
            # whole multiples of `every`, so that each call starts counting rows afresh
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
    """A small loop around the step, which is compiled once for all that is recorded of it."""
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
    """The same loop in Python: the definition of what the compiled one does."""

    def run(steps: int, every: int, workspace: int, *pointers: int) -> None:
        """The step works on copies, where the native loop uses the workspace."""
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
