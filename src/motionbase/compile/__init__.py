"""The compiler: pure Python kernels over CasADi, traced once and rendered to LLVM, C99, CUDA and Python."""

import sys
from types import ModuleType
from typing import Any

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


class _Package(ModuleType):
    """A package that can be called: `motionbase.compile(kernel)` compiles, although `compile` names this package."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.compile(*args, **options)


sys.modules[__name__].__class__ = _Package
