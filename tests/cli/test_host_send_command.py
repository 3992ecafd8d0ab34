"""`motionbase host send`: wrong calls, and a file to a socket that answers nothing."""

import json
import socket
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main
from motionbase.host.formats import FORMATS
from motionbase.host.manoeuvres.library import manoeuvre
from motionbase.host.receiver import Receiver
from motionbase.record.vehicle import VEHICLE
from motionbase.recording.open import open_recording

NAMES = [c.name for c in VEHICLE[:-1] if "alpha" not in c.name]
TARGET = "udp://127.0.0.1:9?format=motionbase-vehicle"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["landing", "udp://127.0.0.1:9"], "'landing' tells a vehicle, and format motionbase takes a pose"),
        (["landing", "udp://127.0.0.1:9?format=forza"], "format forza is heard and cannot be sent"),
        (["landig.csv", TARGET], "'landig.csv' does not exist"),
        (["manoeuvre://landig", TARGET], "did you mean 'landing'"),
        (["ladning", TARGET], "no manoeuvre or file 'ladning'; did you mean 'landing'?"),
        (
            ["udp://127.0.0.1:9", TARGET],
            "'udp://127.0.0.1:9' tells a pose, and format motionbase-vehicle takes a vehicle",
        ),
        (["udp://:9?format=text-legs", "udp://:9?format=text"], "of which only a base of theirs makes a pose"),
        (["landing", "file://a.csv", "--ask", "drive"], "--ask and --generators are for a base"),
        (["landing?loop=yes", "file://a.csv"], "'landing?loop=yes' has no end; give --duration"),
        (["landing", "file://a.txt"], "the name must end in .mcap, .csv, .parquet"),
        (["landing", "manoeuvre://a"], "motion can go to udp://ADDRESS:PORT, file://PATH or ring://NAME"),
        (["landing", "ring://"], "has no name after ring://"),
        (["landing", "ring://a?rate=60"], "no option 'rate'"),
        (["landing", TARGET, "--ask", "dive"], "no state 'dive'; did you mean 'drive'?"),
        (["landing", "127.0.0.1:9"], "is no URL"),
        (["landing", TARGET, "--duration", "nan"], "--duration is nan s, it must be above 0"),
    ],
)
def test_wrong_calls(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "send", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1


def test_generators_need_a_format_that_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    poses = tmp_path / "a.csv"
    poses.write_text("t,surge,sway,heave,roll,pitch,yaw\n" + "".join(f"{k / 10},0,0,0,0,0,0\n" for k in range(9)))
    call = ["host", "send", str(poses), "udp://127.0.0.1:9?format=text", "--generators", "examples/generators.toml"]
    assert main(call) == 2
    assert "--generators needs a format that has frames for them: motionbase and" in capsys.readouterr().err


def test_a_file_goes_to_a_socket(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{k / 100},0,0,{9.80665 + k},0,0,0,0,0,0\n" for k in range(31))
    path = tmp_path / "a.csv"
    path.write_text(f"t,{','.join(NAMES)}\n{rows}")
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as base:
        base.bind(("127.0.0.1", 0))
        base.settimeout(1)
        target = f"udp://127.0.0.1:{base.getsockname()[1]}?format=motionbase-vehicle"
        assert main(["host", "send", f"{path}?rate=100", target, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["sent"] > 0 and found["answered"] == 0 and found["base"] is None
        receiver = Receiver(FORMATS["motionbase-vehicle"])
        got = [receiver.take(*base.recvfrom(2000), 0.0) for _ in range(found["sent"])]
    assert all(frame is not None and len(frame.row) == 13 and len(frame.preview) == 23 for frame in got)


def test_a_manoeuvre_goes_into_a_file_in_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "landing.csv"
    assert main(["host", "send", "landing?rate=80&duration=20", f"file://{path}"]) == 0
    assert f"wrote 1601 frames to file://{path}" in capsys.readouterr().out
    with open_recording(path) as recording:
        found = recording.columns()
    made = manoeuvre("landing", 80.0, duration=20.0)
    np.testing.assert_allclose(found["time"], made.t, atol=1e-12)
    for k, channel in enumerate(VEHICLE):
        np.testing.assert_allclose(found[channel.name], made.rows[:, k], atol=1e-9)
    assert main(["host", "send", str(path), f"file://{path}"]) == 2
    assert "exists already; choose another name, or --force" in capsys.readouterr().err
    again = tmp_path / "part.mcap"
    assert main(["host", "send", f"{path}?loop=yes&rate=10", f"file://{again}", "--duration", "30"]) == 0
    with open_recording(again) as recording:
        assert recording.count in (300, 301) and recording.end == pytest.approx(30, abs=0.11)
