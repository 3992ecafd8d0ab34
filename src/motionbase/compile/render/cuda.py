"""CUDA: the C text as device functions, and a kernel that gives one scenario to each thread.

Element k of scenario t stands at k * n + t, so that neighbouring threads read neighbouring doubles.
"""

from __future__ import annotations

from motionbase.compile.program import Unit
from motionbase.compile.render.c_family import CDialect, CWriter
from motionbase.compile.routine import Role

DIALECT = CDialect("cuda", "__device__ static __forceinline__", "__device__ static const", "__restrict__", strided=True)
OPTIONS = ("--std=c++17", "--fmad=false")  # strict mode: no contraction; double division and square root are IEEE
FAST_OPTIONS = ("--std=c++17", "--fmad=true")

PROLOGUE = """\
typedef unsigned long long uint64_t;
#define mb_bits(x) ((uint64_t)__double_as_longlong(x))
#define mb_from_bits(w) __longlong_as_double((long long)(w))

"""


def render(unit: Unit, fast: bool = False) -> str:
    """The unit as CUDA source; the kernel is `NAME_batch(arrays..., n)`."""
    writer = CWriter(unit.routine, DIALECT, unit.name, fast)
    parameters, passed = [], []
    for a in unit.routine.arguments:
        const = "const " if a.role is Role.INPUT else ""
        parameters.append(f"{const}double *__restrict__ {a.name}")
        passed.append(f"{a.name} + t_, n_")
    return f"""{PROLOGUE}{writer.text()}
extern "C" __global__ void {unit.name}_batch({", ".join([*parameters, "const long n_"])})
{{
    const long t_ = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (t_ < n_) {writer.symbol(unit.routine)}({", ".join(passed)});
}}
"""
