"""The native loop of `scan` in LLVM IR: step, feed the state back, keep every n-th row."""

from __future__ import annotations

from motionbase.compile.scan_plan import Feed, ScanPlan


def workspace_doubles(plan: ScanPlan, lanes: int) -> int:
    """Number of doubles that the loop needs besides the caller's arrays."""
    return sum(size for _, size in _workspace(plan, lanes).values())


def _workspace(plan: ScanPlan, lanes: int) -> dict[int, tuple[int, int]]:
    """Offset and size of each port in the workspace: second places of states, and outputs that are not fed back."""
    fed_back = {output for _, output in plan.feedback}
    places: dict[int, tuple[int, int]] = {}
    at = 0
    for k, feed in enumerate(plan.feeds):
        if feed is Feed.STATE or (feed is Feed.OUTPUT and k not in fed_back):
            places[k] = at, plan.size(k) * lanes
            at += plan.size(k) * lanes
    return places


def loop_module(plan: ScanPlan, lanes: int) -> str:
    """`scan(step, n, every, workspace, one pointer per port)`: a loop around any step with these ports."""
    function = scan_function(plan, lanes, "scan", "%function")
    return f"{function}\n\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"


def scan_function(plan: ScanPlan, lanes: int, name: str, step: str) -> str:
    """`name(n, every, workspace, one pointer per port)`: states in place, recorded outputs row by row.

    A state has two places that swap roles after each step, so that nothing is copied: a copy would read with wide loads
    what the step has just written with narrow stores, and stall.

    Args:
        step: the function to call, or %function if it is the first parameter
    """
    doubles = [plan.size(k) * lanes for k in range(len(plan.feeds))]
    source = {output: state for state, output in plan.feedback}  # the state an output becomes
    copied = [(state, output) for state, output in plan.feedback if source[output] != state]
    lines: list[str] = []
    put = lines.append

    def place(k: int) -> str:
        """Address of port k's data during a step."""
        feed = plan.feeds[k]
        if feed is Feed.STATE:
            return f"%now{k}"
        if feed is Feed.OUTPUT:
            return f"%then{source[k]}" if k in source else f"%own{k}"
        return f"%row{k}" if feed is Feed.PER_STEP else f"%p{k}"

    for k, (offset, _) in _workspace(plan, lanes).items():
        which = "other" if plan.feeds[k] is Feed.STATE else "own"
        put(f"  %{which}{k} = getelementptr double, ptr %workspace, i64 {offset}")
    put("  %any = icmp sgt i64 %n, 0")
    put("  br i1 %any, label %step, label %done")
    put("step:")
    put("  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]")
    put("  %left = phi i64 [ %every, %entry ], [ %left.next, %next ]")
    put("  %kept = phi i64 [ 0, %entry ], [ %kept.next, %next ]")
    for k in plan.states:
        put(f"  %now{k} = phi ptr [ %p{k}, %entry ], [ %then{k}, %next ]")
        put(f"  %then{k} = phi ptr [ %other{k}, %entry ], [ %now{k}, %next ]")
    for k in plan.per_step:
        put(f"  %at{k} = mul i64 %k, {doubles[k]}")
        put(f"  %row{k} = getelementptr double, ptr %p{k}, i64 %at{k}")
    put(f"  call void {step}({', '.join(f'ptr {place(k)}' for k in range(len(plan.feeds)))})")
    for state, output in copied:
        put(_copy(f"%then{state}", place(output), doubles[state]))
    put("  %left.less = sub i64 %left, 1")
    put("  %due = icmp eq i64 %left.less, 0")
    put("  br i1 %due, label %keep, label %next")
    put("keep:")
    for k in plan.recorded:
        put(f"  %to{k} = mul i64 %kept, {doubles[k]}")
        put(f"  %keep{k} = getelementptr double, ptr %p{k}, i64 %to{k}")
        put(_copy(f"%keep{k}", place(k), doubles[k]))
    put("  %kept.more = add i64 %kept, 1")
    put("  br label %next")
    put("next:")
    put("  %kept.next = phi i64 [ %kept, %step ], [ %kept.more, %keep ]")
    put("  %left.next = phi i64 [ %left.less, %step ], [ %every, %keep ]")
    put("  %k.next = add i64 %k, 1")
    put("  %more = icmp slt i64 %k.next, %n")
    put("  br i1 %more, label %step, label %end")
    put("end:")
    # after an odd number of steps the states are in the workspace
    put("  %odd = trunc i64 %n to i1")
    put("  br i1 %odd, label %back, label %done")
    put("back:")
    for k in plan.states:
        put(_copy(f"%p{k}", f"%other{k}", doubles[k]))
    put("  br label %done")
    put("done:")
    put("  ret void")
    parameters = ["ptr %function"] if step == "%function" else []
    parameters += ["i64 %n", "i64 %every", "ptr noalias %workspace"]
    parameters += [f"ptr noalias %p{k}" for k in range(len(plan.feeds))]
    head = f"define void @{name}({', '.join(parameters)}) nounwind {{"
    return "\n".join([head, "entry:", *lines, "}"])


def _copy(target: str, source: str, doubles: int) -> str:
    if not doubles:
        return ""
    return (
        f"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 {doubles * 8}, i1 false)"
    )
