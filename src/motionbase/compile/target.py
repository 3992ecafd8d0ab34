"""One way to compile anything for any target."""

from __future__ import annotations

import ctypes
from typing import Literal

from motionbase.compile.cache import ObjectCache
from motionbase.compile.mode import Mode
from motionbase.compile.options import check_lanes, choice
from motionbase.compile.program import Unit
from motionbase.compile.render.llvm import Module
from motionbase.compile.runtime import llvm
from motionbase.compile.runtime.calling import Compiled
from motionbase.errors import KernelError

Target = Literal["python", "llvm", "c"]


def compile(
    unit: Unit,
    target: Target = "llvm",
    *,
    lanes: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    cache: ObjectCache | None | Literal["default"] = "default",
) -> Compiled:
    """Compile a kernel, primitive or program.

    Args:
        target: `llvm` (machine code in this process), `c` (through a C compiler) or `python` (the interpreter)
        lanes: scenarios at once, 1, 2, 4 or 8; arrays then have a last axis of that length
        mode: `strict` gives the same bits on every target; `fast` allows contraction and reassociation (llvm)
        cache: where object code is kept; None for nowhere
    """
    owner = repr(unit.name)
    if str(target) == "cuda":
        raise KernelError(f"{owner}: target 'cuda' is motionbase.compile.runtime.cuda.compile_cuda")
    choice(owner, "target", target, ("python", "llvm", "c"))
    choice(owner, "mode", mode, ("strict", "fast"))
    lanes = check_lanes(owner, lanes, target)
    if target == "llvm":
        return _compile_llvm(unit, lanes, Mode(mode), ObjectCache() if cache == "default" else cache)
    if mode == "fast":
        raise KernelError(f"{unit.name!r}: target {target!r} has no fast mode; use llvm, or mode='strict'")
    if target == "python":
        from motionbase.compile.runtime import python

        return Compiled(unit, python.native(unit, lanes), lanes, target)
    from motionbase.compile.runtime import c

    if lanes != 1:
        raise KernelError(f"{unit.name!r}: target 'c' has no lanes; use llvm, or lanes=1")
    return Compiled(unit, c.native(unit), lanes, target)


def call_key(unit: Unit, lanes: int, mode: Mode) -> str:
    """The key under which a unit's object code is kept."""
    return llvm.object_key(unit.digest, f"call lanes={lanes} mode={mode.value}")


def _compile_llvm(unit: Unit, lanes: int, mode: Mode, store: ObjectCache | None) -> Compiled:
    key = call_key(unit, lanes, mode)
    library, times = llvm.build(lambda: Module(unit.routine, lanes, mode).text(), key, store)
    native = library.function(unit.name, *[ctypes.c_void_p] * len(unit.ports))
    mapped = library.function(f"{unit.name}.map", ctypes.c_int64, *[ctypes.c_void_p] * len(unit.ports))
    packed = library.function(f"{unit.name}.packed")  # takes one C array of pointers
    return Compiled(
        unit, native, lanes, f"llvm, {mode.value}", packed=packed, mapped=mapped, library=library, times=times
    )
