"""`motionbase replay` and `replay-control`: thin over the replay, with clear refusals."""

import json
import threading
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from tests.recording.recorder_rig import SCHEMA, recorder, rows, until, writer

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.fixture
def file(folder: Path) -> Path:
    """Half a second of records."""
    with writer() as ring, recorder(folder / "file.mcap") as made:
        ring.write(rows(0, 500))
        made.look()
    return folder / "file.mcap"


def failure(capsys: Capture, *args: str) -> str:
    assert call(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def test_it_plays_a_file_once(file: Path, capsys: Capture) -> None:
    assert call(["replay", str(file), "--ring", "show", "--once", "--speed", "10"]) == 0
    out = capsys.readouterr().out
    assert "500 records, 0 to 0.499 s" in out and "shared memory (emulation)" in out
    assert out.endswith("stopped after 500 records\n")


def test_it_can_be_controlled(file: Path, capsys: Capture) -> None:
    codes: list[int] = []
    seen: list[float] = []
    steps = (("pause",), ("seek", "0.25"), ("step", "-10"), ("speed", "0.5"), ("loop", "0.1", "0.2"), ("status",))

    def work() -> None:
        reader = Reader("show", start="oldest")
        until(lambda: len(reader.read().rows) > 0)
        codes.extend(call(["replay-control", *step, "--ring", "show"]) for step in steps)
        codes.append(call(["replay-control", "seek", "9", "--ring", "show"]))
        while len((batch := reader.read()).rows):
            seen.extend(batch.rows[:, 1])
        codes.append(call(["replay-control", "stop", "--ring", "show"]))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert call(["replay", str(file), "--ring", "show", "--paused", "--json"]) == 0
    thread.join(10)
    out, err = capsys.readouterr()
    assert codes == [0] * len(steps) + [2, 0]
    assert seen == [250, 240, 100]
    assert "paused at 0.1 s of 0 to 0.499 s, speed 0.5, loop 0.1 to 0.2 s" in out
    assert "refused 'seek': a value is out of range; the replay is from 0 to 0.499 s" in err
    assert json.loads(out[out.rindex("{") :])["written"] == 4


def test_another_writer_is_one_sentence(file: Path, capsys: Capture) -> None:
    with Writer(SCHEMA, name="taken"):
        assert "has a writer already" in failure(capsys, "replay", str(file), "--ring", "taken")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("replay", "no.mcap"), "does not exist"),
        (("replay", "FILE", "--speed", "1000"), "speed is 1000, it must be 0.01 to 100"),
        (("replay", "FILE", "--from", "7"), "has no records from 7 s to the end; it goes from 0 to 0.499 s"),
        (("replay", "FILE", "--from", "nan"), "from nan s is no time; give seconds since the recording's epoch"),
        (("replay", "FILE", "--from", "20", "--to", "10"), "from 20 s to 10 s: the second time is before the first"),
        (("replay", "FILE", "--loop", "--once"), "leave out --loop or --once"),
        (("replay", "FILE", "--period", "-1"), "period is -1 s"),
        (("replay-control", "dance"), "there is no action 'dance'"),
        (("replay-control", "status"), "nothing is replayed into ring 'motionbase'"),
        (("replay-control", "pause"), "there is no ring 'motionbase'"),
        (("replay-control", "step", "x"), "step: 'x' must be numbers"),
        (("replay-control", "step"), "command step has 0 arguments"),
        (("replay-control", "speed", "0"), "factor is 0, it must be 0.01 to 100"),
        (("replay-control", "status", "1"), "status takes no number"),
    ],
)
def test_what_cannot_be_is_one_sentence(file: Path, capsys: Capture, args: tuple[str, ...], sentence: str) -> None:
    assert sentence in failure(capsys, *(str(file) if a == "FILE" else a for a in args))


def test_a_ring_that_is_no_replay_says_so(capsys: Capture) -> None:
    from motionbase.record.requests import Reason, Result
    from motionbase.ring.blocks.commands import CommandReceiver

    with Writer(SCHEMA, name="live") as ring:
        receiver, over = CommandReceiver(ring.segment, ring.header.layout), threading.Event()

        def refuse() -> None:
            while not over.wait(0.005):
                if (order := receiver.poll()) is not None and order.command is not None:
                    receiver.answer(order, Result.REFUSED, Reason.NOT_SUPPORTED)

        thread = threading.Thread(target=refuse)
        thread.start()
        try:
            assert "does not know this command" in failure(capsys, "replay-control", "pause", "--ring", "live")
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize("command", ["replay", "replay-control"])
def test_help_has_an_example(capsys: Capture, command: str) -> None:
    assert call([command, "--help"]) == 0
    assert f"Example: motionbase {command}" in capsys.readouterr().out
