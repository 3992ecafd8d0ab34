"""Long modules are generated with less effort, to the same bits."""

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, compile
from motionbase.native import jit


@pytest.mark.parametrize("lanes", [1, 8])
def test_less_effort_gives_the_same_bits(lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums and products that a fused multiply-add would change, a division, a root and functions of the library."""

    def expr(A: ca.SX, x: ca.SX) -> ca.SX:
        y = A @ x
        return ca.sin(A @ y) / ca.sqrt(1 + y * y) + ca.if_else(x > 0, ca.exp(y), x / 3)

    efforts, make = [], jit.target_machine

    def machine(cpu: jit.Cpu, jit: bool = True, effort: int = jit.OPTIMISATION) -> object:
        efforts.append(effort)
        return make(cpu, jit, effort)

    monkeypatch.setattr(jit, "target_machine", machine)
    kernel = Kernel("effort", (Port("A", (6, 6)), Port("x", 6)), (Port("y", 6),), expr)
    rng, more = np.random.default_rng(2), () if lanes == 1 else (lanes,)
    given = {"A": rng.normal(size=(6, 6, *more)), "x": rng.normal(size=(6, *more))}
    found = [compile(kernel, lanes=lanes, cache=None)(**given)]
    monkeypatch.setattr(jit, "LONG_TEXT", 0)
    found.append(compile(kernel, lanes=lanes, cache=None)(**given))
    np.testing.assert_array_equal(*found)
    assert efforts == [jit.OPTIMISATION, jit.LESS]
