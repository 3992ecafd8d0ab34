"""A ring copied over TCP: every record arrives or is counted, whatever happens to writer, server and connection."""

import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MirrorError, RingError
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.layout import BEAT, HEAD, Layout
from motionbase.ring.mirror.client import Gap, Mirror
from motionbase.ring.mirror.frames import Begin, Frame, Hello, Kind, Records, Ring, State, encoded, read_frame
from motionbase.ring.mirror.link import Receiver, address
from motionbase.ring.mirror.server import MOST_CLIENTS, Server
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.segment import attach
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.ports import reserved_port
from tests.ring.ring_processes import PATIENCE_S, command, until

SCHEMA = hexapod_schema()
CHANNELS = len(SCHEMA.channels)


@contextmanager
def served(name: str = "source", port: int = 0) -> Iterator[tuple[Server, list[str]]]:
    said: list[str] = []
    server, stop = Server(name, port=port, say=said.append), threading.Event()
    thread = threading.Thread(target=server.run, args=(stop,))
    thread.start()
    try:
        yield server, said
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@contextmanager
def mirrored(port: int, begin: Begin = Begin.OLDEST, capacity: int | None = None) -> Iterator[tuple[Mirror, list[str]]]:
    said: list[str] = []
    copy = Mirror("127.0.0.1", port, "copy", begin=begin, capacity=capacity, say=said.append)
    stop = threading.Event()
    thread = threading.Thread(target=copy.run, args=(stop,))
    thread.start()
    try:
        yield copy, said
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def source(capacity: int = 1000, platform: str = "") -> Writer:
    return Writer(SCHEMA, name="source", dt=0.001, capacity=capacity, program="test writer", platform=platform)


def write(ring: Writer, count: int) -> None:
    ring.write(records(SCHEMA, ring.head, count, 0.001))


class Client:
    """A client of our own making, for what a good one never does."""

    def __init__(self, server: Server, hello: Hello | bytes = b"") -> None:
        self.link = socket.create_connection(server.address)
        self._receive = Receiver(self.link, threading.Event(), PATIENCE_S)
        self.link.sendall(hello.encoded() if isinstance(hello, Hello) else hello)

    def frame(self) -> Frame:
        return read_frame(self._receive)

    def refusal(self) -> str:
        """The last words of the server; then it closes."""
        frame = self.frame()
        while frame.kind is not Kind.REFUSED:
            frame = self.frame()
        with pytest.raises((MirrorError, ConnectionError)):
            self.frame()
        return frame.payload.decode()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.link.close()


def test_every_record_arrives_with_schema_platform_and_time_base() -> None:
    with source(platform="[platform]") as ring, served() as (server, _):
        write(ring, 300)
        with mirrored(server.address[1]) as (copy, said):
            until(lambda: copy.received == 300, "the old records are copied")
            with Reader("copy", start="oldest") as reader:
                write(ring, 300)
                until(lambda: reader.behind == 600, "the new records are copied")
                batch = reader.read()
                np.testing.assert_array_equal(batch.rows, records(SCHEMA, 0, 600, 0.001))
                theirs, ours = reader.header, ring.header
            assert theirs.layout == ours.layout and theirs.epoch_utc_ns == ours.epoch_utc_ns
            assert re.fullmatch(r"mirror of 127\.0\.0\.1:\d+", theirs.writer)
            assert (copy.missing, len(copy.runs), server.sent) == (0, 1, 600)
            assert any("copying 'test writer' from record 0 on: 178 channels" in s for s in said)


def test_the_copy_ends_with_its_mirror(ring_folder: Path) -> None:
    with source() as ring, served() as (server, _), mirrored(server.address[1]) as (copy, _):
        write(ring, 1)
        until(lambda: copy.received == 1, "a record is copied")
        assert (ring_folder / "motionbase-copy").exists()
        until(lambda: server.clients == 1, "the server counts its client")
    assert not (ring_folder / "motionbase-copy").exists()


def test_begin_at_the_head_takes_what_comes_from_now_on() -> None:
    with source() as ring, served() as (server, _):
        write(ring, 300)
        with mirrored(server.address[1], Begin.HEAD) as (copy, _):
            until(lambda: bool(copy.runs), "connected")
            write(ring, 50)
            until(lambda: copy.received == 50, "the new records are copied")
            assert (copy.runs[0].ring.first, copy.missing, copy.runs[0].next) == (300, 0, 350)


def test_a_restart_of_the_writer_is_a_restart_of_the_copy() -> None:
    with served() as (server, _), mirrored(server.address[1]) as (copy, said), Reader("copy", start="oldest") as reader:
        with source() as ring:
            write(ring, 10)
            until(lambda: copy.received == 10, "the first run is copied")
            assert len(reader.wait(PATIENCE_S).rows) == 10
        until(lambda: copy.source is ReaderState.STOPPED, "the stop is known")
        until(lambda: reader.read().state is ReaderState.STOPPED, "readers of the copy see the stop")
        with source() as ring:
            write(ring, 20)
            until(lambda: copy.received == 30, "the second run is copied")
            until(lambda: reader.read().state is ReaderState.RESTARTED, "readers of the copy see the restart")
            until(lambda: reader.read().lost == 0 and reader.tail == 20, "and read all of it")
            assert (reader.restarts, reader.lost) == (1, 0)
        assert [(r.received, r.missing) for r in copy.runs] == [(10, 0), (20, 0)]
        assert "the writer was restarted" in said


def test_a_slow_client_delays_nobody_and_is_told_exactly_what_it_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not dropped, however long the others take meanwhile."""
    monkeypatch.setattr("motionbase.ring.mirror.server.SEND_S", 10 * PATIENCE_S)
    with source(capacity=500) as ring, served() as (server, _), Client(server, Hello(Begin.OLDEST)) as slow:
        write(ring, 100)
        with mirrored(server.address[1]) as (copy, _):
            for _ in range(200):
                write(ring, 100)  # 28 MB, more than the sockets hold, while nobody reads at the other end
                time.sleep(0.001)
            until(lambda: bool(copy.runs) and copy.runs[0].next == ring.head, "the quick client is up to date")
        received, lost, expected = 0, 0, 0
        while expected < ring.head:
            frame = slow.frame()
            if frame.kind is Kind.RECORDS:
                part = Records.decoded(frame.payload, CHANNELS)
                assert part.first == expected + part.lost
                np.testing.assert_array_equal(part.rows, records(SCHEMA, part.first, len(part.rows), 0.001))
                received, lost, expected = received + len(part.rows), lost + part.lost, part.first + len(part.rows)
        assert received + lost == ring.head == 20_100 and lost > 0


def test_a_lost_connection_is_resumed_without_loss_and_gaps_are_exact() -> None:
    """The server goes away twice: once the ring still has what was missed, once it has not."""
    with source(capacity=100) as ring, reserved_port() as port, mirrored(port, capacity=1000) as (copy, said):
        with served(port=port):
            write(ring, 40)
            until(lambda: copy.received == 40, "the first records are copied")
        write(ring, 50)
        with served(port=port):
            until(lambda: copy.received == 90, "what was missed is copied")
            assert copy.missing == 0
        write(ring, 1000)  # of which the last 100 are still there
        with served(port=port):
            until(lambda: copy.runs[0].next == 1090, "the rest is copied")
        assert copy.runs[0].gaps == [Gap(90, 900, "while not connected")] and copy.received == 190
        assert "900 records are missing from number 90 on: while not connected" in said
        with Reader("copy", start="oldest") as reader:
            ticks = reader.read().rows[:, SCHEMA.index["tick"]]
        np.testing.assert_array_equal(ticks, [*range(90), *range(990, 1090)])


def test_a_restart_while_not_connected_says_what_nobody_can_count() -> None:
    with reserved_port() as port, mirrored(port) as (copy, said):
        with source() as ring, served(port=port):
            write(ring, 10)
            until(lambda: copy.received == 10, "the first run is copied")
        with source(capacity=5) as ring:
            write(ring, 7)
            with served(port=port):
                until(lambda: copy.received == 15, "what is left of the second run is copied")
        assert [(r.ring.first, r.received, r.missing) for r in copy.runs] == [(0, 10, 0), (0, 5, 2)]
        assert any("how many records are missing at the end of its last run is unknown" in s for s in said)


def test_a_killed_server_loses_nothing_that_the_ring_still_has(ring_folder: Path) -> None:
    """Real processes, the server killed in mid-stream while records flow; the mirror finds the next one by itself."""
    stop, most = threading.Event(), [10_000]  # so many records that both rings hold all, however long it takes

    def keep_writing(ring: Writer) -> None:
        while not stop.wait(0.002):
            if ring.head < most[0]:
                write(ring, 20)
            else:
                ring.beat()

    with source(capacity=44_943) as ring:
        thread = threading.Thread(target=keep_writing, args=(ring,))
        with command(ring_folder, "mirror", "serve", "--ring", "source", "--listen", "127.0.0.1:0") as first:
            assert first.stderr is not None
            found = re.search(r"127\.0\.0\.1:(\d+)", first.stderr.readline())
            assert found
            thread.start()
            try:
                with mirrored(int(found[1]), capacity=44_943) as (copy, _):
                    until(lambda: copy.received > 200 and copy.source is ReaderState.LIVE, "records flow")
                    first.send_signal(signal.SIGKILL)
                    first.wait(PATIENCE_S)
                    until(lambda: copy.source is None, "the loss is seen")
                    held, most[0] = copy.received, 20_000
                    with served(port=int(found[1])):
                        until(lambda: copy.received > held + 200, "records flow again")
                        stop.set()
                        thread.join()
                        until(lambda: copy.runs[0].next == ring.head, "all is copied")
                    assert copy.missing == 0 and copy.received == ring.head - copy.runs[0].ring.first
                    with Reader("copy", start="oldest", batch=44_943) as reader:
                        ticks = reader.read().rows[:, SCHEMA.index["tick"]]
                    np.testing.assert_array_equal(ticks, np.arange(copy.runs[0].ring.first, ring.head))
            finally:
                stop.set()
                thread.join()


def test_a_pausing_writer_is_not_taken_for_a_stopped_one() -> None:
    """Its heartbeats go on in the copy, by which readers there know that it lives."""
    with source() as ring, served() as (server, _), mirrored(server.address[1]) as (copy, _):
        write(ring, 1)
        until(lambda: copy.received == 1, "a record is copied")
        segment = attach(copy.backend)
        assert segment is not None
        beats = set[int]()

        def come() -> bool:
            ring.beat()
            beats.add(segment.counter(BEAT))
            return len(beats) > 3

        until(come, "heartbeats of the copy")
        assert segment.counter(HEAD) == 1


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "does not speak the mirror's protocol"),
        (State(ReaderState.LIVE, 0).encoded(), "the first frame must be HELLO, STATE came"),
        (encoded(Kind.HELLO, bytes(65)), "a frame HELLO of 65 bytes came, 64 at most are accepted"),
        (Hello(Begin.HEAD).encoded() + b"!", "nothing may follow HELLO"),
    ],
)
def test_a_client_that_misbehaves_is_dropped_with_a_sentence(hello: bytes, said: str) -> None:
    with source() as ring, served() as (server, heard):
        with Client(server, hello) as bad:
            assert said in bad.refusal()
        until(lambda: server.clients == 0, "the client is gone")
        assert any(said in sentence for sentence in heard)
        write(ring, 3)
        with Client(server, Hello(Begin.OLDEST)) as good:
            assert good.frame().kind is Kind.RING  # others are served as before


def test_a_client_ahead_of_the_ring_is_refused() -> None:
    with source() as ring, served() as (server, _):
        write(ring, 3)
        with Client(server, Hello(Begin.RESUME, ring.header.epoch, 4)) as bad:
            assert bad.refusal() == "record 4 was asked for, the ring has 3 so far"


def test_clients_beyond_the_most_are_refused() -> None:
    with source(), served() as (server, _):
        clients = [Client(server, Hello(Begin.HEAD)) for _ in range(MOST_CLIENTS)]
        until(lambda: server.clients == MOST_CLIENTS, "all are connected")
        with Client(server) as late:
            assert late.refusal() == f"{MOST_CLIENTS} clients are connected already"
        for client in clients:
            client.link.close()


@contextmanager
def hostile(*frames: bytes) -> Iterator[int]:
    """A server that sends these bytes to everybody and closes; its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        stop = threading.Event()

        def serve() -> None:
            while not stop.is_set():
                try:
                    link, _ = listener.accept()
                except TimeoutError:
                    continue
                with link:
                    try:
                        link.recv(100)
                        link.sendall(b"".join(frames))
                        link.shutdown(socket.SHUT_WR)
                        link.settimeout(1.0)
                        link.recv(100)
                    except OSError:
                        pass

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            stop.set()
            thread.join()


def ring_frame(capacity: int = 100, first: int = 0, dt: float = 0.001) -> bytes:
    return Ring(Layout(SCHEMA, capacity, dt, 1), epoch=2, utc_ns=0, first=first, writer="x").encoded()


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ((b"SSH-2.0-OpenSSH_9.9\r\n",), "does not speak the mirror's protocol"),
        ((Hello(Begin.HEAD).encoded(),), "a frame HELLO came where none is expected"),
        ((Records(0, 0, np.zeros((1, CHANNELS))).encoded(),), "a frame RECORDS came where none is expected"),
        ((ring_frame(first=2**63),), "beyond any count"),
        ((ring_frame(), Records(5, 0, np.zeros((1, CHANNELS))).encoded()), "the server's numbers do not add up"),
        (
            (ring_frame(), Records(2**63, 2**63, np.zeros((0, CHANNELS))).encoded()),
            "the server's numbers do not add up",
        ),
        (
            (ring_frame(), Records(0, 0, np.zeros((1, 2))).encoded()),
            "16 bytes of rows, 1 of 178 channels are announced",
        ),
        ((ring_frame(),), "the other side closed the connection"),
        ((encoded(Kind.REFUSED, b"full"),), "the server refused: full"),
    ],
)
def test_a_server_that_misbehaves_is_left_with_a_sentence(frames: tuple[bytes, ...], said: str) -> None:
    with hostile(*frames) as port, mirrored(port) as (copy, heard):
        until(lambda: any(said in sentence for sentence in heard), said)
        assert (copy.received, copy.missing) == (0, 0)


def test_a_server_cannot_fill_the_memory(ring_folder: Path) -> None:
    """A ring said to have 2^60 records is copied to one of 64 MB."""
    with hostile(ring_frame(capacity=2**60), State(ReaderState.LIVE, 0).encoded()) as port, mirrored(port) as (copy, _):
        until(lambda: copy.connections > 0, "the ring is made")
        assert (ring_folder / "motionbase-copy").stat().st_size < 65_000_000


def test_a_second_mirror_of_the_same_name_is_refused() -> None:
    with source(), served() as (server, _), Writer(SCHEMA, name="copy", capacity=4):
        copy = Mirror("127.0.0.1", server.address[1], "copy", say=lambda _: None)
        with pytest.raises(RingError, match="ring 'copy' has a writer already"):
            copy.run(threading.Event())


def test_a_mirror_without_server_says_so_once_and_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts, connect = list[tuple[str, int]](), socket.create_connection

    def attempt(address: tuple[str, int], timeout: float) -> socket.socket:
        attempts.append(address)
        return connect(address, timeout=timeout)

    monkeypatch.setattr("motionbase.ring.mirror.client.socket.create_connection", attempt)
    with reserved_port() as port, mirrored(port) as (_, heard):
        until(lambda: len(attempts) == 3, "three attempts")  # two are over by then
        assert len(heard) == 1 and heard[0].endswith("Connection refused; trying again")


def test_an_address_in_use_is_one_sentence() -> None:
    with (
        served() as (server, _),
        pytest.raises(MirrorError, match=r"cannot listen on 127\.0\.0\.1:\d+: Address already"),
    ):
        Server("source", port=server.address[1], say=lambda _: None)


@pytest.mark.parametrize("text", ["", "host", ":7178", "host:", "host:x", "host:70000", "host:-1", "host:٣"])
def test_wrong_addresses_are_one_sentence(text: str) -> None:
    with pytest.raises(MirrorError, match="it must be HOST:PORT"):
        address(text, "the address")


def test_addresses() -> None:
    assert address("localhost:7178", "") == ("localhost", 7178) and address("[::1]:1", "") == ("::1", 1)
