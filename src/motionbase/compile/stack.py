"""Stack size of a routine's local buffers, and a limit: beyond it the process would crash without a message."""

from __future__ import annotations

from motionbase.compile.routine import Call, Routine, Switch, walk, written_buffers
from motionbase.errors import KernelError

LIMIT_BYTES = 2 * 1024 * 1024  # a quarter of the default stack of Linux's main thread and of Python's threads


def buffer_bytes(routine: Routine, lanes: int) -> int:
    """Local buffers along the deepest call chain and, on lanes, the values that a switch saves for inactive lanes."""
    own = sum(b.size for b in routine.buffers if b.data is None)
    deepest = 0
    sizes = [a.size for a in routine.arguments] + [b.size for b in routine.buffers]
    for statement in walk(routine.body):
        if isinstance(statement, Call):
            deepest = max(deepest, buffer_bytes(statement.routine, lanes))
        elif isinstance(statement, Switch) and lanes > 1:
            own += sum(sizes[buffer] for case in statement.bodies for buffer in written_buffers(case))
    return own * lanes * 8 + deepest


def check_stack(routine: Routine, lanes: int) -> None:
    """Raise KernelError if the buffers do not fit; memory ports have no such limit."""
    needed = buffer_bytes(routine, lanes)
    if needed > LIMIT_BYTES:
        on_lanes = f" on {lanes} lanes" if lanes > 1 else ""
        raise KernelError(
            f"{routine.name!r} needs {needed / 1e6:.1f} MB of stack for its local buffers{on_lanes}, at most "
            f"{LIMIT_BYTES / 1e6:.1f} MB are safe; make large buffers memory ports, or use fewer lanes"
        )
