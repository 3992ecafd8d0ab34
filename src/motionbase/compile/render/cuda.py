"""CUDA: the C text as device functions, and kernels that give one scenario to each thread.

Element e of scenario t stands at e * n + t, so that neighbouring threads read neighbouring doubles. Every array comes
with two numbers: `mb_stride_NAME`, from one element to the next, and `mb_shift_NAME`, from one scenario to the next (0
where all scenarios share the array). Names of people and of inner functions do not start with `mb_`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

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
SCAN_DIALECT = CDialect(
    "cuda",
    "__device__ static __forceinline__",
    "__device__ static const",
    "__restrict__",
    strided=False,
    exact_product="__dmul_rn({0}, {1})",
    called="__device__ static __noinline__",
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
    """The loop of `scan` for each scenario: `NAME_scan(array, s, t, ..., steps, every, n)`.

    A thread keeps everything of its scenario in memory of its own, with elements side by side, so that long routines
    can be called instead of copied. Its states have two places that change roles after each step.
    """
    unit = plan.unit
    writer = CWriter(unit.routine, SCAN_DIALECT, unit.name, fast)
    names = [a.name for a in unit.routine.arguments]
    states = _places(plan, plan.states)
    source = {output: state for state, output in plan.feedback}
    lines = _Lines(names, plan)
    for k, feed in enumerate(plan.feeds):
        if feed is Feed.STATE:
            lines.pass_on(f"mb_now + {states[k]}")
            lines.before.append(lines.each(k, f"mb_now[{states[k]} + e_] = {lines.given(k)};"))
            lines.after.append(lines.each(k, f"mb_end_{names[k]}[e_ * n_ + t_] = mb_now[{states[k]} + e_];"))
        elif feed is Feed.OUTPUT and k in source and source[k] in states:
            lines.pass_on(f"mb_then + {states[source[k]]}")
        else:
            lines.pass_on(lines.own(k))
    step = [*lines.rows, f"{writer.symbol(unit.routine)}({', '.join(lines.passed)});"]
    for state, output in plan.feedback:
        if source[output] != state:  # an output that feeds two states has one place
            value = lines.passed[output]
            step.append(lines.each(state, f"mb_then[{states[state]} + e_] = ({value})[e_];"))
    step.append("if (--left_ == 0) {")
    for k in plan.recorded:
        place = f"{names[k]}[(kept_ * {plan.size(k)} + e_) * n_ + t_]"
        step.append(f"    {lines.each(k, f'{place} = ({lines.passed[k]})[e_];')}")
    step += ["    left_ = every_;", "    ++kept_;", "}", "double *const mb_was = mb_now;", "mb_now = mb_then;"]
    total = max(sum(plan.size(k) for k in plan.states), 1)
    body = [
        f"double mb_first[{total}], mb_second[{total}];",
        "double *mb_now = mb_first, *mb_then = mb_second;",
        *lines.before,
        "long left_ = every_, kept_ = 0;",
        "for (long k_ = 0; k_ < steps_; ++k_) {",
        *(f"    {line}" for line in step),
        "    mb_then = mb_was;",
        "}",
        *lines.after,
    ]
    ends = [f"double *__restrict__ mb_end_{names[k]}" for k in plan.states]
    parameters = [*_parameters(unit), *ends, "const long steps_", "const long every_"]
    return PROLOGUE + writer.text() + _kernel(f"{unit.name}_scan", parameters, body)


def _places(plan: ScanPlan, ports: Sequence[int]) -> dict[int, int]:
    """Where each port begins, one after the other."""
    places, at = {}, 0
    for k in ports:
        places[k] = at
        at += plan.size(k)
    return places


@final
class _Lines:
    """Lines of the kernel around the step: before the loop, before each step, after the loop."""

    def __init__(self, names: list[str], plan: ScanPlan) -> None:
        self.names, self.plan = names, plan
        self.passed: list[str] = []
        self.before: list[str] = []
        self.rows: list[str] = []
        self.after: list[str] = []

    def pass_on(self, place: str) -> None:
        """The next argument of the step."""
        self.passed.append(place)

    def each(self, k: int, text: str) -> str:
        """A statement for every element of a port."""
        return f"for (int e_ = 0; e_ < {self.plan.size(k)}; ++e_) {text}"

    def given(self, k: int, row: str = "") -> str:
        """Element e_ of what the caller gives."""
        name = self.names[k]
        return f"{name}[t_ * mb_shift_{name} + ({row}e_) * mb_stride_{name}]"

    def own(self, k: int) -> str:
        """A place of the thread's own, filled once or before each step, and written back where it is memory.

        What all scenarios share is read where it is.
        """
        name, feed = self.names[k], self.plan.feeds[k]
        own = f"mb_own_{name}"
        self.before.append(f"double {own}[{max(self.plan.size(k), 1)}];")
        if feed is Feed.HELD:
            fill = self.each(k, f"{own}[e_] = {self.given(k)};")
            self.before.append(f"const double *mb_from_{name} = {name};")
            self.before.append(f"if (mb_stride_{name} != 1) {{ {fill} mb_from_{name} = {own}; }}")
            return f"mb_from_{name}"
        if feed is Feed.PER_STEP:
            self.rows.append(self.each(k, f"{own}[e_] = {self.given(k, f'k_ * {self.plan.size(k)} + ')};"))
        elif feed is Feed.MEMORY:
            self.before.append(self.each(k, f"{own}[e_] = {self.given(k)};"))
            self.after.append(self.each(k, f"{self.given(k)} = {own}[e_];"))
        return own
