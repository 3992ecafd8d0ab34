"""Laws of people's own by FILE.py:NAME: every mistake in the file is one sentence with its line."""

from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.control.law_file import load_law
from motionbase.control.own_law import OwnLaw
from motionbase.errors import UsageError
from motionbase.platform.load import load_platform

HEXAPOD = load_platform("simona")
FILE = """\
import casadi as ca
from motionbase.compile import Layout, Port
from motionbase.control.own_law import OwnLaw
from motionbase.control.ports import ControlPorts

P, X = Layout((Port("gain", (), "1/m", start=2.0),)), Layout((Port("ticks", (), "-", "since the start"),))


def hold(p):
    return {"x_next": p["x"] + 1, "valve_cmd": p["parameters"] * (2.7 - p["l_meas"])}


def made(function):
    return OwnLaw.of("mine", function, P, X)


HOLD = made(hold)
KERNEL = ControlPorts.law("mine", hold, P, X)
NUMBER = 3


def holding(hexapod):
    return made(hold)


def fails(hexapod):
    return 1 / 0  # fails


def misspells(hexapod):
    def law(p):
        x = p["x"]
        return {"x_next": x, "valve_cmd": p["l_measured"]}  # misspells

    return made(law)


def gives_more(hexapod):  # gives_more
    return made(lambda p: {"x_next": p["x"], "valv_cmd": p["l_meas"]})


def too_long(hexapod):  # too_long
    return made(lambda p: {"x_next": p["x"], "valve_cmd": p["acc"]})


def number(hexapod):
    return 3


def other_state(hexapod):
    return OwnLaw(KERNEL, P, Layout((Port("ticks", 2, "-", "since the start"),)))  # other_state


def branches(hexapod):
    return made(lambda p: {"x_next": p["x"] if p["estop"] else p["x"] + 1})  # branches


SLOW = OwnLaw.of("mine", hold, P, X, dt=0.01)
"""


def line_of(mark: str) -> str:
    """Number of the line that ends with this comment."""
    found = (k for k, line in enumerate(FILE.splitlines(), start=1) if line.endswith(f"  # {mark}"))
    return str(next(found, ""))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "law.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize("name", ["HOLD", "holding"])
def test_a_law_or_what_makes_one(file: Path, name: str) -> None:
    law = load_law(f"{file}:{name}", HEXAPOD)
    assert isinstance(law, OwnLaw) and law.parameter_vector(gain=3.0).tolist() == [3.0]
    assert law.initial_state().tolist() == [0.0] and law.program.name == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fails", "law.py, line LINE: ZeroDivisionError: division by zero"),
        ("misspells", "KeyError: 'l_measured' (FILE:LINE)"),
        (
            "gives_more",
            "law.py, line LINE: control law 'mine': it returns 'valv_cmd', which is not an output; outputs: x_next",
        ),
        ("too_long", "law.py, line LINE: kernel 'mine': output 'valve_cmd' has shape (3, 1), its port says (6, 1)"),
        ("number", "'number' in FILE returns int, an OwnLaw is wanted, or a function of the platform"),
        ("NUMBER", "'NUMBER' in FILE is int, an OwnLaw is wanted"),
        ("KERNEL", "is Kernel, an OwnLaw is wanted: OwnLaw(it, parameters, state)"),
        ("other_state", "law.py, line LINE: control law 'mine': port x"),
        ("branches", "(FILE:LINE); a symbol has no truth value while tracing"),
        ("helding", "no law in FILE 'helding'; did you mean 'holding'?"),
    ],
)
def test_mistakes_name_file_and_line(file: Path, name: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_law(f"{file}:{name}", HEXAPOD)
    assert said.replace("FILE", str(file)).replace("LINE", line_of(name)) in str(caught.value)


def test_files_that_cannot_be_read_as_python(tmp_path: Path) -> None:
    bad, missing = tmp_path / "bad.py", tmp_path / "missing.py"
    bad.write_text("x = 1\ndef f(:\n")
    with pytest.raises(UsageError, match=r"bad.py, line 2: SyntaxError: "):
        load_law(f"{bad}:f", HEXAPOD)
    bad.write_text("\nimport nothing_of_this_name\n")
    with pytest.raises(UsageError, match=r"bad.py, line 2: ModuleNotFoundError: No module named"):
        load_law(f"{bad}:f", HEXAPOD)
    with pytest.raises(UsageError, match=r"no file in .* 'missing.py'"):
        load_law(f"{missing}:f", HEXAPOD)


def test_the_run_command_says_the_same_and_wants_its_own_period(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["run", "--law", f"{file}:fails"]) == 2
    assert (
        capsys.readouterr().err == f"motionbase: {file}, line {line_of('fails')}: ZeroDivisionError: division by zero\n"
    )
    assert call(["run", "--law", f"{file}:SLOW"]) == 2
    assert "its dt is 0.01 s, `motionbase run` needs 0.0005 s" in capsys.readouterr().err


def test_it_is_exported_under_the_name_of_the_files(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "generated"
    assert call(["export", "control", "simona", "--out", str(out), "--law", f"{file}:HOLD"]) == 0
    text = (out / "control.h").read_text()
    assert "control_step(" in text and "CONTROL_PARAMETER_GAIN = 0" in text
