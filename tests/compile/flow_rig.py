"""What tests of programs over values share: small kernels, samples, and every test on lanes and in loops."""

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, Struct, q
from motionbase.compile.render import llvm as llvm_render

SX = ca.SX
N = 24  # samples; on lanes neighbours take different cases
RANDOM = np.random.default_rng(1)
AXPY = Kernel("axpy", (Port("a"), Port("x", 3), Port("y", 3)), (Port("z", 3),), lambda a, x, y: a * x + y)
TWO = Kernel("two", (Port("x", 3),), (Port("s"), Port("p", 2)), lambda x: (ca.sum1(x), x[:2] * x[2]))


class Leg(Struct):
    """What a leg is."""

    l: SX = q("m", text="length", start=2.0)
    v: SX = q("m/s", 2, "two rates")


@pytest.fixture(autouse=True, params=["lanes", "loops"])
def sides(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every independent loop on lanes, however small; and none."""
    monkeypatch.setattr(llvm_render, "LANES_FROM", 0 if request.param == "lanes" else 1 << 60)
