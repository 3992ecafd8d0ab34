"""Receives the datagrams of a host, a bounded number at a time."""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Self, final

from motionbase.executive.exchange import Exchange
from motionbase.executive.host.asking import Asking
from motionbase.executive.host.feed import UNWANTED, LoopRow
from motionbase.executive.host.rows import status_of
from motionbase.executive.preview import Previews
from motionbase.host.receiver import LARGEST, Converted, Receiver
from motionbase.host.sockets import bound
from motionbase.host.url import Udp
from motionbase.record.cueing import LINK

MOST_AT_ONCE = 64  # datagrams; where more wait it is a flood, and others have the processor for a while
PAUSE_S, PAUSES = 1e-3, 2.0  # the pause then: at least so long, and so many times the work before it
MOST_LEFT = 10_000  # datagrams that a socket may hold
LOOK_S = 0.05  # between looks whether the base has ended
NONE_OF_MANY = 30  # datagrams without one good frame, after which it says so
FRAMES, MALFORMED, FOREIGN = (
    [channel.name for channel in LINK].index(f"link_{name}") for name in ("frames", "malformed", "foreign")
)


@final
class Datagrams:
    """A socket with its receiver.

    Args:
        converted: makes the rows that the base takes of those of the format
    """

    def __init__(self, source: Udp, ring: str, converted: Converted | None = None) -> None:
        self._source, self._socket, self._asking = source, bound(source), Asking(ring)
        self._converted, self._refused, self._puzzled = converted, False, False
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", 0, round(1e6 * LOOK_S)))
        self._buffer = bytearray(LARGEST)

    @property
    def sentence(self) -> str:
        """Where it listens, and whom it hears."""
        source = self._source
        allowed = ", ".join(map(str, source.allowed))
        return f"hears {source.form.name} at UDP port {source.port} of {source.address}, from {allowed}"

    def serve(self, exchange: Exchange, previews: Previews = UNWANTED) -> None:
        """Hear the host until the base ends."""
        source = self._source
        receiver = Receiver(
            source.form,
            source.options,
            allowed=source.allowed,
            requests=source.requests,
            converted=self._converted,
            answer_port=source.answer,
        )
        told, looked = LoopRow(exchange, previews), time.monotonic()
        self._forget()
        self._socket.setblocking(True)  # but for LOOK_S at most: one call of the system where a poll would make it two
        while True:
            if (busy_s := self._take_some(receiver, told, exchange)) > 0:
                time.sleep(max(PAUSE_S, PAUSES * busy_s))
            if (now := time.monotonic()) - looked > LOOK_S:
                looked = now
                self._wonder(receiver.counts)
                if exchange.is_replaced():
                    return

    def _take_some(self, receiver: Receiver, told: LoopRow, exchange: Exchange) -> float:
        """Wait for a datagram and take those behind it; returns how long a flood has lasted, or 0 [s]."""
        buffer, view, begun = self._buffer, memoryview(self._buffer), 0.0
        for count in range(MOST_AT_ONCE):
            try:
                size, sender = self._socket.recvfrom_into(buffer, 0, socket.MSG_DONTWAIT if count else 0)
            except BlockingIOError:
                if count:
                    told.counts(receiver.counts)
                return 0.0
            except ConnectionError:  # a host does not listen to answers, as the system has noticed
                continue
            now = time.monotonic()
            begun = begun or now
            frame = receiver.take(bytes(view[:size]), sender, now)
            if frame is None:
                continue
            if frame.row:
                told.frame(frame, receiver.counts)
            if (row := exchange.states.get()) is not None and (answer := receiver.answer(status_of(row))) is not None:
                with suppress(OSError):  # a full buffer: the next answer follows
                    self._socket.sendto(answer, receiver.answer_to)
            if frame.request is not None or frame.generators is not None:
                self._asking.ask(frame.request, frame.generators)
            if receiver.refused and not self._refused:
                self._refused = True
                print("the host asks for what requests=yes in its URL would allow", file=sys.stderr, flush=True)
        told.counts(receiver.counts)
        return time.monotonic() - begun

    def _wonder(self, counts: Sequence[int]) -> None:
        """Say once why a host that sends is not heard."""
        if self._puzzled or counts[FRAMES] or max(counts[MALFORMED], counts[FOREIGN]) < NONE_OF_MANY:
            return
        self._puzzled, name = True, self._source.form.name
        if (many := counts[MALFORMED]) >= NONE_OF_MANY:
            why = f"none of {many} datagrams is a frame of {name}; `motionbase host listen` tells what comes"
        else:
            why = f"{counts[FOREIGN]} datagrams came from addresses that may not send; from= in the URL says which may"
        print(why, file=sys.stderr, flush=True)

    def _forget(self) -> None:
        """What came while there was no base is old."""
        self._socket.setblocking(False)
        with suppress(OSError):
            for _ in range(MOST_LEFT):
                self._socket.recv_into(self._buffer)

    def __enter__(self) -> Self:
        self._asking.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._asking.__exit__()
        self._socket.close()
