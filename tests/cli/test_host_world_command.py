"""`motionbase host boat` and its siblings: what they refuse, frames and records that they make; tables of vehicles."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.host_world import url_of
from motionbase.cli.main import main
from motionbase.executive.worlds.alone import Alone
from motionbase.host.formats import FORMATS
from motionbase.host.receiver import Receiver
from motionbase.record.vehicle import VEHICLE
from motionbase.record.world import GAMEPAD, SCRIPT, Hand
from motionbase.recording.open import open_recording
from motionbase.ring.backend import find
from motionbase.ring.hand import HandWriter
from motionbase.ring.reader import Reader
from motionbase.worlds.library import world_url

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["boat", "sed"], "no vessel 'sed'; did you mean 'seed'?"),
        (["boat", "seed", "heigth=1"], "no option 'heigth'; did you mean 'height'?"),
        (["boat", "height=99"], "height is '99', it must be 0 to 20 m"),
        (["boat", "seed", "calm"], "'calm': give options as NAME=VALUE, after the name of the vehicle"),
        (["boat", "--script", "cruse"], "no script 'cruse'; did you mean 'cruise'?"),
        (["boat", "seed", "--to", "udp://127.0.0.1:9"], "tells a vehicle, and format motionbase takes a pose"),
        (["boat", "seed", "--to", "ring://a"], "--to sends to udp:// or file://; --ring names its ring"),
        (["boat", "seed", "--rate", "0"], "--rate is 0 Hz, it must be above 0"),
        (["boat", "seed", "--joystick", "gone.toml"], "gone.toml: cannot be read"),
        (["world", "gone.py:A"], "gone.py"),
        (["world"], "'': a world of your own is FILE.py:NAME"),
        (["boat", "boat://seed?heigth=1"], "no option 'heigth'; did you mean 'height'?"),
        (["worlds", "bote"], "no kind or vehicle 'bote'; did you mean 'boat'?"),
        (["sticks", "--joystick", "gone.toml"], "gone.toml: cannot be read"),
    ],
)
def test_bad_calls_are_refused_in_a_sentence(capsys: Capture, given: list[str], sentence: str) -> None:
    for more in [[]] if given[0] in ("worlds", "sticks") else [["--no-console"], []]:  # nor does a console start
        assert main(["host", *given, *more]) == 2
        error = capsys.readouterr().err
        assert sentence in error and error.count("\n") == 1


@pytest.mark.parametrize(("option", "value"), [("--port", "8790"), ("--browser", None)])
def test_options_of_a_console_need_one(capsys: Capture, option: str, value: str | None) -> None:
    given = [option, *([value] if value else [])]
    assert main(["host", "boat", "seed", "--no-console", *given]) == 2
    assert "is for the console, and --no-console leaves it out" in capsys.readouterr().err
    assert main(["host", "boat", "seed", "--json", *given]) == 2
    assert "is for the console, and --json leaves it out" in capsys.readouterr().err


def test_words_are_a_url() -> None:
    assert url_of("boat", ["height=1.5"], "drift").text == "boat://?height=1.5&script=drift"
    url = url_of("boat", ["seed", "loop=20"])
    assert (url.vehicle, dict(url.options), url.script) == ("seed", {"loop": "20"}, "")
    whole = url_of("boat", ["boat://seed?loop=20&script=drift", "height=1"])
    assert whole.text == "boat://seed?loop=20&script=drift&height=1" and whole.script == "drift"
    assert url_of("boat", ["boat://"]).text == "boat://"


def test_its_motion_goes_to_a_base(capsys: Capture) -> None:
    """As frames of our own with ascending numbers; still water gives the weight alone."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as base:
        base.bind(("127.0.0.1", 0))
        base.settimeout(1)
        to = f"udp://127.0.0.1:{base.getsockname()[1]}?format=motionbase-vehicle"
        call = ["boat", "seed", "height=0", "--script", "none", "--joystick", "none", "--rate", "50"]
        assert main(["host", *call, "--to", to, "--duration", "0.5", "--json", "--no-console"]) == 0
        found = json.loads(capsys.readouterr().out)
        receiver = Receiver(FORMATS["motionbase-vehicle"])
        frames = [receiver.take(*base.recvfrom(2000), 0.0) for _ in range(found["sent"])]
    assert 0 < found["sent"] == found["steps"] // 4
    assert [frame.sequence for frame in frames if frame] == [*range(1, found["sent"] + 1)]
    np.testing.assert_allclose([frame.row[:3] for frame in frames if frame], [[0, 0, 9.80665]] * len(frames), atol=1e-9)


def test_its_motion_goes_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sea.csv"
    call = ["host", "boat", "seed", "--joystick", "none", "--to", f"file://{file}", "--duration", "0.5", "--no-console"]
    assert main(call) == 0
    with open_recording(file) as recording:
        assert [c.name for c in recording.schema.channels] == ["t", *(c.name for c in VEHICLE)]


def test_it_has_a_ring_with_its_scene_and_hears_the_page() -> None:
    url = world_url("boat://seed?script=circle")
    assert url is not None
    hands = []
    with Alone(url, "sea", "none") as alone, Reader("sea") as reader:
        writer = HandWriter.attached(find("sea"))
        assert writer is not None
        with writer:

            def stopped() -> bool:
                hands.append(alone.hand)
                writer.write(Hand(GAMEPAD, (-1.0 if alone.steps > 10 else 0.0, *(0.0,) * 7)))
                return alone.hand == GAMEPAD or alone.steps > 1000

            alone.run(stopped)
        assert hands[2] == SCRIPT and hands[-1] == GAMEPAD
        assert json.loads(reader.header.layout.world)["script"] == "circle"
        rows, names = reader.read().rows, reader.schema.index
    assert len(rows) == alone.steps and rows[-1, names["world_hand"]] == GAMEPAD
    np.testing.assert_allclose(np.diff(rows[:, names["world_t"]]), alone.world.dt, atol=1e-9)


def test_vehicles_and_their_options_are_listed(capsys: Capture) -> None:
    assert main(["host", "worlds"]) == 0
    assert "boat://seed" in capsys.readouterr().out
    assert main(["host", "worlds", "seed", "--json"]) == 0
    (seed,) = json.loads(capsys.readouterr().out)
    assert seed["name"] == "seed" and seed["scripts"] == ["cruise", "circle", "drift"]
    height = next(option for option in seed["options"] if option["name"] == "height")
    assert (height["usual"], height["values"]) == ("0.8 m", "0 to 5 m")
    assert main(["host", "worlds", "boat"]) == 0
    assert "significant height of the waves" in capsys.readouterr().out
