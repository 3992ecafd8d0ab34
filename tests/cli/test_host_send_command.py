"""`motionbase host send`: wrong calls, and a file to a socket that answers nothing."""

import json
import socket
from contextlib import closing
from pathlib import Path

import pytest

from motionbase.cli.main import main
from motionbase.host.formats import FORMATS
from motionbase.host.receiver import Receiver
from motionbase.record.vehicle import VEHICLE

NAMES = [c.name for c in VEHICLE[:-1] if "alpha" not in c.name]
TARGET = "udp://127.0.0.1:9?format=motionbase-vehicle"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["landing", "udp://127.0.0.1:9"], "'landing' tells a vehicle, and format motionbase takes a pose"),
        (["landing", "udp://127.0.0.1:9?format=forza"], "format forza is heard and cannot be sent"),
        (["landig", TARGET], "'landig' does not exist"),
        (["manoeuvre://landig", TARGET], "did you mean 'landing'"),
        (["udp://127.0.0.1:9", TARGET], "is where datagrams go; a source is a file, a ring or a manoeuvre"),
        (["landing", TARGET, "--ask", "dive"], "no state 'dive'; did you mean 'drive'?"),
        (["landing", "127.0.0.1:9"], "is no URL"),
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
        got = [receiver.take(*base.recvfrom(1000), 0.0) for _ in range(found["sent"])]
    assert all(frame is not None and len(frame.row) == 13 for frame in got)
