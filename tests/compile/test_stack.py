"""Buffers that do not fit on the stack are refused with a sentence; the process does not just end."""

import numpy as np
import pytest

from motionbase.compile import Body, OldProgram, Port, compile, scan
from motionbase.errors import KernelError

N = 300_000  # 2.4 MB


def through_local(b: Body) -> None:
    b.copy(b["x"], b.local("large", N))
    b.copy(b["large"], b["y"])


def chosen(b: Body) -> None:
    with b.switch(b["mode"]) as s:
        with s.case(1):
            b.copy(b["x"], b["y"])
        with s.default():
            b.copy(b["x"], b["y"])


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_large_locals(target: str) -> None:
    program = OldProgram("wide", (Port("x", N),), (Port("y", N),), through_local)
    with pytest.raises(KernelError, match="'wide' needs 2.4 MB of stack for its local buffers, at most 2.1 MB"):
        compile(program, target, cache=None)  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="of stack"):
        scan(program, {"x": "y"}, cache=None)


def test_what_a_switch_keeps_on_lanes() -> None:
    program = OldProgram("split_ways", (Port("x", N), Port("mode")), (Port("y", N),), chosen)
    with pytest.raises(KernelError, match="on 4 lanes"):
        compile(program, lanes=4, cache=None)
    x = np.arange(float(N))
    np.testing.assert_array_equal(compile(program, cache=None)(x, 1.0), x)  # one lane keeps nothing


def test_deepest_calls_count() -> None:
    inner = OldProgram("inner", (Port("x", N // 2),), (Port("y", N // 2),), lambda b: half(b))

    def half(b: Body) -> None:
        b.copy(b["x"], b.local("t", N // 2))
        b.copy(b["t"], b["y"])

    def outer(b: Body) -> None:
        b.copy(b["x"], b.local("t", N // 2))
        b.call(inner, x=b["t"], y=b["y"])

    compile(inner, cache=None)
    with pytest.raises(KernelError, match="'outer' needs 2.4 MB"):
        compile(OldProgram("outer", (Port("x", N // 2),), (Port("y", N // 2),), outer), cache=None)
