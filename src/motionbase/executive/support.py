"""What the native loop calls, in LLVM IR: clock and sleep, due times, bins of the histogram, copies, the stack."""

from motionbase.native.clock import NOW, SLEEP_UNTIL

SUPPORT = (
    NOW
    + SLEEP_UNTIL
    + """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.fptosi.sat.i64.f64(double)

define internal i64 @due(i64 %origin, i64 %tick, double %period) {
  %number = sitofp i64 %tick to double
  %since = fmul double %number, %period
  %whole = fptosi double %since to i64
  %due = add i64 %origin, %whole
  ret i64 %due
}

; place of a lateness in the histogram: itself below 32 ns, then sixteen bins to every doubling
define internal i64 @bin(i64 %value) {
  %positive = call i64 @llvm.smax.i64(i64 %value, i64 0)
  %odd = or i64 %positive, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %odd, i1 true)
  %top = sub i64 63, %zeros
  %excess = sub i64 %top, 4
  %shift = call i64 @llvm.smax.i64(i64 %excess, i64 0)
  %mantissa = lshr i64 %positive, %shift
  %octave = mul i64 %shift, 16
  %bin = add i64 %octave, %mantissa
  ret i64 %bin
}

; copies from a table: count, then (from, to, bytes) so many times
define void @executive_copy(i64 %address) {
entry:
  %table = inttoptr i64 %address to ptr
  %count = load i64, ptr %table
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k.after, %copy ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %copy, label %done
copy:
  %offset = mul i64 %k, 3
  %row = getelementptr i64, ptr %table, i64 %offset
  %from.at = getelementptr i64, ptr %row, i64 1
  %to.at = getelementptr i64, ptr %row, i64 2
  %bytes.at = getelementptr i64, ptr %row, i64 3
  %from.int = load i64, ptr %from.at
  %to.int = load i64, ptr %to.at
  %bytes = load i64, ptr %bytes.at
  %from = inttoptr i64 %from.int to ptr
  %to = inttoptr i64 %to.int to ptr
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  %k.after = add i64 %k, 1
  br label %next
done:
  ret void
}

; touch the pages of the stack below, so that the first deep call of a tick does not wait for them
define void @executive_prefault(i64 %bytes) noinline {
entry:
  %room = alloca i8, i64 %bytes, align 16
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %k.after, %next ]
  %at = getelementptr i8, ptr %room, i64 %k
  store volatile i8 0, ptr %at
  %k.after = add i64 %k, 4096
  %more = icmp slt i64 %k.after, %bytes
  br i1 %more, label %next, label %done
done:
  ret void
}
"""
)
