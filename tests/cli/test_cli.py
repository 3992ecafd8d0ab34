"""The command line as a person meets it: help, version, one-sentence complaints, exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import motionbase
from motionbase.cli import checkout, commands
from motionbase.cli.checkout import cores
from motionbase.cli.commands import COMMANDS, Command
from motionbase.cli.main import main as call
from motionbase.errors import KernelError

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]


def failure(capsys: Capture, *args: str) -> str:
    """The complaint of a call that cannot work: exit code 2, nothing on stdout, one line on stderr."""
    assert call(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("motionbase: ") and err.count("\n") == 1
    return err


@pytest.fixture
def fake_command(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Adds the command `fake`, a function of this module named by the test's parameter."""
    monkeypatch.setitem(commands.COMMANDS, "fake", Command(f"{__name__}:{request.param}", "A fake."))


def test_version(capsys: Capture) -> None:
    assert call(["--version"]) == 0
    assert capsys.readouterr().out == f"motionbase {motionbase.__version__}\n"


@pytest.mark.parametrize("args", [[], ["--help"]])
def test_help_lists_every_command(args: list[str], capsys: Capture) -> None:
    assert call(args) == 0
    out = capsys.readouterr().out
    for name, command in COMMANDS.items():
        assert f"  {name}" in out and command.help in " ".join(out.split())  # a long line is wrapped


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str, capsys: Capture) -> None:
    assert call([name, "--help"]) == 0
    assert f"motionbase {name}" in capsys.readouterr().out.partition("Usage:")[2].partition("Example")[2]


def test_help_and_version_load_no_heavy_package() -> None:
    code = "import sys; from motionbase.cli.main import main; main(['--help']); main(['--version'])\n"
    code += "print(sorted({'casadi', 'llvmlite', 'numpy'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_unknown_command_is_answered_with_the_nearest(capsys: Capture) -> None:
    err = failure(capsys, "bnech")
    assert "no command 'bnech'; did you mean 'bench'?" in err and ", ".join(COMMANDS) in err


def test_command_like_no_other_is_answered_with_all(capsys: Capture) -> None:
    err = failure(capsys, "zzz")
    assert "did you mean" not in err and f"commands: {', '.join(COMMANDS)}" in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["bench", "--qick"], "did you mean '--quick'?"),
        (["--verison"], "did you mean '--version'?"),
        (["dcu", "--jsom"], "did you mean '--json'?"),
        (["bench", "a", "b"], "unexpected extra argument"),
        (["bench", "no-such-name"], "no benchmark 'no-such-name'"),
    ],
)
def test_bad_calls_are_one_sentence(args: list[str], said: str, capsys: Capture) -> None:
    assert said in failure(capsys, *args)


def bad_input() -> None:
    raise KernelError("kernel 'leg' is\nnot well formed")


def bug() -> None:
    raise ZeroDivisionError("division by zero")


def ctrl_c() -> None:
    raise KeyboardInterrupt


def seven() -> int:
    return 7


@pytest.mark.parametrize("fake_command", ["bad_input"], indirect=True)
def test_package_error_is_one_sentence(fake_command: None, capsys: Capture) -> None:
    assert failure(capsys, "fake") == "motionbase: kernel 'leg' is not well formed\n"


@pytest.mark.parametrize("fake_command", ["bug"], indirect=True)
def test_unexpected_error_hides_its_traceback_until_asked(
    fake_command: None, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MOTIONBASE_DEBUG", raising=False)
    assert call(["fake"]) == 1
    err = capsys.readouterr().err
    assert "'motionbase fake' failed with ZeroDivisionError: division by zero" in err
    assert "MOTIONBASE_DEBUG=1" in err and err.count("\n") == 1
    monkeypatch.setenv("MOTIONBASE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        call(["fake"])


@pytest.mark.parametrize("fake_command", ["ctrl_c"], indirect=True)
def test_ctrl_c_is_quiet(fake_command: None, capsys: Capture) -> None:
    assert call(["fake"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("fake_command", ["seven"], indirect=True)
def test_number_returned_is_the_exit_code(fake_command: None) -> None:
    assert call(["fake"]) == 7


@pytest.mark.parametrize("args", ["--version", "--help", "models"])
def test_closed_pipe_is_silent(args: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "motionbase", args], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.stderr == ""


@pytest.mark.parametrize("args", ["--version", "models", "kernel list", "zzz"])
def test_closed_streams_are_silent(args: str) -> None:
    """`motionbase ... >&- 2>&-`: Python then has no stream objects at all."""
    shell = f"exec {sys.executable} -m motionbase {args} >&- 2>&-"
    done = subprocess.run(["sh", "-c", shell], cwd=ROOT, capture_output=True)
    assert done.returncode == (2 if args == "zzz" else 0) and done.stdout == done.stderr == b""


@pytest.mark.parametrize("args", [["kernel", "show", "six_legs"], ["kernel", "shöw"]])
def test_a_terminal_without_our_letters(args: list[str]) -> None:
    """An ASCII terminal cannot show the unit of temperature; it gets another letter, not an error."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run([sys.executable, "-m", "motionbase", *args], env=environment, cwd=ROOT, capture_output=True)
    assert done.returncode == (0 if args[1] == "show" else 2)
    assert b"?" in done.stdout + done.stderr and b"UnicodeEncodeError" not in done.stderr


def test_bench_and_test_outside_a_checkout(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "find", lambda: None)
    assert "the benchmarks are only in a source checkout" in failure(capsys, "bench")
    assert "the tests are only in a source checkout" in failure(capsys, "test")


def test_checkout_is_found_from_the_package_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert checkout.find() == ROOT


def test_test_hands_options_and_paths_to_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, args: called.append(args))
    monkeypatch.chdir(ROOT / "tests")
    assert call(["test", "-x", "-k", "a or b", "cli::test_x", "--lf"]) == 0
    spread = ["-n", str(cores() + 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    assert [*called[0][1:]] == [
        "-P",
        "-m",
        "pytest",
        *spread,
        "-x",
        "-k",
        "a or b",
        f"{ROOT}/tests/cli::test_x",
        "--lf",
    ]
    assert Path.cwd() == ROOT
