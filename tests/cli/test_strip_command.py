"""`motionbase strip` as people meet it: a roll of a file, a live roll that is killed, charts with mistakes."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.cli.strip import EXAMPLE, load_chart
from motionbase.errors import MotionBaseError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from motionbase.recording.strip.chart import MOST_PENS
from motionbase.ring.writer import Writer
from tests.recording.files import schema_of, waves, write_mcap
from tests.recording.test_strip_pdf import Read
from tests.ring.ring_processes import command, until

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failure(capsys: Capture, *args: str) -> str:
    assert call(["strip", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def test_a_recording_becomes_a_roll(folder: Path, capsys: Capture) -> None:
    write_mcap(folder / "run.mcap", schema_of(4), waves(schema_of(4), 6000, dt=0.01))
    assert call(["strip", "run.mcap"]) == 0
    assert capsys.readouterr().out == "6000 records on 3 pages: run_strip.pdf\n"
    assert len(Read((folder / "run_strip.pdf").read_bytes()).pages()) == 3
    assert "'run_strip.pdf' exists already" in failure(capsys, "run.mcap")
    assert call(["strip", "run.mcap", "--force", "--json", "--speed", "100", "--start", "10", "--duration", "4"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "files": ["run_strip.pdf"], "records": 400, "pages": 2, "lost_pages": 0
    }  # fmt: skip


@pytest.mark.parametrize(("count", "named"), [(2000, "roll_001.png"), (3000, "roll_001.png to roll_002.png")])
def test_pictures_are_named_as_they_are(folder: Path, capsys: Capture, count: int, named: str) -> None:
    write_mcap(folder / "run.mcap", schema_of(3), waves(schema_of(3), count, dt=0.01))
    assert call(["strip", "run.mcap", "--out", "roll.png"]) == 0
    pages = count // 2500 + 1
    assert capsys.readouterr().out == f"{count} records on {pages} page{'s' * (pages > 1)}: {named}\n"
    assert call(["strip", "run.mcap", "--out", "roll.png", "--force", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files == sorted(p.name for p in folder.glob("roll*")) and len(files) == pages


def test_a_live_roll_is_there_page_by_page_and_after_a_kill(folder: Path) -> None:
    """Records of 2.5 s, a page, come every 0.25 s or so; it is killed while more come."""
    roll, schema = folder / "roll.pdf", schema_of(2)
    with command(folder, "strip", "--ring", "rig", "--out", str(roll), "--speed", "100") as strip:
        until(lambda: roll.exists(), "the roll is begun")
        with Writer(schema, name="rig", dt=0.001) as writer:

            def has(pages: int) -> bool:
                writer.write(waves(schema, 100, first=writer.head))
                assert strip.poll() is None
                return roll.stat().st_size > 0 and len(Read(roll.read_bytes()).pages()) >= pages

            for pages in (1, 2):
                until(lambda pages=pages: has(pages), f"{pages} pages")  # type: ignore[misc]
            strip.send_signal(signal.SIGKILL)
            strip.wait()
    assert len(Read(roll.read_bytes()).pages()) >= 2


def test_the_example_is_a_chart(folder: Path, capsys: Capture) -> None:
    assert call(["strip", "--example"]) == 0
    text = capsys.readouterr().out
    assert text == EXAMPLE
    (folder / "chart.toml").write_text(text)
    chart = load_chart(folder / "chart.toml").fitted(hexapod_schema())
    assert chart.pens[0].names == tuple(s.name.lower() for s in State)
    assert chart.pens[2].scale == pytest.approx(180 / np.pi, rel=1e-7) and chart.page_s == 25


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("speed = 'fast'", "line 1: speed is 'fast', a finite number is wanted"),
        ("spede = 3", "line 1: the file has no key 'spede'; keys: pen, speed, paper, title"),
        ("pen = 3", "line 1: pen is 3, a list of tables, [[pen]], is wanted"),
        ("speed = 10", "the chart has 0 pens, 1 to 16 are wanted"),
        ("[[pen]]\nchannel = 'a'\n" * (MOST_PENS + 1), "the chart has 17 pens"),
        ("[[pen]]\nlabel = 'a'", "line 1: [pen.0] needs the key 'channel'"),
        ("[[pen]]\nchannel = 'a'\n[[pen]]\nchannel = 'b'\ncolor = 'red'", "line 5: [pen.1] has no key 'color'"),
        ("[[pen]]\nchannel = 'a'\nrange = [2, 1]", "line 3: pen 'a': range is 2 to 1"),
        ("[[pen]]\nchannel = 'a'\nrange = [1, 2, 3]", "line 3: pen.0.range is [1, 2, 3], 2 finite numbers are wanted"),
        ("[[pen]]\nchannel = 'a'\ncolour = 'mauve'", "line 3: pen 'a': colour is 'mauve'"),
        ("[[pen]]\nchannel = 'a'\nnames = [1]", "line 3: pen.0.names is [1], a list of texts is wanted"),
        ("[[pen]\n", "not TOML"),
    ],
)
def test_mistakes_in_a_chart_have_a_line(folder: Path, text: str, said: str) -> None:
    (folder / "chart.toml").write_text(text)
    with pytest.raises(MotionBaseError) as caught:
        load_chart(folder / "chart.toml")
    assert said in str(caught.value) and "chart.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["a.mcap", "--ring", "rig"], "of FILE or of --ring NAME, not of both"),
        (["--start", "3"], "--start is for recordings"),
        (["--duration", "0"], "--duration is 0 s, it must be a finite number above 0"),
        (["none.mcap"], "recording 'none.mcap' does not exist"),
        (["run.mcap", "--out", "roll.svg"], "'roll.svg': the name must end in .pdf or .png"),
        (["run.mcap", "--out", "none/roll.pdf"], "'none/roll.pdf' cannot be written: No such file or directory"),
        (["run.mcap", "--chart", "none.toml"], "none.toml: cannot be read"),
        (["run.mcap", "--chart", "y.toml"], "schema 'test' has no channel 'y'; channels: t, x1, x2"),
        (["run.mcap", "--speed", "0"], "the speed of the paper is 0 mm/s"),
        (["--ring", "a b"], "ring name 'a b' must be"),
    ],
)
def test_bad_calls_are_one_sentence_and_leave_nothing(
    folder: Path, args: list[str], said: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motionbase.ring.gentle.be_gentle", lambda: None)  # or the other tests would be slow
    write_mcap(folder / "run.mcap", schema_of(3), waves(schema_of(3), 100))
    (folder / "y.toml").write_text("[[pen]]\nchannel = 'y'")
    there = set(os.listdir())
    err = capsys.readouterr()
    assert err == ("", "")
    assert call(["strip", *args]) == 2
    out, said_by_it = capsys.readouterr()
    assert out == "" and said in said_by_it.splitlines()[-1]
    assert set(os.listdir()) == there
