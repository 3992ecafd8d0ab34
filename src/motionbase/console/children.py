"""Child processes of the console, for replays and strip charts; they end with it, however it ends.

Linux ties the signal at the parent's death to the thread that started the child, and threads that answer requests are
temporary: so one thread, which lives as long as the console, starts them all.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import IO, NamedTuple, final

from motionbase.console.polite import give_way
from motionbase.errors import MotionBaseError
from motionbase.ring import offspring

GRACE_S = 12.0  # [s] a strip chart may need ten for its last page
LINES = 50  # of a child's output that are kept
LONGEST = 2000  # characters of such a line
POLL_S = 0.02


@final
class Child:
    """A process and its last output.

    Attributes:
        about: data of the caller, kept with the process
    """

    def __init__(self, process: subprocess.Popen[bytes], about: object) -> None:
        self._process, self.about = process, about
        self._said: deque[str] = deque(maxlen=LINES)
        self._complained: deque[str] = deque(maxlen=LINES)
        self._listeners = []
        for pipe, lines in ((process.stdout, self._said), (process.stderr, self._complained)):
            assert pipe is not None
            listener = threading.Thread(target=_listen, args=(pipe, lines), name="motionbase child", daemon=True)
            listener.start()
            self._listeners.append(listener)

    @property
    def pid(self) -> int:
        """Id of the process and of its group."""
        return self._process.pid

    @property
    def lives(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether it has ended with an error."""
        return self._process.poll() not in (None, 0)

    @property
    def said(self) -> str:
        """The last lines of its output."""
        return "\n".join(self._said)

    @property
    def complaint(self) -> str:
        """The last line that it wrote to stderr, without the program's name; complete once it has ended."""
        if not self.lives:
            for listener in self._listeners:
                listener.join(1.0)
        last = next((line for line in reversed(self._complained) if line.strip()), "")
        return last.removeprefix("motionbase: ").strip()

    def said_of(self, words: str) -> int:
        """How many of the last lines on its stderr begin with these words."""
        return sum(line.startswith(words) for line in tuple(self._complained))

    def says_within(self, seconds: float, words: str) -> bool:
        """Wait until a line on its stderr begins with these words; False if it ends or times out first."""
        end = time.monotonic() + seconds
        while not any(line.startswith(words) for line in tuple(self._complained)):
            if not self.lives or time.monotonic() > end:
                return False
            time.sleep(POLL_S)
        return True

    def ends_within(self, seconds: float) -> bool:
        """Wait for its end; False on timeout."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return not self.lives

    def stop(self) -> None:
        """Ask it to end in good order."""
        if self.lives:
            offspring.end_group(self.pid, signal.SIGTERM)

    def end(self, seconds: float = GRACE_S) -> None:
        """Ask it to end, wait, and kill the rest of its group."""
        self.stop()
        self.ends_within(seconds)
        if self.lives:
            offspring.end_group(self.pid, signal.SIGKILL)
            self._process.wait()


def _listen(pipe: IO[bytes], lines: deque[str]) -> None:
    """Read a pipe to its end, so that it never fills; of an endless line only the beginning is kept."""
    kept = b""
    with pipe, suppress(OSError, ValueError):
        while piece := pipe.read(4096):
            *whole, kept = (kept + piece).split(b"\n")
            lines.extend(line.decode(errors="replace")[:LONGEST] for line in whole)
            kept = kept[:LONGEST]
    if kept:
        lines.append(kept.decode(errors="replace"))


class _Wanted(NamedTuple):
    command: tuple[str, ...]
    about: object
    environment: Mapping[str, str] | None


@final
class Children:
    """All children of a console, one for each role. The first child starts the thread and the sentinel."""

    def __init__(self) -> None:
        self._asked: queue.Queue[tuple[_Wanted, Future[Child]]] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._sentinel: offspring.Sentinel | None = None
        self._by_role: dict[str, Child] = {}
        self._closed = False

    def of(self, role: str) -> Child | None:
        """The last one that was started for a role, whether it still runs or not."""
        return self._by_role.get(role)

    def forget(self, role: str) -> None:
        """Forget a child that has ended."""
        with self._lock:
            child = self._by_role.get(role)
            if child is not None and not child.lives:
                del self._by_role[role]
                if self._sentinel is not None:
                    self._sentinel.forget(child.pid)

    def start(
        self, role: str, command: Sequence[str], about: object = None, environment: Mapping[str, str] | None = None
    ) -> Child:
        """Start a program for a role whose last child has ended; callable from any thread."""
        with self._lock:
            before = self._by_role.get(role)
            if before is not None and before.lives:
                raise MotionBaseError(f"there is a {role} already, process {before.pid}; end it first")
            if self._closed:
                raise MotionBaseError("the console is ending and starts nothing any more")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="motionbase children", daemon=True)
                self._thread.start()
            answer: Future[Child] = Future()
            self._asked.put((_Wanted(tuple(command), about, environment), answer))
            self._by_role[role] = child = answer.result()
        return child

    def _work(self) -> None:
        give_way()  # its children inherit this priority
        while True:
            wanted, answer = self._asked.get()
            try:
                if self._sentinel is None:
                    self._sentinel = offspring.Sentinel()
                for ended in [c for c in self._by_role.values() if not c.lives]:
                    self._sentinel.forget(ended.pid)
                child = Child(offspring.start(wanted.command, wanted.environment), wanted.about)
                self._sentinel.guard(child.pid, GRACE_S)
                answer.set_result(child)
            except OSError as error:
                answer.set_exception(
                    MotionBaseError(f"{wanted.command[0]} cannot be started: {error.strerror or error}")
                )

    def close(self, seconds: float = GRACE_S) -> None:
        """End them all, at the same time."""
        with self._lock:
            self._closed = True
        end = time.monotonic() + seconds
        children = list(self._by_role.values())
        for child in children:
            child.stop()
        for child in children:
            child.end(max(POLL_S, end - time.monotonic()))
        if self._sentinel is not None:
            self._sentinel.close()
