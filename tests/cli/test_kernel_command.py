"""`motionbase kernel`: what it prints, its exit codes, and its one-sentence complaints."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.kernel import CATALOGUE
from motionbase.cli.main import main as call
from motionbase.compile.runtime.c import find_compiler
from motionbase.errors import TargetUnavailable

Capture = pytest.CaptureFixture[str]

MODEL = '''"""A model."""
import casadi as ca
from motionbase.compile import Kernel, Port, Program, Struct, for_each, probe, q

def inverse(q):
    probe("twice", 2 * q)
    return 1 / q - 2 / q  # bad

INVERSE = Kernel("inverse", (Port("q", 2, "m"),), (Port("y", 2, "1/m"),), inverse)

PROGRAM = Program("prog", (Port("q", 2, "m"),), (Port("y", 2, "1/m"),), lambda q: INVERSE(q))

class Leg(Struct):
    """A leg."""
    l: ca.SX = q("m", text="length of the leg")
    v: ca.SX = q("m/s", 2)

def gap(u):
    return 1 / probe("gap", u - 1)

def moved(legs, u):
    return for_each(lambda leg: leg.replace(l=ca.sqrt(leg.l)), legs), ca.sin(gap(u))  # moved

MOVED = Program("moved", (Leg.port("legs", rows=3), Port("u")), (Leg.port("legs_next", rows=3), Port("g")), moved)

def make():
    return INVERSE

def wants(x):
    return INVERSE

def breaks():
    raise ValueError("no such platform")

NUMBER = 7

MARKED = Kernel("marked", (Port("q", 2, "[m]", "lengths [m], see [/drawing] :smile:"),), (Port("y", (), "[bold]"),),
                lambda q: q[0], "of [red]legs[/red] [/x]")

def branches(q):
    return q if q > 1 else 1  # branch

BRANCHES = Kernel("branches", (Port("q"),), (Port("y"),), branches)
MATRIX = Kernel("matrix", (Port("A", (2, 3)),), (Port("y", (2, 3)),), lambda A: A)
'''


@pytest.fixture(autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for this test; the user's own is never touched."""
    folder = tmp_path_factory.mktemp("objects")
    folder.chmod(0o700)
    monkeypatch.setenv("MOTIONBASE_CACHE", str(folder))
    return folder


def output(capsys: Capture, *args: str, code: int = 0) -> str:
    assert call(["kernel", *args]) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert err == ""
    return out


def failure(capsys: Capture, *args: str) -> str:
    """The complaint of a call that cannot work: exit code 2, nothing on stdout, one line on stderr."""
    assert call(["kernel", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "model_of_test.py"
    path.write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return path


def test_list(capsys: Capture) -> None:
    out = output(capsys, "list")
    assert all(name in out and entry.about in out for name, entry in CATALOGUE.items())
    assert json.loads(output(capsys, "list", "--json")).keys() == CATALOGUE.keys()


@pytest.mark.parametrize("ref", ["model_of_test.py:INVERSE", "model_of_test:INVERSE", "model_of_test.py:make"])
def test_show_by_file_module_and_function(ref: str, model: Path, capsys: Capture) -> None:
    out = output(capsys, "show", ref)
    for word in ("kernel inverse", "[1/m]"[1:-1], "CasADi instructions", "machine code", "stack", "cache", "miss"):
        assert word in out


def test_show_json_of_a_program_on_lanes(model: Path, capsys: Capture) -> None:
    data = json.loads(output(capsys, "show", f"{model}:PROGRAM", "--lanes", "4", "--mode", "fast", "--json"))
    assert (data["kind"], data["lanes"], data["mode"]) == ("program", 4, "fast")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--target", "llvm"], "define "),
        (["--target", "c"], "#include"),
        (["--target", "cuda"], "__global__"),
        (["--target", "python"], "store"),
        (["--assembly"], "inverse"),
    ],
)
def test_source(options: list[str], said: str, model: Path, capsys: Capture) -> None:
    assert said in output(capsys, "show", f"{model}:INVERSE", "--source", *options)


def test_trace_without_a_nan(model: Path, capsys: Capture) -> None:
    out = output(capsys, "trace", f"{model}:INVERSE", "--input", "q=1,2", "--probe", "twice")
    assert "y     = -1 -0.5  [1/m]" in out and "twice = 2 4" in out and "no NaN" in out


def test_trace_finds_the_line(model: Path, capsys: Capture) -> None:
    line = MODEL.splitlines().index("    return 1 / q - 2 / q  # bad") + 1
    out = output(capsys, "trace", f"{model}:INVERSE", "--zeros", code=1)
    assert f"model_of_test.py:{line}" in out and "^" in out and "sub(inf, inf)" in out
    data = json.loads(output(capsys, "trace", f"{model}:PROGRAM", "--zeros", "--json", code=1))
    assert data["outputs"]["y"] == ["nan", "nan"]
    assert data["nan"]["line"]["line"] == line and "'inverse'" in data["nan"]["path"][0]


def test_trace_of_a_program_with_structs(model: Path, capsys: Capture) -> None:
    moved, gap = (
        next(k for k, text in enumerate(MODEL.splitlines(), 1) if mark in text) for mark in ("# moved", "1 / probe")
    )
    out = output(capsys, "trace", f"{model}:MOVED", "--input", "legs=1,2,3,-4,5,6,7,8,9", "--input", "u=3", code=1)
    assert "sqrt(-4) = nan in turn 'moved_each'" in out and f"model_of_test.py:{moved}, in <lambda>" in out
    assert f"loop index 1 of 3 at model_of_test.py:{moved}" in out and "expression  sqrt(leg.l)" in out
    out = output(capsys, "trace", f"{model}:MOVED", "--input", "legs=1", "--input", "u=1", "--probe", "gap", code=1)
    assert "gap       = 0" in out and "sin(inf) = nan in program 'moved'" in out
    assert f"model_of_test.py:{gap}, in gap" in out and "before it   infinity made by inv(0)" in out


def test_show_of_structs(model: Path, capsys: Capture) -> None:
    out = output(capsys, "show", f"{model}:MOVED")
    assert "Struct Leg (legs, legs_next)" in out and "length of the leg" in out and "1 + 3 i" in out
    assert "turn" in out
    text = output(capsys, "show", f"{model}:MOVED", "--source", "--target", "python")
    assert "  loop of 3\n    call moved_each" in text
    assert "moved__legs___STRIDE = 3" in output(capsys, "show", f"{model}:MOVED", "--source", "--target", "c")


def test_trace_reads_files(model: Path, capsys: Capture) -> None:
    np.save("q.npy", np.array([1.0, 4.0]))
    Path("q.csv").write_text("1, 4\n")
    for file in ("q.npy", "q.csv"):
        assert "-1 -0.25" in output(capsys, "trace", f"{model}:INVERSE", "--input", f"q=@{file}")


def test_a_file_with_rows_must_have_the_shape_of_the_port(model: Path, capsys: Capture) -> None:
    A = np.arange(6.0).reshape(2, 3)
    np.save("A.npy", A)
    np.save("T.npy", A.T)
    np.save("flat.npy", A.ravel())
    Path("A.csv").write_text("0,1,2\n3,4,5\n")
    Path("T.csv").write_text("0,3\n1,4\n2,5\n")
    for file in ("A.npy", "flat.npy", "A.csv"):
        assert "0 1 2\n    3 4 5" in output(capsys, "trace", f"{model}:MATRIX", "--input", f"A=@{file}")
    for file in ("T.npy", "T.csv"):
        err = failure(capsys, "trace", f"{model}:MATRIX", "--input", f"A=@{file}")
        assert f"--input A: '{file}' has shape (3, 2), (2, 3) is wanted" in err


def test_text_of_a_person_is_no_markup(model: Path, capsys: Capture) -> None:
    out = output(capsys, "show", f"{model}:MARKED")
    for text in ("kernel marked: of [red]legs[/red] [/x]", "lengths [m], see [/drawing] :smile:", "[m] ", "[bold]"):
        assert text in out


@pytest.mark.parametrize("command", [["show"], ["trace", "--zeros"], ["export"]])
def test_an_error_in_an_expression_is_one_sentence(command: list[str], model: Path, capsys: Capture) -> None:
    line = MODEL.splitlines().index("    return q if q > 1 else 1  # branch") + 1
    err = failure(capsys, command[0], f"{model}:BRANCHES", *command[1:])
    assert "kernel 'branches': RuntimeError: Cannot compute the truth value" in err
    assert f"(model_of_test.py:{line}); a symbol has no truth value while tracing; use ca.if_else" in err


def test_random_inputs_are_the_same_for_the_same_seed(model: Path, capsys: Capture) -> None:
    first, second, other = (output(capsys, "trace", f"{model}:INVERSE", "--random", s) for s in ("1", "1", "2"))
    assert first == second != other


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show", "pendulm"], "did you mean 'pendulum'?"),
        (["show", "model_of_test.py"], "give model_of_test.py:NAME"),
        (["show", "model_of_test.py:INVERS"], "did you mean 'INVERSE'?"),
        (["show", "model_of_test.py:zzz"], "kernels and programs there: INVERSE, PROGRAM, MOVED, MARKED"),
        (["show", "model_of_test.py:NUMBER"], "is int, not a kernel"),
        (["show", "model_of_test.py:wants"], "is a function with arguments"),
        (["show", "model_of_test.py:breaks"], "ValueError: no such platform"),
        (["show", "other.py:X"], "Python files there: model_of_test.py"),
        (["show", "nowhere/other.py:X"], "the folder 'nowhere' does not exist"),
        (["show", "nowhere.other:X"], "no module 'nowhere.other'"),
        (["show", "pendulum", "--lanes", "3"], "3 lanes; there may be 1, 2, 4, 8"),
        (["show", "pendulum", "--source", "--target", "c", "--lanes", "4"], "has no lanes"),
        (["trace", "pendulum"], "or --zeros, or --random SEED"),
        (["trace", "pendulum", "--zeros", "--random", "1"], "exclude each other"),
        (["trace", "pendulum", "--zeros", "--input", "qq=1"], "no input port 'qq'; did you mean 'q'?"),
        (["trace", "pendulum", "--zeros", "--input", "q"], "the form is PORT=VALUES"),
        (["trace", "pendulum", "--zeros", "--input", "q=a"], "must be numbers"),
        (["trace", "pendulum", "--zeros", "--input", "q=1,2"], "2 numbers came"),
        (["trace", "pendulum", "--zeros", "--input", "q=@no.npy"], "cannot read numbers from 'no.npy'"),
        (["trace", "pendulum", "--zeros", "--probe", "mass"], "probes: energy"),
        (["trace", "six_legs", "--zeros", "--probe", "mass"], "program 'six_legs': no probe 'mass'; probes: none"),
        (["shw"], "show"),
    ],
)
def test_bad_calls_are_one_sentence(args: list[str], said: str, model: Path, capsys: Capture) -> None:
    assert said in failure(capsys, *args)


def test_file_that_does_not_run(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "broken.py").write_text("a = 1\nb = a +\n")
    err = failure(capsys, "show", f"{tmp_path}/broken.py:X")
    assert "SyntaxError" in err and "line 2" in err


def test_export_writes_compiles_and_does_not_overwrite(model: Path, capsys: Capture) -> None:
    out = output(capsys, "export", f"{model}:INVERSE", "--target", "c", "--out", "made/here")
    assert "wrote made/here/inverse.c" in out and "compile with: cc " in out
    try:
        compiler = find_compiler()
    except TargetUnavailable:
        pytest.skip("no C compiler")
    flags = out.split("compile with: cc ")[1].partition("   ")[0].split()
    subprocess.run([*compiler, *flags, "-o", "made/inverse.o"], check=True)
    output(capsys, "export", f"{model}:INVERSE", "--out", "made/here")  # the same again is no conflict
    (Path("made/here") / "inverse.h").write_text("mine")
    assert "--force overwrites it" in failure(capsys, "export", f"{model}:INVERSE", "--out", "made/here")
    output(capsys, "export", f"{model}:INVERSE", "--out", "made/here", "--force")
    assert "mine" not in (Path("made/here") / "inverse.h").read_text()


def test_export_cuda(model: Path, capsys: Capture) -> None:
    assert "nvcc" in output(capsys, "export", f"{model}:INVERSE", "--target", "cuda", "--out", "made")
    assert "inverse_batch" in Path("made/inverse.cu").read_text()
