"""A control law behind the guard: one program with the law's own ports, whose outputs are safe to act on."""

from __future__ import annotations

from functools import partial
from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port, Program, cond, switch
from motionbase.control.guard import LegGuard, is_a_number, sound
from motionbase.control.own_law import Law
from motionbase.control.ports import OUTPUTS
from motionbase.plant.motion import next_of
from motionbase.spatial.rotations import Expr
from motionbase.system.values import Values, called

LATENESS = Port("lateness", (), "s", "start of this tick behind its due time, from the executive; 0 without one")
CHECKED = ("valve_cmd", "abort", "state", "fault")  # checked by the legs' guard itself
PARTS = 8  # a large state is checked in this many ticks, one part in each
WHOLE = 64  # numbers; a smaller state is checked in every tick


def guarded_law(law: Law, guard: LegGuard) -> Program:
    """(inputs of the law, guard, lateness) -> outputs of the law if they are valid, guard_next.

    The law learns of a stop through its port `estop`. It answers in the same tick, since both are one program; if they
    are separate, the input `answer` of the guard's kernel tells which tick was answered.
    """
    unit, memory, at = law.program, guard.state.port("guard", "state of the guard"), guard.state.starts
    inputs = (*unit.inputs, memory, LATENESS)
    outputs = (*unit.outputs, next_of(memory), Port("stopped", (), "-", "1 while the guard has stopped the law"))
    rest = tuple(p for p in OUTPUTS if p.name not in CHECKED)
    parts = PARTS if law.state.size >= WHOLE else 1
    no_nan = Kernel("no_nan", (Port("numbers", -(-law.state.size // parts)),), (Port("is_a_number"),), is_a_number)

    def expr(*values: Expr) -> Any:
        x = Values.of(inputs, values)
        tick, fault = x.guard[at["tick"]], x.guard[at["fault"]]
        lets_go = ca.logic_and(ca.ne(x.reset, 0), x.guard[at["stop"]] >= 1)  # the law cannot clear an active fault
        stop = ca.logic_and(ca.ne(fault, 0), ca.logic_not(lets_go))

        said = called(unit, x, estop=ca.if_else(stop, 1.0, x.estop))
        every = ca.vertcat(*(ca.reshape(value, -1, 1) for value in said.to(rest)))
        good = ca.logic_and(_part_is_a_number(no_nan, said.x_next, ca.fmod(tick, parts), parts), sound(every))
        checked = {f"{name}_law": getattr(said, name) for name in CHECKED}
        passed = called(guard.kernel, x, **checked, sound=good, answer=tick)
        told = cond(  # values that are not finite are recorded as 0: the fault marks the law as invalid
            passed.stopped,
            lambda: [ca.if_else(ca.fabs(value) < ca.inf, value, 0.0) for value in said.to(rest)],
            lambda: said.to(rest),
        )
        return said.also(passed, Values.of(rest, told)).to(outputs)

    return Program("guarded", inputs, outputs, expr, f"{unit.name} behind the guard")


def _part_is_a_number(no_nan: Kernel, x: Expr, part: Expr, parts: int) -> Any:
    """Whether this tick's part of the state contains no NaN; the last part may overlap the previous one."""
    size, length = x.shape[0], no_nan.inputs[0].size

    def look(k: int) -> Any:
        first = min(k * length, size - length)
        return no_nan(x[first : first + length])

    return switch(part, {k: partial(look, k) for k in range(1, parts)}, partial(look, 0))
