"""CUDA: the C text as device functions, and kernels that run one scenario per thread.

Element e of scenario t is at e * n + t, so that neighbouring threads read neighbouring doubles. Every array comes with
two numbers: `mb_stride_NAME`, from one element to the next, and `mb_shift_NAME`, from one scenario to the next (0 if
all scenarios share the array). Names of users and of inner functions do not start with `mb_`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import final

from motionbase.compile.flatten import flattened
from motionbase.compile.in_place import with_states_in_place
from motionbase.compile.programs import Unit
from motionbase.compile.render.c_family import CDialect, CWriter
from motionbase.compile.routine import Role, Routine
from motionbase.compile.scan_plan import Feed, ScanPlan

DIALECT = CDialect(
    "cuda",
    "__device__ static __forceinline__",
    "__device__ static const",
    "__restrict__",
    strided=True,
    exact_product="__dmul_rn({0}, {1})",
    quotient="mb_divided({0}, {1})",
)
# a state and its next value share a place, so pointers may overlap
SCAN_DIALECT = replace(DIALECT, restrict="", strided=False, in_steps=True)
THREADS, BLOCKS = 128, 4  # for scans: threads per block, blocks per multiprocessor, so that a thread has 128 registers
CONSTANTS = 3500  # numbers in constant memory: for data, and again for shared inputs; there is room for 8,192
# strict: no contraction; division and square root of doubles follow IEEE 754 by default
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
#define mb_fence(p) asm volatile("" :: "l"(p) : "memory")

/* The compiler's own division of a zero takes a slow way. The quotient of a small number by the same divisor has the
   sign of the zero that is wanted, and is no number or infinite where 0 / b is no number. */
__device__ static __forceinline__ double mb_divided(double a, double b)
{
    const bool is_zero = a == 0.0;
    const double quotient = (is_zero ? 8.673617379884035e-19 : a) / b;
    return is_zero ? a * quotient : quotient;
}

"""


def _parameters(unit: Unit) -> list[str]:
    text = []
    for a in unit.routine.arguments:
        const = "const " if a.role is Role.INPUT else ""
        numbers = f"const long mb_stride_{a.name}, const long mb_shift_{a.name}"
        text.append(f"{const}double *__restrict__ {a.name}, {numbers}")
    return text


def _kernel(name: str, parameters: Sequence[str], body: Sequence[str], bounds: str = "") -> str:
    lines = [
        f'extern "C" __global__ void {bounds}{name}({", ".join([*parameters, "const long n_"])})',
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


def render_scan(plan: ScanPlan, fast: bool = False, shared: Collection[str] = (), near: int = 0) -> str:
    """The loop of `scan` for each scenario: `NAME_scan(array, s, t, ..., steps, every, n)`.

    A thread keeps everything of its scenario in private memory, with adjacent elements. Such loops are limited by
    memory access, so they use little of it: states are updated in place, and shared inputs are in constant memory.

    Args:
        shared: held inputs that are the same for all scenarios
        near: numbers that a thread may keep in the shared memory of its block; odd, to avoid bank conflicts
    """
    unit = plan.unit
    first: dict[int, int] = {}  # output -> the first state that it feeds
    for state, output in plan.feedback:
        first.setdefault(output, state)
    in_place = with_states_in_place(flattened(unit.routine), {state: output for output, state in first.items()})
    writer = CWriter(in_place, _dialect(in_place, near), unit.name, fast)
    states = _places(plan, plan.states)
    lines = _Lines(plan, shared_places(plan, shared), frozenset(shared))
    names = lines.names
    for k, feed in enumerate(plan.feeds):
        if feed is Feed.STATE:
            lines.stands[k] = f"mb_states + {states[k]}"
            lines.before.append(lines.each(k, f"mb_states[{states[k]} + e_] = {lines.given(k)};"))
            lines.after.append(lines.each(k, f"mb_end_{names[k]}[e_ * n_ + t_] = mb_states[{states[k]} + e_];"))
        else:
            lines.stands[k] = f"mb_states + {states[first[k]]}" if k in first else lines.own(k)
    passed = [place for k, place in lines.stands.items() if k not in first]
    step = [*lines.rows, f"{writer.symbol(in_place)}({', '.join(passed)});"]
    for state, output in plan.feedback:
        if first[output] != state:  # an output that feeds two states
            step.append(lines.each(state, f"mb_states[{states[state]} + e_] = ({lines.stands[output]})[e_];"))
    step.append("if (--left_ == 0) {")
    for k in plan.recorded:
        place = f"{names[k]}[(kept_ * {plan.size(k)} + e_) * n_ + t_]"
        step.append(f"    {lines.each(k, f'{place} = ({lines.stands[k]})[e_];')}")
    step += ["    left_ = every_;", "    ++kept_;", "}"]
    body = [
        f"double mb_states[{max(sum(plan.size(k) for k in plan.states), 1)}];",
        *lines.before,
        "long left_ = every_, kept_ = 0;",
        "for (long k_ = 0; k_ < steps_; ++k_) {",
        *(f"    {line}" for line in step),
        "}",
        *lines.after,
    ]
    ends = [f"double *__restrict__ mb_end_{names[k]}" for k in plan.states]
    parameters = [*_parameters(unit), *ends, "const long steps_", "const long every_"]
    memory = f"__constant__ double mb_shared[{max(lines.constants, 1)}];\n"
    memory += "extern __shared__ double mb_near[];\n\n" if near else "\n"
    bounds = f"__launch_bounds__({THREADS}, {BLOCKS}) "
    return PROLOGUE + memory + writer.text() + _kernel(f"{unit.name}_scan", parameters, body, bounds)


def shared_places(plan: ScanPlan, shared: Collection[str]) -> dict[str, int]:
    """Offsets in `mb_shared` of held inputs that all scenarios share; inputs that do not fit are missing."""
    places, at = {}, 0
    for port, feed in zip(plan.unit.ports, plan.feeds, strict=True):
        if feed is Feed.HELD and port.name in shared and at + port.size <= CONSTANTS:
            places[port.name] = at
            at += port.size
    return places


def _dialect(step: Routine, near: int) -> CDialect:
    """Data in constant memory if there is room."""
    data = sum(len(b.data or ()) for r in step.callees() for b in r.buffers)
    tables = sum(len(t) for r in step.callees() for t in r.tables)
    constant = "static __constant__ const" if data + tables <= CONSTANTS else DIALECT.constant
    return replace(SCAN_DIALECT, near=near, constant=constant)


def _places(plan: ScanPlan, ports: Sequence[int]) -> dict[int, int]:
    """Offset of each port, one after the other."""
    places, at = {}, 0
    for k in ports:
        places[k] = at
        at += plan.size(k)
    return places


@final
class _Lines:
    """Lines of the kernel around the step: before the loop, before each step, after the loop."""

    def __init__(self, plan: ScanPlan, constant: Mapping[str, int], shared: frozenset[str]) -> None:
        self.plan, self.constant, self.shared = plan, constant, shared
        self.names = [port.name for port in plan.unit.ports]
        self.constants = sum(port.size for port in plan.unit.inputs if port.name in constant)
        self.stands: dict[int, str] = {}  # address of each port
        self.before: list[str] = []
        self.rows: list[str] = []
        self.after: list[str] = []

    def each(self, k: int, text: str) -> str:
        """A statement for every element of a port."""
        return f"for (int e_ = 0; e_ < {self.plan.size(k)}; ++e_) {text}"

    def given(self, k: int, row: str = "") -> str:
        """Element e_ of the caller's array."""
        name = self.names[k]
        return f"{name}[t_ * mb_shift_{name} + ({row}e_) * mb_stride_{name}]"

    def own(self, k: int) -> str:
        """A private place of the thread, filled once or before each step, and written back if it is memory.

        Inputs that all scenarios share are read in place.
        """
        name, feed = self.names[k], self.plan.feeds[k]
        if name in self.constant:
            return f"mb_shared + {self.constant[name]}"
        if feed is Feed.HELD and name in self.shared:
            return name
        own = f"mb_own_{name}"
        self.before.append(f"double {own}[{max(self.plan.size(k), 1)}];")
        if feed is Feed.PER_STEP:
            self.rows.append(self.each(k, f"{own}[e_] = {self.given(k, f'k_ * {self.plan.size(k)} + ')};"))
        elif feed in (Feed.HELD, Feed.MEMORY):
            self.before.append(self.each(k, f"{own}[e_] = {self.given(k)};"))
        if feed is Feed.MEMORY:
            self.after.append(self.each(k, f"{self.given(k)} = {own}[e_];"))
        return own
