"""Random programs over values: the same bits on every target, and the same numbers inlined in a kernel."""

from collections.abc import Callable

import casadi as ca
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.compile import Kernel, Port, Program, for_each, repeat, switch
from tests.compile.flow_rig import AXPY, RANDOM, SX
from tests.compile.flow_rig import sides as sides  # every test on lanes and in loops
from tests.compile.on_targets import TARGETS, assert_all_targets, assert_same_bits, on_python, on_target
from tests.tier import often

JUMPS: list[Callable[[SX, SX], SX]] = [
    lambda x, y: x < y,
    lambda x, y: ca.if_else(x < y, x, 2 - y),
    lambda x, y: ca.floor(x) + y,
]
OPERATIONS: list[Callable[[SX, SX], SX]] = [
    lambda x, y: x + y,
    lambda x, y: x - 2 * y,
    lambda x, y: x * y,
    lambda x, y: x / (1 + y * y),
    lambda x, y: ca.sqrt(1 + ca.fabs(x)),
    ca.fmin,
    lambda x, y: ca.sin(x) - y,
    *JUMPS,
]
codes = st.lists(st.integers(0, 99), min_size=4, max_size=60)


class Grown:
    """A function made of a list of numbers: each step reads some of them and adds values to those there are."""

    def __init__(self, code: list[int], smooth: bool = False) -> None:
        self.code, self.operations = code, [f for f in OPERATIONS if f not in JUMPS] if smooth else OPERATIONS
        self.smooth = smooth

    def __call__(self, x: SX) -> SX:
        self.at = 0
        self.x = x
        values = self.grow([x[0], x[1], x[2], x[3], SX(0.5)], 6, 2)
        return ca.vertcat(*values[-4:])

    def number(self) -> int:
        self.at += 1
        return self.code[(self.at - 1) % len(self.code)] + self.at // len(self.code)

    def pick(self, values: list[SX]) -> SX:
        return values[-1 - self.number() % len(values)]

    def grow(self, values: list[SX], steps: int, depth: int) -> list[SX]:
        values = list(values)
        for _ in range(steps):
            kind = self.number() % (8 if depth else 4)
            if kind < 3:
                values.append(
                    self.operations[self.number() % len(self.operations)](self.pick(values), self.pick(values))
                )
            elif kind == 3:
                z = AXPY(self.pick(values), ca.vertcat(*(self.pick(values) for _ in range(3))), ca.vertcat(*values[:3]))
                values += [z[1], z[0]]
            else:
                values += self.statement(kind, values, depth)
        return values

    def statement(self, kind: int, values: list[SX], depth: int) -> list[SX]:
        rows, count = [self.pick(values) for _ in range(3)], self.number()
        start = self.at

        def inner(*more: SX) -> SX:  # traced once, inlined several times: each time it must read the same numbers
            self.at = start
            return self.grow([*values, *more], 1 + count % 3, depth - 1)[-1]

        if kind in (4, 5):
            made = for_each(inner, ca.vertcat(*rows))
            found = [made[0], made[2]]
        elif kind == 6:
            number = ca.floor(self.x[count % 4] if self.smooth else rows[0])
            found = [switch(number, dict.fromkeys(range(count % 3), inner), lambda: inner(rows[1]))]
        else:
            found = [repeat(1 + count % 4, inner, rows[0])]
        self.at = start + 40
        return found


@settings(max_examples=often(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(codes)
def test_random_programs(code: list[int]) -> None:
    unit = Program("p", (Port("x", 4),), (Port("y", 4),), Grown(code), allow_nan=True)
    assert_all_targets(unit, {"x": RANDOM.normal(size=(12, 4))}, ("llvm1", "llvm8", "gcc"))


@settings(max_examples=often(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(codes)
def test_random_programs_inlined_in_a_kernel(code: list[int]) -> None:
    """CasADi merges constants where no call separates them, so the last digits may differ, and nothing else."""
    ports = (Port("x", 4),), (Port("y", 4),)
    batch = {"x": RANDOM.normal(size=(12, 4))}
    called = on_python(Program("p", *ports, Grown(code, smooth=True), allow_nan=True), batch)
    inlined = on_python(Kernel("k", *ports, Grown(code, smooth=True), allow_nan=True), batch)
    np.testing.assert_allclose(called["y"], inlined["y"], rtol=1e-9, atol=1e-9)


def test_every_target_is_covered() -> None:
    batch = {"x": RANDOM.normal(size=(12, 4))}
    unit = Program("p", (Port("x", 4),), (Port("y", 4),), Grown(list(range(3, 60, 7))), allow_nan=True)
    for target in TARGETS:
        assert_same_bits(on_target(target, unit, batch), on_python(unit, batch), target)
