"""What comes from hosts: senders, counters, requests; the same for a socket in real time and for a test."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, final

from motionbase.host.counting import SILENCE_S, Verdict
from motionbase.host.counting import Sequence as Order
from motionbase.host.format import NOTHING, Decoder, Format, Frame, Options, Status
from motionbase.record.requests import Kind as Request

Network = IPv4Network | IPv6Network
Sender = tuple[Any, ...]  # as `socket.recvfrom` tells it: address and port first
Converted = Callable[[tuple[float, ...]], tuple[float, ...] | None]
LOOPBACK: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
LARGEST = 65536  # [bytes] of a datagram
ALWAYS = frozenset({Request.FREEZE, Request.ABORT})
"""What a host may ask even if the operator has allowed it nothing."""
AGAIN_S = 1.0  # a request that every frame repeats is passed on so often
KNOWN = 256  # addresses whose permission is remembered, and ports that have sent once


@final
class Receiver:
    """Decodes and counts datagrams.

    One sender is heard at a time: the first from an allowed address whose frame is good. Another one is foreign until
    that one has been silent for half a second. A host that opens a socket for every frame has a new port in each: ports
    of one address may change as long as none of them has sent twice.

    Args:
        allowed: networks that may send
        requests: whether the operator lets the host ask for more than to freeze or abort, and set generators
        converted: makes the row that is wanted of that of the format; None if it cannot
        answer_port: of the host, for answers; None is the one that it sends from

    Attributes:
        counts: of datagrams, in the order of `record.cueing.LINK`
        sender: who is heard; None before the first good frame
        refused: requests and settings of generators that were dropped because the operator has not allowed them
    """

    def __init__(
        self,
        form: Format,
        options: Options | None = None,
        *,
        allowed: Sequence[Network] = LOOPBACK,
        requests: bool = False,
        converted: Converted | None = None,
        answer_port: int | None = None,
    ) -> None:
        self.form, self.options, self._allowed, self._requests = form, options or Options(), allowed, requests
        self._converted, self._answer_port = converted, answer_port
        self.counts = [0] * len(Verdict)
        self.sender: Sender | None = None
        self.refused = 0
        self._decoder, self._order = self._decoder_of_one(), Order(form.bits)
        self._lost, self._heard = 0, 0.0
        self._ports: deque[Sender] = deque(maxlen=KNOWN)  # that have sent once
        self._is_steady = False
        self._asked: tuple[Request | None, float] = None, 0.0
        self._known: dict[str, bool] = {}
        self._latest: Frame | None = None

    def take(self, data: bytes, sender: Sender, now: float) -> Frame | None:
        """One datagram of whatever content; a frame if it is to be used.

        A request that frames repeat is in one of them a second, and in the first.

        Args:
            sender: address and port
            now: time of its arrival [s]
        """
        verdict, frame = self._judged(data, sender, now)
        if verdict is not None:
            self.counts[verdict] += 1
        self.counts[Verdict.LOST] = self._lost + self._order.lost
        return frame if verdict is Verdict.FRAME else None

    def answer(self, status: Status) -> bytes | None:
        """The answer to the frame taken last; None if the format has none."""
        return None if self._latest is None else self._decoder.answer(self._latest, status)

    @property
    def answer_to(self) -> Sender:
        """Where answers go, once a frame has come."""
        assert self.sender is not None
        if self._answer_port is None:
            return self.sender
        return (self.sender[0], self._answer_port, *self.sender[2:])

    def _judged(self, data: bytes, sender: Sender, now: float) -> tuple[Verdict | None, Frame | None]:
        if not self._may(sender[0]):
            return Verdict.FOREIGN, None
        is_other = self.sender is not None and sender != self.sender
        is_silent = now - self._heard >= SILENCE_S
        if is_other and not is_silent and (self._is_steady or sender[0] != self.sender[0]):  # type: ignore[index]
            return Verdict.FOREIGN, None
        decoder = self._decoder_of_one() if is_other and is_silent else self._decoder
        frame = decoder.decode(data)
        if frame is None:
            return Verdict.FOREIGN if is_other and not is_silent else Verdict.MALFORMED, None
        if frame is NOTHING:
            return None, None
        if is_other and is_silent:
            self._lost += self._order.lost
            self._decoder, self._order = decoder, Order(self.form.bits)
            self._ports.clear()
        self._is_steady = sender == self.sender or sender in self._ports
        if not self._is_steady:
            self._ports.append(sender)
        self.sender, self._heard = sender, now
        verdict = self._order.judge(frame, now)
        if verdict is not Verdict.FRAME:
            return verdict, None
        if frame.row and self._converted is not None:
            row = self._converted(frame.row)
            if row is None:
                return Verdict.MALFORMED, None
            frame = frame._replace(row=row)
        self._latest = frame
        return verdict, self._permitted(frame, now)

    def _permitted(self, frame: Frame, now: float) -> Frame:
        """The frame with what it may ask now."""
        request = frame.request
        if frame.generators is not None and not self._requests:
            self.refused += 1
            frame = frame._replace(generators=None)
        if request is None:
            self._asked = None, now
            return frame
        before, at = self._asked
        if request is before and now - at < AGAIN_S:
            return frame._replace(request=None)
        self._asked = request, now
        if self._requests or request in ALWAYS:
            return frame
        self.refused += 1
        return frame._replace(request=None)

    def _may(self, address: str) -> bool:
        found = self._known.get(address)
        if found is None:
            if len(self._known) >= KNOWN:
                self._known.clear()
            found = self._known[address] = any(_plain(address) in network for network in self._allowed)
        return found

    def _decoder_of_one(self) -> Decoder:
        return self.form.decoder(self.options)


def _plain(address: str) -> IPv4Address | IPv6Address:
    """The address without its zone; IPv4 within IPv6 as IPv4."""
    found = ip_address(address.partition("%")[0])
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
