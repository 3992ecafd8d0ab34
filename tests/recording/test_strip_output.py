"""Paper that is gone, full or read by nobody: one sentence, the pages that can be saved are, and nobody waits."""

import errno
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RecordingError
from motionbase.recording.strip import output as strip_output
from motionbase.recording.strip.chart import Chart, Pen
from motionbase.recording.strip.draw import Heading
from motionbase.recording.strip.output import PdfRoll, Plotter, Sink, sink_for
from motionbase.recording.strip.paper import Page
from tests.recording.files import schema_of
from tests.recording.test_strip_pdf import Read, one_page

CHART = Chart((Pen("x1"),)).fitted(schema_of(3))
PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def drawn() -> list[bytes]:
    return [one_page(text) for text in "abcd"]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What matters here is where pages go, not what is on them; and nobody wants to wait for a retry."""
    page = one_page("page")
    monkeypatch.setattr(strip_output, "rendered", lambda *_: page)
    monkeypatch.setattr(strip_output, "RETRY_S", 0.02)


def page_of(number: int) -> Page:
    page = Page(0.0, 25.0, number, 1)
    page.add(np.array([1.0]), np.array([[2.0]]))
    return page


def plotter_of(sink: Sink, said: list[str], patient: bool = False) -> Plotter:
    return Plotter(sink, CHART, Heading("a", "b", 0), said.append, patient)


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_every_page_is_readable_at_once_while_the_roll_grows(tmp_path: Path, drawn: list[bytes]) -> None:
    roll = PdfRoll(tmp_path / "roll.pdf")
    for n, page in enumerate(drawn, start=1):
        assert roll.write(n, page) == ""
        assert len(Read((tmp_path / "roll.pdf").read_bytes()).pages()) == n
    roll.close()
    roll.close()


def test_a_full_disk_costs_the_page_and_nothing_else(
    tmp_path: Path, drawn: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    roll, write = PdfRoll(tmp_path / "roll.pdf"), os.write
    roll.write(1, drawn[0])

    def full(file: int, data: bytes) -> int:
        if write(file, data[:1000]):
            raise OSError(errno.ENOSPC, "No space left on device")
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            roll.write(2, drawn[1])
    assert len(Read((tmp_path / "roll.pdf").read_bytes()).pages()) == 1
    roll.write(2, drawn[2])
    assert len(Read((tmp_path / "roll.pdf").read_bytes()).pages()) == 2


def test_a_roll_that_is_removed_begins_anew(tmp_path: Path, drawn: list[bytes]) -> None:
    path = tmp_path / "roll.pdf"
    roll = PdfRoll(path)
    roll.write(1, drawn[0])
    path.unlink()
    assert "was removed or left; it begins anew with page 2" in roll.write(2, drawn[1])
    assert len(Read(path.read_bytes()).pages()) == 1


def test_a_folder_that_goes_and_comes_back(tmp_path: Path) -> None:
    folder, said = tmp_path / "out", list[str]()
    folder.mkdir()
    plotter = plotter_of(sink_for(folder / "roll.pdf"), said)
    plotter.put(page_of(1))
    until(lambda: plotter.written == 1)
    (folder / "roll.pdf").unlink()
    folder.rmdir()
    plotter.put(page_of(2))
    until(lambda: plotter.trouble)
    assert said == [
        f"page 2 of '{folder}/roll.pdf' cannot be written: No such file or directory; it is tried again every 0.02 s"
    ]
    folder.mkdir()
    assert plotter.close() == 0
    assert said[1] == "page 2 is written" and "begins anew with page 2" in said[2] and len(said) == 3


def test_pages_beyond_what_may_wait_are_given_up_and_counted_and_nobody_waits(tmp_path: Path) -> None:
    os.mkfifo(fifo := tmp_path / "paper")  # nobody reads it
    said: list[str] = []
    plotter = plotter_of(sink_for(fifo), said)
    for n in range(1, 20):
        plotter.put(page_of(n))
    assert plotter.dropped in (10, 11) and said[0].endswith("is dropped: 8 pages wait already") and len(said) == 1
    plotter._since = time.monotonic() - 6  # the first page has waited for so long now
    plotter.watch()
    plotter.watch()
    assert said[1:] == ["the output has not taken the current page for 5 s; pages wait"]
    assert plotter.close(0.05) == 19


def test_a_pipe_gets_the_whole_roll(tmp_path: Path) -> None:
    os.mkfifo(fifo := tmp_path / "paper")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    plotter = plotter_of(sink_for(fifo), [], patient=True)
    for n in range(1, 4):
        plotter.put(page_of(n))
    assert plotter.close() == 0
    reader.join(PATIENCE_S)
    assert len(Read(read[0]).pages()) == 3


def test_a_patient_giver_gets_the_error(tmp_path: Path) -> None:
    sink = sink_for(tmp_path / "out.png")
    plotter = plotter_of(sink, said := list[str](), patient=True)
    sink.path = tmp_path / "gone" / "out.png"  # as if the folder went
    with pytest.raises(RecordingError, match="page 1 of .* cannot be written: No such file"):
        for n in range(1, 30):
            plotter.put(page_of(n))
    assert said == [] and plotter.close() > 0


def test_pictures_are_whole_files_with_numbers(tmp_path: Path) -> None:
    plotter = plotter_of(sink_for(tmp_path / "roll.png"), [], patient=True)
    for n in (1, 2):
        plotter.put(page_of(n))
    assert plotter.close() == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["roll_001.png", "roll_002.png"]
    with pytest.raises(RecordingError, match="roll_001.png' exists already"):
        sink_for(tmp_path / "roll.png")
    sink_for(tmp_path / "roll.png", force=True)


def test_what_is_there_stays_until_there_is_a_page_for_it(tmp_path: Path, drawn: list[bytes]) -> None:
    path = tmp_path / "roll.pdf"
    path.write_bytes(b"precious")
    with pytest.raises(RecordingError, match="exists already; choose another name, or --force"):
        sink_for(path)
    roll = PdfRoll(path, force=True)
    assert path.read_bytes() == b"precious"
    roll.write(1, drawn[0])
    assert len(Read(path.read_bytes()).pages()) == 1


def test_a_roll_without_a_page_leaves_no_file(tmp_path: Path) -> None:
    PdfRoll(tmp_path / "roll.pdf").close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["roll.txt", "roll", "none/roll.pdf", "none/roll.png", "folder.pdf"])
def test_places_that_cannot_be_written_are_refused_at_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(RecordingError, match="must end in|cannot be written|exists already"):
        sink_for(tmp_path / name, force=True)


def test_a_page_that_cannot_be_drawn_does_not_take_the_others_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = one_page("page")

    def drawn(given: Page, *_: object) -> bytes:
        if given.number == 1:
            raise ZeroDivisionError("odd")
        return page

    monkeypatch.setattr(strip_output, "rendered", drawn)
    plotter = plotter_of(sink_for(tmp_path / "roll.pdf"), said := list[str]())
    plotter.put(page_of(1))
    plotter.put(page_of(2))
    assert plotter.close() == 1 and said == ["page 1 cannot be drawn: ZeroDivisionError: odd"]
    assert len(Read((tmp_path / "roll.pdf").read_bytes()).pages()) == 1
