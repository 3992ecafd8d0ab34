"""Representative kernels keep their instructions: a new CasADi or a changed lowering that alters them is seen.

To accept a change, look at what changed and run `uv run python tests/compile/test_golden.py`.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import casadi as ca
import pytest

from motionbase.compile import Kernel, Port, compose, jacobian
from motionbase.compile.guarded import norm, sinc
from motionbase.compile.lower import OP_NAMES, steps_of

FILE = Path(__file__).with_name("golden.json")
CASADI = version("casadi")
REGENERATE = "uv run python tests/compile/test_golden.py"


# ---- the kernels ---------------------------------------------------------------------------------------------------


def leg_length(p: ca.SX, R: ca.SX, a: ca.SX, b: ca.SX) -> ca.SX:
    return norm(p + R @ a - b)


def rotation(q: ca.SX) -> ca.SX:
    """The matrix of a unit quaternion wxyz."""
    w, x, y, z = (q[k] for k in range(4))
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def two_link(q: ca.SX, v: ca.SX, tau: ca.SX) -> ca.SX:
    """Accelerations of a double pendulum with unit masses and lengths."""
    c, s = ca.cos(q[1]), ca.sin(q[1])
    M = ca.vertcat(ca.horzcat(3 + 2 * c, 1 + c), ca.horzcat(1 + c, 1))
    h = ca.vertcat(-s * (2 * v[0] * v[1] + v[1] ** 2), s * v[0] ** 2)
    g = 9.80665 * ca.vertcat(2 * ca.sin(q[0]) + ca.sin(q[0] + q[1]), ca.sin(q[0] + q[1]))
    return ca.solve(M, tau - h - g)


def valve(x: ca.SX, dp: ca.SX) -> list[ca.SX]:
    """Flow through an orifice with a dead band, limits and a regularised root."""
    opening = ca.if_else(ca.fabs(x) < 0.05, 0, x - 0.05 * ca.sign(x))
    flow = opening * ca.sign(dp) * ca.sqrt(ca.fabs(dp) + 1e-6)
    return [ca.fmin(ca.fmax(flow, -1.0), 1.0), ca.tanh(opening) + ca.fmod(x, 1.0)]


def rotation_vector(r: ca.SX) -> ca.SX:
    angle = norm(r)
    return ca.vertcat(ca.cos(angle / 2), 0.5 * sinc(angle / 2) * r)


def kernels() -> list[Kernel]:
    leg = Kernel("leg", (Port("p", 3), Port("R", (3, 3)), Port("a", 3), Port("b", 3)), (Port("l"),), leg_length)
    attitude = Kernel("attitude", (Port("q", 4),), (Port("R", (3, 3)),), rotation)
    arm = Kernel("arm", (Port("q", 2), Port("v", 2), Port("tau", 2)), (Port("a", 2),), two_link)
    return [
        leg,
        compose("pose_leg", attitude, leg, outputs=["l"]),
        arm,
        jacobian(arm, "a", "q"),
        Kernel("valve", (Port("x"), Port("dp")), (Port("flow"), Port("rest")), valve),
        jacobian(Kernel("turn", (Port("r", 3),), (Port("Q", 4),), rotation_vector), "Q", "r"),
    ]


# ---- their instructions --------------------------------------------------------------------------------------------


class Record(NamedTuple):
    """Number and hash of CasADi's instructions, and of ours."""

    casadi_count: int
    casadi: str
    lowered_count: int
    lowered: str


def casadi_lines(kernel: Kernel) -> list[str]:
    """Operation, arguments, place and constant of every instruction, in single-assignment form."""
    steps = steps_of(kernel.function, kernel.name)
    return [f"{OP_NAMES[s.op]} {s.args} {s.place} {float(s.number).hex()}" for s in steps]


def lowered_lines(kernel: Kernel) -> list[str]:
    lines = []
    for block in kernel.routine.blocks():
        for op, args, imm in block.instructions:
            lines.append(f"{op.label} {args} {imm.hex() if isinstance(imm, float) else imm}")
    return lines


def record(kernel: Kernel) -> Record:
    casadi, lowered = casadi_lines(kernel), lowered_lines(kernel)
    digests = [hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] for lines in (casadi, lowered)]
    return Record(len(casadi), digests[0], len(lowered), digests[1])


@pytest.mark.parametrize("kernel", kernels(), ids=lambda k: k.name)
def test_instructions_are_the_golden_ones(kernel: Kernel) -> None:
    golden = json.loads(FILE.read_text())
    assert kernel.name in golden["kernels"], f"no golden record of {kernel.name!r}; make one with: {REGENERATE}"
    was, now = Record(*golden["kernels"][kernel.name]), record(kernel)
    assert was[:2] == now[:2], (
        f"CasADi {CASADI} makes other instructions of kernel {kernel.name!r} than CasADi {golden['casadi']} did "
        f"({now.casadi_count} instead of {was.casadi_count}). The last bits and the speed may change: "
        f"run the benchmarks and the tests against other engines; then accept it with: {REGENERATE}"
    )
    assert was == now, (
        f"the lowering of kernel {kernel.name!r} changed ({now.lowered_count} basic operations, {was.lowered_count} "
        f"before) although CasADi's instructions are the same: a refactor must not do that; if it is meant, accept it "
        f"with: {REGENERATE}"
    )


def test_no_golden_record_is_left_over() -> None:
    assert set(json.loads(FILE.read_text())["kernels"]) == {k.name for k in kernels()}


def test_a_change_is_seen() -> None:
    """One constant in the last bit, one sign, one order of arguments: each has another record."""

    def make(f: object) -> Record:
        return record(Kernel("k", (Port("x"), Port("y")), (Port("z"),), f))  # type: ignore[arg-type]

    base = make(lambda x, y: 0.1 * x - y)
    others = [make(lambda x, y: 0.1 * y - x), make(lambda x, y: (0.1 + 2**-56) * x - y), make(lambda x, y: 0.1 * x + y)]
    assert base == make(lambda x, y: 0.1 * x - y)
    assert all(o.casadi != base.casadi and o.lowered != base.lowered for o in others)


if __name__ == "__main__":
    content = {"casadi": CASADI, "kernels": {k.name: list(record(k)) for k in kernels()}}
    FILE.write_text(json.dumps(content, indent=2) + "\n")
    print(f"{FILE}: {len(content['kernels'])} kernels of CasADi {CASADI}")
