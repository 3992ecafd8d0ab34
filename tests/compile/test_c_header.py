"""Names and headers of generated C: any port name compiles, and the header tells where quantities stand."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Port, Program, Struct, for_each, q, switch
from motionbase.compile.render.c import render
from tests.compile.on_targets import COMPILERS, Batch, assert_all_targets
from tests.compile.test_c_source import STRICT, compiled

# ---- names ---------------------------------------------------------------------------------------------------------

NASTY = [
    "v1",
    "i0",
    "n",
    "t",
    "k",
    "E",
    "I",
    "a0",
    "selector0",
    "scratch0",
    "exp",
    "y0",
    "restricted",
    "q",
    "Q",
]


def test_nasty_port_names() -> None:
    """Names our generated code might use for itself, names of library functions, and names that differ by case."""
    ports = tuple(Port(name) for name in NASTY)
    inner = Kernel("step", ports, (Port("x"), Port("X")), lambda *v: [ca.sum1(ca.vertcat(*v)), ca.exp(v[0])])

    def expr(*values: ca.SX) -> Any:
        given = dict(zip(NASTY, values, strict=True))
        k = given["k"]

        def step(number: ca.SX) -> Any:  # the name of the kernel that is called
            return switch(k, {1: lambda: (k, k)}, lambda: inner(**given))

        x, X = for_each(step, [1.0, 2.0])
        return X[1], x[1]

    program = Program("nasty", ports, (Port("nasty"), Port("nasty_step")), expr)
    batch: Batch = {name: np.array([0.5 * k, 1.0]) for k, name in enumerate(NASTY)}
    assert_all_targets(program, {**batch, "k": np.array([0.0, 2.0])})


def test_a_kernel_named_like_the_word_restrict() -> None:
    kernel = Kernel("restrict_force", (Port("restricted"),), (Port("o"),), lambda x: 2 * x)
    header = render(kernel).header
    assert "void restrict_force(const double *MB_RESTRICT restricted, double *MB_RESTRICT o);" in header


def test_the_header_says_what_the_ports_are() -> None:
    kernel = Kernel(
        "leg", (Port("q", 3, "m", "joint */ place"), Port("Q", (2, 2), "rad")), (Port("l", (), "m"),),
        lambda q, Q: q[0] + Q[1, 0], "length of a leg",
    )  # fmt: skip
    header = render(kernel).header
    assert header.startswith("/* length of a leg\n")
    assert re.search(r"in +q +3 +\[m\] joint \* / place", header) and re.search(r"out +l +1 +\[m\]", header)
    assert "#define leg__q_SIZE 3\n#define leg__Q_SIZE 4\n#define leg__l_SIZE 1" in header


class Leg(Struct):
    """For the test below."""

    l: ca.SX = q("m", text="length */ now")
    v: ca.SX = q("m/s", 2)


class Side(Struct):
    """Legs inside a struct inside a struct."""

    legs: Leg = q(of=Leg, rows=3, text="of this side")
    R: ca.SX = q("-", (2, 2))


class Machine(Struct):
    """Names that would clash, were they joined by one underscore."""

    a: ca.SX = q("s")
    left: Side = q(of=Side)
    left_R: ca.SX = q("rad")
    right: Side = q(of=Side)


READER = """
#include <stdio.h>
#include "machine.h"

int main(void)
{
    double x[machine__x_SIZE], rows[machine__rows_SIZE], y[machine__y_SIZE], y_next[machine__x_next_SIZE];
    for (int k = 0; k < machine__x_SIZE; ++k) x[k] = k;
    for (int k = 0; k < machine__rows_SIZE; ++k) rows[k] = 100 + k;
    machine(x, rows, y_next, y);
    printf("%g %g %g %g\\n", x[machine__x__a], x[machine__x__left_R], x[machine__x__left__R + 3], y[0]);
    for (int i = 0; i < machine__x__right__legs___ROWS; ++i)
        printf("%g ", y_next[machine__x_next__right__legs__l + i * machine__x_next__right__legs___STRIDE]);
    for (int i = 0; i < machine__rows___ROWS; ++i)
        printf("%g ", rows[machine__rows__v + 1 + i * machine__rows___STRIDE]);
    return 0;
}
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_header_tells_where_quantities_of_structs_stand(compiler: str, tmp_path: Path) -> None:
    def machine(x: Machine, rows: Leg) -> Any:
        legs = for_each(lambda leg: leg.replace(l=2 * leg.l), x.right.legs)
        return x.replace(right=x.right.replace(legs=legs)), rows.v[1, 0] + x.left.R[1, 0]

    unit = Program(
        "machine", (Machine.port("x"), Leg.port("rows", rows=2)), (Machine.port("x_next"), Port("y")), machine
    )  # fmt: skip
    made = render(unit)
    assert "machine__x__left__legs__l = 1, /* [m] length * / now; row by row at 1 + 3 i */" in made.header
    assert "machine__x__left__legs = 1, /* 3 Leg of this side */" in made.header
    (tmp_path / "machine.c").write_text(made.source)
    (tmp_path / "machine.h").write_text(made.header)
    (tmp_path / "main.c").write_text(READER)
    compiled(COMPILERS[compiler], tmp_path, *STRICT, "main.c", "machine.c", "-o", "reader", "-lm")
    said = subprocess.run([tmp_path / "reader"], capture_output=True, text=True, check=True).stdout
    at = Machine.layout.starts
    left, right = at["left"], at["right"]
    legs = [2 * (right + 3 * i) for i in range(3)]
    assert said.split() == [f"{n:g}" for n in (0, at["left_R"], left + 12, 104 + left + 11, *legs, 102, 105)]
    cpp = {"gcc": ["g++"], "clang": [sys.executable, "-m", "ziglang", "c++"]}[compiler]
    compiled([*cpp, "-x", "c++"], tmp_path, "-std=c++11", *STRICT[1:5], "-c", "main.c", "-o", "main.o")


def test_size_macros_of_two_units_do_not_clash(tmp_path: Path) -> None:
    """Port b_c of a and port c of a_b, with different sizes."""
    for name, port, size in (("a", "b_c", 2), ("a_b", "c", 3)):
        kernel = Kernel(name, (Port(port, size),), (Port("y"),), lambda x: x[0])
        (tmp_path / f"{name}.h").write_text(render(kernel).header)
    (tmp_path / "both.c").write_text('#include "a.h"\n#include "a_b.h"\n')
    compiled(["gcc"], tmp_path, *STRICT, "-c", "both.c", "-o", "both.o")
