"""The tick loop in LLVM IR: no Python, no allocation, no system call but reading the clock and sleeping on it.

    wait     sleep until shortly before the tick is due, spin the rest
    begin    lateness; a lag beyond the limit moves the origin of time instead of being caught up
    jobs     in the order of the schedule, each a call `void f(ptr argument)`
    record   every so many ticks, and on the tick that failed: channels, timing, then the ring's own write
    finish   computing time, overruns, load

The loop works on one `Control` block, which other threads may read at any time and in which they set `stop`.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

from motionbase.executive.control import CLOCK, FIELD, OURS, REAL_TIME, Warnings
from motionbase.executive.support import SUPPORT
from motionbase.native.jit import loaded

NAP_NS = 50_000_000  # the longest sleep: a stop is heard after it, however slow the ticks are
GUARD_NS = 5_000  # a sleep that ends closer than this to the due time counts as too long
LONGER_NS, SHORTER_NS = 20_000, 20  # steps of the margin: it settles where one sleep in a thousand is too long


class Native(NamedTuple):
    """The compiled functions: `run(control)`, `prefault(bytes)`, `copy(table)`."""

    run: Any
    prefault: Any
    copy: Any


@cache
def native() -> Native:
    """Compiled once for this machine, then from the object cache."""
    library = loaded(IR, "executive")
    return Native(
        library.function("executive_run", ctypes.c_uint64),
        library.function("executive_prefault", ctypes.c_int64),
        library.function("executive_copy", ctypes.c_uint64),
    )


def _at(name: str, field: str) -> str:
    return f"  %{name} = getelementptr i64, ptr %c, i64 {FIELD[field]}\n"


def _get(name: str, field: str, kind: str = "i64") -> str:
    return _at(f"{name}.at", field) + f"  %{name} = load {kind}, ptr %{name}.at\n"


def _set(field: str, value: str, tag: str) -> str:
    return _at(f"{field}.{tag}.to", field) + f"  store i64 {value}, ptr %{field}.{tag}.to\n"


def _update(field: str, tag: str, operation: str, value: str) -> str:
    """`field = operation(field, value)`, where operation is an instruction or an intrinsic's name."""
    name = f"{field}.{tag}"
    how = (
        f"call i64 @llvm.{operation}.i64(i64 %{name}, i64 {value})"
        if operation == "smax"
        else f"{operation} i64 %{name}, {value}"
    )
    return _get(name, field) + f"  %{name}.new = {how}\n  store i64 %{name}.new, ptr %{name}.at\n"


def _put(field: str, value: str) -> str:
    """A double to the place in the record that a field of the control block gives."""
    return (
        _get(f"{field}.int", field)
        + f"  %{field}.ptr = inttoptr i64 %{field}.int to ptr\n  store double {value}, ptr %{field}.ptr\n"
    )


def _clock(name: str, value: str) -> str:
    at = f"%clock.{name}"
    return f"  {at} = getelementptr double, ptr %clock, i64 {CLOCK.index(name)}\n  store double {value}, ptr {at}\n"


IR = f"""{SUPPORT}
define void @executive_run(i64 %address) {{
entry:
  %c = inttoptr i64 %address to ptr
{_get("mode", "mode")}{_get("stop_tick", "stop_tick")}{_get("piece_end", "piece_end")}
{_get("calls.int", "calls")}{_get("call_count", "call_count")}{_get("copies", "copies")}
{_get("dt", "dt", "double")}{_get("period", "period", "double")}
{_get("clock.int", "clock")}{_get("histogram.int", "histogram")}
{_get("port", "port")}{_get("ring_write.int", "ring_write")}{_get("record_every", "record_every")}
  %calls = inttoptr i64 %calls.int to ptr
  %clock = inttoptr i64 %clock.int to ptr
  %histogram = inttoptr i64 %histogram.int to ptr
  %ring_write = inttoptr i64 %ring_write.int to ptr
  %real_time = icmp eq i64 %mode, {REAL_TIME}
  %entered = call i64 @now()
{_set("end", "%entered", "entry")}{_get("started", "started")}
  %again = icmp ne i64 %started, 0
  br i1 %again, label %loop, label %start

start:  ; the first tick is due after `lead`
{_get("lead", "lead")}{_get("tick.start", "tick")}
  %first = add i64 %entered, %lead
  %elapsed = call i64 @due(i64 0, i64 %tick.start, double %period)
  %origin.start = sub i64 %first, %elapsed
{_set("origin", "%origin.start", "start")}{_set("started", "1", "start")}
  br label %loop

loop:
{_get("tick", "tick")}{_at("stop.at", "stop")}
  %stop = load atomic i64, ptr %stop.at monotonic, align 8
  %asked = icmp ne i64 %stop, 0
  %complete = icmp sge i64 %tick, %stop_tick
  %enough = or i1 %asked, %complete
  br i1 %enough, label %leave, label %live
live:
  br i1 %real_time, label %wait, label %free

free:  ; as fast as possible: a tick begins where the one before ended
{_get("free.start", "end")}{_update("on_time", "free", "add", "1")}
  br label %jobs

wait:
{_get("origin", "origin")}{_get("margin", "margin")}
{_get("busy_limit", "busy_limit")}{_get("compute.last", "compute")}
  %due = call i64 @due(i64 %origin, i64 %tick, double %period)
  ; jobs and spinning together leave the processor free for a while, or the system would throttle a real-time thread
  %room = sub i64 %busy_limit, %compute.last
  %room.some = call i64 @llvm.smax.i64(i64 %room, i64 0)
  %spinning = call i64 @llvm.smin.i64(i64 %margin, i64 %room.some)
  %wake = sub i64 %due, %spinning
  %before = call i64 @now()
  %early = icmp slt i64 %before, %wake
  br i1 %early, label %sleep, label %spin
sleep:
  %nap.end = add i64 %before, {NAP_NS}
  %nap = call i64 @llvm.smin.i64(i64 %wake, i64 %nap.end)
  call void @sleep_until(i64 %nap)
  %woken = call i64 @now()
  %too.early = icmp slt i64 %woken, %wake
  br i1 %too.early, label %loop, label %learn
learn:
{_get("margin_min", "margin_min")}{_get("margin_max", "margin_max")}
  %oversleep = sub i64 %woken, %wake
  %allowed = sub i64 %margin, {GUARD_NS}
  %tight = icmp sgt i64 %oversleep, %allowed
  %change = select i1 %tight, i64 {LONGER_NS}, i64 -{SHORTER_NS}
  %margin.free = add i64 %margin, %change
  %margin.least = call i64 @llvm.smax.i64(i64 %margin.free, i64 %margin_min)
  %margin.new = call i64 @llvm.smin.i64(i64 %margin.least, i64 %margin_max)
  store i64 %margin.new, ptr %margin.at
  br label %spin
spin:
  %now = call i64 @now()
  %is.due = icmp sge i64 %now, %due
  br i1 %is.due, label %begin, label %spin

begin:
{_get("slip_limit", "slip_limit")}{_get("on_time_limit", "on_time_limit")}
  %lag = sub i64 %now, %due
{_update("max_lateness", "begin", "smax", "%lag")}
  %bin = call i64 @bin(i64 %lag)
  %bin.at = getelementptr i64, ptr %histogram, i64 %bin
  %bin.old = load i64, ptr %bin.at
  %bin.new = add i64 %bin.old, 1
  store i64 %bin.new, ptr %bin.at
  %slips = icmp sgt i64 %lag, %slip_limit
  br i1 %slips, label %slip, label %sort
slip:  ; this tick is due now, and so are those after it, counted from here
  %origin.moved = add i64 %origin, %lag
  store i64 %origin.moved, ptr %origin.at
{_update("slipped", "slip", "add", "1")}{_update("slipped_time", "slip", "add", "%lag")}
{_update("bits", "slip", "or", str(int(Warnings.SLIPPED | Warnings.LATE)))}
  br label %jobs
sort:
  %is.late = icmp sgt i64 %lag, %on_time_limit
  br i1 %is.late, label %late, label %punctual
late:
{_update("late", "late", "add", "1")}{_update("bits", "late", "or", str(int(Warnings.LATE)))}
  br label %jobs
punctual:
{_update("on_time", "punctual", "add", "1")}
  br label %jobs

jobs:
  %begun = phi i64 [ %free.start, %free ], [ %now, %slip ], [ %now, %late ], [ %now, %punctual ]
  %behind = phi i64 [ 0, %free ], [ %lag, %slip ], [ %lag, %late ], [ %lag, %punctual ]
{_get("compute.before", "compute")}{_get("overruns.before", "overruns")}{_get("peak.before", "peak")}
  %tick.f = sitofp i64 %tick to double
  %t = fmul double %tick.f, %dt
  %behind.f = sitofp i64 %behind to double
  %lateness = fdiv double %behind.f, 1.0e9
  %compute.f = sitofp i64 %compute.before to double
  %compute.s = fdiv double %compute.f, 1.0e9
  %overruns.f = sitofp i64 %overruns.before to double
  %peak.f = sitofp i64 %peak.before to double
  %load = fdiv double %peak.f, %period
{_clock("t", "%t")}{_clock("tick", "%tick.f")}{_clock("lateness", "%lateness")}
{_clock("compute", "%compute.s")}{_clock("overruns", "%overruns.f")}{_clock("load", "%load")}
  br label %next
next:
  %k = phi i64 [ 0, %jobs ], [ %k.after, %skip ]
  %some = icmp slt i64 %k, %call_count
  br i1 %some, label %look, label %done
look:
  %call.offset = mul i64 %k, 4
  %call.at = getelementptr i64, ptr %calls, i64 %call.offset
  %when.at = getelementptr i64, ptr %call.at, i64 1
  %every = load i64, ptr %call.at
  %when = load i64, ptr %when.at
  %its.turn = icmp eq i64 %when, %tick
  br i1 %its.turn, label %call, label %skip
call:
  %when.after = add i64 %when, %every
  store i64 %when.after, ptr %when.at
  %function.at = getelementptr i64, ptr %call.at, i64 2
  %argument.at = getelementptr i64, ptr %call.at, i64 3
  %function.int = load i64, ptr %function.at
  %argument = load i64, ptr %argument.at
  %function = inttoptr i64 %function.int to ptr
  call void %function(i64 %argument)
{_get("failed.call", "failed")}
  %broke = icmp ne i64 %failed.call, 0
  br i1 %broke, label %failure, label %skip
skip:
  %k.after = add i64 %k, 1
  br label %next
failure:
{_update("bits", "failure", "or", str(int(Warnings.FAILED)))}
  br label %record
done:
{_get("record_next", "record_next")}
  %recorded = icmp eq i64 %record_next, %tick
  br i1 %recorded, label %record, label %finish

record:
  %record.after = add i64 %tick, %record_every
{_set("record_next", "%record.after", "record")}
  call void @executive_copy(i64 %copies)
{_put("at_t", "%t")}{_put("at_tick", "%tick.f")}{_put("at_lateness", "%lateness")}
{_put("at_compute", "%compute.s")}{_put("at_overruns", "%overruns.f")}{_put("at_load", "%load")}
{_get("warning.int", "at_warning")}{_get("bits.record", "bits")}
  %warning.at = inttoptr i64 %warning.int to ptr
  %theirs.f = load double, ptr %warning.at
  %theirs.all = call i64 @llvm.fptosi.sat.i64.f64(double %theirs.f)
  %theirs = and i64 %theirs.all, {~OURS}
  %warning = or i64 %theirs, %bits.record
  %warning.f = sitofp i64 %warning to double
  store double %warning.f, ptr %warning.at
{_set("bits", "0", "record")}{_set("peak", "0", "record")}
  %has.ring = icmp ne i64 %port, 0
  br i1 %has.ring, label %publish, label %finish
publish:
  call void %ring_write(i64 %port)
  br label %finish

finish:
  %end = call i64 @now()
  %compute = sub i64 %end, %begun
{_set("end", "%end", "finish")}{_set("compute", "%compute", "finish")}
{_update("peak", "finish", "smax", "%compute")}{_update("max_compute", "finish", "smax", "%compute")}
{_update("sum_compute", "finish", "add", "%compute")}
  %tick.after = add i64 %tick, 1
  store i64 %tick.after, ptr %tick.at
  br i1 %real_time, label %judge, label %close
judge:
{_get("origin.now", "origin")}{_get("load_limit", "load_limit")}
  %due.after = call i64 @due(i64 %origin.now, i64 %tick.after, double %period)
  %over = icmp sgt i64 %end, %due.after
  %over.one = zext i1 %over to i64
  %over.bit = select i1 %over, i64 {int(Warnings.OVERRUN)}, i64 0
  %loaded = icmp sgt i64 %compute, %load_limit
  %loaded.one = zext i1 %loaded to i64
  %loaded.bit = select i1 %loaded, i64 {int(Warnings.LOAD)}, i64 0
  %judged = or i64 %over.bit, %loaded.bit
{_update("overruns", "judge", "add", "%over.one")}{_update("load_warnings", "judge", "add", "%loaded.one")}
{_update("bits", "judge", "or", "%judged")}
  br label %close
close:
{_get("failed.end", "failed")}
  %failing = icmp ne i64 %failed.end, 0
  %piece.over = icmp sge i64 %end, %piece_end
  %ends = or i1 %failing, %piece.over
  br i1 %ends, label %leave, label %loop
leave:
  ret void
}}
"""
