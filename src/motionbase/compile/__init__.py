"""The compiler: pure Python kernels over CasADi, traced once and rendered to LLVM, C99, CUDA and Python.

What it offers is imported when it is first asked for: a process that only needs the loader of compiled code, as every
reader of a ring does, starts without CasADi, in half the time.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motionbase.compile.annotated import kernel, program
    from motionbase.compile.flow import cond, for_each, repeat, switch
    from motionbase.compile.kernels import Kernel, compose, jacobian, probe
    from motionbase.compile.port import Port, Sparsity
    from motionbase.compile.primitives import Primitive, delay, random, table
    from motionbase.compile.programs import Program, Unit
    from motionbase.compile.runtime.calling import Bound, Compiled
    from motionbase.compile.scans import Scan, scan
    from motionbase.compile.struct import Layout, Struct, q
    from motionbase.compile.target import compile

__all__ = [
    "Bound", "Compiled", "Kernel", "Layout", "Port", "Primitive", "Program", "Scan", "Sparsity",
    "Struct", "Unit", "compile", "compose", "cond", "delay", "for_each", "jacobian", "kernel", "probe", "program", "q",
    "random", "repeat", "scan", "switch", "table",
]  # fmt: skip
_HOMES = {
    "annotated": ("kernel", "program"),
    "kernels": ("Kernel", "compose", "jacobian", "probe"),
    "port": ("Port", "Sparsity"),
    "primitives": ("Primitive", "delay", "random", "table"),
    "flow": ("cond", "for_each", "repeat", "switch"),
    "programs": ("Program", "Unit"),
    "runtime.calling": ("Bound", "Compiled"),
    "scans": ("Scan", "scan"),
    "struct": ("Layout", "Struct", "q"),
    "target": ("compile",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return globals().setdefault(name, getattr(import_module(f"{__name__}.{home}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Package(ModuleType):
    """Called, it compiles: `motionbase.compile(kernel)` is what people write, and the package has taken the name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.compile(*args, **options)


sys.modules[__name__].__class__ = _Package
