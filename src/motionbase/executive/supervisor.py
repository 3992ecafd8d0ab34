"""The supervisor: starts, watches and stops the processes of a run, and leaves nothing behind.

Readers that die are restarted a limited number of times, after ever longer pauses. A writer is not: its end is the end
of the run, or, if it has a restart command, the readers stay until somebody asks to restart it. Processes are stopped
in order: writers first, then the ESTOP file is saved, then readers, so that they see how it ended.
"""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.errors import ScheduleError
from motionbase.executive.again import SAVING_S, StartAgain
from motionbase.executive.child import Child
from motionbase.executive.process import Process, Restart, Role
from motionbase.executive.run_ring import RunRing
from motionbase.recording.estop import AFTER_S
from motionbase.recording.estop import process as estop_process
from motionbase.recording.estop.files import KEEP
from motionbase.ring.backend import find
from motionbase.ring.claim import Waiting
from motionbase.ring.offspring import NOT_STARTED, Sentinel
from motionbase.ring.printer import Printer, to_stderr, to_stdout
from motionbase.ring.signals import heard

__all__ = ["Ending", "Process", "Restart", "Role", "Supervisor"]

LOOK_S = 0.05
KILLED_S = 10.0  # a killed process that still exists after this hangs in a device driver
BAD_INPUT = 2  # exit code of a command that refused its input: a restart would not help
LATEST_S = 5.0  # a stop that was asked for so shortly before a writer ended may not have reached it


@final
@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes:
        code: 0 where everything ended as it should, else 1
        why: a sentence
        files: ESTOP files that the run left
        asked: a signal came, or `stop` was called
    """

    code: int
    why: str
    files: tuple[Path, ...] = ()
    asked: bool = False


@final
class Supervisor:
    """Runs processes until a writer ends that cannot be restarted, a signal comes or `stop` is called.

    Args:
        ring: name of the ring that the writer makes; a watch for ESTOP files is started with it, the ring is removed
            at the end unless it holds unsaved records, and what the last run left unsaved is saved first
        folder, after_s, keep: of ESTOP files
        waiting: the ring's lifeline, where the caller has one open already; else there is one while it runs
        out, err: take lines of the processes' output and of the supervisor's own messages, each in a thread of its own.
            Where they block, lines are dropped and counted; nothing else waits for them
    """

    def __init__(
        self,
        processes: Sequence[Process],
        *,
        ring: str | None = None,
        folder: Path | None = None,
        after_s: float = AFTER_S,
        keep: int = KEEP,
        waiting: Waiting | None = None,
        out: Callable[[str], object] = to_stdout,
        err: Callable[[str], object] = to_stderr,
    ) -> None:
        names = [*(p.name for p in processes), *(["estop"] if ring is not None else [])]
        if double := next((n for n in names if names.count(n) > 1), None):
            raise ScheduleError(f"two processes are called {double!r}; every process has a name of its own")
        self._ring = RunRing(ring, folder, keep) if ring is not None else None
        self._folder, self._keep, self._waiting = folder, keep, waiting
        self._out, self._err = Printer(out), Printer(err)
        self._watch = (
            Process("estop", estop_process.command(ring, folder=folder, after_s=after_s, keep=keep), stop_s=SAVING_S)
            if ring is not None
            else None
        )
        self._processes = sorted(processes, key=lambda p: p.role is Role.READER)  # stable: writers, then the others
        self._children: dict[str, Child] = {}
        self._why: tuple[int, str] | None = None
        self._asked = False
        self._missing = False  # a reader was given up
        self._start_again = StartAgain(self._ring, self._err)
        self._failures: list[str] = []  # of writers after which the run went on

    def run(self, duration: float | None = None) -> Ending:
        """Run to the end, or for a duration [s]; call it from the main thread, which receives signals."""
        made = Waiting(find(self._ring.name)) if self._ring is not None and self._waiting is None else None
        self._waiting = made or self._waiting
        if self._waiting is not None:
            self._waiting.also = self._start_again.answer
        with made if made is not None else nullcontext():
            return self._run(duration)

    def _run(self, duration: float | None) -> Ending:
        if self._ring is not None:
            self._ring.rescue(self._err)
        self._selector, self._sentinel = selectors.DefaultSelector(), Sentinel()
        with heard(self._signalled):
            try:
                self._start_all()
                end = None if duration is None else time.monotonic() + duration
                while self._why is None:
                    self._look(LOOK_S)
                    if (writer := self._start_again.due()) is not None:
                        self._start(writer)
                    if end is not None and time.monotonic() >= end:
                        self._end(0, f"{duration:g} s have passed")
                    if self._why is None and self._is_over():
                        self._end(0, "all processes have ended")
            finally:
                self._stop_all()
                self._sentinel.close()
                self._selector.close()
                for printer in (self._out, self._err):
                    printer.close()
        assert self._why is not None
        files = tuple(f.path for f in self._ring.new_files()) if self._ring is not None else ()
        return Ending(*self._why, files, self._asked)

    def stop(self) -> None:
        """Ask for the end, from any thread."""
        self._asked = True
        self._end(0, "stop was called")

    @property
    def pids(self) -> dict[str, int]:
        """Process ids of the running processes, by name."""
        return {name: child.pid for name, child in self._children.items() if child.code is None}

    # ---- beginning ----

    def _start_all(self) -> None:
        for process in (*([self._watch] if self._watch is not None else []), *self._processes):
            self._start(process)

    def _start(self, process: Process) -> None:
        old = self._children.get(process.name)
        tries = old.tries if old is not None else 0
        child = Child(process, self._selector, self._out, self._err, tries)
        self._sentinel.guard(child.pid, process.stop_s)
        self._children[process.name] = child

    # ---- watching ----

    def _signalled(self, number: signal.Signals) -> None:
        self._asked = True
        self._end(0, f"{number.name} came")

    def _end(self, code: int, why: str) -> None:
        """The first reason for the end stays; a failure that comes later is added."""
        if self._why is None:
            self._why = (code, why)
        elif code:
            self._why = (code, f"{self._why[1]}; {why}")

    def _look(self, seconds: float) -> None:
        """Forward output, then look for processes that have ended."""
        for key, _ in self._selector.select(seconds):
            key.data()
        now = time.monotonic()
        for child in list(self._children.values()):
            if child.has_ended():
                self._sentinel.forget(child.pid)
                self._ended(child.process, child)
            elif self._why is None and child.again_at is not None and now >= child.again_at:
                self._start(child.process)

    def _is_over(self) -> bool:
        """Whether only the watch is left, now and later."""
        children = [c for c in self._children.values() if c.process is not self._watch]
        return all(c.code is not None and c.again_at is None for c in children)

    def _ended(self, process: Process, child: Child) -> None:
        if self._why is not None and child.asked_to_stop:
            return  # `_stop` looks at how it ended
        what = f"{process.role.value} {process.name!r} {child.ending}"
        if process.role is Role.WRITER:
            why = what + (child.last_words if child.code else "")
            if process.again is None or child.code in (BAD_INPUT, NOT_STARTED) or self._why is not None:
                self._end(int(child.code != 0), why)
            else:
                self._left(process, child, why)
        elif child.code and self._why is None:
            self._again(process, child, what)

    def _left(self, process: Process, child: Child, why: str) -> None:
        """Keep the readers, so that people can look. The next writer does not get stops that this one has handled."""
        if child.code:
            self._failures.append(why)
        if self._waiting is not None and not (self._ring is not None and self._ring.shows_stop):
            self._waiting.forget(time.monotonic() - LATEST_S)
        words = child.last_words if child.code and child.code > 0 else ""  # one that was killed had none about that
        self._start_again.left(process, child.ending + words)

    def _again(self, process: Process, child: Child, what: str) -> None:
        policy = process.restart
        tries = 0 if time.monotonic() - child.started >= policy.calm_s else child.tries
        if child.code == NOT_STARTED or tries >= policy.limit:
            left = "not restarted" if child.code == NOT_STARTED else f"given up after {tries} restarts"
            self._err(f"{what}; it is {left}{child.last_words}")
            self._missing = True
            return
        pause = min(policy.first_s * 2**tries, policy.longest_s)
        child.tries, child.again_at = tries + 1, time.monotonic() + pause
        self._err(f"{what}; it restarts in {pause:g} s, try {tries + 1} of {policy.limit}{child.last_words}")

    # ---- ending ----

    def _stop_all(self) -> None:
        """Writers, the ESTOP file, readers."""
        if self._why is None:
            self._why = (1, "the supervisor failed")
        self._stop([p for p in self._processes if p.role is Role.WRITER])
        if self._watch is not None:
            self._stop([self._watch])
            self._save_the_rest()
            self._look_at_the_ring()
        self._stop([p for p in self._processes if p.role is Role.READER])
        if self._missing:
            self._end(1, "a reader could not be kept running")
        for why in self._failures:
            self._end(1, why)
        if self._ring is not None:
            self._ring.clean(self._err)

    def _stop(self, processes: Sequence[Process]) -> None:
        """SIGTERM to all at once, then SIGKILL to those that exceed their time."""
        running = [c for p in processes if (c := self._children.get(p.name)) is not None and c.code is None]
        for child in running:
            child.terminate()
        self._wait(running)
        for child in running:
            early = child.code == -signal.SIGTERM  # it had not started yet: a started writer handles the signal
            if child.process.role is Role.WRITER and child.code and not early:
                self._end(1, f"writer {child.process.name!r} {child.ending}{child.last_words}")

    def _wait(self, running: Sequence[Child]) -> None:
        begin, killed = time.monotonic(), set[int]()
        while waiting := [c for c in running if c.code is None]:
            self._look(LOOK_S)
            for child in waiting:
                name, time_s, late = child.process.name, child.process.stop_s, time.monotonic() - begin
                if child.code is None and late > time_s and child.pid not in killed:
                    self._err(f"{child.process.role.value} {name!r} did not end in {time_s:g} s; it is killed")
                    child.kill()
                    killed.add(child.pid)
                elif late > time_s + KILLED_S:
                    self._end(1, f"{child.process.role.value} {name!r}, process {child.pid}, cannot be killed")
                    return

    def _save_the_rest(self) -> None:
        """Let another process save what the watch did not, because it died itself, for instance."""
        if self._ring is None or not self._ring.is_unsaved:
            return
        watch = self._children.get("estop")
        if watch is not None and watch.code == estop_process.UNSAVED:  # it has just tried, and said why it cannot
            self._end(1, self._ring.why_unsaved)
            return
        once = (*estop_process.command(self._ring.name, folder=self._folder, keep=self._keep), "--once")
        saver = Process("estop once", once, stop_s=SAVING_S)
        self._start(saver)
        self._wait([self._children[saver.name]])
        if self._ring.is_unsaved:
            self._end(1, self._ring.why_unsaved)

    def _look_at_the_ring(self) -> None:
        """A writer notes a failure in its ring, whatever its exit code is."""
        if self._ring is not None and self._why is not None and not self._why[0] and self._ring.has_failed:
            self._end(1, f"the writer of ring {self._ring.name!r} failed")
