"""Publishing and reading records, in LLVM IR, because the order of memory operations matters.

The writer raises `claim` before it touches a slot and `head` after: record i is whole while i < head and
claim <= i + capacity. A reader copies first and loads `claim` afterwards, so it discards the records that were
overwritten during the copy; neither side waits.

    writer: claim = head + n   | release fence | copy in  | head = head + n, release
    reader: head, acquire      | copy out      | acquire fence | claim

x86 keeps these orders anyway and the fences cost nothing. On ARM the first fence becomes `dmb ish`, the second
`dmb ishld`, the head `stlr` and `ldar`: stores of records cannot pass the claim before them nor the head after them,
and loads of records cannot pass the head before them nor the claim after them. In LLVM's memory model a racing plain
load gives an undefined value rather than undefined behaviour, and exactly such values are discarded.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple, final

from motionbase.native.clock import NOW
from motionbase.native.jit import loaded
from motionbase.ring.layout import BEAT, CLAIM, EPOCH, HEAD

OK, RESTARTED = 0, 1
CYCLES = 20_000  # between reads of the clock: about ten microseconds


@final
class Port(ctypes.Structure):
    """Argument block of the native functions: they take its address alone, so a call costs little."""

    _fields_ = (
        ("counters", ctypes.c_uint64),
        ("records", ctypes.c_uint64),
        ("record_bytes", ctypes.c_uint64),
        ("capacity", ctypes.c_uint64),
        ("rows", ctypes.c_uint64),  # address of the rows to write, or of the buffer for rows read
        ("count", ctypes.c_uint64),  # rows to write; for reads the limit, then the number read
        ("epoch", ctypes.c_uint64),  # reader: epoch of the writer that it follows
        ("tail", ctypes.c_uint64),  # reader: number of the next record
        ("start", ctypes.c_uint64),  # reader: the first whole row among those read
        ("lost", ctypes.c_uint64),  # reader: records overwritten before they were read
        ("status", ctypes.c_uint64),  # reader: OK or RESTARTED
        ("deadline", ctypes.c_int64),  # reader: end of a wait, CLOCK_MONOTONIC [ns]
        ("cycles", ctypes.c_uint64),  # writer: the processor's counter when it last looked at the clock
    )


FIELD = {name: k for k, (name, _) in enumerate(Port._fields_)}


class Native(NamedTuple):
    """The native functions; each takes the address of a Port.

    Attributes:
        publish: `write` for one record, which keeps Python's lock because releasing it costs more
    """

    write: Any
    publish: Any
    read: Any
    wait: Any


@cache
def native() -> Native:
    """The native functions, compiled once for this machine and then loaded from the object cache."""
    library = loaded(IR, "ring")
    write = library.function("ring_write", ctypes.c_uint64)
    publish: Any = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(ctypes.cast(write, ctypes.c_void_p).value or 0)
    publish.library = library  # the code lives as long as the function
    return Native(
        write,
        publish,
        library.function("ring_read", ctypes.c_uint64),
        library.function("ring_wait", ctypes.c_uint64),
    )


def _field(register: str, name: str) -> str:
    return f"""
  %{register}.at = getelementptr i64, ptr %port, i64 {FIELD[name]}
  %{register} = load i64, ptr %{register}.at"""


def _pointer(register: str, name: str) -> str:
    return _field(f"{register}.int", name) + f"\n  %{register} = inttoptr i64 %{register}.int to ptr"


def _copy(name: str, first: str, rest: str) -> str:
    """IR that copies records to or from the ring: up to its end, then, if any are left, from its start."""
    return f"""
define internal void @{name}(ptr %records, i64 %size, i64 %capacity, i64 %index, ptr %rows, i64 %count) alwaysinline {{
  %slot = urem i64 %index, %capacity
  %room = sub i64 %capacity, %slot
  %first = call i64 @llvm.umin.i64(i64 %count, i64 %room)
  %slot.offset = mul i64 %slot, %size
  %slot.at = getelementptr i8, ptr %records, i64 %slot.offset
  %first.bytes = mul i64 %first, %size
  call void @llvm.memcpy.p0.p0.i64(ptr {first}, i64 %first.bytes, i1 false)
  %wrapped = icmp ugt i64 %count, %first
  br i1 %wrapped, label %again, label %done
again:
  %rest = sub i64 %count, %first
  %rest.bytes = mul i64 %rest, %size
  %rest.rows = getelementptr i8, ptr %rows, i64 %first.bytes
  call void @llvm.memcpy.p0.p0.i64(ptr {rest}, i64 %rest.bytes, i1 false)
  br label %done
done:
  ret void
}}"""


IR = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.readcyclecounter()
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)

{NOW}
{_copy("copy_in", "%slot.at, ptr %rows", "%records, ptr %rest.rows")}
{_copy("copy_out", "%rows, ptr %slot.at", "%rest.rows, ptr %records")}
; publish `count` rows, a quarter of the ring at a time at most, so that readers always find three quarters whole
define void @ring_write(i64 %address) {{
entry:
  %port = inttoptr i64 %address to ptr
  {_pointer("counters", "counters")}
  {_pointer("records", "records")}
  {_pointer("rows", "rows")}
  {_field("size", "record_bytes")}
  {_field("capacity", "capacity")}
  {_field("count", "count")}
  {_field("cycles", "cycles")}
  %claim.at = getelementptr i8, ptr %counters, i64 {CLAIM}
  %head.at = getelementptr i8, ptr %counters, i64 {HEAD}
  %beat.at = getelementptr i8, ptr %counters, i64 {BEAT}
  %head.start = load atomic i64, ptr %head.at monotonic, align 8
  %quarter = lshr i64 %capacity, 2
  %chunk = call i64 @llvm.umax.i64(i64 %quarter, i64 1)
  br label %next
next:
  %head = phi i64 [ %head.start, %entry ], [ %head.after, %some ]
  %left = phi i64 [ %count, %entry ], [ %left.after, %some ]
  %from = phi ptr [ %rows, %entry ], [ %from.after, %some ]
  %more = icmp ne i64 %left, 0
  br i1 %more, label %some, label %done
some:
  %n = call i64 @llvm.umin.i64(i64 %left, i64 %chunk)
  %head.after = add i64 %head, %n
  store atomic i64 %head.after, ptr %claim.at monotonic, align 8
  fence release
  call void @copy_in(ptr %records, i64 %size, i64 %capacity, i64 %head, ptr %from, i64 %n)
  store atomic i64 %head.after, ptr %head.at release, align 8
  %left.after = sub i64 %left, %n
  %n.bytes = mul i64 %n, %size
  %from.after = getelementptr i8, ptr %from, i64 %n.bytes
  br label %next
done:
  ; the clock costs a third of a record: look at it only when microseconds have passed, or where nothing counts them
  %cycles.now = call i64 @llvm.readcyclecounter()
  %cycles.passed = sub i64 %cycles.now, %cycles
  %old = icmp ugt i64 %cycles.passed, {CYCLES}
  %uncounted = icmp eq i64 %cycles.now, 0
  %due = or i1 %old, %uncounted
  br i1 %due, label %beat, label %end
beat:
  %time = call i64 @now()
  store atomic i64 %time, ptr %beat.at monotonic, align 8
  store i64 %cycles.now, ptr %cycles.at
  br label %end
end:
  ret void
}}

; take up to `count` records from `tail` on; `lost` counts those that were overwritten first
define void @ring_read(i64 %address) {{
entry:
  %port = inttoptr i64 %address to ptr
  {_pointer("counters", "counters")}
  {_pointer("records", "records")}
  {_pointer("rows", "rows")}
  {_field("size", "record_bytes")}
  {_field("capacity", "capacity")}
  {_field("most", "count")}
  {_field("epoch", "epoch")}
  {_field("tail", "tail")}
  %start.at = getelementptr i64, ptr %port, i64 {FIELD["start"]}
  %lost.at = getelementptr i64, ptr %port, i64 {FIELD["lost"]}
  %status.at = getelementptr i64, ptr %port, i64 {FIELD["status"]}
  %claim.at = getelementptr i8, ptr %counters, i64 {CLAIM}
  %head.at = getelementptr i8, ptr %counters, i64 {HEAD}
  %epoch.now.at = getelementptr i8, ptr %counters, i64 {EPOCH}
  %epoch.before = load atomic i64, ptr %epoch.now.at acquire, align 8
  %head = load atomic i64, ptr %head.at acquire, align 8
  %same = icmp eq i64 %epoch.before, %epoch
  %forward = icmp uge i64 %head, %tail
  %good = and i1 %same, %forward
  br i1 %good, label %take, label %restarted
take:
  %claim.before = load atomic i64, ptr %claim.at monotonic, align 8
  %oldest = call i64 @llvm.usub.sat.i64(i64 %claim.before, i64 %capacity)
  %lapped = icmp ugt i64 %oldest, %tail
  ; a lapped reader steps a sixteenth of the ring ahead of the writer, or it would be lapped again at once
  %slack = lshr i64 %capacity, 4
  %ahead = add i64 %oldest, %slack
  %ahead.most = call i64 @llvm.umin.i64(i64 %ahead, i64 %head)
  %begin = select i1 %lapped, i64 %ahead.most, i64 %tail
  %skipped = sub i64 %begin, %tail
  %ready = sub i64 %head, %begin
  %n = call i64 @llvm.umin.i64(i64 %ready, i64 %most)
  call void @copy_out(ptr %records, i64 %size, i64 %capacity, i64 %begin, ptr %rows, i64 %n)
  fence acquire
  %claim.after = load atomic i64, ptr %claim.at monotonic, align 8
  %epoch.after = load atomic i64, ptr %epoch.now.at monotonic, align 8
  %still = icmp eq i64 %epoch.after, %epoch
  br i1 %still, label %keep, label %restarted
keep:
  %oldest.after = call i64 @llvm.usub.sat.i64(i64 %claim.after, i64 %capacity)
  %overwritten = call i64 @llvm.usub.sat.i64(i64 %oldest.after, i64 %begin)
  %start = call i64 @llvm.umin.i64(i64 %overwritten, i64 %n)
  %lost = add i64 %skipped, %start
  %tail.after = add i64 %begin, %n
  store i64 %n, ptr %most.at
  store i64 %tail.after, ptr %tail.at
  store i64 %start, ptr %start.at
  store i64 %lost, ptr %lost.at
  store i64 {OK}, ptr %status.at
  ret void
restarted:
  store i64 0, ptr %most.at
  store i64 0, ptr %start.at
  store i64 0, ptr %lost.at
  store i64 {RESTARTED}, ptr %status.at
  ret void
}}

; spin until there is something to take, or the deadline
define void @ring_wait(i64 %address) {{
entry:
  %port = inttoptr i64 %address to ptr
  {_pointer("counters", "counters")}
  {_field("tail", "tail")}
  {_field("deadline", "deadline")}
  %head.at = getelementptr i8, ptr %counters, i64 {HEAD}
  br label %poll
poll:
  %turn = phi i64 [ 0, %entry ], [ %turn.after, %look ], [ 0, %clock ]
  %head = load atomic i64, ptr %head.at acquire, align 8
  %some = icmp ne i64 %head, %tail
  br i1 %some, label %done, label %look
look:
  %turn.after = add i64 %turn, 1
  %tired = icmp ugt i64 %turn, 200
  br i1 %tired, label %clock, label %poll
clock:
  %time = call i64 @now()
  %late = icmp sgt i64 %time, %deadline
  br i1 %late, label %done, label %poll
done:
  ret void
}}
"""
