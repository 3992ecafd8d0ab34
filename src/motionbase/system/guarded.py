"""A control law behind the guard: one program with the law's own ports, whose outputs are safe to act on."""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.compile.reference import Reference
from motionbase.control.guard import LegGuard, is_a_number, sound
from motionbase.control.own_law import Law
from motionbase.control.ports import OUTPUTS
from motionbase.plant.motion import next_of
from motionbase.spatial.rotations import Expr

LATENESS = Port("lateness", (), "s", "start of this tick behind its due time, from the executive; 0 without one")
CHECKED = ("valve_cmd", "abort", "state", "fault")  # what the guard of the legs looks at itself
PARTS = 8  # a large state is looked at in so many ticks, a part in each
WHOLE = 64  # numbers; a smaller state is looked at in every tick


def guarded_law(law: Law, guard: LegGuard) -> OldProgram:
    """(inputs of the law, guard, lateness) -> outputs of the law as far as they are good, guard_next.

    The law is told of a stop by its port `estop`. It answers in the tick in which it is asked, since both are one
    program; where they are not, `answer` of the guard's kernel tells.
    """
    unit, memory = law.program, guard.state.port("guard", "state of the guard")
    rest = tuple(p for p in OUTPUTS if p.name not in CHECKED)
    parts = PARTS if law.state.size >= WHOLE else 1
    at = guard.state.starts

    def told(estop: Expr, reset: Expr, state: Expr) -> Any:
        lets_go = ca.logic_and(ca.ne(reset, 0), state[at["stop"]] >= 1)  # a law could not clear what still acts
        stop = ca.logic_and(ca.ne(state[at["fault"]], 0), ca.logic_not(lets_go))
        return ca.if_else(stop, 1.0, estop), ca.fmod(state[at["tick"]], parts)

    tell = Kernel("tell_the_law", (Port("estop"), Port("reset"), memory), (Port("estop_law"), Port("part")), told)

    def body(b: Body) -> None:
        estop, part, good = b.local("estop_law"), b.local("part"), b.local("sound")
        b.call(tell, estop=b["estop"], reset=b["reset"], guard=b["guard"], estop_law=estop, part=part)
        said = {p.name: b.local(f"{p.name}_law", p.shape) for p in OUTPUTS if p.name in CHECKED}
        given = {p.name: b[p.name] for p in unit.inputs} | {"estop": estop}
        b.call(unit, **given, **{p.name: b[p.name] for p in rest}, **said, x_next=b["x_next"])
        _look(b, rest, b["x_next"], law.state.size, part, parts, good)
        b.call(
            guard.kernel, guard=b["guard"], **{f"{name}_law": place for name, place in said.items()}, sound=good,
            answer=b["guard"][at["tick"]], lateness=b["lateness"], reset=b["reset"], guard_next=b["guard_next"],
            **{name: b[name] for name in CHECKED}, stopped=b["stopped"],
        )  # fmt: skip
        with b.switch(b["stopped"]) as stopped, stopped.case(1):
            _clean(b, rest)

    outputs = (*unit.outputs, next_of(memory), Port("stopped", (), "-", "1 while the guard has stopped the law"))
    return OldProgram(
        "guarded", (*unit.inputs, memory, LATENESS), outputs, body, description=f"{unit.name} behind the guard"
    )


def _look(
    b: Body, rest: tuple[Port, ...], x: Reference, size: int, part: Reference, parts: int, good: Reference
) -> None:
    """Whether all of `rest` is finite and this tick's part of the state holds no NaN."""
    length, number = -(-size // parts), b.local("is_a_number")
    check = Kernel("no_nan", (Port("numbers", length),), (Port("is_a_number"),), is_a_number)
    with b.switch(part) as turn:
        for k in range(1, parts):
            first = min(k * length, size - length)  # the last part may overlap the one before
            with turn.case(k):
                b.call(check, numbers=x[first : first + length], is_a_number=number)
        with turn.default():
            b.call(check, numbers=x[:length], is_a_number=number)

    def all_sound(numbers: Expr, *values: Expr) -> Any:
        every: Expr = ca.vertcat(*(ca.reshape(v, -1, 1) for v in values))
        return ca.logic_and(numbers, sound(every))

    flag = Kernel("law_is_sound", (Port("is_a_number"), *rest), (Port("sound"),), all_sound)
    b.call(flag, is_a_number=number, **{p.name: b[p.name] for p in rest}, sound=good)


def _clean(b: Body, rest: tuple[Port, ...]) -> None:
    """What is not finite is recorded as 0: the fault says that the law is not believed."""

    def expr(*values: Expr) -> Any:
        return tuple(ca.if_else(ca.fabs(v) < ca.inf, v, 0.0) for v in values)

    outputs = tuple(Port(f"{p.name}_clean", p.shape, p.unit) for p in rest)
    places = {p.name: b[p.name] for p in rest}
    b.call(Kernel("clean", rest, outputs, expr), **places, **{f"{name}_clean": x for name, x in places.items()})
