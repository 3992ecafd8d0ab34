"""`motionbase simulate` and `motionbase models`: what they print and write, and their one-sentence complaints."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.integrate import solve_ivp

from motionbase.cli.main import main as call
from motionbase.compile import compile
from motionbase.multibody.loaders import load_toml
from motionbase.multibody.models import MODELS
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs

Capture = pytest.CaptureFixture[str]

PYTHON = """
from motionbase.multibody.models.classics import pendulum
MODEL = pendulum(1.0)
NUMBER = 3
def make(length=2.0):
    return pendulum(length)
def needs(length):
    return pendulum(length)
def breaks():
    return 1 / 0
"""

TOML = """
[bodies.bob]
mass = 1.0
com = [0, 0, -1]
[joints.pivot]
type = "revolute"
parent = "ground"
child = "bob"
axis = [0, 1, 0]
"""

FLYING = """
gravity = [0, 0, 0]
[bodies.base]
mass = 10.0
inertia = [2, 2, 2]
[bodies.arm]
mass = 1.0
com = [1, 0, 0]
[joints.fly]
type = "free"
parent = "ground"
child = "base"
[joints.hinge]
type = "revolute"
parent = "base"
child = "arm"
axis = [0, 1, 0]
"""

URDF = """<robot name="pendulum"><link name="world"/>
<link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
<joint name="pivot" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/>
<dynamics friction="1"/></joint></robot>
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with models of every kind."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("mine.py", PYTHON),
        ("mine.toml", TOML),
        ("mine.urdf", URDF),
        ("bad.toml", "mass = 3"),
        ("typo.toml", "[bodies.bob]\nmas = 3"),
    ):
        Path(name).write_text(text)
    return tmp_path


def output(capsys: Capture, *args: str) -> str:
    assert call(args) == 0, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert err == ""
    return out


def summary(capsys: Capture, *args: str) -> dict[str, object]:
    data: dict[str, object] = json.loads(output(capsys, "simulate", *args, "--json"))
    return data


def test_summary_and_files(capsys: Capture) -> None:
    files = ["--out", "run.csv", "--plot", "run.png"]
    out = output(capsys, "simulate", "pendulum", "--duration", "1", "--every", "10", *files)
    for word in (
        "pendulum after 1 s",
        "rk4, 1000 steps",
        "times real time",
        "energy drift",
        "run.csv",
        "run.png",
        "rad",
    ):
        assert word in out
    with Path("run.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["t [s]", "q.pivot [rad]", "v.pivot [rad/s]"] and len(rows) == 102
    assert [float(x) for x in rows[1][:3]] == [0.0, 2.0, 0.0]
    assert Path("run.png").read_bytes().startswith(b"\x89PNG")


def test_parquet_has_names_and_units(capsys: Capture) -> None:
    output(capsys, "simulate", "top", "--duration", "0.1", "--method", "dopri5", "--dt", "0.01", "--out", "run.parquet")
    table = pq.read_table("run.parquet")
    assert table.column_names[:5] == ["t", "q.tip.qw", "q.tip.qx", "q.tip.qy", "q.tip.qz"] and table.num_rows == 11
    assert table.schema.field("v.tip.wz").metadata == {b"unit": b"rad/s"}
    assert table.schema.metadata[b"model"] == b"top"
    np.testing.assert_array_equal(table["t"].to_numpy(), np.arange(11) * 0.01)


@pytest.mark.parametrize(("model", "g"), [("mine.py:MODEL", 9.80665), ("mine.toml", 9.81), ("mine.urdf", 9.81)])
def test_the_same_pendulum_in_every_form(model: str, g: float, capsys: Capture) -> None:
    data = summary(capsys, model, "--duration", "0.5", "--q0", "pivot=1.5", "--v0", "pivot=-0.5")
    exact = solve_ivp(lambda _, x: (x[1], -g * np.sin(x[0])), (0, 0.5), (1.5, -0.5), rtol=1e-12, atol=1e-12)
    q = data["q"]
    assert isinstance(q, dict) and q["pivot"] == pytest.approx(exact.y[0, -1], abs=1e-9)
    assert data["model"] and data["steps"] == 500
    notes = data["notes"]
    assert isinstance(notes, list) and len(notes) == (1 if model == "mine.urdf" else 0)


@pytest.mark.parametrize(("way", "low", "high"), [((), 1e-7, 1e-2), (("--momentum",), 0.0, 1e-13)])
def test_momentum_is_carried_along(way: tuple[str, ...], low: float, high: float, capsys: Capture) -> None:
    """Nothing acts from outside: the error of a hundred coarse steps by speeds, rounding by momentum."""
    Path("flying.toml").write_text(FLYING)
    start = ("--v0", "fly=0.1,0,0,0,0,0", "--v0", "hinge=3")
    output(capsys, "simulate", "flying.toml", "--dt", "0.05", "--duration", "5", *start, "--out", "run.csv", *way)
    rows = np.loadtxt("run.csv", delimiter=",", skiprows=1)
    model = load_toml("flying.toml")
    q, v = (np.ascontiguousarray(x) for x in np.split(rows[:, 1:], (model.nq, model.nq + model.nv), axis=1)[:2])
    linear = compile(Outputs(Tree(model)).momenta).map(q=q, v=v)["linear"]
    drift = np.abs(linear - linear[0]).max() / np.linalg.norm(linear[0])
    assert len(rows) == 101 and low <= drift < high


def test_function_without_arguments(capsys: Capture) -> None:
    assert summary(capsys, "mine.py:make", "--duration", "0.1")["model"] == "pendulum"


def test_a_joint_as_a_whole(capsys: Capture) -> None:
    data = summary(capsys, "top", "--duration", "0.01", "--q0", "tip=1,0,0,0", "--v0", "tip=0,0,5")
    v = data["v"]
    assert isinstance(v, dict) and v["tip.wz"] == pytest.approx(5.0)
    assert data["notes"] == ["illustrative: some of its numbers are unpublished, see `motionbase models`"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["pendulm"], "did you mean 'pendulum'?"),
        (["mine.py"], "so give mine.py:NAME"),
        (["mine.py:MODL"], "did you mean 'MODEL'?"),
        (["mine.py:NUMBER"], "gives int, a Model is wanted"),
        (["mine.py:needs"], "is a function with arguments"),
        (["mine.py:breaks"], "ZeroDivisionError"),
        (["none.py:X"], "no file in"),
        (["none.toml"], "cannot be read: No such file"),
        (["bad.toml"], "bad.toml is neither a multibody model, with [bodies.NAME]"),
        (["typo.toml"], "typo.toml, line 2: body 'bob' has no key 'mas'"),
        (["none.urdf"], "cannot be read"),
        (["mine.toml:X"], "no module 'mine.toml'"),
        (["pendulum", "--q0", "pivot"], "the form is NAME=NUMBER"),
        (["pendulum", "--q0", "pivot=x"], "the form is NAME=NUMBER"),
        (["pendulum", "--q0", "pivt=1"], "did you mean 'pivot'?"),
        (["pendulum", "--v0", "pivot=1,2"], "'pivot' has 1 speeds, 2 numbers given"),
        (["pendulum", "--q0", "pivot=nan"], "must be finite"),
        (["top", "--q0", "tip=0,0,0,0"], "quaternion of joint 'tip' has length 0"),
        (["pendulum", "--method", "rk44"], "did you mean 'rk4'?"),
        (["pendulum", "--dt", "0"], "dt is 0.0 s"),
        (["pendulum", "--dt", "inf"], "dt is inf s"),
        (["pendulum", "--duration", "-1"], "duration is -1.0 s"),
        (["pendulum", "--duration", "nan"], "duration is nan s"),
        (["pendulum", "--duration", "1e30"], "2 GB"),
        (["pendulum", "--every", "0"], "every is 0"),
        (["pendulum", "--out", "run.txt"], "must end in .csv, .parquet"),
        (["pendulum", "--out", "no/run.csv"], "the folder 'no' does not exist"),
        (["pendulum", "--plot", "run.gif"], "must end in .png"),
        (["pendulum", "--momentum"], "only where one free joint joins it to the ground"),
        (["handoff", "--momentum"], "stands on the joints 'flight', 'payload'"),
        (["two_link", "--method", "euler", "--dt", "0.5", "--duration", "5000"], "became infinite"),
    ],
)
def test_bad_calls_are_one_sentence(args: list[str], said: str, capsys: Capture) -> None:
    assert call(["simulate", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    assert said in err


def test_models_lists_everything(capsys: Capture) -> None:
    out = output(capsys, "models")
    assert all(name in out for name in MODELS) and "illustrative" in out and "mid-length" in out
    assert "network engine only" in " ".join(out.split())
    data = json.loads(output(capsys, "models", "--json"))
    assert data.keys() == MODELS.keys()
    assert data["srms"] == {
        "about": MODELS["srms"].about,
        "source": MODELS["srms"].source,
        "assumptions": list(MODELS["srms"].assumptions),
        "illustrative": False,
        "engines": ["tree", "network"],
        "bodies": 7,
        "coordinates": 6,
        "speeds": 6,
    }


def test_models_shows_the_parts_of_one(capsys: Capture) -> None:
    out = output(capsys, "models", "four_bar")
    for word in ("j_coupler [rad]", "coupler", "Closures: loop", "loop.z is met whatever the coordinates"):
        assert word in out
    data = json.loads(output(capsys, "models", "mine.toml", "--json"))
    assert data["joints"] == [
        {
            "joint": "pivot",
            "parent": "ground",
            "child": "bob",
            "mass_kg": 1.0,
            "coordinates": {"pivot": "rad"},
            "speeds": {"pivot": "rad/s"},
        }
    ]
    assert call(["models", "pendulm"]) == 2 and "did you mean 'pendulum'?" in capsys.readouterr().err


def test_a_folder_is_no_file(capsys: Capture) -> None:
    Path("run.csv").mkdir()
    assert call(["simulate", "pendulum", "--out", "run.csv"]) == 2
    assert "'run.csv' is a folder" in capsys.readouterr().err


def test_losses_are_mentioned_beside_the_energy_drift(capsys: Capture) -> None:
    Path("damped.toml").write_text(TOML + "[elements.oil]\ntype = 'damper'\njoint = 'pivot'\ndamping = 0.1\n")
    notes = summary(capsys, "damped.toml", "--duration", "0.1")["notes"]
    assert notes == ["losses in dampers, friction and contact count as energy drift"]


def test_more_columns_and_redundant_rows(capsys: Capture) -> None:
    wanted = "tip=coupler.tip,com,reactions"
    output(capsys, "simulate", "four_bar", "--duration", "0.1", "--outputs", wanted, "--out", "more.csv",
           "--redundancy", "regularise")  # fmt: skip
    with Path("more.csv").open() as file:
        header = next(csv.reader(file))
    assert {"tip.x [m]", "tip.az [m/s^2]", "com.vx [m/s]", "reaction.loop.fy [N]"} <= set(header)
    for options, said in (
        (["--outputs", "tip=coupler"], "a point is NAME=BODY.POINT"),
        (["--outputs", "speed"], "no output 'speed'"),
        (["--redundancy", "dropp"], "did you mean 'drop'?"),
        (["--redundancy", "raise"], "redundant closure rows: loop.z"),
    ):
        assert call(["simulate", "four_bar", *options]) == 2
        assert said in capsys.readouterr().err
