"""Clients that send half a request, take no answer, or open hundreds of connections delay no one else; real sockets."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from motionbase.console import bodies, protocols
from motionbase.console.console import Console
from motionbase.console.live.endings import NO_ROOM
from motionbase.console.live.hub import EVICTED, FULL
from motionbase.console.room import Limits
from motionbase.console.stop.keeper import StopPost
from motionbase.ring.blocks.commands import CommandReceiver
from tests.console.live_rig import PATIENCE_S, TOKEN, VIEWER, Page, console, own_rings, page, rows, writer

Served = tuple[Console, str]
HEAD = b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(protocols, "HEAD_S", 1.0)
    monkeypatch.setattr(protocols, "TAKEN_S", 1.0)
    monkeypatch.setattr(bodies, "BODY_S", 1.0)
    monkeypatch.setattr(bodies, "PIECE_S", 1.0)
    folder = own_rings(tmp_path, monkeypatch)
    (folder / "recordings").mkdir()
    with console(folder) as found:
        yield found


def connected(address: str) -> socket.socket:
    host, port = address.split(":")
    made = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
    return made


def ends(one: socket.socket) -> bytes:
    """All that comes until the server closes; fails where it does not."""
    one.settimeout(PATIENCE_S)
    got = b""
    with suppress(ConnectionError):
        while piece := one.recv(65536):
            got += piece
    return got


def me(one: socket.socket) -> bool:
    """Whether the whole answer to HEAD comes."""
    got = b""
    while not got.endswith(b"}"):
        piece = one.recv(65536)
        assert piece, got
        got += piece
    return got.startswith(b"HTTP/1.1 200")


def answers(address: str) -> None:
    assert httpx.get(f"http://{address}/api/me", trust_env=False, timeout=PATIENCE_S).json()["role"] == "viewer"


def test_a_head_has_an_end_however_slowly_it_comes(served: Served) -> None:
    with connected(served[1]) as one:
        begin = time.monotonic()
        one.sendall(HEAD)
        with pytest.raises(ConnectionError):
            while time.monotonic() - begin < PATIENCE_S:
                one.sendall(b"X-Slow: yes\r\n")
                time.sleep(0.05)
        assert time.monotonic() - begin > 0.9
    with connected(served[1]) as one:
        one.sendall(HEAD + b"\r\n")
        assert me(one)
        begin = time.monotonic()
        one.sendall(HEAD)
        assert ends(one) == b"" and time.monotonic() - begin > 0.9, "the second one of a connection likewise"


def test_a_connection_that_has_asked_well_lives_on(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocols, "HEAD_S", 3.0)
    with connected(served[1]) as one:
        for _ in range(4):
            one.sendall(HEAD)
            time.sleep(0.8)
            one.sendall(b"\r\n")
            assert me(one), "each head has its own three seconds"


@pytest.mark.parametrize("upload", [False, True])
def test_a_body_has_an_end_too(served: Served, upload: bool) -> None:
    served[0].access.seat.take("tab", "Ann")
    verb, path = ("PUT", "/api/recordings/upload?name=a.csv") if upload else ("POST", "/api/derive")
    lines = (
        f"{verb} {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Length: 100", "Content-Type: application/json",
        f"Authorization: Bearer {TOKEN}", "X-Client: tab", "", "{",
    )  # fmt: skip
    with connected(served[1]) as one:
        one.sendall("\r\n".join(lines).encode())
        said = ends(one)
    assert said.startswith(b"HTTP/1.1 408"), said
    assert "too slowly" in json.loads(said.partition(b"\r\n\r\n")[2])["detail"]
    left = [path for path in served[0].settings.recordings.rglob("*") if path.is_file()]
    assert left == [], "nothing of it is left"
    answers(served[1])


def test_who_takes_no_answer_is_let_go(served: Served) -> None:
    (served[0].settings.recordings / "large.csv").write_bytes(b"t,x\n" + b"0,0\n" * 10_000_000)
    with connected(served[1]) as one:
        one.sendall(b"GET /api/recordings/download?file=large.csv HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(2.5)
        assert len(ends(one)) < 40_000_000
    answers(served[1])


def test_hundreds_of_connections_do_not_keep_others_out(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them goes by itself."""
    monkeypatch.setattr(protocols, "HEAD_S", 10 * PATIENCE_S)
    with many_files(1200), ExitStack() as crowd:
        first = crowd.enter_context(connected(served[1]))
        first.sendall(HEAD)
        for n in range(600):
            one = crowd.enter_context(connected(served[1]))
            with suppress(OSError):
                one.sendall(HEAD[: n % len(HEAD)])
            if n % 100 == 0:
                answers(served[1])
        answers(served[1])
        assert ends(first) == b"", "the oldest had to go"
    answers(served[1])


# ---- operators have room of their own ----

FEW = Limits(
    strangers=4, viewers=6, operators=4, viewers_here=5, greeting=3, pages=4, viewer_pages=3, pages_here=3,
)  # fmt: skip
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@contextmanager
def base() -> Iterator[None]:
    """Takes commands."""
    with writer() as made:
        made.write(rows(0, 100))
        CommandReceiver(made.segment, made.header.layout)
        yield


@contextmanager
def many_files(wanted: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"a process may have {hard} files open here, {wanted} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A console with room for a handful, a viewer token, and a base to stop."""
    folder = own_rings(tmp_path, monkeypatch)
    with base(), console(folder, limits=FEW, viewer_token=VIEWER) as found:
        yield found


def upgraded(address: str) -> socket.socket:
    """A WebSocket that never says hello."""
    one = connected(address)
    with suppress(ConnectionError):
        one.sendall(UPGRADE)
        one.recv(1024)
    return one


def asks(address: str, token: str, path: str = "me", method: str = "GET") -> httpx.Response:
    head = {"Authorization": f"Bearer {token}", "X-Client": "tab"}
    return httpx.request(method, f"http://{address}/api/{path}", headers=head, trust_env=False, timeout=20.0)


def operates(address: str) -> None:
    """All that an operator needs works from scratch: requests, a page with the seat, the stop by both ways."""
    assert asks(address, TOKEN).json()["role"] == "operator"

    async def talk() -> None:
        async with page(address) as one:
            assert (await one.hello("tab", TOKEN))["role"] == "operator"
            assert asks(address, TOKEN, "seat", "DELETE").status_code == 200
            await one.send(do="estop", id=1, press="p")
            assert (await one.text("estop"))["accepted"] is True

    asyncio.run(talk())
    assert asks(address, TOKEN, "estop", "POST").json()["accepted"] is True


@pytest.mark.parametrize("opened", [connected, upgraded], ids=["http", "websocket"])
def test_strangers_do_not_keep_an_operator_out(few: Served, opened: Callable[[str], socket.socket]) -> None:
    address = few[1]
    with ExitStack() as crowd:
        for _ in range(40):
            crowd.enter_context(opened(address))
        operates(address)
        for _ in range(40):
            crowd.enter_context(opened(address))
        operates(address)


async def viewers(address: str, stack: AsyncExitStack, count: int, name: str = "viewer") -> list[Page]:
    made: list[Page] = []
    for k in range(count):  # each at once: a connection has 5 s for its hello, a slow machine more than that for all
        made.append(await stack.enter_async_context(page(address)))
        await made[-1].hello(f"{name}{k}", VIEWER)
    return made


def test_viewers_do_not_keep_an_operator_out(few: Served) -> None:
    """A viewer too many is refused; when operators need more room, the slowest viewer is dropped."""
    address = few[1]

    async def talk() -> None:
        async with AsyncExitStack() as stack:
            there = await viewers(address, stack, FEW.viewer_pages)
            late = await stack.enter_async_context(page(address))
            await late.send(do="hello", client="late", token=VIEWER, source="live")
            assert await late.closed() == NO_ROOM
            assert "full: 3 viewers are connected" in (late.socket.close_reason or "")
            first = await stack.enter_async_context(page(address))
            assert (await first.hello("o1", TOKEN))["role"] == "operator", "has room of its own"
            assert all(one.socket.close_code is None for one in there)
            second = await stack.enter_async_context(page(address))
            assert (await second.hello("o2", TOKEN))["role"] == "operator"
            assert await there[0].closed() == NO_ROOM, "all keep up: the oldest"
            assert there[0].socket.close_reason == EVICTED
            assert [one.socket.close_code for one in there[1:]] == [None, None]
            assert first.socket.close_code is None

    asyncio.run(talk())
    assert len(EVICTED.encode()) <= 123 and len(FULL.format(count=999, where=" from your address")) <= 123


def test_a_crowd_of_operators_is_bounded_and_its_pages_are_never_closed_for_others(few: Served) -> None:
    async def talk() -> None:
        async with AsyncExitStack() as stack:
            there = []
            for k in range(FEW.pages):
                there.append(await stack.enter_async_context(page(few[1])))
                await there[-1].hello(f"o{k}", TOKEN)
            late = await stack.enter_async_context(page(few[1]))
            await late.send(do="hello", client="late", token=TOKEN, source="live")
            assert await late.closed() == NO_ROOM and all(one.socket.close_code is None for one in there)

    asyncio.run(talk())


def test_who_shows_no_token_goes_before_who_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where anyone may view, an operator closes the page of one without a token."""
    with console(own_rings(tmp_path, monkeypatch), limits=FEW) as (_, address):

        async def talk() -> None:
            async with AsyncExitStack() as stack:
                there = [await stack.enter_async_context(page(address)) for _ in range(FEW.viewer_pages)]
                for k, one in enumerate(there):
                    await one.hello(f"v{k}")
                for k in range(2):
                    await (await stack.enter_async_context(page(address))).hello(f"o{k}", TOKEN)
                assert await there[0].closed() == NO_ROOM

        asyncio.run(talk())


def test_slow_requests_of_viewers_do_not_keep_an_operator_out(few: Served) -> None:
    head = f"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {VIEWER}\r\n\r\n".encode()
    with ExitStack() as crowd:
        for _ in range(20):
            one = crowd.enter_context(connected(few[1]))
            one.sendall(head)
            assert one.recv(12) == b"HTTP/1.1 200"
            one.sendall(head[:-2])  # and half of another
        operates(few[1])


@pytest.mark.long("1500 sockets")
def test_a_flood_on_a_console_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of WebSockets, of half requests and of viewers at once, against the console's limits and the post's."""
    folder = own_rings(tmp_path, monkeypatch)
    with many_files(4096), base(), console(folder, viewer_token=VIEWER) as (served, address):
        post = StopPost(served, int(address.rpartition(":")[2]))
        with post, ExitStack() as crowd:
            assert served.access.stop_port is not None
            beside = f"127.0.0.1:{served.access.stop_port}"
            for n in range(700):
                crowd.enter_context(upgraded(address))
                crowd.enter_context(connected(address)).sendall(HEAD)
                crowd.enter_context(connected(beside))
                if n % 100 == 0:
                    operates(address)
                    assert asks(beside, TOKEN, "estop", "POST").json()["accepted"] is True

            async def looking() -> None:
                async with AsyncExitStack() as stack:
                    await viewers(address, stack, served.settings.limits.pages_here)
                    await asyncio.to_thread(operates, address)

            asyncio.run(looking())
