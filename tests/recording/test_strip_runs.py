"""Rolls of recordings and of live rings: what was lost, noted or restarted is on the paper."""

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from motionbase.errors import RecordingError, SchemaError
from motionbase.record.schema import Channel, Schema
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.strip import output as strip_output
from motionbase.recording.strip.chart import Chart, Pen
from motionbase.recording.strip.draw import Heading
from motionbase.recording.strip.file import draw
from motionbase.recording.strip.live import Live
from motionbase.recording.strip.paper import Mark, Page, Paper
from motionbase.recording.strip.scale import Scale
from motionbase.recording.strip.strip import Done, Hints, Names, Strip
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from tests.recording.files import EPOCH, Rows

SCHEMA = Schema(
    "rig",
    (
        Channel("t", "s", "time", "time"),
        Channel("x", "m", "place", "sensor"),
        Channel("fault", "-", "code", "status"),
        Channel("estop", "-", "1 while it acts", "status"),
    ),
)
CHART = Chart((Pen("x"),))
NEVER = threading.Event()


@dataclass
class Drawn:
    """What the plotter was given."""

    pages: list[Page] = field(default_factory=list)
    heading: Heading | None = None
    scales: tuple[Scale | None, ...] = ()

    @property
    def marks(self) -> list[Mark]:
        return [m for page in self.pages for m in page.marks]


@dataclass
class NoSink:
    """Takes nothing: no page is drawn here."""

    form: Literal["pdf", "png"] = "pdf"
    path: Path = Path("roll.pdf")
    files: tuple[Path, ...] = ()
    closed: bool = False

    def write(self, number: int, page: bytes) -> str:
        return ""

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Drawn:
    """Pages as they come to the plotter."""
    found = Drawn()

    def rendered(page: Page, chart: Chart, heading: Heading, scales: tuple[Scale | None, ...], form: str) -> bytes:
        found.pages.append(page)
        found.heading, found.scales = heading, scales
        return b""

    monkeypatch.setattr(strip_output, "rendered", rendered)
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return found


def rows_of(t: Rows, x: float = 1.0) -> Rows:
    out = np.zeros((len(t), 4))
    out[:, 0], out[:, 1] = t, x
    return out


def recording(
    path: Path, pieces: list[tuple[Rows, Rows]], events: tuple[Event, ...] = (), period: float = 0.01
) -> Path:
    """Pieces of (time of the recording, records)."""
    about = {"epoch_utc_ns": str(EPOCH), "dt": str(period / 2), "every": "2", "platform_name": "a rig"}
    with McapWriter(path, SCHEMA, about) as writer:
        at = 0
        for t, rows in pieces:
            writer.write_rows(rows, at, log_times(EPOCH, t))
            at += len(rows)
        writer.write_events(events, [EPOCH + round(e.t * 1e9) for e in events])
    return path


def done(path: Path, chart: Chart = CHART, start: float | None = None, stop: float | None = None) -> Done:
    with open_recording(path) as opened:
        return draw(Strip(NoSink(), print, chart), opened, start, stop, NEVER)


def test_damaged_records_are_a_stretch_on_each_page_they_are_on(tmp_path: Path, drawn: Drawn) -> None:
    """Chunks of a second each, those from 3, 24, 25 and 40 s on damaged; a page is 25 s."""
    pieces = [(k / 100, rows_of(k / 100)) for k in (np.arange(at, at + 100) for at in range(0, 5000, 100))]
    path = recording(tmp_path / "a.mcap", pieces)
    raw, at = bytearray(path.read_bytes()), -1
    for k in range(41):
        at = raw.index(b"zstd", at + 1)
        if k in (3, 24, 25, 40):
            raw[at + 60] ^= 0xFF
    path.write_bytes(raw)
    assert done(path) == Done(5000, 2, 0)
    first, second = drawn.pages
    np.testing.assert_allclose(first.damaged, [(3, 3.99), (24, 25.99)], atol=1e-9)  # times are whole nanoseconds
    np.testing.assert_allclose(second.damaged, [(24, 25.99), (40, 40.99)], atol=1e-9)


def test_a_recording_with_a_gap_a_restart_and_events(tmp_path: Path, drawn: Drawn) -> None:
    """120 records lost after 5 s; a new writer, whose t starts at 0, at 9 s."""
    pieces = []
    for first, last, own in ((0, 500, 0), (620, 800, 0), (900, 1000, 900)):
        k = np.arange(first, last)
        pieces.append((k / 100, rows_of((k - own) / 100)))
    pieces[0][1][250, 3] = 1  # pressed for one record
    events = (Event(5.1, "gap", "120 records lost, 500 to 619: why"), Event(7.0, "note", "a bump"))
    assert done(recording(tmp_path / "a.mcap", pieces, events)) == Done(780, 1, 0)
    (page,) = drawn.pages
    assert [(g.start, g.stop, g.lost) for g in page.gaps] == [(4.99, 6.2, 120)]
    assert page.breaks == {0, 620, 900}
    assert [(m.t, m.kind) for m in page.marks] == [(2.5, "estop"), (5.1, "gap"), (7.0, "note")]
    assert drawn.heading == Heading("a rig", "MCAP a.mcap", EPOCH)


def test_one_scale_for_the_whole_roll_and_any_stretch_of_it(tmp_path: Path, drawn: Drawn) -> None:
    k = np.arange(10_000)
    rows = rows_of(k / 100)
    rows[9_990, 1] = 80.0  # on the last page only
    path = recording(tmp_path / "a.mcap", [(k / 100, rows)])
    assert done(path) == Done(10_000, 4, 0)
    assert drawn.scales[0] is not None and drawn.scales[0].high >= 80
    drawn.pages.clear()
    assert done(path, start=30.0, stop=40.0).records == 1001
    assert [p.start for p in drawn.pages] == [30.0] and drawn.scales[0].high < 80


def test_slow_records_have_no_gaps(tmp_path: Path, drawn: Drawn) -> None:
    """A record every 2 s, and the file knows it."""
    t = np.arange(0.0, 100.0, 2.0)
    done(recording(tmp_path / "a.mcap", [(t, rows_of(t))], period=2.0))
    assert len(drawn.pages) == 4 and all(p.gaps == [] for p in drawn.pages)
    assert drawn.pages[0].breaks == {0} and all(p.breaks == set() for p in drawn.pages[1:])


def test_a_recording_without_records_and_one_that_is_stopped(tmp_path: Path, drawn: Drawn) -> None:
    """The first gives no page, the other what it had read by then."""
    path = recording(tmp_path / "a.mcap", [])
    assert done(path) == Done(0, 0, 0)
    stopped = threading.Event()
    stopped.set()
    k = np.arange(10_000)
    path = recording(tmp_path / "b.mcap", [(part / 100, rows_of(part / 100)) for part in np.split(k, 100)])
    with open_recording(path) as opened:
        assert 0 < draw(Strip(NoSink(), print, CHART), opened, None, None, stopped).records < 10_000  # a piece of it


def test_faults_and_stops_in_the_records_are_marked() -> None:
    pages: list[Page] = []
    paper = Paper(1, 25.0, pages.append)
    hints = Hints(paper, Names(faults=("no fault", "the emergency stop acts", "a leg is late")))
    t = np.arange(8) / 10
    hints.look(t, "estop", np.array([0, 0, 1, 1, 1, 0, 0, 1.0]))
    hints.look(t, "fault", np.array([0, 2, 2, 0, 7, np.nan, 7.5, 3]))
    paper.add(t, np.zeros((8, 1)))
    paper.cut()
    assert sorted(pages[0].marks) == [
        (0.1, "fault", "a leg is late"),
        (0.2, "estop", "the emergency stop acts"),
        (0.4, "fault", "number 7"),
        (0.7, "estop", "the emergency stop acts"),
    ]


# ---- live ----


def followed(live: Live, drawn: Drawn, wanted: int) -> None:
    """Until so many records are on the paper."""
    end = time.monotonic() + 20
    while live.records < wanted:
        assert time.monotonic() < end, "the records do not come"
        live.look(0.01)


def test_a_ring_through_loss_stop_and_restart(drawn: Drawn) -> None:
    said: list[str] = []
    strip = Strip(NoSink(), said.append, CHART)
    with Reader("rig", start="oldest", timeout=0.05) as reader:
        live = Live(strip, reader)
        k = np.arange(2000)
        with Writer(SCHEMA, name="rig", dt=0.01, capacity=1000, program="test") as writer:
            writer.write(rows_of(k[:100] / 100))
            followed(live, drawn, 100)
            writer.write(rows_of(k[100:1600] / 100))  # 500 of them overwrite others; some more are left as room
            followed(live, drawn, 900)
            end = time.monotonic() + 10
            while "ring 'rig': writer stopped" not in said and time.monotonic() < end:
                live.look(0.02)
        with Writer(SCHEMA, name="rig", dt=0.01, capacity=1000, program="again") as writer:
            writer.write(rows_of(k[:50] / 100, x=2.0))
            followed(live, drawn, live.records + 50)
            epoch = writer.header.epoch_utc_ns
        result = live.done()
    assert drawn.heading is not None and drawn.heading.epoch_utc_ns is not None
    gaps = [g for p in drawn.pages for g in p.gaps]
    assert len(gaps) == 1 and gaps[0].lost == 1650 - result.records  # what is not on the paper is counted on it
    assert gaps[0].start == 0.99 and gaps[0].stop == pytest.approx((100 + gaps[0].lost) / 100)
    texts = [m.text for m in drawn.marks]
    assert texts[0] == "stopped" and texts[1].startswith("restarted: again, process ")
    # the paper's time goes on: the new writer's records stand where its epoch is
    restart = next(m for m in drawn.marks if m.text.startswith("restarted"))
    assert restart.t == pytest.approx((epoch - drawn.heading.epoch_utc_ns) / 1e9)


def test_a_chart_that_does_not_fit_is_said_at_once_or_when_the_ring_comes() -> None:
    wrong = Strip(NoSink(), print, Chart((Pen("y"),)))
    with Reader("rig") as reader:
        live = Live(wrong, reader)
        with Writer(SCHEMA, name="rig", dt=0.01, capacity=100) as writer, Reader("rig") as other:
            with pytest.raises(SchemaError, match="no channel 'y'"):
                Live(wrong, other)
            writer.write(rows_of(np.arange(10) / 100))
            with pytest.raises(RecordingError, match="ring 'rig': schema 'rig' has no channel 'y'"):
                for _ in range(100):
                    writer.write(rows_of(np.arange(1) / 100))
                    live.look(0.01)


def test_a_writer_with_other_records_leaves_the_lane_empty_and_says_so(drawn: Drawn) -> None:
    said: list[str] = []
    with Reader("rig", start="oldest") as reader:
        live = Live(Strip(NoSink(), said.append, CHART), reader)
        with Writer(SCHEMA, name="rig", dt=0.01, capacity=100) as writer:
            writer.write(rows_of(np.arange(10) / 100))
            followed(live, drawn, 10)
        other = Schema("other", SCHEMA.channels[:1])
        with Writer(other, name="rig", dt=0.01, capacity=100) as writer:
            writer.write(np.arange(10)[:, None] / 100)
            followed(live, drawn, 20)
        assert live.done().records == 20
    assert any(s.endswith("its records have no x") for s in said)


def test_a_ring_that_never_comes_is_no_page() -> None:
    sink = NoSink()
    with Reader("none") as reader:
        live = Live(Strip(sink, print, CHART), reader)
        live.look(0.01)
        assert live.done() == Done(0, 0, 0) and sink.closed
