"""The system clock in LLVM IR, for all loops in machine code."""

# CLOCK_MONOTONIC is 1, TIMER_ABSTIME is 1
NOW = """declare i32 @clock_gettime(i32, ptr)

; CLOCK_MONOTONIC [ns]
define internal i64 @now() {
  %time = alloca [2 x i64], align 8
  %unused = call i32 @clock_gettime(i32 1, ptr %time)
  %s = load i64, ptr %time
  %ns.at = getelementptr i64, ptr %time, i64 1
  %ns = load i64, ptr %ns.at
  %s.ns = mul i64 %s, 1000000000
  %sum = add i64 %s.ns, %ns
  ret i64 %sum
}
"""

SLEEP_UNTIL = """declare i32 @clock_nanosleep(i32, i32, ptr, ptr)

; until CLOCK_MONOTONIC [ns] shows that time
define internal void @sleep_until(i64 %wake) {
  %time = alloca [2 x i64], align 8
  %ns.at = getelementptr i64, ptr %time, i64 1
  %s = udiv i64 %wake, 1000000000
  %ns = urem i64 %wake, 1000000000
  store i64 %s, ptr %time
  store i64 %ns, ptr %ns.at
  %unused = call i32 @clock_nanosleep(i32 1, i32 1, ptr %time, ptr null)
  ret void
}
"""
