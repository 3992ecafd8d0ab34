"""Replay: the ring of a file looks as the recorded one did, and play, seek, step, speed and loops are exact."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import RecordingError, RingError
from motionbase.record.requests import Command, Kind, Reason
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.replay.replay import Replay, Settings, status
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.writer import Writer
from tests.recording.recorder_rig import DT, SCHEMA, events_in, recorder, records_in, rows, times_in

EPOCH = 1_700_000_000_000_000_000
ABOUT = {"epoch_utc_ns": str(EPOCH), "dt": "0.0005", "every": "2", "platform": "legs = 6\n"}
COUNT, STEP = 1000, 1e-3


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.fixture
def file(folder: Path) -> Path:
    """COUNT records, STEP apart, from t = 0 on."""
    return written(folder / "file.mcap", rows(0, COUNT))


def written(path: Path, given: np.ndarray, about: dict[str, str] = ABOUT) -> Path:
    with McapWriter(path, SCHEMA, about) as out:
        for first in range(0, len(given), 100):
            part = given[first : first + 100]
            out.write_rows(part, first, log_times(EPOCH, part[:, 0]))
    return path


class Stage:
    """A replay with a clock that the test turns, and a reader of its ring."""

    def __init__(self, recording: Recording, settings: Settings) -> None:
        self.now = 0.0
        self.replay = Replay(recording, settings, lambda _: None, lambda: self.now)
        self.reader = Reader("rig", start="oldest")
        self.sender = CommandSender("rig", sender="test")

    def play(self, seconds: float, turn: float = 0.004) -> np.ndarray:
        """What the ring gets in so much time; a look at its end included."""
        for _ in range(round(seconds / turn)):
            self.now += turn
            self.replay.turn()
        return self.got()

    def got(self) -> np.ndarray:
        parts = [np.empty((0, len(SCHEMA.channels)))]
        while len((batch := self.reader.read()).rows):
            assert batch.lost == 0
            parts.append(batch.rows.copy())
        return np.concatenate(parts)

    def ask(self, kind: Kind, *values: float) -> Reason:
        number = self.sender.send(Command(kind, values))
        self.replay.turn()
        ack = self.sender.wait(number)
        assert ack is not None
        return ack.reason


@contextmanager
def stage(path: Path, **options: Any) -> Iterator[Stage]:
    """Paused on its first record, unless options say otherwise."""
    with open_recording(path) as recording:
        made = Stage(recording, Settings("rig", **{"paused": True, **options}))
        try:
            yield made
        finally:
            made.replay.close()


def numbers(found: np.ndarray) -> list[int]:
    return [int(x) for x in found[:, 1]]


def test_the_ring_is_that_of_the_file(file: Path) -> None:
    with stage(file) as s:
        header = s.reader.header
        assert header.layout.schema == SCHEMA and header.epoch_utc_ns == EPOCH
        assert (header.layout.dt, header.layout.every, header.layout.platform) == (0.0005, 2, "legs = 6\n")
        np.testing.assert_array_equal(s.got(), rows(0, COUNT)[:1])  # the first record is there at once
        assert s.ask(Kind.PLAY) is Reason.NONE
        np.testing.assert_array_equal(s.play(2.0), rows(0, COUNT)[1:])
        assert status("rig")["state"] == "ended" and s.reader.state is ReaderState.LIVE
    with pytest.raises(RecordingError, match="nothing is replayed into ring 'rig'"):
        status("rig")


@pytest.mark.parametrize("speed", [0.01, 0.1, 1.0, 3.0, 100.0])
def test_speed_is_exact(file: Path, speed: float) -> None:
    seconds = min(2.0, 0.5 / speed)
    with stage(file, speed=speed) as s:
        s.ask(Kind.PLAY)
        s.got()
        s.play(seconds, turn=seconds / 100)
        shown = s.replay.written - 1
        assert abs(shown - min(COUNT - 1, 1 + seconds * speed / STEP)) <= 1  # record 1 is due with the command


@pytest.mark.parametrize("period", [0.01, 0.1])
def test_a_period_gives_a_record_so_often_whatever_their_times_are(folder: Path, period: float) -> None:
    given = rows(0, 400)
    given[:, 0] = np.cumsum(np.random.default_rng(1).uniform(0, 0.5, 400))
    with stage(written(folder / "uneven.mcap", given), period=period) as s:
        s.ask(Kind.PLAY)
        s.got()
        found = [len(s.play(period, turn=period / 10)) for _ in range(8)]
        assert found == [1] * 8


def test_speed_may_change_on_the_way(file: Path) -> None:
    with stage(file) as s:
        s.ask(Kind.PLAY)
        s.play(0.1)
        for speed in (0.1, 2.0):
            s.ask(Kind.SPEED, speed)
            s.got()
            assert abs(len(s.play(0.2)) - 0.2 * speed / STEP) <= max(1.0, 0.004 * speed / STEP)


def test_seek_step_and_rewind_show_one_record_at_once(file: Path) -> None:
    with stage(file) as s:
        s.got()
        assert s.ask(Kind.SEEK, 0.5) is Reason.NONE and numbers(s.got()) == [500]
        assert s.ask(Kind.SEEK, 0.4995) is Reason.NONE and numbers(s.got()) == [500]  # at or after
        assert s.ask(Kind.STEP, -10) is Reason.NONE and numbers(s.got()) == [490]
        assert s.ask(Kind.STEP, 3) is Reason.NONE and numbers(s.got()) == [493]
        assert s.ask(Kind.STEP, 10_000) is Reason.NONE and numbers(s.got()) == [COUNT - 1]
        assert s.ask(Kind.STEP, -10_000) is Reason.NONE and numbers(s.got()) == [0]
        assert s.ask(Kind.SEEK, 0.25) is Reason.NONE and numbers(s.got()) == [250]
        assert s.ask(Kind.REWIND) is Reason.NONE and numbers(s.got()) == [0]
        assert s.ask(Kind.SEEK, 77.0) is Reason.OUT_OF_RANGE and numbers(s.got()) == []
        assert len(s.play(1.0)) == 0, "it is still paused"
        s.ask(Kind.PLAY)
        s.play(0.1)
        s.ask(Kind.SEEK, 0.8)  # while it plays: it goes on from there
        found = numbers(s.play(0.05))
        assert found[0] == 800 and found == list(range(800, 800 + len(found))) and 46 <= len(found) <= 52
        s.ask(Kind.STEP, 1)
        assert len(s.play(0.1)) == 1, "a step pauses"


def test_play_at_the_end_begins_anew(file: Path) -> None:
    with stage(file, paused=False) as s:
        assert numbers(s.play(1.2)) == list(range(COUNT))
        assert len(s.play(1.0)) == 0
        s.ask(Kind.PLAY)
        assert numbers(s.play(1.2)) == list(range(COUNT))


def test_a_loop_over_a_part_repeats_it_without_a_seam(file: Path) -> None:
    with stage(file) as s:
        s.got()
        assert s.ask(Kind.LOOP, 0.1, 0.149) is Reason.NONE
        assert numbers(s.got()) == [100], "it was elsewhere: the first record of the loop comes at once"
        s.ask(Kind.PLAY)
        found = numbers(s.play(1.0))
        assert found == [100 + (k + 1) % 50 for k in range(len(found))]
        assert abs(len(found) - 1000) <= 5, "1 s of records in 1 s: none is lost or gained at the seams"
        assert status("rig")["loop"] == [0.1, 0.149]
        assert s.ask(Kind.LOOP, 5.0, 6.0) is Reason.OUT_OF_RANGE
        s.ask(Kind.SEEK, 0.7)  # outside: it plays back into the loop
        found = numbers(s.play(0.1))
        assert found[0] == 700 and found[1:11] == list(range(100, 110))
        assert s.ask(Kind.LOOP_OFF) is Reason.NONE
        s.play(0.2)
        assert numbers(s.play(0.02))[-1] > 150


def test_from_and_to_cut_the_file_for_everything(file: Path) -> None:
    with stage(file, start=0.2, stop=0.299, loop=True, paused=False) as s:
        found = numbers(s.play(0.25))
        assert found == [200 + k % 100 for k in range(len(found))] and len(found) > 240
        assert s.ask(Kind.SEEK, 0.1) is Reason.OUT_OF_RANGE and s.ask(Kind.SEEK, 0.4) is Reason.OUT_OF_RANGE
        s.got()
        s.ask(Kind.STEP, -1000)
        assert numbers(s.got()) == [200]
        state = status("rig")
        assert (state["begin"], state["end"], state["records"]) == (0.2, 0.299, 100)


def test_long_pauses_are_cut_and_long_hold_ups_given_up(folder: Path) -> None:
    given = rows(0, 200)
    given[100:, 0] += 3600.0
    with stage(written(folder / "pause.mcap", given), paused=False) as s:
        assert numbers(s.play(1.0)) == list(range(100))
        assert numbers(s.play(1.5)) == list(range(100, 200)), "an hour counts as two seconds"
    with stage(written(folder / "long.mcap", rows(0, 4000)), paused=False) as s:
        s.play(0.1)
        s.now += 100.0  # a suspended machine
        assert len(s.play(0.004)) <= 2 and s.replay.player.held_up == 1
        assert abs(len(s.play(0.1)) - 100) <= 5


def test_commands_that_are_no_replays_are_refused_and_stop_ends_it(file: Path) -> None:
    with stage(file) as s:
        assert s.ask(Kind.DRIVE) is Reason.NOT_SUPPORTED
        s.ask(Kind.PLAY)
        s.sender.estop()
        s.play(0.01)
        assert s.got().size == 0 and not s.replay.player.playing, "an emergency stop pauses"
        assert s.ask(Kind.PLAY) is Reason.NONE
        assert s.ask(Kind.END_REPLAY) is Reason.NONE and s.replay.over


def test_another_writer_is_refused(file: Path) -> None:
    with Writer(SCHEMA, name="rig"), open_recording(file) as recording:
        with pytest.raises(RingError, match="has a writer already"):
            Replay(recording, Settings("rig"), lambda _: None)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": 0.001}, "speed is 0.001, it must be 0.01 to 100"),
        ({"speed": float("nan")}, "speed is nan"),
        ({"period": 1e9}, "period is 1e"),
        ({"start": float("inf")}, "from inf s is no time"),
        ({"start": 20.0, "stop": 10.0}, "from 20 s to 10 s: the second time is before the first"),
        ({"loop": True, "once": True}, "no last record"),
    ],
)
def test_settings_that_cannot_be_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RecordingError, match=sentence):
        Settings("rig", **options)


def test_a_part_without_records_is_refused(file: Path, folder: Path) -> None:
    for path, start in ((file, 5.0), (written(folder / "empty.mcap", rows(0, 0)), None)):
        with open_recording(path) as recording, pytest.raises(RecordingError, match="has no records"):
            Replay(recording, Settings("rig", start=start), lambda _: None)
    with Writer(SCHEMA, name="rig"):
        pass  # the name was not taken


def test_a_damaged_block_is_left_out(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    with open_recording(file) as recording:
        place = int(recording.source._file.chunks[3]["at"])  # type: ignore[attr-defined]
    raw[place + 40] ^= 0xFF
    file.write_bytes(raw)
    with stage(file, paused=False) as s:
        assert numbers(s.play(1.5)) == [*range(300), *range(400, COUNT)]
        assert "records 300 to 399" in status("rig")["damage"][0]


def test_a_file_without_dt_gets_that_of_its_records(folder: Path) -> None:
    with stage(written(folder / "bare.mcap", rows(0, 100), {"dt": "soon", "every": "-1"})) as s:
        assert s.reader.header.layout.every == 1
        assert s.reader.header.layout.dt == pytest.approx(DT)


def test_a_recorded_replay_is_the_recording(file: Path, folder: Path) -> None:
    with stage(file, paused=False) as s, recorder(folder / "again.mcap", oldest=True) as made:
        for _ in range(300):
            s.play(0.004)
            made.look()
    np.testing.assert_array_equal(records_in(folder / "again.mcap"), records_in(file))
    np.testing.assert_array_equal(times_in(folder / "again.mcap"), times_in(file))
    with open_recording(folder / "again.mcap") as found:
        about = found.source.about
        assert {key: about[key] for key in ABOUT} == ABOUT and found.schema == SCHEMA


def test_a_recorded_loop_has_a_time_that_goes_on(file: Path, folder: Path) -> None:
    with stage(file, start=0.2, stop=0.299, loop=True, paused=False) as s:
        with recorder(folder / "loop.mcap", oldest=True) as made:
            for _ in range(100):
                s.play(0.004)
                made.look()
    times, found = times_in(folder / "loop.mcap"), records_in(folder / "loop.mcap")
    assert len(found) > 390 and numbers(found) == [200 + k % 100 for k in range(len(found))]
    np.testing.assert_allclose(np.diff(times), STEP, atol=2e-9)  # whole ns
    assert all("went back by 0.099 s" in text for text in events_in(folder / "loop.mcap", "time"))
    assert len(events_in(folder / "loop.mcap", "time")) == (len(found) - 1) // 100


def test_the_document_lists_the_state_and_the_actions(file: Path) -> None:
    from motionbase.cli.replay import ACTIONS

    text = (Path(__file__).resolve().parents[2] / "docs" / "replay.md").read_text()
    with stage(file) as s:
        assert [key for key in s.replay.status() if f"`{key}`" not in text] == []
    assert [a for a in ACTIONS if f"`{a}`" not in text and f"`{a} " not in text] == []
