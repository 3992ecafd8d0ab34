"""Datagrams of a host: as many as come are taken, a bounded number at a time."""

from __future__ import annotations

import select
import time
from contextlib import suppress
from typing import Self, final

from motionbase.executive.exchange import Exchange
from motionbase.executive.host.asking import Asking
from motionbase.executive.host.feed import Told
from motionbase.executive.host.rows import status_of
from motionbase.host.receiver import LARGEST, Converted, Receiver
from motionbase.host.sockets import bound
from motionbase.host.url import Udp

MOST_AT_ONCE = 64  # datagrams; where more wait it is a flood, and others have the processor for a while
PAUSE_S, PAUSES = 1e-3, 2.0  # the pause then: at least so long, and so many times the work before it
MOST_LEFT = 10_000  # datagrams that a socket may hold
LOOK_S = 0.05  # between looks whether the base has ended


@final
class Datagrams:
    """A socket with its receiver.

    Args:
        converted: makes the rows that the base takes of those of the format
    """

    def __init__(self, source: Udp, ring: str, converted: Converted | None = None) -> None:
        self._source, self._socket, self._asking = source, bound(source), Asking(ring)
        self._converted = converted
        self._buffer = bytearray(LARGEST)

    @property
    def sentence(self) -> str:
        """Where it listens, and whom it hears."""
        source = self._source
        allowed = ", ".join(map(str, source.allowed))
        return f"hears {source.form.name} at UDP port {source.port} of {source.address}, from {allowed}"

    def serve(self, exchange: Exchange) -> None:
        """Hear the host until the base ends."""
        source = self._source
        receiver = Receiver(
            source.form, source.options, allowed=source.allowed, requests=source.requests, converted=self._converted
        )
        told, poll, looked = Told(exchange), select.poll(), time.monotonic()
        poll.register(self._socket, select.POLLIN)
        self._forget()
        while True:
            if poll.poll(1e3 * LOOK_S):
                begun = time.monotonic()
                if self._take_some(receiver, told, exchange) == MOST_AT_ONCE:
                    time.sleep(max(PAUSE_S, PAUSES * (time.monotonic() - begun)))
            if (now := time.monotonic()) - looked > LOOK_S:
                looked = now
                if exchange.is_replaced():
                    return

    def _take_some(self, receiver: Receiver, told: Told, exchange: Exchange) -> int:
        """Take what waits, and return how many datagrams that were."""
        buffer, view, count = self._buffer, memoryview(self._buffer), 0
        while count < MOST_AT_ONCE:
            try:
                size, sender = self._socket.recvfrom_into(buffer)
            except BlockingIOError:
                break
            except ConnectionError:  # a host does not listen to answers, as the system has noticed
                count += 1
                continue
            count += 1
            frame = receiver.take(bytes(view[:size]), sender, time.monotonic())
            if frame is None:
                continue
            if frame.row:
                told.frame(frame.row, receiver.counts)
            if (row := exchange.states.get()) is not None and (answer := receiver.answer(status_of(row))) is not None:
                with suppress(OSError):  # a full buffer: the next answer follows
                    self._socket.sendto(answer, sender)
            if frame.request is not None or frame.generators is not None:
                self._asking.ask(frame.request, frame.generators)
        told.counts(receiver.counts)
        return count

    def _forget(self) -> None:
        """What came while there was no base is old."""
        with suppress(OSError):
            for _ in range(MOST_LEFT):
                self._socket.recv_into(self._buffer)

    def __enter__(self) -> Self:
        self._asking.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._asking.__exit__()
        self._socket.close()
