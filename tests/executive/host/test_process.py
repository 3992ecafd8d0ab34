"""The host's process alone: datagrams in, rows out; floods, strangers, kills, requests."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.executive.exchange import HOST, Exchange, exchange_path
from motionbase.executive.host.process import command, processes
from motionbase.executive.host.rows import TOLD, blocks_of
from motionbase.host.format import Frame, Kind
from motionbase.host.protocol.own import answer_of, encoded
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.requests import Kind as Request
from motionbase.ring import names
from motionbase.ring.backend import find
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.blocks.generators import GeneratorReader
from motionbase.ring.blocks.seqlock import Outcome
from motionbase.ring.writer import Writer
from tests.ports import free_udp_port
from tests.ring.ring_processes import PATIENCE_S, environment, until

FRAMES, FOREIGN, MALFORMED = 1, 6, 5  # places in a row: its count comes first


@dataclass
class Loop:
    """The loop's side, by hand, and a host."""

    exchange: Exchange
    port: int
    host: socket.socket = field(default_factory=lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    sequence: int = 0

    def __post_init__(self) -> None:
        self._take, self._tell = self.exchange.answers.taking(), self.exchange.states.sending()
        self.host.settimeout(0.02)
        self.tell(1)

    def tell(self, tick: int) -> None:
        self.exchange.states.row[:] = [tick, tick * 5e-4, *range(TOLD - 4), 5, 0, 1, 0]
        self._tell()

    @property
    def row(self) -> Array:
        self._take()
        return self.exchange.answers.row

    def send(self, roll: float, **more: object) -> None:
        self.sequence += 1
        motion = [0.0] * 18
        motion[3] = roll
        frame = Frame(tuple(motion), self.sequence, 0.0, 7)._replace(**more)  # type: ignore[arg-type]
        self.host.sendto(encoded(frame, Kind.POSE), ("127.0.0.1", self.port))

    def is_heard(self, roll: float) -> bool:
        """Whether a frame that is sent now comes through."""
        self.send(roll)
        time.sleep(0.01)
        return bool(self.row[7 + 3] == roll)


@contextmanager
def listening(folder: Path, url: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    arguments = command(url, "rig", "simona")
    with subprocess.Popen(arguments, env=environment(folder), text=True, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def loop(ring_folder: Path) -> Iterator[Loop]:
    with Exchange.made(find("rig"), blocks_of(Kind.POSE), names.HOST) as exchange:
        made = Loop(exchange, free_udp_port())
        with closing(made.host):
            yield made


def test_frames_come_through_are_answered_and_everything_else_is_counted(ring_folder: Path, loop: Loop) -> None:
    url = f"udp://127.0.0.1:{loop.port}"
    with listening(ring_folder, url) as process:
        until(lambda: loop.is_heard(0.125), "a frame")
        loop.host.settimeout(PATIENCE_S)
        answer = answer_of(loop.host.recv(1000))
        assert answer is not None and answer.run == 7 and answer.status.tick == 1 and answer.status.state == 5
        assert answer.status.pose == tuple(range(6)) and answer.status.velocity == tuple(range(6, 12))

        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as stranger:
            stranger.sendto(b"nonsense", ("127.0.0.1", loop.port))
        until(lambda: loop.row[FOREIGN] == 1, "a second sender")
        chance, good = random.Random(1), encoded(Frame((0.0,) * 18, 1, 0.0, 7), Kind.POSE)
        before = loop.row[:7].copy()
        for k in range(3000):  # cut short, too long, noise, NaN
            bad = (good[: k % len(good)], good + bytes(k), chance.randbytes(k % 300), good[:-8] + b"\xff" * 8)[k % 4]
            loop.host.sendto(bad, ("127.0.0.1", loop.port))
            if k % 50 == 49:  # so that the socket's buffer holds them
                until(lambda k=k: loop.row[MALFORMED] >= before[MALFORMED] + k + 1, "that they are counted")  # type: ignore[misc]
        assert loop.row[MALFORMED] == before[MALFORMED] + 3000 and loop.row[FRAMES] == before[FRAMES]
        assert loop.is_heard(0.25) or loop.is_heard(0.375)

        another = subprocess.run(
            command(f"udp://127.0.0.1:{free_udp_port()}", "rig", "simona"),
            env=environment(ring_folder), text=True, capture_output=True,
        )  # fmt: skip
        assert another.returncode == 2 and another.stderr.endswith("another process answers already\n")
        with pytest.raises(UsageError, match=f"cannot listen at UDP port {loop.port}: Address already in use"):
            processes(url, "rig", "simona")

        process.kill()
        process.wait()
    with listening(ring_folder, url) as process:
        until(lambda: loop.is_heard(0.5), "a frame after a kill")
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0 and err == "" and out.startswith("hears motionbase at UDP port")


def test_it_says_once_why_a_host_that_sends_is_not_heard(ring_folder: Path, loop: Loop) -> None:
    with listening(ring_folder, f"udp://127.0.0.1:{loop.port}?format=moog") as process:
        until(lambda: loop.is_heard(0.1) or loop.row[MALFORMED] >= 60, "that they are counted")
        time.sleep(0.2)  # it looks every 50 ms
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE_S)
    assert re.fullmatch(r"none of \d+ datagrams is a frame of moog; `motionbase host listen` tells what comes\n", err)


def test_addresses_that_are_not_allowed_are_not_heard(ring_folder: Path, loop: Loop) -> None:
    with listening(ring_folder, f"udp://127.0.0.1:{loop.port}?from=127.0.0.9"):

        def is_counted() -> bool:
            loop.send(0.5)
            return bool(loop.row[FOREIGN] > 0)

        until(is_counted, "that it is foreign")
        assert loop.row[FRAMES] == 0 and loop.row[0] == 0
        loop.host.close()
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as loop.host:
            loop.host.bind(("127.0.0.9", 0))
            until(lambda: loop.is_heard(0.125), "a frame of the one that is allowed")


def test_the_next_base_is_found_and_one_of_another_kind_is_refused(ring_folder: Path) -> None:
    port = free_udp_port()
    with listening(ring_folder, f"udp://127.0.0.1:{port}") as process:
        for roll in (0.25, 0.5):
            with Exchange.made(find("rig"), blocks_of(Kind.POSE), names.HOST) as exchange:
                loop = Loop(exchange, port)
                until(lambda: loop.is_heard(roll), "a frame")  # noqa: B023
                loop.host.close()
        with Exchange.made(find("rig"), blocks_of(Kind.VEHICLE), names.HOST):
            _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 2 and "tells a pose, and the base of this ring follows a vehicle" in err


@pytest.mark.parametrize(
    "content", [b"", b"MBHX", b"MBHX\2\0\30\0\20\0" + bytes(1000), b"MBCX\1\0\30\0\20\0" + bytes(1000)]
)
def test_other_files_are_refused_with_a_sentence(ring_folder: Path, content: bytes) -> None:
    exchange_path(find("rig"), names.HOST).write_bytes(content)
    with pytest.raises(UsageError, match="is no exchange with a host, version 1"):
        Exchange.attached(find("rig"), names.HOST, (HOST,))


def asked_until(commands: CommandReceiver, last: Request) -> list[Request]:
    """Requests that come, up to this one."""
    asked: list[Request] = []

    def look() -> bool:
        if (order := commands.poll()) is not None and order.command is not None:
            asked.append(order.command.kind)
        return last in asked

    until(look, "a request")
    return asked


def test_requests_and_generators_go_through_the_ring_if_the_operator_allows_them(ring_folder: Path) -> None:
    """The block of commands gets what an operator's panel would put there, the block of generators a set."""
    rows = np.zeros((7, 16))
    with (
        Writer(hexapod_schema(), name="rig", dt=5e-4, capacity=16) as writer,
        Exchange.made(writer.backend, blocks_of(Kind.POSE), names.HOST) as exchange,
    ):
        commands = CommandReceiver(writer.segment, writer.header.layout)
        generators = GeneratorReader(writer.segment, writer.header.layout)
        for allowed in ("no", "yes"):
            loop = Loop(exchange, free_udp_port())
            with (
                listening(ring_folder, f"udp://127.0.0.1:{loop.port}?requests={allowed}") as process,
                closing(loop.host),
            ):
                until(lambda: loop.is_heard(0.5), "a frame")  # noqa: B023
                loop.send(0.0, request=Request.DRIVE)
                loop.send(0.0, generators=tuple(map(tuple, rows.tolist())))
                loop.send(0.0, request=Request.FREEZE)
                asked = asked_until(commands, Request.FREEZE)  # which every host may ask
                assert asked == ([Request.DRIVE] if allowed == "yes" else []) + [Request.FREEZE]
                assert generators.poll() is (Outcome.NEW if allowed == "yes" else Outcome.UNCHANGED)
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE_S)
