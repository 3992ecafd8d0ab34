"""Clients that send half a request, take no answer, or open hundreds of connections hold nobody up; real sockets."""

from __future__ import annotations

import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from motionbase.console import bodies, protocols
from motionbase.console.console import Console
from tests.console.live_rig import TOKEN, console, own_rings, wait_for

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
    made = socket.create_connection((host, int(port)), timeout=10.0)
    return made


def ends(one: socket.socket, seconds: float) -> bytes:
    """All that comes until the server closes; fails where it does not."""
    one.settimeout(seconds)
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
    begin = time.monotonic()
    assert httpx.get(f"http://{address}/api/me", trust_env=False, timeout=5.0).json()["role"] == "viewer"
    assert time.monotonic() - begin < 2.0


def test_a_head_has_an_end_however_slowly_it_comes(served: Served) -> None:
    with connected(served[1]) as one:
        one.sendall(HEAD)
        begin = time.monotonic()
        with pytest.raises(ConnectionError):
            while time.monotonic() - begin < 5.0:
                one.sendall(b"X-Slow: yes\r\n")
                time.sleep(0.05)
        assert 0.9 < time.monotonic() - begin < 4.0
    with connected(served[1]) as one:
        one.sendall(HEAD + b"\r\n")
        assert me(one)
        one.sendall(HEAD)
        begin = time.monotonic()
        assert ends(one, 5.0) == b"" and time.monotonic() - begin > 0.9, "the second one of a connection likewise"


def test_a_connection_that_has_asked_well_lives_on(served: Served) -> None:
    with connected(served[1]) as one:
        for _ in range(4):
            one.sendall(HEAD)
            time.sleep(0.4)
            one.sendall(b"\r\n")
            assert me(one), "each head has its own second"


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
        said = ends(one, 8.0)
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
        assert len(ends(one, 5.0)) < 40_000_000
    answers(served[1])


def test_hundreds_of_connections_do_not_keep_others_out(served: Served) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * protocols.MOST_CONNECTIONS
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"a process may have {hard} files open here, {wanted} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        with ExitStack() as crowd:
            first = crowd.enter_context(connected(served[1]))
            first.sendall(HEAD)
            for n in range(protocols.MOST_CONNECTIONS + 100):
                one = crowd.enter_context(connected(served[1]))
                with suppress(OSError):
                    one.sendall(HEAD[: n % len(HEAD)])
                if n % 100 == 0:
                    answers(served[1])
            answers(served[1])
            assert ends(first, 5.0) == b"", "the oldest had to go"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    wait_for(lambda: httpx.get(f"http://{served[1]}/api/status", trust_env=False).status_code == 200)
