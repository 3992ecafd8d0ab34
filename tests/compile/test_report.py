"""Reports: counts against hand counts, stack against known prologues, code size against the object."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, Program, Struct, compile, for_each, lower, q, switch, table
from motionbase.compile.inspection.machine_code import build, functions, split_functions, stack_bytes, symbol_sizes
from motionbase.compile.inspection.report import describe
from motionbase.errors import KernelError
from motionbase.native.cache import ObjectCache

SUM = Kernel("total", (Port("q", 3, "m", "numbers"),), (Port("y", (), "m"),), lambda q: (q[0] + q[1]) * ca.sqrt(q[2]))
SINE = Kernel("sine", (Port("x"),), (Port("y"),), ca.sin)


def six(q: ca.SX, home: ca.SX, mode: ca.SX) -> Any:
    y = for_each(lambda row: SUM(row), q)
    first = switch(mode, {0: lambda: SUM(q[0, :].T)}, lambda: home)
    return ca.vertcat(first, y[1:])


SIX = Program("six", (Port("q", (6, 3), "m"), Port("home", (), "m"), Port("mode")), (Port("y", 6, "m"),), six)


def test_counts_of_a_small_kernel() -> None:
    r = describe(SUM)
    assert (r.name, r.kind, r.lanes, r.mode) == ("total", "kernel", 1, "strict")
    assert r.operations == {"load": 3, "add": 1, "sqrt": 1, "mul": 1, "store": 1}
    assert r.flops == 3 and r.maths_calls == {} and r.casadi_instructions == 7
    assert [(p.name, p.role, p.shape, p.unit) for p in r.ports] == [("q", "input", (3,), "m"), ("y", "output", (), "m")]
    assert r.digest == SUM.digest


def test_maths_functions_count_with_their_own_operations() -> None:
    r = describe(SINE)
    assert r.maths_calls == {"sin": 1} and r.flops > 10


def test_loops_multiply_and_switches_take_the_longest_case() -> None:
    r = describe(SIX)
    assert r.flops == 7 * describe(SUM).flops
    calls = {("total", "kernel", 7), ("six_each", "turn", 6), ("six", "program", 1)}
    assert {(p.name, p.kind, p.calls) for p in r.routines} == calls


class Leg(Struct):
    """For the tests below."""

    l: ca.SX = q("m", text="length")
    v: ca.SX = q("m/s", 2)


class Machine(Struct):
    """Legs and a table's input."""

    t: ca.SX = q("s", text="time")
    R: ca.SX = q("-", (2, 2))
    legs: Leg = q(of=Leg, rows=3, text="all three")


def test_structs_tell_their_quantities() -> None:
    lookup = table("lookup", [[0.0, 1.0]], [1.0, 2.0], inputs=[Port("at", (), "s")], output=Port("value"))

    def moved(x: Machine) -> Any:
        return x.replace(t=lookup(at=x.t), legs=for_each(lambda leg: leg.replace(l=leg.l + leg.v[1]), x.legs))

    r = describe(Program("moved", (Machine.port("x", "state"),), (Machine.port("x_next"),), moved))
    port = r.ports[0]
    assert (port.struct, port.role, port.shape, port.description) == ("Machine", "input", (14,), "state")
    assert [(x.name, x.place, x.shape, x.unit, x.description) for x in port.quantities] == [
        ("t", "0", (), "s", "time"),
        ("R", "1", (2, 2), "-", ""),
        ("legs", "5", (3, 3), "SI, mixed", "all three"),
        ("legs.l", "5 + 3 i", (), "m", "length"),
        ("legs.v", "6 + 3 i", (2,), "m/s", ""),
    ]
    kinds = {(p.name, p.kind) for p in r.routines}
    assert kinds == {("lookup", "primitive"), ("moved_each", "turn"), ("moved", "program")}
    rows = describe(Program("rows", (Leg.port("x", rows=2),), (Port("y"),), lambda x: x.l[0] + x.l[1])).ports[0]
    assert [(x.name, x.place) for x in rows.quantities] == [("l", "0 + 3 i"), ("v", "1 + 3 i")]


def test_pieces_of_a_long_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.compile.placement.SPLIT_ABOVE", 20)
    long = Program("chain", (Port("x"),), (Port("y"),), lambda x: sum(ca.sqrt(x + k) for k in range(30)))
    kinds = [p.kind for p in describe(long).routines]
    assert kinds[-1] == "program" and kinds.count("piece") == len(kinds) - 1 > 2


def test_pieces_of_a_long_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lower.lower_kernel, "__defaults__", (20,))
    long = Kernel("chain", (Port("x"),), (Port("y"),), lambda x: sum(ca.sqrt(x + k) for k in range(30)))
    kinds = [p.kind for p in describe(long).routines]
    assert kinds[-1] == "kernel" and kinds.count("piece") == len(kinds) - 1 > 2


@pytest.mark.parametrize("lanes", [1, 8])
def test_code_and_stack(lanes: int) -> None:
    r = describe(SIX, lanes)
    (own,) = [f for f in r.functions if f.name == "six"]
    assert 0 < (own.bytes or 1) <= r.code_bytes
    assert own.deepest == r.stack_bytes >= own.stack > 0
    assert min(r.times.trace, r.times.lower, r.times.optimise, r.times.emit) > 0


def test_cache_state(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    store = ObjectCache(tmp_path)
    assert not describe(SUM, cache=store).cached
    compile(SUM, cache=store)
    r = describe(SUM, cache=store)
    assert r.cached and (tmp_path / f"{r.key}.mbo").exists()
    assert not describe(SUM, mode="fast", cache=store).cached


def test_json() -> None:
    data = json.loads(json.dumps(describe(SIX).as_json()))
    assert data["name"] == "six" and data["routines"][-1]["kind"] == "program"


def test_lanes_are_checked() -> None:
    with pytest.raises(KernelError, match="3 lanes"):
        describe(SUM, 3)


def test_describing_changes_nothing() -> None:
    fresh = replace(SUM)
    digest = fresh.digest
    describe(fresh)
    assert fresh.digest == digest and np.isclose(compile(fresh, "python")([1.0, 2.0, 4.0]), 6.0)


def test_stack_of_known_prologues() -> None:
    usual = ["pushq\t%rbp", "pushq\t%rbx", "subq\t$72, %rsp", "addq\t$72, %rsp", "popq\t%rbx", "popq\t%rbp", "retq"]
    assert stack_bytes(usual, True) == 96
    assert stack_bytes(["movq\t%rdx, -24(%rsp)", "retq"], True) == 32  # below the pointer, return address included
    early = ["pushq\t%rbx", "popq\t%rbx", "retq", "pushq\t%rbx", "callq\tf", "popq\t%rbx", "retq"]
    assert 16 <= stack_bytes(early, True) <= 24
    arm = ["stp\tx29, x30, [sp, #-32]!", "sub\tsp, sp, #1, lsl #12", "sub\tsp, sp, #16", "ret"]
    assert stack_bytes(arm, False) == 4144
    assert stack_bytes(["fadd\td0, d0, d1", "ret"], False) == 0


def test_deepest_path_goes_through_callees_and_tables_are_no_code() -> None:
    text = "\n".join(
        ["inner:", "\tsubq\t$40, %rsp", "\taddq\t$40, %rsp", "\tretq"]
        + ["outer:", "\tpushq\t%rax", "\tmovabsq\t$inner, %rax", "\tcallq\t*%rax", "\tpopq\t%rax", "\tretq"]
        + ["\t.section\t.rodata", "outer.table0:", "\t.quad\t1"]
    )
    assert list(split_functions(["inner", "outer"], text)) == ["inner", "outer"]
    found = {f.name: (f.stack, f.deepest) for f in functions(["inner", "outer"], text, b"")}
    assert found == {"inner": (48, 48), "outer": (16, 64)}


def test_symbol_sizes_of_the_object() -> None:
    assert symbol_sizes(b"not an object") == {}
    assert {f.name for f in build(SUM, 1, "strict").functions} >= {"total"}
