"""`motionbase tune` against a ring with a small law: what it shows, changes, saves, and says when it cannot."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.executive.tuning import RAMP_S, Tuner
from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.requests import Reason, Result
from motionbase.record.states import State
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import until

Capture = pytest.CaptureFixture[str]
TABLE = ParameterTable(
    "law of a test",
    (
        Parameter("k_p", "1/s", "error to velocity", (15.0,), (3.0,), (20.0,)),
        Parameter("limits", "m", "of the axes", (1.0, 0.5, 0.8), (-0.2,) * 3, (1.0, 0.5, 0.8), at_rest=True),
        Parameter("l_low", "m", "shortest leg", (2.0,)),
        Parameter("share", "-", "of something", (0.5,), (0.0,), (1.0,)),
    ),
)


class Law:
    """Takes commands as the executive's slow job does, in a thread."""

    def __init__(self, ring: Writer) -> None:
        self.values, self.state, self._over = np.array(TABLE.designed), State.DRIVE, threading.Event()
        self.advanced_at = 0.0  # [s]
        self._receiver = CommandReceiver(ring.segment, ring.header.layout)
        self._tuner = Tuner(TABLE, ring, self.values)
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while not self._over.wait(2e-3):
            t = time.monotonic()
            if (order := self._receiver.poll()) is not None and order.command is not None:
                place, value = order.command.arguments
                refusal = self._tuner.ask(int(place), value, t, self.state)
                self._receiver.answer(order, Result.REFUSED if refusal else Result.ACCEPTED, refusal or Reason.NONE)
            self._tuner.advance(t)
            self.advanced_at = t

    def close(self) -> None:
        self._over.set()
        self._thread.join()


@pytest.fixture(autouse=True)
def ring_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.fixture
def law(ring_folder: Path) -> Iterator[Law]:
    with Writer(hexapod_schema(), capacity=16, parameters=TABLE.json) as ring:
        running = Law(ring)
        yield running
        running.close()


def settled(law: Law) -> None:
    """The law has advanced for as long as a ramp takes."""
    over = time.monotonic() + RAMP_S
    until(lambda: law.advanced_at >= over, "a ramp")


def complaint(capsys: Capture, *args: str) -> str:
    assert call(["tune", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_the_list(law: Law, capsys: Capture) -> None:
    assert call(["tune"]) == 0
    out = capsys.readouterr().out
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line.strip()}
    assert rows["k_p"] == "1/s 15 15 3 to 20 always"
    assert rows["limits"] == "m 1, 0.5, 0.8 1, 0.5, 0.8 -0.2 to 1, -0.2 to 0.5, -0.2 to 0.8 at rest"
    assert rows["l_low"] == "m 2 2 - no"
    assert call(["tune", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["law"] == TABLE.law and data["note"] == ""
    assert data["parameters"][1] == {
        "name": "limits", "unit": "m", "description": "of the axes", "value": [1.0, 0.5, 0.8],
        "designed": [1.0, 0.5, 0.8], "least": [-0.2] * 3, "most": [1.0, 0.5, 0.8], "tunable": True, "at_rest": True,
    }  # fmt: skip
    assert call(["tune", "k_p"]) == 0
    out = capsys.readouterr().out
    assert "error to velocity" in out and "limits" not in out


def test_one_number_is_changed(law: Law, capsys: Capture) -> None:
    assert call(["tune", "k_p", "12"]) == 0
    assert capsys.readouterr().out == "k_p: from 15 to 12 1/s\n"
    settled(law)
    assert law.values.tolist() == [12.0, 1.0, 0.5, 0.8, 2.0, 0.5]
    assert call(["tune", "k_p", "12"]) == 0
    assert capsys.readouterr().out == "k_p is so already\n"
    assert call(["tune", "share", "0.25", "--json"]) == 0
    changed = json.loads(capsys.readouterr().out)["changed"]
    assert changed == [{"name": "share", "before": 0.5, "value": 0.25, "unit": "-"}]


def test_several_numbers_at_rest(law: Law, capsys: Capture) -> None:
    said = complaint(capsys, "limits", "0.3")
    assert said == "motionbase: limits[1] stays as it is: it may be changed only while the base rests\n"
    law.state = State.STANDBY
    assert call(["tune", "limits", "0.9,0.5,0.2"]) == 0
    assert capsys.readouterr().out == "limits[1]: from 1 to 0.9 m\nlimits[3]: from 0.8 to 0.2 m\n"
    assert call(["tune", "limits[2]", "-0.1"]) == 0
    assert capsys.readouterr().out == "limits[2]: from 0.5 to -0.1 m\n"
    settled(law)
    assert law.values.tolist() == [15.0, 0.9, -0.1, 0.2, 2.0, 0.5]
    assert call(["tune", "--reset", "limits[2]"]) == 0
    assert call(["tune", "--reset"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["limits[1]: from 0.9 to 1 m", "limits[3]: from 0.2 to 0.8 m"]
    settled(law)
    assert tuple(law.values) == TABLE.designed


def test_saved_and_loaded(law: Law, tmp_path: Path, capsys: Capture) -> None:
    file = str(tmp_path / "mine.toml")
    assert call(["tune", "--save", file]) == 0
    assert capsys.readouterr().out == f"wrote {file}: nothing, all parameters are as designed\n"
    assert call(["tune", "k_p", "12"]) == 0
    assert call(["tune", "--save", file]) == 0 and capsys.readouterr().out.endswith(f"wrote {file}: k_p\n")
    assert "k_p = 12.0  # [1/s] error to velocity" in Path(file).read_text()
    assert call(["tune", "--reset"]) == 0
    assert call(["tune", "--load", file]) == 0
    settled(law)
    assert law.values[0] == 12.0
    capsys.readouterr()
    assert "cannot be written: No such file" in complaint(capsys, "--save", str(tmp_path / "none" / "a.toml"))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["k_q", "1"], "no parameter 'k_q'; parameters: k_p, limits, l_low, share"),
        (["k_q"], "no parameter 'k_q'"),
        (["k_p=12"], "'k_p=12' is no parameter; write it as in motionbase tune k_p 12"),
        (["--rset", "k_p"], "no such option: --rset"),
        (["k_p", "--rset"], "k_p: '--rset' is not a number"),
        (["--reset", "k_q"], "no parameter 'k_q'"),
        (["k_p", "21"], "k_p is 21 1/s, it must be 3 to 20"),
        (["k_p", "nan"], "k_p is nan 1/s, it must be 3 to 20"),
        (["k_p", "much"], "k_p: 'much' is not a number, or numbers separated by commas"),
        (["k_p", "1,2"], "k_p has 1 numbers, 2 were given"),
        (["limits[4]", "0.1"], "there is no limits[4]; limits has numbers 1 to 3"),
        (["l_low", "2.1"], "l_low cannot be changed while the law runs"),
        (["--reset", "l_low"], "l_low cannot be changed while the law runs"),
        (["k_p", "12", "--reset"], "VALUE and --reset cannot be asked for together"),
        (["k_p", "--save", "a.toml"], "--save is about all parameters; leave 'k_p' out"),
        (["--load", "none.toml"], "none.toml: cannot be read: No such file or directory"),
        (["--ring", "none"], "there is no ring 'none'"),
    ],
)
def test_what_cannot_be_gets_a_sentence(law: Law, args: list[str], said: str, capsys: Capture) -> None:
    assert said in complaint(capsys, *args)
    assert tuple(law.values) == TABLE.designed


def test_rings_without_parameters_or_law(ring_folder: Path, capsys: Capture) -> None:
    with Writer(hexapod_schema(), capacity=16):
        assert "has no parameters to tune" in complaint(capsys)
    with Writer(hexapod_schema(), capacity=16, parameters=TABLE.json) as ring:
        assert call(["tune", "k_p"]) == 0 and capsys.readouterr().out
        assert "takes no commands" in complaint(capsys, "k_p", "12")
        ring.close(remove=False)
        assert call(["tune"]) == 0 and "; its writer has stopped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("share", "half"), [(0.0, "in the air"), (1.0, "on the ground"), (0.4, "of air and ground, mixed")]
)
def test_which_parameters_of_cueing_are_in_use(share: float, half: str, capsys: Capture) -> None:
    """With the algorithm and the set, which the ring tells."""
    table = ParameterTable(
        "law", (Parameter("cue_gain", "-", "of force", (0.5,), (0.0,), (2.0,)),), "classical, marine"
    )
    schema = cued_schema(hexapod_schema())
    row = np.zeros((1, len(schema.channels)))
    row[0, schema.index["cue_set"]] = share
    over = threading.Event()
    with Writer(schema, capacity=16, parameters=table.json) as ring:

        def write() -> None:
            while not over.wait(2e-3):
                ring.write(row)

        thread = threading.Thread(target=write)
        thread.start()
        try:
            assert call(["tune", "cue_gain"]) == 0
        finally:
            over.set()
            thread.join()
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("classical, marine; in use are the parameters") and half in said
