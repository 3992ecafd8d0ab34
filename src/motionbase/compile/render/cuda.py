"""CUDA: the C text as device functions, and kernels that give one scenario to each thread.

Element e of scenario t stands at e * n + t, so that neighbouring threads read neighbouring doubles. Every array comes
with two numbers: `mb_stride_NAME`, from one element to the next, and `mb_shift_NAME`, from one scenario to the next (0
where all scenarios share the array). Names of people and of inner functions do not start with `mb_`.
"""

from __future__ import annotations

from collections.abc import Sequence

from motionbase.compile.programs import Unit
from motionbase.compile.render.c_family import CDialect, CWriter
from motionbase.compile.routine import Role
from motionbase.compile.scan_plan import Feed, ScanPlan

DIALECT = CDialect(
    "cuda",
    "__device__ static __forceinline__",
    "__device__ static const",
    "__restrict__",
    strided=True,
    exact_product="__dmul_rn({0}, {1})",
)
# strict: no contraction; division and square root of doubles are IEEE 754 as they stand
OPTIONS = {False: ("--std=c++17", "--fmad=false"), True: ("--std=c++17", "--fmad=true")}

PROLOGUE = """\
typedef unsigned long long uint64_t;
#ifndef INFINITY
#define INFINITY (1.0 / 0.0)
#endif
#ifndef NAN
#define NAN (0.0 / 0.0)
#endif
#define mb_bits(x) ((uint64_t)__double_as_longlong(x))
#define mb_from_bits(w) __longlong_as_double((long long)(w))

"""


def _parameters(unit: Unit) -> list[str]:
    text = []
    for a in unit.routine.arguments:
        const = "const " if a.role is Role.INPUT else ""
        numbers = f"const long mb_stride_{a.name}, const long mb_shift_{a.name}"
        text.append(f"{const}double *__restrict__ {a.name}, {numbers}")
    return text


def _kernel(name: str, parameters: Sequence[str], body: Sequence[str]) -> str:
    lines = [
        f'extern "C" __global__ void {name}({", ".join([*parameters, "const long n_"])})',
        "{",
        "    const long t_ = blockIdx.x * (long)blockDim.x + threadIdx.x;",
        "    if (t_ >= n_) return;",
        *(f"    {line}" for line in body),
        "}",
        "",
    ]
    return "\n".join(lines)


def render(unit: Unit, fast: bool = False) -> str:
    """The unit once for each scenario: `NAME_batch(array, s, t, ..., n)`."""
    writer = CWriter(unit.routine, DIALECT, unit.name, fast)
    passed = [f"{a.name} + t_ * mb_shift_{a.name}, mb_stride_{a.name}" for a in unit.routine.arguments]
    call = f"{writer.symbol(unit.routine)}({', '.join(passed)});"
    return PROLOGUE + writer.text() + _kernel(f"{unit.name}_batch", _parameters(unit), [call])


def render_scan(plan: ScanPlan, fast: bool = False) -> str:
    """The loop of `scan` for each scenario: `NAME_scan(array, s, t, ..., steps, every, n)`."""
    unit = plan.unit
    writer = CWriter(unit.routine, DIALECT, unit.name, fast)
    names = [a.name for a in unit.routine.arguments]
    before, passed, after = [], [], []
    for k, (name, feed) in enumerate(zip(names, plan.feeds, strict=True)):
        size = plan.size(k)
        at = f"{name} + t_ * mb_shift_{name}"
        if feed in (Feed.STATE, Feed.OUTPUT):
            before.append(f"double mb_copy_{name}[{max(size, 1)}];")
            passed.append(f"mb_copy_{name}, 1")
        else:
            row = f" + k_ * ({size} * mb_stride_{name})" if feed is Feed.PER_STEP else ""
            passed.append(f"{at}{row}, mb_stride_{name}")
        if feed is Feed.STATE:
            loop = f"for (int e_ = 0; e_ < {size}; ++e_)"
            before.append(f"{loop} mb_copy_{name}[e_] = {name}[t_ * mb_shift_{name} + e_ * mb_stride_{name}];")
            # a state is an input, so its pointer is const; the final value goes to the array after it
            after.append(f"{loop} mb_end_{name}[e_ * n_ + t_] = mb_copy_{name}[e_];")
    step = [f"{writer.symbol(unit.routine)}({', '.join(passed)});"]
    for state, output in plan.feedback:
        assign = f"mb_copy_{names[state]}[e_] = mb_copy_{names[output]}[e_];"
        step.append(f"for (int e_ = 0; e_ < {plan.size(state)}; ++e_) {assign}")
    step.append("if (--left_ == 0) {")
    for k in plan.recorded:
        place = f"{names[k]}[(kept_ * {plan.size(k)} + e_) * n_ + t_]"
        step.append(f"    for (int e_ = 0; e_ < {plan.size(k)}; ++e_) {place} = mb_copy_{names[k]}[e_];")
    step += ["    left_ = every_;", "    ++kept_;", "}"]
    body = [
        *before,
        "long left_ = every_, kept_ = 0;",
        "for (long k_ = 0; k_ < steps_; ++k_) {",
        *(f"    {line}" for line in step),
        "}",
        *after,
    ]
    ends = [f"double *__restrict__ mb_end_{names[k]}" for k in plan.states]
    parameters = [*_parameters(unit), *ends, "const long steps_", "const long every_"]
    return PROLOGUE + writer.text() + _kernel(f"{unit.name}_scan", parameters, body)
