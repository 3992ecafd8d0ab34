"""Buffers that do not fit on the stack are refused with a sentence; the process does not just end."""

from functools import cache

import numpy as np
import pytest

from motionbase.compile import Port, Program, compile, scan, stack, switch
from motionbase.errors import KernelError

N = 30_000  # 0.24 MB


@pytest.fixture(autouse=True)
def small_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the true limit: ports of so many numbers are traced in a tenth of the time."""
    monkeypatch.setattr(stack, "LIMIT_BYTES", stack.LIMIT_BYTES // 10)


@cache
def copy(size: int) -> Program:
    return Program("inner", (Port("x", size),), (Port("y", size),), lambda x: x)


@cache
def wide() -> Program:
    inner = copy(N)
    return Program("wide", inner.inputs, inner.outputs, lambda x: inner(inner(x)))


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_large_locals(target: str) -> None:
    program = wide()
    with pytest.raises(KernelError, match="'wide' needs 0.2 MB of stack for its local buffers, at most 0.2 MB"):
        compile(program, target, cache=None)  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="of stack"):
        scan(program, {"x": "y"}, cache=None)


def test_what_a_switch_keeps_on_lanes() -> None:
    ports = (Port("x", N), Port("mode")), (Port("y", N),)
    program = Program("split_ways", *ports, lambda x, mode: switch(mode, {1: lambda: x}, lambda: x))
    with pytest.raises(KernelError, match="on 4 lanes"):
        compile(program, lanes=4, cache=None)
    x = np.arange(float(N))
    np.testing.assert_array_equal(compile(program, cache=None)(x, 1.0), x)  # one lane keeps nothing


def test_deepest_calls_count() -> None:
    half = copy(N // 2)
    inner = Program("middle", half.inputs, half.outputs, lambda x: half(half(x)))
    compile(inner, cache=None)
    with pytest.raises(KernelError, match="'outer' needs 0.2 MB"):
        compile(Program("outer", half.inputs, half.outputs, lambda x: inner(half(x))), cache=None)
