"""Native loops around the ring's own functions: a writer at full speed, plain memcpy, stamped records, their reader."""

import ctypes
from functools import cache
from typing import Any, NamedTuple

from motionbase.native.clock import NOW
from motionbase.native.jit import loaded
from motionbase.ring.native_records import FIELD


class Loops(NamedTuple):
    """Every argument is an address or a number."""

    hammer: Any  # (ring_write, port, row, channels, first, count): record i has i in every channel
    again: Any  # (ring_write, port, count): the same record over and over
    memcpy: Any  # (ring, row, bytes, capacity, count): into a ring of that size without any protocol
    stamped: Any  # (ring_write, port, row, period_ns, count): the time of writing in the second channel
    delays: Any  # (ring_wait, ring_read, port, rows, delays_ns, count): from that time to receiving the record


@cache
def loops() -> Loops:
    """Compiled for this machine."""
    library = loaded(IR, "ring loops")
    sizes = {"hammer": 6, "again": 3, "memcpy": 5, "stamped": 5, "delays": 6}
    return Loops(*(library.function(f"loop_{n}", *([ctypes.c_uint64] * k)) for n, k in sizes.items()))


IR = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

{NOW}
define void @loop_hammer(i64 %write, i64 %port, i64 %row, i64 %channels, i64 %first, i64 %count) {{
entry:
  %fn = inttoptr i64 %write to ptr
  %row.at = inttoptr i64 %row to ptr
  %end = add i64 %first, %count
  br label %record
record:
  %i = phi i64 [ %first, %entry ], [ %i.next, %publish ]
  %more = icmp ult i64 %i, %end
  br i1 %more, label %start, label %done
start:
  %value = uitofp i64 %i to double
  br label %fill
fill:
  %k = phi i64 [ 0, %start ], [ %k.next, %fill ]
  %at = getelementptr double, ptr %row.at, i64 %k
  store double %value, ptr %at
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, %channels
  br i1 %again, label %fill, label %publish
publish:
  call void %fn(i64 %port)
  %i.next = add i64 %i, 1
  br label %record
done:
  ret void
}}

define void @loop_again(i64 %write, i64 %port, i64 %count) {{
entry:
  %fn = inttoptr i64 %write to ptr
  br label %record
record:
  %i = phi i64 [ 0, %entry ], [ %i.next, %record ]
  call void %fn(i64 %port)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %record, label %done
done:
  ret void
}}

define void @loop_memcpy(i64 %ring, i64 %row, i64 %bytes, i64 %capacity, i64 %count) {{
entry:
  %ring.at = inttoptr i64 %ring to ptr
  %row.at = inttoptr i64 %row to ptr
  br label %record
record:
  %i = phi i64 [ 0, %entry ], [ %i.next, %record ]
  %slot = urem i64 %i, %capacity
  %offset = mul i64 %slot, %bytes
  %to = getelementptr i8, ptr %ring.at, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %row.at, i64 %bytes, i1 false)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %record, label %done
done:
  ret void
}}

define void @loop_stamped(i64 %write, i64 %port, i64 %row, i64 %period, i64 %count) {{
entry:
  %fn = inttoptr i64 %write to ptr
  %row.at = inttoptr i64 %row to ptr
  %stamp.at = getelementptr i64, ptr %row.at, i64 1
  %begin = call i64 @now()
  br label %record
record:
  %i = phi i64 [ 0, %entry ], [ %i.next, %publish ]
  %due = phi i64 [ %begin, %entry ], [ %due.next, %publish ]
  br label %spin
spin:
  %time = call i64 @now()
  %early = icmp slt i64 %time, %due
  br i1 %early, label %spin, label %publish
publish:
  %stamp = call i64 @now()
  store i64 %stamp, ptr %stamp.at
  call void %fn(i64 %port)
  %due.next = add i64 %due, %period
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %record, label %done
done:
  ret void
}}

define void @loop_delays(i64 %wait, i64 %read, i64 %port, i64 %rows, i64 %delays, i64 %count) {{
entry:
  %wait.fn = inttoptr i64 %wait to ptr
  %read.fn = inttoptr i64 %read to ptr
  %port.at = inttoptr i64 %port to ptr
  %count.at = getelementptr i64, ptr %port.at, i64 {FIELD["count"]}
  %rows.at = inttoptr i64 %rows to ptr
  %stamp.at = getelementptr i64, ptr %rows.at, i64 1
  %delays.at = inttoptr i64 %delays to ptr
  br label %record
record:
  %i = phi i64 [ 0, %entry ], [ %i.next, %record ]
  call void %wait.fn(i64 %port)
  store i64 1, ptr %count.at
  call void %read.fn(i64 %port)
  %time = call i64 @now()
  %stamp = load i64, ptr %stamp.at
  %delay = sub i64 %time, %stamp
  %to = getelementptr i64, ptr %delays.at, i64 %i
  store i64 %delay, ptr %to
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %count
  br i1 %more, label %record, label %done
done:
  ret void
}}
"""
