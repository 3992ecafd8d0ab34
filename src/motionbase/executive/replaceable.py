"""A native job whose code is replaced while the loop runs: the loop calls through a cell that another thread writes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, final

from motionbase.arrays import Array
from motionbase.compile import Compiled
from motionbase.errors import ScheduleError
from motionbase.executive.control import address_of
from motionbase.executive.schedule import NativeJob, native_job
from motionbase.native.jit import loaded

# a cell is (function, argument); one load tells what to call, so that a tick runs either code as a whole
IR = """
define void @call_through(i64 %address) {
  %cell = inttoptr i64 %address to ptr
  %function.int = load atomic i64, ptr %cell acquire, align 8
  %argument.at = getelementptr i64, ptr %cell, i64 1
  %argument = load i64, ptr %argument.at
  %function = inttoptr i64 %function.int to ptr
  call void %function(i64 %argument)
  ret void
}

define void @put_into(i64 %address, i64 %function) {
  %cell = inttoptr i64 %address to ptr
  store atomic i64 %function, ptr %cell release, align 8
  ret void
}
"""


class _Native(NamedTuple):
    through: Any
    put: Any


@cache
def _native() -> _Native:
    library = loaded(IR, "replaceable")
    u64 = ctypes.c_uint64
    return _Native(library.function("call_through", u64), library.function("put_into", u64, u64))


@final
class ReplaceableJob:
    """A kernel on fixed arrays, whose code may be replaced between two ticks.

    Attributes:
        job: for the schedule; its addresses never change
        replaced: how often new code was put in
    """

    def __init__(self, compiled: Compiled, /, *, feedback: Mapping[str, str] | None = None, **arrays: Array) -> None:
        first = native_job(compiled, feedback=feedback, **arrays)
        self.compiled, self.replaced = compiled, 0
        self._cell = (ctypes.c_uint64 * 2)(*first.calls[0])
        calls = (address_of(_native().through), ctypes.addressof(self._cell)), *first.calls[1:]
        self.job = NativeJob(calls, (first, self._cell))
        self._keep: list[object] = []  # a tick may still be inside the old code

    def replace(self, compiled: Compiled) -> None:
        """The next tick to begin runs this code, on the same arrays; call it from any thread."""
        if compiled.unit.ports != self.compiled.unit.ports or compiled.lanes != self.compiled.lanes:
            raise ScheduleError(f"code of {compiled.unit.name!r} has other ports than that which it is to replace")
        if compiled.library is None:
            raise ScheduleError(f"kernel {compiled.unit.name!r} is compiled for {compiled.target!r}, not for 'llvm'")
        packed = compiled.library.function(f"{compiled.unit.name}.packed")
        self._keep += [compiled, packed]
        _native().put(ctypes.addressof(self._cell), address_of(packed))
        self.replaced += 1
