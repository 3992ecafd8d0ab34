"""Routines flattened and states in place: the same bits as the program has, step by step."""

from typing import Any

import casadi as ca
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from motionbase.compile import Port, Program, Unit, cond, for_each
from motionbase.compile.flatten import flattened
from motionbase.compile.follow import Follow
from motionbase.compile.in_place import with_states_in_place
from motionbase.compile.render.python import run
from motionbase.compile.reuse import NEAR, with_shared_buffers
from motionbase.compile.routine import Call, Copy, Role, Routine, walk
from motionbase.platform.load import load_platform
from motionbase.system.closed_loop import ClosedLoop
from tests.compile.flow_rig import AXPY, RANDOM, SX
from tests.compile.test_random_flow import Grown, codes
from tests.tier import often


def in_place(unit: Unit, feedback: dict[str, str]) -> Routine:
    """The step as a GPU gets it."""
    names = [p.name for p in unit.ports]
    pairs = {names.index(state): names.index(new) for state, new in feedback.items()}
    return with_shared_buffers(with_states_in_place(flattened(unit.routine), pairs), 7)


def check_steps(unit: Unit, feedback: dict[str, str], given: dict[str, Any], steps: int = 3) -> Routine:
    """All steps in place have the bits of the program; returns the step."""
    changed = in_place(unit, feedback)
    place = {p.name: np.array(given[p.name], dtype=np.float64) for p in unit.inputs}
    moved = {name: value.copy() for name, value in place.items()}
    lanes = next(iter(place.values())).shape[-1]
    outputs = {p.name: np.full((p.size, lanes), 7.5) for p in unit.outputs}
    rest = {name: value.copy() for name, value in outputs.items() if name not in feedback.values()}
    for _ in range(steps):
        run(unit.routine, [*place.values(), *outputs.values()])
        for state, new in feedback.items():
            place[state][...] = outputs[new]
        run(changed, [*moved.values(), *rest.values()])
        for state in feedback:
            np.testing.assert_array_equal(moved[state], place[state], err_msg=state)
        for name, value in rest.items():
            np.testing.assert_array_equal(value, outputs[name], err_msg=name)
    return changed


@settings(max_examples=often(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(codes, codes)
def test_random_programs(code: list[int], more: list[int]) -> None:
    def expr(x: SX, y: SX) -> Any:
        return Grown(code)(ca.vertcat(y[:2], x[2:])), AXPY(x[1], y[:3], Grown(more)(x)[:3]), Grown(more)(y)

    ports = (Port("x", 4), Port("y", 4)), (Port("y_next", 4), Port("seen", 3), Port("x_next", 4))
    unit = Program("p", *ports, expr, allow_nan=True)
    given = {"x": RANDOM.normal(size=(4, 12)), "y": RANDOM.normal(size=(4, 12))}
    check_steps(unit, {"x": "x_next", "y": "y_next"}, given)


CASES = {
    "swap": lambda x: ca.vertcat(x[1], x[0], x[2:]),
    "shift up": lambda x: ca.vertcat(x[-1], x[:-1]),
    "shift down": lambda x: ca.vertcat(x[1:], x[0]),
    "stays": lambda x: x,
    "halves": lambda x: ca.vertcat(x[6:], x[:6]),
    "rows in place": lambda x: for_each(lambda row: 2 * row + x[11], x),
    "rows of another": lambda x: for_each(lambda row: row - x[0], ca.vertcat(x[11], x[:11])),
    "rows that wait": lambda x: ca.vertcat(for_each(lambda row: row * row, x[:6]), x[:6]),
    "choice": lambda x: cond(x[0] > 0, lambda: for_each(lambda row: row + 1, x), lambda: x),
    "choice of late": lambda x: cond(x[0] > 0, lambda: ca.vertcat(x[1:], x[0]), lambda: -x),
}


@pytest.mark.parametrize("name", CASES)
def test_order_of_reading_and_writing(name: str) -> None:
    unit = Program("p", (Port("x", 12),), (Port("x_next", 12),), CASES[name])
    check_steps(unit, {"x": "x_next"}, {"x": RANDOM.normal(size=(12, 9))}, steps=4)


def test_what_stays_as_it_is_costs_nothing() -> None:
    def expr(x: SX, asked: SX, given: SX) -> Any:
        return cond(asked, lambda: given, lambda: x)

    unit = Program("p", (Port("x", 20), Port("asked"), Port("given", 20)), (Port("x_next", 20),), expr)
    step = in_place(unit, {"x": "x_next"})
    assert [s.size for s in walk(step.body) if isinstance(s, Copy)] == [20]  # of what is given
    assert [a.role for a in step.arguments] == [Role.MEMORY, Role.INPUT, Role.INPUT]


def test_what_is_called_is_part_of_it_and_what_nobody_reads_is_not() -> None:
    inner = Program("inner", (Port("a", 3),), (Port("b", 3), Port("c", 3)), lambda a: (AXPY(a[0], a, a), ca.sin(a)))
    outer = Program("outer", (Port("x", 3),), (Port("y", 3),), lambda x: inner(inner(x)[0])[0])
    flat = flattened(outer.routine)
    assert not [s for s in walk(flat.body) if isinstance(s, Call)]
    assert len(flat.body) == 1 and not Follow.through(flat).uses.keys() & set(range(2, 99))  # one block, no memory
    assert not flat.maths_calls()


def test_the_closed_loop_has_the_same_bits() -> None:
    loop = ClosedLoop.of(load_platform("simona"))
    feedback = loop.feedback
    program = loop.program.giving(list(feedback.values()))
    start = loop.at_rest() | loop.quiet_inputs() | {"mode": 1.0}
    given = {p.name: np.repeat(np.reshape(start[p.name], (p.size, 1)), 2, axis=1) for p in program.inputs}
    given["seed"] = np.array([[1.0, 2.0]])
    step = check_steps(program, feedback, given)
    assert any(b.name == NEAR for b in step.buffers)
    assert not any(b.name.endswith("_late_") for b in step.buffers)
