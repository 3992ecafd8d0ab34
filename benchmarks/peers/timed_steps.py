"""Wall time of every step in a native loop, and of a loop beside it that only watches the clock."""

import ctypes
from typing import Any

import numpy as np

from motionbase.compile import Program, compile
from motionbase.native.clock import NOW
from motionbase.native.jit import loaded

_LOOP = (
    NOW
    + """
; even steps take the places `there`, odd ones `back`; an input has a row a step, an output is kept
define void @timed(ptr %step, i64 %n, ptr %there, ptr %back, ptr %input, ptr %rows, i64 %bytes, ptr %output,
                   ptr %kept, ptr %times) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %offset = mul i64 %k, %bytes
  %row = getelementptr i8, ptr %rows, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr %input, ptr %row, i64 %bytes, i1 false)
  %odd = trunc i64 %k to i1
  %ports = select i1 %odd, ptr %back, ptr %there
  %from = call i64 @now()
  call void %step(ptr %ports)
  %to = call i64 @now()
  %ns = sub i64 %to, %from
  %time.at = getelementptr i64, ptr %times, i64 %k
  store i64 %ns, ptr %time.at
  %value = load double, ptr %output
  %kept.at = getelementptr double, ptr %kept, i64 %k
  store double %value, ptr %kept.at
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; the same without work: how long it takes to see that so many nanoseconds have passed
define void @watched(i64 %n, i64 %wait, ptr %times) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %seen ]
  %from = call i64 @now()
  br label %look
look:
  %to = call i64 @now()
  %ns = sub i64 %to, %from
  %early = icmp slt i64 %ns, %wait
  br i1 %early, label %look, label %seen
seen:
  %time.at = getelementptr i64, ptr %times, i64 %k
  store i64 %ns, ptr %time.at
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
)


def timed_steps(
    program: Program, feedback: dict[str, str], given: dict[str, Any], rows: tuple[str, np.ndarray], kept: str
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Seconds of every step, and its output `kept`.

    Args:
        given: states and inputs
        rows: an input with a row a step
    """
    compiled = compile(program)
    library = compiled.library
    assert library is not None
    arrays = {name: np.array(value, dtype=np.float64) for name, value in compiled.arrays().items()}
    for name, value in given.items():
        arrays[name][...] = value
    back = {**feedback, **{to: name for name, to in feedback.items()}}
    order = [port.name for port in program.ports]
    there = np.array([arrays[name].ctypes.data for name in order])
    again = np.array([arrays[back.get(name, name)].ctypes.data for name in order])
    name, table = rows
    table = np.ascontiguousarray(table, dtype=np.float64)
    times, found = np.zeros(len(table), dtype=np.int64), np.zeros(len(table))
    pointer = ctypes.c_void_p
    run = loaded(_LOOP, "timed").function(
        "timed", pointer, ctypes.c_int64, *[pointer] * 4, ctypes.c_int64, *[pointer] * 3
    )
    step = library.address(f"{program.name}.packed")
    run(
        step, len(table), there.ctypes.data, again.ctypes.data, arrays[name].ctypes.data, table.ctypes.data,
        table[0].nbytes, arrays[kept].ctypes.data, found.ctypes.data, times.ctypes.data,
    )  # fmt: skip
    return 1e-9 * times, found


def watched_clock(count: int, seconds: float) -> np.ndarray:
    """Seconds until a loop saw that so much time had passed: what the machine itself takes."""
    times = np.zeros(count, dtype=np.int64)
    watch = loaded(_LOOP, "timed").function("watched", ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
    watch(count, round(1e9 * seconds), times.ctypes.data)
    return 1e-9 * times


def slow_steps(times: np.ndarray) -> str:
    """The slowest over the median, beside those of the clock alone: what else the machine does counts in both."""
    median = float(np.median(times))
    idle = watched_clock(len(times), median)
    return "; ".join(
        f"{name} p99 {np.quantile(of, 0.99) / median:.2f}, p99.9 {np.quantile(of, 0.999) / median:.2f}, "
        f"max {of.max() / median:.1f}"
        for name, of in (("steps", times), ("clock alone", idle))
    )
