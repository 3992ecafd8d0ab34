"""A host and a base on loopback: real sockets, every format that can be sent."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.host.format import AT_REST, Frame, Kind
from motionbase.host.formats import FORMATS
from motionbase.host.motions import Series
from motionbase.host.pacing import Paced
from motionbase.host.protocol.own import answer_of
from motionbase.host.receiver import Receiver
from motionbase.host.relay import Hearing, pass_on
from motionbase.host.sending import GOALS, Sender, asked, play
from motionbase.host.sockets import bound
from motionbase.host.url import Udp, source_of, target_of
from motionbase.record.requests import Kind as Request
from motionbase.record.states import State
from tests.host.protocol.frames import STATUS
from tests.ports import free_udp_port

SPOKEN = [name for name, form in FORMATS.items() if form.encoder is not None]
NEXT = {  # what a base does with requests, all at once
    Request.DOWN: State.DOWN, Request.STANDBY: State.STANDBY, Request.DRIVE: State.DRIVE, Request.SETTLE: State.STANDBY,
}  # fmt: skip


@dataclass
class Base:
    """The receiving side; it changes its state as soon as it is asked to."""

    url: Udp
    socket: socket.socket
    state: State = State.OFF
    rows: list[tuple[float, ...]] = field(default_factory=list)
    states: list[State] = field(default_factory=list)

    def __post_init__(self) -> None:
        url = self.url
        self.receiver = Receiver(url.form, url.options, allowed=url.allowed, requests=True, answer_port=url.answer)

    def serve(self) -> None:
        while True:
            try:
                data, sender = self.socket.recvfrom(65536)
            except BlockingIOError:
                return
            frame = self.receiver.take(data, sender, time.monotonic())
            if frame is None:
                continue
            if frame.row:
                self.rows.append(frame.row)
            if frame.request is not None:
                self.state = NEXT[frame.request]
                self.states.append(self.state)
            answer = self.receiver.answer(STATUS._replace(state=int(self.state), warning=0))
            if answer is not None:
                self.socket.sendto(answer, self.receiver.answer_to)


@contextmanager
def linked(name: str) -> Iterator[tuple[Base, Sender]]:
    port = free_udp_port()
    url = source_of(f"udp://127.0.0.1:{port}?format={name}")
    assert isinstance(url, Udp)
    with closing(bound(url)) as listening, Sender(target_of(f"udp://127.0.0.1:{port}?format={name}")) as sender:
        yield Base(url, listening), sender


@pytest.mark.parametrize("name", SPOKEN)
def test_every_format_is_sent_heard_and_answered(name: str) -> None:
    row = AT_REST if FORMATS[name].kind is Kind.VEHICLE else (0.25, -0.125, 0.0625, 0.5, -0.25, 0.125, *(0.0,) * 12)
    with linked(name) as (base, sender):
        for sequence in (1, 2, 4):
            sender.send(Frame(row, sequence, sequence / 60, 7))
            base.serve()
            sender.wait(0.02)
        assert base.rows[0][:6] == pytest.approx(row[:6], abs=1e-7)  # formats of makers have single precision
        assert base.receiver.counts[0] == 3 and base.receiver.counts[3:] == [0, 0, 0]
        if name == "flypt":
            assert sender.sent == 3 and sender.answered == 0  # a headset gives no answers
            return
        assert sender.sent == sender.answered == len(sender.trips) == 3 and 0 < max(sender.trips) < 60
        assert sender.told is not None and sender.told.state in (base.state, State.DOWN)


@pytest.mark.parametrize("name", ["motionbase", "motionbase-vehicle", "moog", "emotion"])
def test_a_host_leads_the_base_to_drive_step_by_step(name: str) -> None:
    kind = FORMATS[name].kind
    t = np.linspace(0, 60, 2)
    rows = np.tile(AT_REST, (2, 1)) if kind is Kind.VEHICLE else np.zeros((2, 18))
    with linked(name) as (base, sender):
        until = time.monotonic() + 30

        def stopped() -> bool:
            base.serve()
            told = sender.told
            return time.monotonic() > until or (told is not None and told.state is State.DRIVE)

        play(Paced(Series(kind, t, rows), 200.0), sender, stopped, GOALS["drive"])
        assert base.states[:3] == [State.DOWN, State.STANDBY, State.DRIVE]
        assert sender.told is not None and sender.told.state is State.DRIVE and asked(State.DRIVE, sender.told) is None


def test_nobody_listening_is_no_error() -> None:
    with Sender(target_of(f"udp://127.0.0.1:{free_udp_port()}")) as sender:
        for sequence in range(3):
            sender.send(Frame((0.0,) * 18, sequence))
            sender.wait(0.01)
        assert sender.unheard > 0 and sender.told is None


def test_other_answers_are_not_counted() -> None:
    with linked("motionbase") as (base, sender):
        sender.send(Frame((0.0,) * 18, 1))
        _, address = base.socket.recvfrom(1000)
        for data in (b"", b"x", bytes(160), bytes(60_000)):
            base.socket.sendto(data, address)
        sender.wait(0.02)
        assert sender.answered == 0


def test_formats_that_are_only_heard_are_told() -> None:
    with pytest.raises(UsageError, match="format forza is heard and cannot be sent; these can: motionbase, "):
        Sender(target_of("udp://127.0.0.1:9?format=forza"))


def test_frames_of_a_host_are_passed_on_and_its_answers_passed_back() -> None:
    """Text comes in, our own frames go out; the base's state comes back as text."""
    port = free_udp_port()
    url = source_of(f"udp://127.0.0.1:{port}?format=text&units=mm,deg")
    assert isinstance(url, Udp)
    with (
        linked("motionbase") as (base, sender),
        Hearing(url) as hearing,
        Sender(target_of(f"udp://127.0.0.1:{port}?format=text&units=mm,deg")) as host,
    ):
        until = time.monotonic() + 30

        def stopped() -> bool:
            base.serve()
            host.send(Frame((0.1, -0.2, 0.3, *(0.0,) * 15)))
            host.wait(0.0)
            return time.monotonic() > until or (host.told is not None and len(base.rows) > 3)

        pass_on(hearing, sender, stopped)
        assert base.rows[-1][:3] == pytest.approx((0.1, -0.2, 0.3)) and base.receiver.counts[1:] == [0] * 5
        assert host.told is not None and host.told.text == "off"
        assert host.told.status is not None and host.told.status.pose == pytest.approx(STATUS.pose, abs=1e-6)


def test_ipv6() -> None:
    """The same over ::1, where the system has it."""
    with closing(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            pytest.skip("there is no IPv6 here")
        port = int(probe.getsockname()[1])
    url = source_of(f"udp://[::1]:{port}")
    assert isinstance(url, Udp)
    with closing(bound(url)) as listening, Sender(target_of(f"udp://[::1]:{port}")) as sender:
        base = Base(url, listening)
        sender.send(Frame((0.0,) * 18, 1))
        base.serve()
        sender.wait(0.02)
        assert base.receiver.counts == [1, 0, 0, 0, 0, 0] and sender.answered == 1


def test_answers_may_go_to_another_port() -> None:
    """As with bases of makers, whose hosts listen at a port of their own."""
    port, answers = free_udp_port(), free_udp_port()
    url = source_of(f"udp://127.0.0.1:{port}?answer={answers}")
    assert isinstance(url, Udp)
    with closing(bound(url)) as listening, closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as ear:
        ear.bind(("127.0.0.1", answers))
        ear.settimeout(5)
        with Sender(target_of(f"udp://127.0.0.1:{port}")) as sender:
            base = Base(url, listening)
            sender.send(Frame((0.0,) * 18, 1))
            base.serve()
            assert answer_of(ear.recv(1000)) is not None
        ear.close()
        with Sender(target_of(f"udp://127.0.0.1:{port}?answer={answers}")) as sender:
            sender.send(Frame((0.0,) * 18, 2))
            base.serve()
            sender.wait(0.02)
            assert sender.answered == 1
