"""`compile`: one function for every unit and every target."""

from __future__ import annotations

import ctypes
from typing import Literal

from motionbase.compile.keys import code_key
from motionbase.compile.mode import Mode
from motionbase.compile.options import check_lanes, choice
from motionbase.compile.programs import Unit
from motionbase.compile.render.llvm import Module
from motionbase.compile.runtime.calling import Compiled
from motionbase.errors import KernelError
from motionbase.native import jit
from motionbase.native.cache import ObjectCache

Target = Literal["python", "llvm", "c"]


def compile(
    unit: Unit,
    target: Target = "llvm",
    *,
    lanes: int = 1,
    mode: Literal["strict", "fast"] = "strict",
    each: Literal["lanes", "loops"] = "lanes",
    cache: ObjectCache | None | Literal["default"] = "default",
) -> Compiled:
    """Compile a kernel, primitive or program.

    Args:
        target: `llvm` (machine code in this process), `c` (through a C compiler) or `python` (the interpreter)
        lanes: number of scenarios at once, 1, 2, 4 or 8; arrays then have a last axis of that length
        mode: `strict` gives the same bits on every target; `fast` allows contraction and reassociation (llvm)
        each: run iterations of `for_each` on the lanes of a register if that is faster, or one by one; same bits
        cache: folder for object code; None for no cache
    """
    owner = repr(unit.name)
    if str(target) == "cuda":
        raise KernelError(f"{owner}: target 'cuda' is motionbase.compile.runtime.cuda.compile_cuda")
    choice(owner, "target", target, ("python", "llvm", "c"))
    choice(owner, "mode", mode, ("strict", "fast"))
    choice(owner, "each", each, ("lanes", "loops"))
    lanes = check_lanes(owner, lanes, target)
    if target == "llvm":
        store = ObjectCache() if cache == "default" else cache
        return compile_llvm(unit, lanes, Mode(mode), each == "lanes", store)
    if mode == "fast":
        raise KernelError(f"{unit.name!r}: target {target!r} has no fast mode; use llvm, or mode='strict'")
    if target == "python":
        from motionbase.compile.runtime import python

        return Compiled(unit, python.native(unit, lanes), lanes, target)
    from motionbase.compile.runtime import c

    if lanes != 1:
        raise KernelError(f"{unit.name!r}: target 'c' has no lanes; use llvm, or lanes=1")
    return Compiled(unit, c.native(unit), lanes, target)


def call_key(unit: Unit, lanes: int, mode: Mode, each_on_lanes: bool = True) -> str:
    """The cache key of a unit's object code."""
    return code_key(unit.digest, f"call lanes={lanes} mode={mode.value} {each_on_lanes}")


def compile_llvm(unit: Unit, lanes: int, mode: Mode, each_on_lanes: bool, store: ObjectCache | None) -> Compiled:
    """Machine code in this process, from the cache or newly compiled."""
    key = call_key(unit, lanes, mode, each_on_lanes)
    library, times = jit.build(lambda: Module(unit.routine, lanes, mode, each_on_lanes).text(), key, store)
    native = library.function(unit.name, *[ctypes.c_void_p] * len(unit.ports))
    mapped = library.function(f"{unit.name}.map", ctypes.c_int64, *[ctypes.c_void_p] * len(unit.ports))
    packed = library.function(f"{unit.name}.packed")  # takes one C array of pointers
    return Compiled(
        unit, native, lanes, f"llvm, {mode.value}", packed=packed, mapped=mapped, library=library, times=times
    )
