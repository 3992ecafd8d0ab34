"""Saying things without ever waiting: a thread prints, whoever speaks only puts a line into a queue.

A terminal that is held (Ctrl-S), a pager or a pipe that nobody reads blocks whoever prints. The threads that stop
processes and platforms must not be among them, so lines are dropped, and counted, where nobody takes them.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, final

LINES = 1000  # that wait at most
CLOSE_S = 1.0  # for the last of them, when all is over


@final
class Printer:
    """Takes lines from any thread, at once; the thread that passes them on is started by the first.

    Attributes:
        dropped: lines for which there was no room
        error: the first thing that `say` raised

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
        """Say it, or drop it."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="motionbase printer", daemon=True)
            self._thread.start()
        try:
            self._queue.put_nowait(line)
        except queue.Full:
            self.dropped += 1

    def close(self, seconds: float = CLOSE_S) -> None:
        """Give the lines that wait so much time [s]; the rest is dropped."""
        end = time.monotonic() + seconds
        while self._queue.unfinished_tasks and time.monotonic() < end:
            time.sleep(1e-3)

    def _run(self) -> None:
        while True:
            line = self._queue.get()
            try:
                if (lost := self.dropped - self._told) > 0:
                    self._told += lost
                    self._say(f"{lost} lines were dropped, because nobody took them in time")
                self._say(line)
            except BaseException as error:  # a terminal that has gone, say
                self.error = self.error or error
            finally:
                self._queue.task_done()


def to(stream: IO[str]) -> Callable[[str], None]:
    """Lines straight to a stream's file: a blocked thread then holds no lock that the end of Python would wait for."""

    def say(line: str) -> None:
        try:
            file = stream.fileno()
        except (OSError, ValueError):  # not a file: a test's, or a notebook's
            print(line, file=stream, flush=True)
            return
        left = memoryview(f"{line}\n".encode(errors="replace"))
        while left:
            left = left[os.write(file, left) :]

    return say


def to_stdout(line: str) -> None:
    """A line to whatever is the standard output then."""
    to(sys.stdout)(line)


def to_stderr(line: str) -> None:
    """A line to whatever is the standard error then."""
    to(sys.stderr)(line)
