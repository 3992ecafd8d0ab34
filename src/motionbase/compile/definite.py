"""Every output of a program is written on every path, and nothing is read before it is written.

Otherwise the result would be whatever the memory held before, which differs from target to target. Loops and switches
are small and static, so the check simply runs the program once over flags instead of numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from motionbase.compile.block import Block
from motionbase.compile.routine import Address, Call, Copy, Loop, Role, Routine, Statement, Switch
from motionbase.errors import KernelError

Flags = list[NDArray[np.bool_]]  # by buffer: which elements hold a value


def check_written(routine: Routine) -> None:
    """Raise KernelError when a path leaves an output unwritten or reads what was not written."""
    known = [np.full(a.size, a.role is not Role.OUTPUT) for a in routine.arguments]
    known += [np.full(b.size, b.data is not None) for b in routine.buffers]
    missing: dict[int, str] = {}  # by buffer: the path that did not write it
    _run(routine, routine.body, known, {}, missing)
    for k, argument in enumerate(routine.arguments):
        if not known[k].all():
            where = missing.get(k, "on any path")
            element = int(np.flatnonzero(~known[k])[0])
            raise KernelError(
                f"program {routine.name!r}: element {element} of output {argument.name!r} is not written {where}; "
                "write it there, or before"
            )


def _run(
    routine: Routine, body: tuple[Statement, ...], known: Flags, indices: dict[int, int], missing: dict[int, str]
) -> None:
    names = [a.name for a in routine.arguments] + [b.name for b in routine.buffers]

    def place(address: Address, size: int) -> NDArray[np.bool_]:
        start = address.offset + sum(indices[number] * stride for number, stride in address.strides)
        return known[address.buffer][start : start + size]

    def read(address: Address, size: int, reader: str) -> None:
        if not place(address, size).all():
            raise KernelError(
                f"program {routine.name!r}: {reader} reads {names[address.buffer]!r} before it is written "
                f"{missing.get(address.buffer, 'on every path')}"
            )

    for statement in body:
        if isinstance(statement, Call):
            arguments = list(zip(statement.arguments, statement.addresses, strict=True))
            for argument, address in arguments:
                if argument.role is not Role.OUTPUT:
                    read(address, argument.size, f"the call of {statement.callee.name!r}")
            for argument, address in arguments:
                place(address, argument.size)[:] = True
        elif isinstance(statement, Copy):
            read(statement.source, statement.size, "a copy")
            place(statement.target, statement.size)[:] = True
        elif isinstance(statement, Loop):
            for k in range(statement.count):
                before = [flags.copy() for flags in known]
                _run(routine, statement.body, known, {**indices, statement.number: k}, missing)
                fixed = not _moves(statement.body, statement.number)
                if fixed and all(np.array_equal(a, b) for a, b in zip(before, known, strict=True)):
                    break  # further rounds do the same
        elif isinstance(statement, Switch):
            read(statement.selector, 1, "a switch")
            _run_switch(routine, statement, known, indices, missing, names)
        else:
            assert isinstance(statement, Block)


def _run_switch(
    routine: Routine, switch: Switch, known: Flags, indices: dict[int, int], missing: dict[int, str], names: list[str]
) -> None:
    """Only what every case writes is written; which case does not is remembered for the message."""
    labels = [f"case {number}" for number, _ in switch.cases] + ["the default"]
    ends: list[Flags] = []
    for case in switch.bodies:
        flags = [f.copy() for f in known]
        _run(routine, case, flags, indices, missing)
        ends.append(flags)
    for k in range(len(known)):
        everywhere = np.logical_and.reduce([flags[k] for flags in ends])
        somewhere = np.logical_or.reduce([flags[k] for flags in ends])
        if (somewhere & ~everywhere).any():
            label = next(label for label, flags in zip(labels, ends, strict=True) if not flags[k][somewhere].all())
            missing.setdefault(k, f"in {label} of the switch on {names[switch.selector.buffer]!r}")
        known[k][:] = everywhere


def _moves(body: tuple[Statement, ...], number: int) -> bool:
    """Whether any place in the body depends on this loop's index."""
    for statement in body:
        addresses: tuple[Address, ...] = ()
        if isinstance(statement, Call):
            addresses = statement.addresses
        elif isinstance(statement, Copy):
            addresses = (statement.source, statement.target)
        elif isinstance(statement, Loop):
            if _moves(statement.body, number):
                return True
        elif isinstance(statement, Switch):
            addresses = (statement.selector,)
            if any(_moves(case, number) for case in statement.bodies):
                return True
        if any(n == number for a in addresses for n, _ in a.strides):
            return True
    return False
