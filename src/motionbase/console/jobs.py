"""Jobs: long work in threads, such as exports, with progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from motionbase.console.api.sentences import NotThere, TooMany, WrongState
from motionbase.console.models import Job
from motionbase.console.polite import give_way
from motionbase.errors import MotionBaseError

AT_ONCE = 2  # jobs of the operator, and as many of all others together
KEPT = 20  # ended jobs that stay listed


class Cancelled(Exception):
    """The job was cancelled; raised in its thread."""


@final
@dataclass(eq=False)
class Task:
    """A job: the work reports its progress, and is told to end.

    Attributes:
        client: the page that started it; is_lent: without the operator's seat
        files: complete files as pages name them, at most the first of many
        finished: number of complete files
    """

    number: int
    what: str
    client: str = ""
    is_lent: bool = False
    state: str = "running"
    share: float = 0.0
    text: str = ""
    files: list[str] = field(default_factory=list)
    finished: int = 0
    cancelled: threading.Event = field(default_factory=threading.Event)

    def progress(self, done: int, total: int) -> None:
        """Report progress; raises `Cancelled` if the job was cancelled."""
        if self.cancelled.is_set():
            raise Cancelled
        self.share = min(1.0, done / total) if total else 1.0

    @property
    def model(self) -> Job:
        """The job as a model of the interface."""
        return Job.model_validate(
            {
                "number": self.number,
                "client": self.client,
                "what": self.what,
                "state": self.state,
                "share": self.share,
                "text": self.text,
                "files": list(self.files),
            }
        )


Listed = list[Job]
Work = Callable[[Task], str]  # returns a sentence about the result


@final
class Jobs:
    """Jobs of a console."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks: list[Task] = []
        self._threads: list[threading.Thread] = []
        self._count = 0

    def start(self, what: str, work: Work, client: str = "", is_lent: bool = False) -> Job:
        """Start a job, if not too many run; pages without the seat have two together, and one each."""
        with self._lock:
            self._threads = [t for t in self._threads if t.is_alive()]
            running = [t for t in self._running if t.is_lent is is_lent]
            if is_lent and any(t.client == client for t in running):
                raise TooMany("a job of this page runs already; wait until it ends, or cancel it")
            if len(running) >= AT_ONCE:
                whose = " of pages without the operator's seat" if is_lent else ""
                raise WrongState(f"{AT_ONCE} jobs{whose} run already; wait until one ends, or cancel one")
            self._count += 1
            task = Task(self._count, what, client, is_lent)
            ended = [t for t in self._tasks if t.state != "running"]
            self._tasks = [t for t in self._tasks if t not in ended[: max(0, len(ended) - KEPT + 1)]] + [task]
            thread = threading.Thread(target=_run, args=(task, work), name=f"motionbase {what}", daemon=True)
            self._threads.append(thread)
            thread.start()
        return task.model

    @property
    def _running(self) -> list[Task]:
        return [t for t in self._tasks if t.state == "running"]

    def cancel(self, number: int, client: str | None = None) -> Job:
        """Cancel a job, which ends at its next step; ended jobs are unchanged. With a `client`, only its own."""
        task = next((t for t in self._tasks if t.number == number), None)
        if task is None:
            there = ", ".join(str(t.number) for t in self._tasks) or "none"
            raise NotThere(f"there is no job {number}; jobs: {there}")
        if client is not None and task.client != client:
            raise WrongState(
                f"job {number} is another page's; only that page or the holder of the operator's seat can cancel it"
            )
        task.cancelled.set()
        return task.model

    def list(self) -> Listed:
        """All listed jobs, the oldest first."""
        return [t.model for t in tuple(self._tasks)]

    def close(self, seconds: float = 5.0) -> None:
        """Cancel all jobs, and give them time to clean up."""
        for task in self._running:
            task.cancelled.set()
        for thread in self._threads:
            thread.join(seconds)


def _run(task: Task, work: Work) -> None:
    give_way()
    try:
        task.text = work(task)
        task.share, task.state = 1.0, "done"
    except Cancelled:
        task.text, task.state = f"cancelled{_before(task)}", "cancelled"
    except MotionBaseError as error:
        task.text, task.state = f"{error}{_before(task)}", "failed"
    except OSError as error:
        name = f"{Path(error.filename).name}: " if isinstance(error.filename, str) else ""
        task.text, task.state = f"{name}{error.strerror or error}{_before(task)}", "failed"
    except Exception as error:  # a bug must not leave a job running forever
        task.text, task.state = f"it failed with {type(error).__name__}: {error}", "failed"


def _before(task: Task) -> str:
    if not task.finished:
        return ""
    return f"; {'1 file was' if task.finished == 1 else f'{task.finished} files were'} finished before"
