"""Status and control of a recorder: a status file and a socket, both beside the ring.

The ring's command block has one receiver, the ring's writer, and no room for text; a recorder only reads the ring. So a
recorder has its own socket, which works with any writer and without one. A socket dies with its process, so there are
no stale commands. The status is a small file in the memory file system that is replaced as a whole: reading it disturbs
no process, and a slow disk cannot delay it.
"""

from __future__ import annotations

import json
import math
import os
import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from motionbase.errors import RecordingError
from motionbase.ring.backend import AbstractBackend, find
from motionbase.ring.lock import FileLock, is_held

LARGEST = 64 * 1024  # largest command or answer [bytes]
LONGEST_NOTE = 4096  # characters
LONGEST_PERSON = 64
CLIENT_S = 1.0  # time for a client to send its command
ANSWER_S = 5.0  # time for the recorder to carry it out
CLIENTS = 32  # connected at the same time
PAUSE_S = 0.1


def beside(backend: AbstractBackend, ending: str) -> Path:
    """A file beside this ring."""
    return backend.lock_path.with_name(f"{backend.lock_path.stem}.{ending}")


def write_status(path: Path, status: dict[str, Any]) -> None:
    """Replace the status file as a whole; ignored if there is no room."""
    part = path.with_name(f"{path.name}.part")
    with suppress(OSError):
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(file, "w") as out:
            json.dump(status, out)
        os.replace(part, path)


def read_status(path: Path) -> dict[str, Any] | None:
    """The status; None if there is none."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


@final
@dataclass(eq=False)
class Ask:
    """A command with its answer.

    Either the recorder takes it or the client cancels it, never both: a cancelled command is not carried out later.
    """

    do: str
    text: str
    kind: str = ""  # kind of an event
    person: str = ""  # who sent it
    is_bad: bool = False
    t: float | None = None  # [s] of the ring at which it happened; None for now
    _turn: threading.Lock = field(default_factory=threading.Lock)  # held by the side that takes or cancels it
    _answer: queue.Queue[tuple[bool, str]] = field(default_factory=lambda: queue.Queue(1))

    def take(self) -> bool:
        """Take it; False if it was cancelled. The caller must then answer it."""
        return self._turn.acquire(blocking=False)

    def answer(self, done: bool, text: str) -> None:
        """Answer the client."""
        self._answer.put((done, text))

    def answered(self) -> tuple[bool, str]:
        """Wait for the answer; a command that is not taken in time is cancelled."""
        try:
            return self._answer.get(timeout=ANSWER_S)
        except queue.Empty:
            if self.take():
                return False, f"it was busy for {ANSWER_S:g} s; {self.do} is cancelled and will not be done"
        try:
            return self._answer.get(timeout=CLIENT_S)
        except queue.Empty:
            return False, f"it has begun to {self.do} and is not done after {ANSWER_S + CLIENT_S:g} s; see its status"


@final
class ControlServer:
    """Receives commands in the recorder; at most one recorder per ring.

    Attributes:
        status_path: of the status file
    """

    def __init__(self, ring: str, backend: AbstractBackend) -> None:
        self._lock = FileLock(beside(backend, "recorder.lock"))
        if not self._lock.take():
            holder = self._lock.holder()
            self._lock.release()
            raise RecordingError(
                f"ring {ring!r} is being recorded already, by process {holder}; `motionbase record-control status`"
            )
        self.status_path, self._path = beside(backend, "recorder.json"), beside(backend, "recorder")
        self._asked: queue.Queue[Ask] = queue.Queue()
        self._seats, self._closed = threading.BoundedSemaphore(CLIENTS), False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._path.unlink(missing_ok=True)  # left by a killed recorder
            with _short(self._path) as name:
                self._socket.bind(name)
            os.chmod(self._path, 0o600)
            self._socket.listen(CLIENTS)
        except OSError as error:
            self.close()
            raise RecordingError(f"socket {self._path} cannot be made: {error.strerror or error}") from None
        threading.Thread(target=self._serve, name="motionbase recorder control", daemon=True).start()

    def waiting(self) -> Iterator[Ask]:
        """New commands that were not cancelled; each must be answered."""
        with suppress(queue.Empty):
            while True:
                ask = self._asked.get_nowait()
                if ask.take():
                    yield ask

    def _serve(self) -> None:
        """Accept clients, each in its own thread, so that none waits for another."""
        while not self._closed:
            try:
                client, _ = self._socket.accept()
            except OSError:  # closed, or out of file descriptors for now
                time.sleep(PAUSE_S)
                continue
            self._seats.acquire()
            threading.Thread(target=self._talk, args=(client,), name="motionbase recorder client", daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        try:
            with client, suppress(OSError):
                done, text = self._heard(_line(client, CLIENT_S))
                client.settimeout(CLIENT_S)
                client.sendall(json.dumps({"done": done, "text": text}).encode() + b"\n")
        finally:
            self._seats.release()

    def _heard(self, raw: bytes) -> tuple[bool, str]:
        try:
            given = json.loads(raw)
            do, text, kind, person = given["do"], given.get("text", ""), given.get("kind", ""), given.get("person", "")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return False, "this is no command"
        if not all(isinstance(word, str) for word in (do, text, kind, person)):
            return False, "this is no command"
        ask = Ask(do, text, kind, " ".join(person.split())[:LONGEST_PERSON], given.get("is_bad") is True, _time(given))
        self._asked.put(ask)
        if self._closed and ask.take():
            return False, f"it ends; {do} is not done"
        return ask.answered()

    def close(self) -> None:
        """Remove socket and status; waiting commands are refused."""
        self._closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for ask in self.waiting():
            ask.answer(False, f"it ends; {ask.do} is not done")
        for path in (self._path, self.status_path, self._lock.path):
            with suppress(OSError):
                path.unlink()
        self._lock.release()


def status(ring: str) -> dict[str, Any]:
    """Status of the recorder of a ring; an error if there is none."""
    backend = find(ring)
    found = read_status(beside(backend, "recorder.json"))
    if found is None or not is_held(beside(backend, "recorder.lock")):
        raise _nobody(ring)
    return found


def ask(
    ring: str, do: str, text: str = "", *, kind: str = "", person: str = "", is_bad: bool = False,
    t: float | None = None,
) -> str:  # fmt: skip
    """Send a command to the recorder of a ring; returns its answer, raises an error if it refuses.

    Args:
        do: start, stop, split, note, or event; `text` is that of the note or event, `kind` that of the event
        person: name of the sender
        t: time of the ring at which an event happened [s]; default: now
    """
    given = {"do": do, "text": text, "kind": kind, "person": person, "is_bad": is_bad, "t": t}
    path = beside(find(ring), "recorder")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(CLIENT_S)
        try:
            with _short(path) as name:
                link.connect(name)
            link.sendall(json.dumps(given).encode() + b"\n")
            answer = json.loads(_line(link, ANSWER_S + 2 * CLIENT_S))
            done, said = bool(answer["done"]), str(answer["text"])
        except (FileNotFoundError, ConnectionRefusedError):
            raise _nobody(ring) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RecordingError(f"the recorder of ring {ring!r} does not answer: {error}") from None
    if not done:
        raise RecordingError(f"the recorder of ring {ring!r}: {said}")
    return said


def _time(given: dict[str, Any]) -> float | None:
    t = given.get("t")
    return float(t) if isinstance(t, int | float) and math.isfinite(t) else None


def _nobody(ring: str) -> RecordingError:
    return RecordingError(f"nobody records ring {ring!r}; `motionbase record --ring {ring}` does")


def _line(link: socket.socket, seconds: float) -> bytes:
    """Everything up to a line end, within `seconds` in all."""
    raw, end = b"", time.monotonic() + seconds
    while not raw.endswith(b"\n") and len(raw) <= LARGEST:
        link.settimeout(max(1e-3, end - time.monotonic()))
        piece = link.recv(LARGEST)
        if not piece:
            break
        raw += piece
    return raw


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """Address of a socket; addresses are limited to some hundred characters, so a long path goes through its folder."""
    if len(str(path).encode()) < 100 or not Path("/proc/self/fd").is_dir():
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
