"""Frames of a host passed on to somewhere else, in another format."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol, Self, final

from motionbase.host.format import Frame, Status, Told
from motionbase.host.receiver import LARGEST, Receiver
from motionbase.host.sockets import bound
from motionbase.host.url import Udp

MOST_AT_ONCE = 64  # datagrams before it is looked whether to stop
LOOK_S = 0.05


class Sink(Protocol):
    """What takes frames, a context manager: a `sending.Sender`, a file, a ring.

    Attributes:
        sent: frames taken
        told: what a base has answered last
    """

    sent: int
    told: Told | None

    def clock(self) -> float:
        """Time by which frames are due [s]."""

    def wait(self, seconds: float) -> None:
        """Let time pass, taking answers."""

    def send(self, frame: Frame) -> None:
        """Take a frame."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


@final
class Hearing:
    """The socket of a host with its receiver, as a context manager."""

    def __init__(self, url: Udp) -> None:
        self.receiver = Receiver(
            url.form, url.options, allowed=url.allowed, requests=url.requests, answer_port=url.answer
        )
        self._socket = bound(url)

    def frames(self, seconds: float) -> Iterator[Frame]:
        """Frames that are there; waits for the first of them up to so long."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        for _ in range(MOST_AT_ONCE):
            try:
                data, sender = self._socket.recvfrom(LARGEST)
            except BlockingIOError:
                return
            except ConnectionError:  # a host does not listen to answers
                continue
            frame = self.receiver.take(data, sender, time.monotonic())
            if frame is not None:
                yield frame

    def answer(self, status: Status) -> None:
        """Answer the frame that came last."""
        data = self.receiver.answer(status)
        if data is not None:
            with suppress(OSError):  # a full buffer, or nobody there: the next frame is answered again
                self._socket.sendto(data, self.receiver.answer_to)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def pass_on(hearing: Hearing, sink: Sink, stopped: Callable[[], bool]) -> None:
    """Pass frames on until `stopped`, with new numbers, and with the time since the first of them as stamp.

    Answers of the base go back to the host.
    """
    begin: float | None = None
    number = 0
    while not stopped():
        for frame in hearing.frames(LOOK_S):
            now = time.monotonic()
            begin = now if begin is None else begin
            number += 1
            sink.send(frame._replace(sequence=number, stamp=now - begin))
            sink.wait(0.0)
            if sink.told is not None and sink.told.status is not None:
                hearing.answer(sink.told.status)
