"""The generated C: clean under strict warnings in C and C++, self-contained, and the same bits on ARM64."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.compile import Kernel, Port, Program, Unit, delay, for_each, random, switch, table
from motionbase.compile.render.c import render
from motionbase.errors import CompilerRefused, TargetUnavailable
from tests.compile.on_targets import COMPILERS, EDGES, Batch, assert_all_targets, assert_same_bits, on_python
from tests.compile.test_casadi_ops import BINARY_KERNEL, UNARY
from tests.compile.test_kernel import SHAPES
from tests.compile.test_ops import BASIC
from tests.compile.test_programs import chosen, geometry, nested, outer

Array = NDArray[np.float64]
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-ffp-contract=off")
# exact by IEEE 754 in every library, so the only ones allowed; memcpy is how C reads the bits of a double
ALLOWED = {"floor", "ceil", "fmod", "sqrt", "copysign", "fabs", "memcpy", "memset", "memmove"}

TABLE = table(
    "lookup", [[0.0, 1.0, 3.0]], [[0.0, 1.0], [np.inf, 5.0], [4.0, np.nan]], inputs=[Port("x")], output=Port("o", 2)
)
DELAY = delay("line", Port("u", 2), 3, variable=True)
NOISE = random("noise", Port("r", 3), kind="normal")


def everything(x: ca.SX, k: ca.SX, t: ca.SX, r: ca.SX, m: ca.SX) -> Any:
    """Every form at once: loops, switches, constants, a table, a delay, random numbers, all maths."""
    ops = UNARY(x)
    AXES(ca.DM([1.0, np.nan]))  # a result that nobody uses
    t, r = switch(
        k,
        {
            1: lambda: (for_each(lambda _: TABLE(k), ca.DM.zeros(2)), r),
            3: lambda: (t, NOISE(seed=x, counter=k)),
        },
        lambda: (t, ca.vertcat(DELAY(t[0, :].T, k, u_line=m), r[2])),
    )
    return ca.vertcat(*ops), t, r, m


AXES = Kernel("axes", (Port("u", 2),), (Port("v", 7),), lambda u: ca.repmat(u[0], 7, 1))
EVERYTHING = Program(
    "everything",
    (Port("x"), Port("k")),
    (Port("o", len(UNARY.outputs)),),
    everything,
    memory=(Port("t", (2, 2)), Port("r", 3), Port("m", DELAY.memory[0].size)),
    allow_nan=True,
)
UNITS: tuple[Unit, ...] = (
    BASIC, UNARY, BINARY_KERNEL, SHAPES, nested, chosen, geometry, outer, TABLE, DELAY, NOISE, EVERYTHING
)  # fmt: skip


def compiled(command: Sequence[str], folder: Path, *arguments: str) -> None:
    done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All units as C in one folder, and a C++ file and a C file that include all headers, twice."""
    folder = tmp_path_factory.mktemp("c")
    for unit in UNITS:
        source = render(unit)
        (folder / f"{unit.name}.c").write_text(source.source)
        (folder / f"{unit.name}.h").write_text(source.header)
    includes = "".join(f'#include "{u.name}.h"\n' for u in UNITS) * 2
    uses = "".join(f"    (void)&{u.name};\n" for u in UNITS)
    (folder / "all.cpp").write_text(f"{includes}int main() {{\n{uses}    return 0;\n}}\n")
    (folder / "all.c").write_text(f"{includes}int main(void) {{\n{uses}    return 0;\n}}\n")
    return folder


@pytest.mark.parametrize("compiler", COMPILERS)
def test_compiles_as_c99_without_a_warning(compiler: str, sources: Path) -> None:
    files = [f"{u.name}.c" for u in UNITS]
    for name in files:
        compiled(COMPILERS[compiler], sources, *STRICT, "-c", name, "-o", f"{name}.{compiler}.o")
    objects = [f"{name}.{compiler}.o" for name in files]
    compiled(COMPILERS[compiler], sources, *STRICT, "all.c", *objects, "-o", f"all.{compiler}", "-lm")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_headers_are_c_plus_plus(compiler: str, sources: Path) -> None:
    command = {"gcc": ["g++"], "clang": [sys.executable, "-m", "ziglang", "c++"]}[compiler]
    compiled(command, sources, "-std=c++11", *STRICT[1:5], "-c", "all.cpp", "-o", f"all.{compiler}.cpp.o")


def test_sources_are_c_plus_plus_apart_from_restrict(sources: Path) -> None:
    """A unit may be pasted into a C++ project; `restrict` is the one word C++ lacks."""
    for unit in UNITS:
        compiled(
            ["g++"], sources, "-x", "c++", "-Drestrict=__restrict__", *STRICT[1:5], "-c", f"{unit.name}.c", "-o", "x.o"
        )


def test_no_globals_no_allocation_no_library(sources: Path) -> None:
    """What `nm` sees: one exported function a unit, constant data, and exact functions of <math.h>."""
    for unit in UNITS:
        compiled(["gcc"], sources, *STRICT, "-fno-builtin", "-c", f"{unit.name}.c", "-o", "nm.o")
        lines = subprocess.run(["nm", "nm.o"], cwd=sources, capture_output=True, text=True, check=True).stdout
        symbols = [line.split()[-2:] for line in lines.splitlines()]
        kinds = {kind for kind, _ in symbols}
        assert kinds <= {"T", "t", "r", "U"}, f"{unit.name}: {kinds} holds a mutable global"
        assert [name for kind, name in symbols if kind == "T"] == [unit.name]
        assert {name for kind, name in symbols if kind == "U"} <= ALLOWED


def test_the_check_for_globals_can_fail(tmp_path: Path) -> None:
    """A file with a static counter has a symbol of a kind the test above does not let pass."""
    (tmp_path / "g.c").write_text("static int n = 1; int f(void) { return n++; }\nint z; double malloc_(void);\n")
    compiled(["gcc"], tmp_path, "-c", "g.c", "-o", "g.o")
    lines = subprocess.run(["nm", "g.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert {line.split()[-2] for line in lines.splitlines()} & {"d", "D", "b", "B", "C"}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("-ffast-math", "compile without -ffast-math"),
        ("-Ofast", "compile without -ffast-math and -Ofast"),
        ("-ffinite-math-only", "compile without -ffinite-math-only"),
        ("-funsafe-math-optimizations", "and -funsafe-math-optimizations"),
        ("-fassociative-math -fno-signed-zeros -fno-trapping-math", "compile without -fassociative-math"),
        ("-freciprocal-math", "compile without -freciprocal-math"),
        ("-fno-signed-zeros", "compile without -fno-signed-zeros"),
        ("-fsingle-precision-constant", "a flag changes IEEE 754 arithmetic"),
        ("-std=c99 -ffp-contract=fast", "a flag changes IEEE 754 arithmetic"),
    ],
)
def test_flags_that_change_values_are_refused(flags: str, said: str, sources: Path) -> None:
    command = ["gcc", *flags.split(), "-c", "nested.c", "-o", "f.o"]
    done = subprocess.run(command, cwd=sources, capture_output=True, text=True)
    assert done.returncode != 0 and said in done.stderr


def test_header_and_source_list_the_forbidden_flags() -> None:
    made = render(nested)
    for flag in ("-ffast-math", "-funsafe-math-optimizations", "-ffinite-math-only", "-ffp-contract=fast"):
        assert flag in made.header and flag in made.source


def test_what_a_compiler_refuses_is_told() -> None:
    """Another error than a missing compiler, which examples and benchmarks pass over."""
    from motionbase.compile.runtime import c

    kernel = Kernel("k", (Port("x"),), (Port("y"),), lambda x: 2 * x)
    with pytest.raises(CompilerRefused, match="gcc refused k.c: .*compile without -ffast-math"):
        c.native(kernel, ["gcc"], ("-ffast-math",))
    with pytest.raises(TargetUnavailable, match="cannot run 'no-such-compiler'"):
        c.native(kernel, ["no-such-compiler"])
    assert "-Werror" in c.STRICT_FLAGS and "-Werror" not in c.USER_FLAGS


@pytest.mark.parametrize("flags", [("-O0",), ("-O3", "-march=native"), ("-std=gnu11", "-O2", "-march=native")])
def test_bits_do_not_depend_on_the_flags(flags: tuple[str, ...]) -> None:
    """GCC would contract a * b + c with -march=native and gnu11; the source tells it not to."""
    from motionbase.compile.runtime import c

    kernel = Kernel("fused", (Port("a", 3),), (Port("o"),), lambda a: a[0] * a[1] + a[2])
    samples = np.random.default_rng(5).normal(size=(200, 3))
    samples[:, 2] = -samples[:, 0] * samples[:, 1]  # 0, or the rounding error of the product when fused
    function = c.native(kernel, ["gcc"], flags)
    out = np.full(200, np.nan)
    for k in range(200):
        function(samples[k].ctypes.data, out[k:].ctypes.data)
    np.testing.assert_array_equal(out, 0.0)


# ---- another processor ---------------------------------------------------------------------------------------------

MAIN = """
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "{name}.h"

int main(void)
{{
    uint64_t word;
{arrays}
    while (1) {{
{reads}
        {name}({arguments});
{writes}
    }}
}}
"""


def hex_program(unit: Unit) -> str:
    """A main that reads inputs and memory as 16 hex digits a double and writes all outputs and memory so."""
    arrays, reads, writes = [], [], []
    loop = "for (int k = 0; k < {size}; ++k) {{"
    for port in unit.ports:
        head = loop.format(size=port.size)
        arrays.append(f"    static double {port.name}_[{max(port.size, 1)}];")
        if port not in unit.outputs:
            reads.append(
                f'        {head} if (scanf("%" SCNx64, &word) != 1) return 0; memcpy(&{port.name}_[k], &word, 8); }}'
            )
        if port not in unit.inputs:
            writes.append(f'        {head} memcpy(&word, &{port.name}_[k], 8); printf("%016" PRIx64 "\\n", word); }}')
    arguments = ", ".join(f"{p.name}_" for p in unit.ports)
    return MAIN.format(
        name=unit.name, arrays="\n".join(arrays), reads="\n".join(reads), writes="\n".join(writes), arguments=arguments
    )


def run_hex(command: Sequence[str], unit: Unit, batch: Batch) -> Batch:
    n = len(next(iter(batch.values())))
    given = [p for p in (*unit.inputs, *unit.outputs, *unit.memory) if p not in unit.outputs]
    columns = [np.ascontiguousarray(batch[p.name]).reshape(n, -1).view(np.uint64) for p in given]
    text = "\n".join(f"{w:016x}" for row in np.hstack(columns).tolist() for w in row) + "\n"
    done = subprocess.run(list(command), input=text, capture_output=True, text=True, check=True)
    words = np.array([int(line, 16) for line in done.stdout.split()], dtype=np.uint64).view(np.float64).reshape(n, -1)
    results, at = dict(batch), 0
    for port in (*unit.outputs, *unit.memory):
        results[port.name] = words[:, at : at + port.size].reshape(n, *port.array_shape).copy()
        at += port.size
    return results


@cache
def emulator() -> str | None:
    return shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")


EVERYTHING_BATCH: Batch = {
    "x": np.concatenate([EDGES, np.linspace(-8, 8, 101)]),
    "k": np.resize([0.0, 1.0, 3.0, 2.5, np.nan], len(EDGES) + 101),
    "t": np.random.default_rng(6).normal(size=(len(EDGES) + 101, 2, 2)),
    "r": np.zeros((len(EDGES) + 101, 3)),
    "m": np.random.default_rng(7).uniform(0, 3, size=(len(EDGES) + 101, DELAY.memory[0].size)),
}


def test_everything_at_once_on_every_target() -> None:
    assert_all_targets(EVERYTHING, EVERYTHING_BATCH)


def test_the_hex_program_itself(sources: Path) -> None:
    """Compiled for this machine, so that a failure on ARM64 is of ARM64 and not of the harness."""
    (sources / "main.c").write_text(hex_program(EVERYTHING))
    compiled(["gcc"], sources, *STRICT, "main.c", "everything.c", "-o", "native", "-lm")
    got = run_hex([str(sources / "native")], EVERYTHING, EVERYTHING_BATCH)
    assert_same_bits(got, on_python(EVERYTHING, EVERYTHING_BATCH), "hex program")


@pytest.mark.long("zig compiles a C library for ARM64 first")
def test_the_same_bits_on_arm64(sources: Path) -> None:
    """Cross-compiled with zig's clang, fused operations and all, and run under qemu."""
    qemu = emulator()
    if qemu is None:
        pytest.skip("qemu-aarch64 is not installed (apt-get install qemu-user): ARM64 code cannot run here")
    for unit, batch in ((EVERYTHING, EVERYTHING_BATCH), (BINARY_KERNEL, {"x": EDGES, "y": np.roll(EDGES, 7)})):
        (sources / "main.c").write_text(hex_program(unit))
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", "-static"]
        compiled(zig, sources, *STRICT[:-1], "main.c", f"{unit.name}.c", "-o", "arm", "-lm")
        got = run_hex([qemu, str(sources / "arm")], unit, batch)
        assert_same_bits(got, on_python(unit, batch), f"{unit.name} on ARM64")
