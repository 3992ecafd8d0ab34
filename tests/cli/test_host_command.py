"""`motionbase host`: listen over a real socket, formats, scripts."""

import json
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from motionbase.cli.host_listener import Listener, arrival
from motionbase.cli.main import main as call
from motionbase.errors import UsageError
from motionbase.host.formats import FORMATS
from motionbase.host.rest import Rest
from motionbase.host.telemetry.setup import SCRIPTS, SETUP, script_path
from motionbase.host.url import Udp, source_of
from motionbase.recording.open import open_recording
from tests.background import in_background
from tests.host.telemetry.doing import Doing
from tests.host.telemetry.layouts import BUILDERS
from tests.ports import reserved_port

Capture = pytest.CaptureFixture[str]
STANDS = Doing(nose_up=0.1, heading=0.3)


@contextmanager
def sending(name: str, port: int) -> Iterator[None]:
    """A simulator whose vehicle stands, 200 times a second."""

    def send(stop: threading.Event) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            k = 0
            while not stop.wait(0.005):
                link.sendto(BUILDERS[name](STANDS, 10 + k / 200), ("127.0.0.1", port))
                k += 1

    with in_background(send):
        yield


def test_listen_guesses_and_records(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "drive.csv"
    with reserved_port() as port, sending("forza", port):
        url = f"udp://127.0.0.1:{port}"
        assert call(["host", "listen", url, "--rest", "--duration", "2", "--record", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["format"], data["port"], list(data["sizes"])) == ("forza", port, ["232"])
    assert data["datagrams"] >= 30 and data["link"]["frame"] == data["datagrams"]
    assert data["url"] == f"{url}?format=forza" and data["rest"]["gravity"] is False
    assert data["row"]["vehicle_f_z"] == pytest.approx(9.76, abs=0.01)
    with open_recording(path) as recording:
        assert recording.count == data["recorded"] >= 1
        assert recording.columns(["vehicle_f_x"])["vehicle_f_x"][0] == pytest.approx(0.979, abs=0.001)


def test_listen_in_words(capsys: Capture) -> None:
    """Gravity is in it, although the URL says that it is not."""
    with reserved_port() as port, sending("xplane", port):
        url = f"udp://127.0.0.1:{port}?format=xplane&gravity=no&lever=0.5,0,1"
        assert call(["host", "listen", url, "--rest", "--duration", "1.2"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"\d+ datagrams of 185 bytes at [\d.]+ Hz from 127.0.0.1:\d+", text)
    assert "rest test: gravity is in the accelerations: 9.81 m/s^2" in text and "f_x fits a pitch of -5.7 deg" in text
    assert f"udp://127.0.0.1:{port}?format=xplane&gravity=yes&lever=0.5,0,1" in text


@pytest.mark.parametrize(
    ("query", "turned", "expected"),
    [
        ("from=127.0.0.0/8&lever=1,0,0.5", "", "format=lfs&from=127.0.0.0/8&lever=1,0,0.5"),
        ("format=lfs&gravity=no&flip=f_y,pitch", "", "format=lfs&gravity=no&flip=f_y,pitch"),
        ("format=lfs&flip=f_y,pitch", "pitch,f_x", "format=lfs&flip=f_y,f_x"),
        ("format=lfs&flip=f_y", "f_y", "format=lfs"),
        ("", "f_x", "format=lfs&flip=f_x"),
    ],
)
def test_the_url_that_it_tells(query: str, turned: str, expected: str) -> None:
    """Everything that was asked, with what the rest test found."""
    with reserved_port() as port, Listener.at(f"udp://127.0.0.1:{port}" + (f"?{query}" if query else "")) as listener:
        assert listener.url() == f"udp://127.0.0.1:{port}" or listener.given is not None
        for k in range(40):
            listener.main.take(BUILDERS["lfs"](STANDS, 10 + k / 60), ("127.0.0.1", 4), k / 60)
        verdict = Rest(True, None, 0.0, None, None, (), {"flip": turned} if turned else {})
        assert listener.url(verdict) == f"udp://127.0.0.1:{port}?{expected}"
        assert isinstance(source_of(listener.url(verdict)), Udp)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's time of arrival is Linux's")
def test_a_listener_that_was_busy_knows_when_datagrams_came() -> None:
    with (
        reserved_port() as port,
        Listener.at(f"udp://127.0.0.1:{port}?format=beamng") as listener,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link,
    ):
        for k in range(4):
            link.sendto(BUILDERS["beamng"](STANDS, k / 20), ("127.0.0.1", port))
            time.sleep(0.05)
        listener.listen(0.05, None)
        assert listener.main.count == 4
        assert 0.14 < 3 / listener.main.rate < 1.0 and 0.05 <= listener.main.largest_gap < 1.0


def test_strange_times_of_arrival() -> None:
    before = time.monotonic()
    kind = socket.SOL_SOCKET, 35
    future, past = (struct.pack("@ll", int(time.time()) + step, 0) for step in (100, -100))
    for beside in ([], [(*kind, b"")], [(*kind, future)], [(*kind, past)], [(0, 35, past)]):
        assert before <= arrival(beside) <= time.monotonic()


def test_the_url_of_ipv6() -> None:
    try:
        listener = Listener("::1", [0])
    except UsageError:
        pytest.skip("no IPv6 here")
    with listener:
        assert listener.url() == "udp://[::1]:0"


def test_nothing_comes(capsys: Capture) -> None:
    with reserved_port() as port:
        assert call(["host", "listen", f"udp://127.0.0.1:{port}", "--duration", "0.1"]) == 1
    text = capsys.readouterr().out
    assert f"nothing came at 127.0.0.1, port {port}" in text and "MotionSim on" in text and "another machine" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["udp://127.0.0.1:4444?format=beamg"], "did you mean 'beamng'"),
        (["file://x.csv"], "only udp://"),
        (["--duration", "-1"], "must be above 0"),
        (["--record", "x.txt"], "must end in"),
        (["udp://127.0.0.1:45999?format=motionbase", "--record", "x.csv"], "format motionbase tells none"),
        (["udp://0.0.0.0:4444"], "say who may send"),
        (["udp://127.0.0.1:4444?levr=1,0,0"], "did you mean 'lever'"),
        (["udp://192.0.2.1:4444?from=192.0.2.2"], "cannot listen at 192.0.2.1:4444"),
    ],
)
def test_wrong_calls(arguments: list[str], sentence: str, capsys: Capture) -> None:
    assert call(["host", "listen", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and sentence in err and err.count("\n") == 1


def test_a_port_that_another_program_has(capsys: Capture) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        assert call(["host", "listen", f"udp://127.0.0.1:{other.getsockname()[1]}"]) == 2
    assert "another program listens there" in capsys.readouterr().err


def test_formats(capsys: Capture) -> None:
    assert call(["host", "formats"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in FORMATS)
    assert call(["host", "formats", "--json"]) == 0
    data = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert data["beamng"]["statement"]["gravity"] is False and set(BUILDERS) == set(SETUP) <= set(data)


def test_scripts(tmp_path: Path, capsys: Capture) -> None:
    assert call(["host", "script"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in SCRIPTS)
    out = tmp_path / "there.py"
    assert call(["host", "script", "acc_bridge.py", "--out", str(out)]) == 0
    assert out.read_text() == script_path("acc_bridge.py").read_text()
    capsys.readouterr()
    assert call(["host", "script", "acc_bridge.py", "--out", str(out)]) == 2
    assert "there already" in capsys.readouterr().err
    assert call(["host", "script", "acc"]) == 2
    assert all(script_path(name).is_file() for name in SCRIPTS)
