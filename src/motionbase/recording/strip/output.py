"""Output of pages: a growing PDF, or one PNG each. A separate thread draws and writes them.

Output never blocks the reader of the records: a full disk, a missing folder or a pipe without a reader costs pages at
worst, and one message says so.
"""

from __future__ import annotations

import os
import queue
import stat
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, Protocol, final

from motionbase import private
from motionbase.errors import RecordingError
from motionbase.recording.strip.chart import Chart
from motionbase.recording.strip.draw import Heading, prepare, rendered, scales_for
from motionbase.recording.strip.paper import Page
from motionbase.recording.strip.pdf import GrowingPdf
from motionbase.recording.strip.scale import Scale
from motionbase.recording.whole import refuse_existing, whole_or_not

WAITING = 8  # pages in the queue
RETRY_S = 2.0
SLOW_S = 5.0  # a page that takes longer is reported
CLOSE_S = 10.0  # time limit for the queue at the end, while output is blocked
DRAWN_S = 60.0  # time limit for all of it, on a busy machine
NEW = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC
REPLACED = os.O_TRUNC | os.O_RDWR | os.O_CLOEXEC
SPECIAL = os.O_WRONLY | os.O_CLOEXEC


class Sink(Protocol):
    """Takes pages one by one; after an `OSError` the output is as it was before the page."""

    form: Literal["pdf", "png"]
    path: Path

    @property
    def files(self) -> Sequence[Path]:
        """Files written so far."""
        ...

    def write(self, number: int, page: bytes) -> str:
        """Write a page, given as a complete file; returns a message, usually ""."""
        ...

    def close(self) -> None:
        """Finish the output."""
        ...


@final
class PdfRoll:
    """One PDF, valid after every page. A pipe or device is opened with the first page."""

    form: Literal["pdf", "png"] = "pdf"

    def __init__(self, path: Path, force: bool = False, special: bool = False) -> None:
        self.path, self._special, self._pdf, self._file = path, special, GrowingPdf(), -1
        self._replaces = force and path.is_file() and os.access(path, os.W_OK)  # replaced only with the first page
        if special or self._replaces:
            return
        refuse_existing(path)
        try:
            self._file = private.open_file(path, NEW)
        except OSError as e:
            raise RecordingError(f"{str(path)!r} cannot be written: {e.strerror or e}") from None

    @property
    def files(self) -> Sequence[Path]:
        """See `Sink`."""
        return (self.path,) if self._pdf.size else ()

    def write(self, number: int, page: bytes) -> str:
        """See `Sink`. A file that was removed, or a pipe whose reader left, starts again."""
        said = self._renewed(number)
        addition = self._pdf.addition(page)
        try:
            left = memoryview(addition)
            while left:
                left = left[os.write(self._file, left) :]
            if not self._special:
                os.fsync(self._file)
        except OSError as e:
            if self._special:
                os.close(self._file)
                self._file = -1
            else:
                with suppress(OSError):
                    os.ftruncate(self._file, self._pdf.size)  # the previous pages stay a valid file
                    os.lseek(self._file, self._pdf.size, os.SEEK_SET)
            raise e
        self._pdf.written(addition)
        return said

    def _renewed(self, number: int) -> str:
        """Check that the file is still there, else begin a new one."""
        if self._file >= 0 and (self._special or self._is_there()):
            return ""
        flags = SPECIAL if self._special else REPLACED if self._replaces else NEW
        fresh = private.open_file(self.path, flags)  # a pipe blocks here until it has a reader
        before, self._file, self._replaces = self._file, fresh, False
        if before >= 0:
            os.close(before)
        gone, self._pdf = self._pdf.size, GrowingPdf()
        return f"{str(self.path)!r} was removed or left; it begins anew with page {number}" if gone else ""

    def _is_there(self) -> bool:
        try:
            return os.stat(self.path).st_ino == os.fstat(self._file).st_ino
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """See `Sink`; a file without pages is removed."""
        if self._file >= 0:
            with suppress(OSError):
                if not self._special and not self._pdf.size and self._is_there():
                    os.unlink(self.path)
                os.close(self._file)
            self._file = -1


@final
class PngPages:
    """A PNG for each page: roll.png becomes roll_001.png and so on; an incomplete one is removed."""

    form: Literal["pdf", "png"] = "png"

    def __init__(self, path: Path, force: bool = False) -> None:
        self.path, self.files = path, list[Path]()
        if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
            raise RecordingError(f"{str(path)!r} cannot be written: {str(path.parent)!r} is no folder to write to")
        there = sorted(p.name for p in path.parent.glob(f"{_plain(path.stem)}_[0-9][0-9][0-9]*.png"))
        if there and not force:
            raise RecordingError(f"{there[0]!r} exists already; choose another name, or --force to replace it")

    def write(self, number: int, page: bytes) -> str:
        """See `Sink`."""
        file = self.path.with_name(f"{self.path.stem}_{number:03d}.png")
        with whole_or_not(file, force=True) as part:
            private.write_file(part, page)
        self.files.append(file)
        return ""

    def close(self) -> None:
        """See `Sink`."""


def _plain(stem: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in stem)


def sink_for(path: Path, force: bool = False) -> Sink:
    """The sink for a name's ending; a pipe or a device always gets a PDF."""
    with suppress(OSError):
        mode = os.stat(path).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
            return PdfRoll(path, special=True)
    if path.suffix.lower() == ".pdf":
        return PdfRoll(path, force)
    if path.suffix.lower() == ".png":
        return PngPages(path, force)
    raise RecordingError(f"{str(path)!r}: the name must end in .pdf or .png")


@final
class Plotter:
    """Draws pages in a thread and hands them to a sink.

    Attributes:
        written, dropped: number of pages; trouble: why the current page cannot be written, "" if it can

    Args:
        patient: `put` waits for a plotter that is behind, instead of dropping pages
        say: called with a sentence
    """

    def __init__(
        self, sink: Sink, chart: Chart, heading: Heading, say: Callable[[str], object], patient: bool = False,
        scales: tuple[Scale | None, ...] = (),
    ) -> None:  # fmt: skip
        self.written = self.dropped = 0
        self.trouble = ""
        self._sink, self._chart, self._heading, self._say, self._patient = sink, chart, heading, say, patient
        self._scales = scales
        self._queue: queue.Queue[Page] = queue.Queue(WAITING)
        self._since, self._told = 0.0, False
        self._ended = threading.Event()
        threading.Thread(target=self._run, name="motionbase strip", daemon=True).start()

    def put(self, page: Page, stopped: Callable[[], bool] = lambda: False) -> None:
        """Queue a page; if patient, wait for room, with `RecordingError` if the output cannot be written."""
        while True:
            try:
                self._queue.put(page, timeout=0.05 if self._patient else None, block=self._patient)
                return
            except queue.Full:
                if self._patient and self.trouble:
                    raise RecordingError(self.trouble) from None
                if not self._patient or stopped():
                    if not self.dropped:
                        self._say(f"page {page.number} is dropped: {WAITING} pages wait already")
                    self.dropped += 1
                    return

    def watch(self) -> None:
        """Report a sink that does not answer; to be called periodically."""
        slow = bool(self._since) and time.monotonic() - self._since > SLOW_S and not self.trouble
        if slow and not self._told:
            self._say(f"the output has not taken the current page for {SLOW_S:g} s; pages wait")
        self._told = slow

    def close(self, seconds: float = CLOSE_S, stopped: Callable[[], bool] = lambda: False) -> int:
        """Write the queue within `seconds`, or until `stopped`; returns the number of pages not written.

        A page that is still being drawn gets more time, because its output works.
        """
        end, latest = time.monotonic() + seconds, time.monotonic() + max(seconds, DRAWN_S)
        while self._queue.unfinished_tasks and time.monotonic() < end and not (self._patient and self.trouble):
            if stopped():
                end = min(end, time.monotonic() + CLOSE_S)
            elif not self._since and not self.trouble:
                end = min(latest, time.monotonic() + seconds)
            if self.trouble:
                self._ended.set()  # retry without a pause
            time.sleep(0.01)
        left = self._queue.unfinished_tasks
        self._ended.set()
        if not left:
            self._sink.close()
        return left + self.dropped

    def _run(self) -> None:
        with suppress(Exception):  # a missing package is reported with the first page
            prepare()  # while the first page fills
        while True:
            page = self._queue.get()
            try:
                self._scales = scales_for(self._chart, page, self._scales)
                drawn = rendered(page, self._chart, self._heading, self._scales, self._sink.form)
                self._since = time.monotonic()
                while not self._tried(page.number, drawn):
                    self._ended.wait(RETRY_S)
                    time.sleep(RETRY_S / 20)
            except Exception as e:  # a page that cannot be drawn must not stop the others
                self.dropped += 1
                self._say(f"page {page.number} cannot be drawn: {type(e).__name__}: {e}")
            finally:
                self._since = 0.0
                self._queue.task_done()

    def _tried(self, number: int, drawn: bytes) -> bool:
        try:
            said = self._sink.write(number, drawn)
        except (OSError, RecordingError) as e:
            reason = e.strerror or str(e) if isinstance(e, OSError) else str(e)
            sentence = f"page {number} of {str(self._sink.path)!r} cannot be written: {reason}"
            if not self.trouble and not self._patient:
                self._say(f"{sentence}; it is tried again every {RETRY_S:g} s")
            self.trouble = sentence
            return False
        if self.trouble:
            self.trouble = ""
            self._say(f"page {number} is written")
        if said:
            self._say(said)
        self.written += 1
        return True
