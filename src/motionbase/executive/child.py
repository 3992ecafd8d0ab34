"""One child of the supervisor: its process, what it says, how it ended."""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO, final

from motionbase.executive.process import Process
from motionbase.ring.gentle import prompt_nice
from motionbase.ring.offspring import end_group, start

LAST_WORDS = 8  # lines
LONGEST_LINE = 64 * 1024  # bytes
PIECE = 64 * 1024  # bytes
MOST_AT_THE_END = 16  # pieces: what it left behind may go on talking
GROUP_GRACE_S = 1.0  # for what a process leaves behind in its group


@final
class Child:
    """Forwards the lines of a process with its name in front, and keeps its last ones.

    Attributes:
        code: exit status, or minus the number of the signal; None while it runs
        tries: times in a row that it was restarted; again_at: when the next restart is due, by the monotonic clock [s]
        asked_to_stop: SIGTERM was sent
    """

    def __init__(
        self,
        process: Process,
        selector: selectors.BaseSelector,
        out: Callable[[str], object],
        err: Callable[[str], object],
        tries: int = 0,
    ) -> None:
        self.process, self.tries = process, tries
        self.code: int | None = None
        self.again_at: float | None = None
        self.asked_to_stop = False
        self.started = time.monotonic()
        self._words: deque[str] = deque(maxlen=LAST_WORDS)
        self._selector = selector
        self._process = start(process.command, process.environment, prompt_nice() if process.prompt else 0)
        assert self._process.stdout is not None and self._process.stderr is not None
        self._begun: dict[IO[bytes], bytes] = {}  # the line of which the end has not come
        self._say = {self._process.stdout: out, self._process.stderr: err}
        for pipe in self._say:
            os.set_blocking(pipe.fileno(), False)
            self._begun[pipe] = b""
            selector.register(pipe, selectors.EVENT_READ, partial(self._forward, pipe))

    @property
    def pid(self) -> int:
        """Process id, and id of its group."""
        return self._process.pid

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self.code is None:
            return "runs"
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-self.code).name}"
        return f"was ended by signal {-self.code}"

    @property
    def last_words(self) -> str:
        """What it wrote to stderr at the end, for the end of a sentence."""
        return f"; its last words: {' / '.join(self._words)}" if self._words else ""

    def has_ended(self) -> bool:
        """True once, when the end is noticed: the rest of its group is killed and its last output forwarded."""
        if self.code is not None:
            return False
        code = self._process.poll()
        if code is None:
            return False
        self._end_group()
        for pipe in list(self._begun):
            for _ in range(MOST_AT_THE_END):
                if not self._forward(pipe):
                    break
            self._close(pipe)
        self.code = code
        return True

    def terminate(self) -> None:
        """Ask it to end; it ends its own children itself."""
        self.asked_to_stop = True
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill its whole group."""
        end_group(self.pid, signal.SIGKILL)

    def _end_group(self) -> None:
        """Kill what it started and left behind."""
        if not end_group(self.pid, signal.SIGTERM):
            return
        end = time.monotonic() + GROUP_GRACE_S
        while time.monotonic() < end:
            time.sleep(0.01)
            if not end_group(self.pid, 0):
                return
        self.kill()

    # ---- what it says ----

    def _forward(self, pipe: IO[bytes]) -> bool:
        """Forward a piece of its output, line by line; False if there was none."""
        if pipe not in self._begun:
            return False
        try:
            piece = os.read(pipe.fileno(), PIECE)
        except BlockingIOError:
            return False
        *lines, rest = (self._begun[pipe] + piece).split(b"\n")
        if len(rest) > LONGEST_LINE:
            lines, rest = [*lines, rest], b""
        self._begun[pipe] = rest
        for line in lines:
            self._pass_on(pipe, line)
        if not piece:
            self._close(pipe)
        return bool(piece)

    def _pass_on(self, pipe: IO[bytes], line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        if pipe is self._process.stderr and text:
            self._words.append(text.strip())
        self._say[pipe](f"{self.process.name} | {text}")

    def _close(self, pipe: IO[bytes]) -> None:
        rest = self._begun.pop(pipe, None)
        if rest is None:
            return
        if rest:
            self._pass_on(pipe, rest)
        self._selector.unregister(pipe)
        pipe.close()
