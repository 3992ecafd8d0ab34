"""Server of a mirror: sends a ring to its clients. It is an ordinary reader, so the writer never waits for it."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable
from typing import final

from motionbase.errors import MirrorError, MotionBaseError
from motionbase.ring.backend import DEFAULT_NAME
from motionbase.ring.layout import Header
from motionbase.ring.mirror.frames import LARGEST_HELLO, Begin, Hello, Kind, Records, Ring, State, read_frame, refused
from motionbase.ring.mirror.link import Receiver, Stopped
from motionbase.ring.native_records import native
from motionbase.ring.reader import Batch, Reader

DEFAULT_LISTEN = "127.0.0.1:7178"
MOST_CLIENTS = 16
HELLO_S, SEND_S = 5.0, 10.0  # a client that sends no HELLO, or takes no data, within these times is dropped
STATE_S = 0.5
FRAME_BYTES = 1 << 20  # largest size of the rows in one frame


@final
class Server:
    """Listens from the start; `run` serves until it is stopped.

    Args:
        port: 0 takes a free one; `address` says which
        say: called with a sentence when a client connects, leaves or misbehaves
    """

    def __init__(
        self, name: str = DEFAULT_NAME, host: str = "127.0.0.1", port: int = 0, *, say: Callable[[str], None]
    ) -> None:
        native()  # compiled before the threads start
        Reader(name).close()  # an unreadable ring is an error now, not for each client
        self.name, self._say = name, say
        self.sent, self.lost = 0, 0  # records, over all clients
        self._clients: set[socket.socket] = set()
        self._lock = threading.Lock()
        try:
            family, *_, bound = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
            self._listener = socket.create_server(bound[:2], family=family, backlog=MOST_CLIENTS)
        except OSError as error:
            raise MirrorError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self._listener.settimeout(STATE_S / 5)

    @property
    def address(self) -> tuple[str, int]:
        """Address that it listens on."""
        host, port, *_ = self._listener.getsockname()
        return host, port

    @property
    def clients(self) -> int:
        """Number of clients connected."""
        return len(self._clients)

    def run(self, stop: threading.Event) -> None:
        """Serve until `stop`; every client has its own thread and reader."""
        threads: list[threading.Thread] = []
        try:
            while not stop.is_set():
                try:
                    link, peer = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError as error:  # for example out of descriptors; connected clients go on
                    self._say(f"cannot take a connection: {error.strerror or error}")
                    stop.wait(STATE_S)
                    continue
                threads = [t for t in threads if t.is_alive()]
                thread = threading.Thread(target=self._attend, args=(link, f"{peer[0]}:{peer[1]}", stop), daemon=True)
                threads.append(thread)
                thread.start()
        finally:
            self._listener.close()
            stop.set()
            with self._lock:
                for link in self._clients:
                    _shut(link)  # wakes a thread whose client takes no data
            for thread in threads:
                thread.join()

    def _attend(self, link: socket.socket, peer: str, stop: threading.Event) -> None:
        with link:
            with self._lock:
                full = len(self._clients) >= MOST_CLIENTS
                if not full:
                    self._clients.add(link)
            try:
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if full:
                    raise MirrorError(f"{MOST_CLIENTS} clients are connected already")
                self._follow(link, peer, stop)
            except Stopped:
                pass
            except MotionBaseError as error:
                self._say(f"{peer}: {error}")
                _try_send(link, refused(str(error)))
            except TimeoutError:
                self._say(f"{peer}: dropped, it took nothing for {SEND_S:g} s")
            except ConnectionError:  # a client left while frames were on their way
                self._say(f"{peer}: gone")
            except OSError as error:
                self._say(f"{peer}: connection lost: {error.strerror or error}")
            finally:
                with self._lock:
                    self._clients.discard(link)

    def _follow(self, link: socket.socket, peer: str, stop: threading.Event) -> None:
        frame = read_frame(Receiver(link, stop, HELLO_S, within=HELLO_S), LARGEST_HELLO)
        if frame.kind is not Kind.HELLO:
            raise MirrorError(f"the first frame must be HELLO, {frame.kind.name} came")
        hello = Hello.decoded(frame.payload)
        self._say(f"{peer}: connected")
        link.settimeout(SEND_S)
        incoming = select.poll()
        incoming.register(link, select.POLLIN)
        epoch, expected, state_due = None, 0, 0.0
        with Reader(self.name, start="head" if hello.begin is Begin.HEAD else "oldest") as reader:
            while not stop.is_set():
                batch = reader.wait(STATE_S / 5)
                header = _header(reader)
                if header is not None:
                    if header.epoch != epoch:
                        expected = _first(hello, header, reader, batch) if epoch is None else 0
                        epoch = header.epoch
                        ring = Ring(header.layout, header.epoch, header.epoch_utc_ns, expected, header.writer)
                        link.sendall(ring.encoded())
                    expected = self._send(link, batch, expected)
                if (now := time.monotonic()) >= state_due:
                    link.sendall(State(reader.state, reader.tail + reader.behind).encoded())
                    state_due = now + STATE_S
                if incoming.poll(0) and not stop.is_set():
                    if link.recv(1):
                        raise MirrorError("nothing may follow HELLO: a mirror is read only")
                    self._say(f"{peer}: gone")
                    return

    def _send(self, link: socket.socket, batch: Batch, expected: int) -> int:
        """Send new records from `expected` on in frames of bounded size; returns the number of the next record."""
        known = min(len(batch.rows), max(0, expected - batch.first))
        rows, first = batch.rows[known:], batch.first + known
        if first < expected or (first == expected and not len(rows)):
            return expected  # a resuming client has all of these
        lost = first - expected
        step = max(1, FRAME_BYTES // batch.rows.strides[0])
        for k in range(0, max(1, len(rows)), step):
            link.sendall(Records(first + k, lost if k == 0 else 0, rows[k : k + step]).encoded())
        with self._lock:
            self.sent += len(rows)
            self.lost += lost
        return first + len(rows)


def _header(reader: Reader) -> Header | None:
    try:
        return reader.header
    except MotionBaseError:
        return None


def _first(hello: Hello, header: Header, reader: Reader, batch: Batch) -> int:
    """Number of the first record for a client; records overwritten before they are read count as lost."""
    if hello.begin is not Begin.RESUME:
        return batch.first - batch.lost
    if hello.epoch != header.epoch:
        return 0  # another writer has started: send all of its records
    if hello.next > (head := reader.tail + reader.behind):
        raise MirrorError(f"record {hello.next} was asked for, the ring has {head} so far")
    return hello.next


def _try_send(link: socket.socket, frame: bytes) -> None:
    try:
        link.settimeout(1.0)
        link.sendall(frame)
    except OSError:
        pass


def _shut(link: socket.socket) -> None:
    try:
        link.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
