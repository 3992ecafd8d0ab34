"""The compiler: pure Python kernels over CasADi, traced once and rendered to LLVM, C99, CUDA and Python."""

from motionbase.compile.kernel import Kernel, compose, jacobian, probe
from motionbase.compile.port import Port, Sparsity
from motionbase.compile.primitives import Primitive, delay, random, table
from motionbase.compile.program import Body, Program, Unit
from motionbase.compile.runtime.calling import Bound, Compiled
from motionbase.compile.scan import Scan, scan
from motionbase.compile.target import compile

__all__ = [
    "Body", "Bound", "Compiled", "Kernel", "Port", "Primitive", "Program", "Scan", "Sparsity", "Unit",
    "compile", "compose", "delay", "jacobian", "probe", "random", "scan", "table",
]  # fmt: skip
