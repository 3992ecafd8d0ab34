"""The native loop of `scan` in LLVM IR: step, feed the state back, keep every n-th row."""

from __future__ import annotations

from motionbase.compile.render.llvm import Module
from motionbase.compile.scan_plan import Feed, ScanPlan


def scan_function(module: Module, plan: ScanPlan) -> str:
    """`NAME.scan(n, every, one pointer a port)`: states are updated in place, recorded outputs get one row a time.

    The step works on copies on the stack, so LLVM sees that nothing overlaps.
    """
    lanes = module.dialect.lanes
    lines: list[str] = []
    put = lines.append
    passed: list[str] = []
    for k, (argument, feed) in enumerate(zip(plan.unit.routine.arguments, plan.feeds, strict=True)):
        doubles = argument.size * lanes
        if feed in (Feed.STATE, Feed.OUTPUT):
            put(f"  %s{k} = alloca [{max(doubles, 1)} x double], align 64")
            passed.append(f"ptr %s{k}")
        else:
            passed.append(f"ptr {'%row' if feed is Feed.PER_STEP else '%p'}{k}")
    for k in plan.states:
        put(_copy(f"%s{k}", f"%p{k}", plan.size(k) * lanes))
    put("  %any = icmp sgt i64 %n, 0")
    put("  br i1 %any, label %step, label %done")
    put("step:")
    put("  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]")
    put("  %left = phi i64 [ %every, %entry ], [ %left.next, %next ]")
    put("  %kept = phi i64 [ 0, %entry ], [ %kept.next, %next ]")
    for k in plan.per_step:
        put(f"  %at{k} = mul i64 %k, {plan.size(k) * lanes}")
        put(f"  %row{k} = getelementptr double, ptr %p{k}, i64 %at{k}")
    put(f"  call void @{module.entry}({', '.join(passed)})")
    for state, output in plan.feedback:
        put(_copy(f"%s{state}", f"%s{output}", plan.size(state) * lanes))
    put("  %left.less = sub i64 %left, 1")
    put("  %due = icmp eq i64 %left.less, 0")
    put("  br i1 %due, label %keep, label %next")
    put("keep:")
    for k in plan.recorded:
        put(f"  %to{k} = mul i64 %kept, {plan.size(k) * lanes}")
        put(f"  %keep{k} = getelementptr double, ptr %p{k}, i64 %to{k}")
        put(_copy(f"%keep{k}", f"%s{k}", plan.size(k) * lanes))
    put("  %kept.more = add i64 %kept, 1")
    put("  br label %next")
    put("next:")
    put("  %kept.next = phi i64 [ %kept, %step ], [ %kept.more, %keep ]")
    put("  %left.next = phi i64 [ %left.less, %step ], [ %every, %keep ]")
    put("  %k.next = add i64 %k, 1")
    put("  %more = icmp slt i64 %k.next, %n")
    put("  br i1 %more, label %step, label %done")
    put("done:")
    for k in plan.states:
        put(_copy(f"%p{k}", f"%s{k}", plan.size(k) * lanes))
    put("  ret void")
    pointers = [f"ptr noalias %p{k}" for k in range(len(plan.feeds))]
    head = f"define void @{plan.unit.name}.scan({', '.join(['i64 %n', 'i64 %every', *pointers])}) nounwind {{"
    return "\n".join([head, "entry:", *lines, "}"])


def _copy(target: str, source: str, doubles: int) -> str:
    if not doubles:
        return ""
    return (
        f"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 {doubles * 8}, i1 false)"
    )
