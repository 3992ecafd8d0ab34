"""`motionbase simulate PLATFORM --host`: a manoeuvre through cueing, law and plant; what cannot be simulated."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.executive.host.offline import Offline
from motionbase.host.manoeuvres.library import manoeuvre
from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from tests.quick_platform import quick_platform

Capture = pytest.CaptureFixture[str]


@pytest.mark.long("compiles a loop with cueing, like others that are tested")
def test_a_manoeuvre_begins_with_the_drive_and_is_followed_to_its_end(tmp_path: Path, capsys: Capture) -> None:
    platform, out = quick_platform(tmp_path), tmp_path / "run.csv"
    given = ["--host", "manoeuvre://roll_doublet?rate=100", "--out", str(out), "--rate", "100", "--duration", "14"]
    assert call(["simulate", platform, *given, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    begin = float(said["notes"][0].removeprefix("the motion began at ").removesuffix(" s"))
    with out.open() as file:
        header, *rows = csv.reader(file)
    names = [name.partition(" ")[0] for name in header]
    assert names == [c.name for c in cued_schema(hexapod_schema()).channels]
    table = np.array(rows, dtype=np.float64)
    column = dict(zip(names, table.T, strict=True))
    driven = column["t"] > begin
    assert set(column["state"][driven]) == {float(State.DRIVE)} and set(column["fault"]) == {0.0}
    wanted = manoeuvre("roll_doublet")
    omega = np.interp(column["t"] - begin - 0.01, wanted.t, wanted.rows[:, 3])  # a frame late
    np.testing.assert_allclose(column["vehicle_omega_x"], omega, atol=1e-6)
    assert np.ptp(column["pose_meas_roll"][driven]) > 5e-3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            ["--host", "udp://127.0.0.1:8730"],
            "is there in real time only; simulate with file://PATH or manoeuvre://NAME",
        ),
        (["--host", "ring://motionbase"], "is there in real time only"),
        (["--host", "manoeuvre://slalom?loop=yes"], "has no end; leave loop=yes out"),
        (["--host", "manoeuvre://slalon"], "no manoeuvre 'slalon'; did you mean 'slalom'?"),
        (
            ["--host", "manoeuvre://slalom", "--algorithm", "predictive"],
            "it plans in real time; try it with `motionbase",
        ),
        (["--cueing", "simona"], "--cueing simona: motion cueing follows a host; add --host URL"),
    ],
)
def test_what_cannot_be_simulated(capsys: Capture, given: list[str], sentence: str) -> None:
    assert call(["simulate", "simona", *given]) == 2
    assert sentence in capsys.readouterr().err


def test_a_pose_of_a_file_stands_before_and_after_its_motion(tmp_path: Path) -> None:
    t = np.linspace(0.0, 2.0, 41)
    heave = 0.05 * np.sin(np.pi * t / 4) ** 2
    lines = ["t [s],surge [m],sway [m],heave [m],roll [rad],pitch [rad],yaw [rad]"]
    lines += [f"{a:.17g},0,0,{b:.17g},0,0,0" for a, b in zip(t, heave, strict=True)]
    (tmp_path / "pose.csv").write_text("\n".join([*lines, ""]))
    host = Offline(f"file://{tmp_path}/pose.csv?rate=50&kind=pose")
    assert host.duration == pytest.approx(2.0, abs=1e-12) and np.abs(host(5.0)).max() < 1e-6
    host.begin = 6.0
    assert host(7.0)[0, 2] == pytest.approx(0.025, abs=2e-3) and host(7.0)[1, 2] > 0
    assert host(9.0)[0, 2] == pytest.approx(0.05, abs=2e-3) and not host(9.0)[1:].any()
