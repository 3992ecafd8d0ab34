"""Frames to a base, as a host sends them: what is asked, what is answered, and how long that takes."""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Self, final

from motionbase.errors import UsageError
from motionbase.host.format import Encoder, Format, Frame, Told
from motionbase.host.formats import FORMATS
from motionbase.host.pacing import Paced
from motionbase.host.protocol.common import asked_next
from motionbase.host.receiver import LARGEST
from motionbase.host.relay import Sink
from motionbase.host.sockets import family_of
from motionbase.host.url import Udp
from motionbase.record.requests import Kind as Request
from motionbase.record.states import State

KNOWN = 4096  # frames whose time of sending is known
MOST_TRIPS = 100_000  # round trips that are kept
GOALS = {"off": State.OFF, "down": State.DOWN, "standby": State.STANDBY, "drive": State.DRIVE}
MOST_AT_ONCE = 64  # answers taken when time is over
LOOK_S = 0.05  # between looks whether to stop


def encoder_of(form: Format) -> Callable[..., Encoder]:
    """What makes its datagrams; raises `UsageError` if the format is only heard."""
    if form.encoder is None:
        names = ", ".join(name for name, other in FORMATS.items() if other.encoder is not None)
        raise UsageError(f"format {form.name} is heard and cannot be sent; these can: {names}")
    return form.encoder


@final
class Sender:
    """A connected socket, as a context manager.

    Attributes:
        sent, answered: datagrams
        unheard: times that the system reported that nobody listens
        trips: times from a frame to its answer, the newest of them [s]
        told: the newest answer
    """

    def __init__(self, target: Udp) -> None:
        self.target = target
        self._encoder: Encoder = encoder_of(target.form)(target.options)
        self._socket = socket.socket(family_of(target.address), socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            if target.answer is not None:
                self._socket.bind(("", target.answer))
            self._socket.connect((target.address, target.port))
        except OSError as error:
            self._socket.close()
            raise UsageError(f"{target.text!r} cannot be reached: {error.strerror or error}") from None
        self.sent = self.answered = self.unheard = 0
        self.trips: deque[float] = deque(maxlen=MOST_TRIPS)
        self.told: Told | None = None
        self._mask = (1 << target.form.bits) - 1
        self._times: deque[tuple[int, float]] = deque(maxlen=KNOWN)

    def clock(self) -> float:
        """Time by which frames are due [s]."""
        return time.monotonic()

    def send(self, frame: Frame) -> None:
        """One datagram; a full buffer or nobody there is no error."""
        data = self._encoder.encode(frame)
        self._times.append(((frame.sequence or 0) & self._mask, time.monotonic()))
        try:
            self._socket.send(data)
            self.sent += 1
        except ConnectionError:
            self.unheard += 1
        except BlockingIOError:
            return
        except OSError as error:
            raise UsageError(f"{self.target.text!r} cannot be reached: {error.strerror or error}") from None

    def wait(self, seconds: float) -> None:
        """Take answers for so long."""
        end, taken = time.monotonic() + seconds, 0
        while select.select([self._socket], [], [], max(0.0, end - time.monotonic()))[0]:
            self._take()
            taken += 1
            if taken >= MOST_AT_ONCE and time.monotonic() >= end:
                return

    def _take(self) -> None:
        now = time.monotonic()
        try:
            data = self._socket.recv(LARGEST)
        except BlockingIOError:
            return
        except ConnectionError:
            self.unheard += 1
            return
        told = self._encoder.told(data)
        if told is None:
            return
        self.answered, self.told = self.answered + 1, told
        if (trip := self._trip(told, now)) is not None:
            self.trips.append(trip)

    def _trip(self, told: Told, now: float) -> float | None:
        """Time since the frame that is answered, or since the last frame if answers of the format do not say which."""
        if told.sequence is None:
            return now - self._times[-1][1] if self._times else None
        wanted = told.sequence & self._mask
        return next((now - t for sequence, t in reversed(self._times) if sequence == wanted), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.close()


def asked(goal: State | None, told: Told | None) -> Request | None:
    """The request by which a host leads the base to a state; formats of makers repeat it as a command."""
    if goal is None or told is None or told.state is goal:
        return None
    request = Request[goal.name]
    return request if told.status is None else asked_next(request, told.state)


def play(paced: Paced, sink: Sink, stopped: Callable[[], bool], goal: State | None = None) -> None:
    """Send a motion until it ends or `stopped`.

    Args:
        goal: state that the base is asked to go to, step by step
    """
    while not (stopped() or paced.is_over):
        due = paced.due_in()
        sink.wait(min(due, LOOK_S))
        frame = paced.frame()
        if frame is not None:
            sink.send(frame._replace(request=asked(goal, sink.told)))
    sink.wait(LOOK_S)
