"""Printing without blocking: callers put lines into a queue, and a thread prints them.

A paused terminal (Ctrl-S), a pager or a full pipe blocks the thread that prints. Threads that stop processes and
platforms must never block, so lines beyond the queue's size are dropped and counted.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, final

LINES = 1000  # size of the queue
CLOSE_S = 1.0  # longest wait for the last lines on close


@final
class Printer:
    """Takes lines from any thread without blocking; the first line starts the printing thread.

    Attributes:
        dropped: lines for which there was no room
        error: the first error that `say` raised

    Args:
        say: takes a line, and may block
    """

    def __init__(self, say: Callable[[str], object], lines: int = LINES) -> None:
        self.dropped = 0
        self.error: BaseException | None = None
        self._say, self._told = say, 0
        self._queue: queue.Queue[str] = queue.Queue(lines)
        self._thread: threading.Thread | None = None

    def __call__(self, line: str) -> None:
        """Queue a line, or drop it if the queue is full."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="motionbase printer", daemon=True)
            self._thread.start()
        try:
            self._queue.put_nowait(line)
        except queue.Full:
            self.dropped += 1

    def close(self, seconds: float = CLOSE_S) -> None:
        """Wait up to `seconds` for queued lines to be printed; drop the rest."""
        end = time.monotonic() + seconds
        while self._queue.unfinished_tasks and time.monotonic() < end:
            time.sleep(1e-3)

    def _run(self) -> None:
        while True:
            line = self._queue.get()
            try:
                if (lost := self.dropped - self._told) > 0:
                    self._told += lost
                    self._say(f"{lost} lines were dropped because the output was blocked")
                self._say(line)
            except BaseException as error:  # for example a terminal that was closed
                self.error = self.error or error
            finally:
                self._queue.task_done()


def to(stream: IO[str]) -> Callable[[str], None]:
    """A function that writes lines to a stream's file descriptor.

    A blocked thread then holds no lock of the stream, for which Python would wait at exit.
    """

    def say(line: str) -> None:
        try:
            file = stream.fileno()
        except (OSError, ValueError):  # not a file, as in tests and notebooks
            print(line, file=stream, flush=True)
            return
        left = memoryview(f"{line}\n".encode(errors="replace"))
        while left:
            left = left[os.write(file, left) :]

    return say


def to_stdout(line: str) -> None:
    """Print a line to the current standard output."""
    to(sys.stdout)(line)


def to_stderr(line: str) -> None:
    """Print a line to the current standard error."""
    to(sys.stderr)(line)
