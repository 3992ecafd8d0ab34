"""The whole server: REST of the core, the page, and the command that runs it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from motionbase.console.console import Console, Settings
from motionbase.console.server import address_of, listening
from motionbase.errors import UsageError
from tests.console.live_rig import RING, TOKEN, VIEWER, console, own_rings, rows, wait_for, writer

OPERATOR = {"Authorization": f"Bearer {TOKEN}", "X-Client": "tab1"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


@pytest.fixture
def api(folder: Path) -> Iterator[tuple[Console, httpx.Client]]:
    with writer() as made, console(folder) as (server, address):
        made.write(rows(0, 100, state=5.0))
        wait_for(lambda: server.source("live").history)
        with httpx.Client(base_url=f"http://{address}", trust_env=False) as client:
            yield server, client


def test_who_is_who(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    assert client.get("/api/me").json() == {"role": "viewer", "client": "", "seated": False}
    wrong = client.get("/api/me", headers={"Authorization": "Bearer wrong"})
    assert wrong.status_code == 401 and "open the address" in wrong.json()["detail"]
    assert client.get("/api/me", headers={"X-Client": "no spaces please"}).status_code == 400
    assert client.post("/api/seat", json={}).status_code == 401
    assert client.post("/api/seat", json={}, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 422
    assert client.post("/api/seat", json={"name": "Ann"}, headers=OPERATOR).json()["seated"]
    other = client.post("/api/seat", json={"name": "Bob"}, headers={**OPERATOR, "X-Client": "tab2"})
    assert other.status_code == 409 and "taken by 'Ann'" in other.json()["detail"]
    standing = client.post("/api/operate", json={"action": "drive"}, headers={**OPERATOR, "X-Client": "tab2"})
    assert standing.status_code == 409 and "'Ann' who operates" in standing.json()["detail"]
    forced = client.post("/api/seat", json={"name": "Bob", "force": True}, headers={**OPERATOR, "X-Client": "tab2"})
    assert forced.json()["seated"]
    assert not client.get("/api/me", headers=OPERATOR).json()["seated"]
    assert not client.delete("/api/seat", headers={**OPERATOR, "X-Client": "tab2"}).json()["seated"]
    told = [e["text"] for e in client.get("/api/events").json() if e["what"] == "seat"]
    assert told == [
        "Ann took the operator's seat", "Bob took the operator's seat from Ann", "Bob left the operator's seat",
    ]  # fmt: skip


def test_how_things_stand(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    status = client.get("/api/status").json()
    live, replay = status["sources"]
    assert (live["state"], live["name"], live["channels"], live["writer"]) == ("live", RING, 11, "test")
    assert (replay["state"], replay["name"]) == ("none", f"{RING}_replay")
    assert status["seat"] is None and status["viewers"] == 0 and status["jobs"] == []
    assert client.get("/api/schema").json()["channels"][3]["codes"][5] == "drive"
    missing = client.get("/api/schema", params={"source": "replay"})
    assert missing.status_code == 404 and "has shown no channels yet" in missing.json()["detail"]
    events = client.get("/api/events", params={"source": "live"}).json()
    assert [e["text"] for e in events] == ["test, small, 11 channels, 1000 Hz", "state drive"]


def test_channels_by_formula(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    made = client.post("/api/derive", json={"name": "twice", "formula": "2 * x", "unit": "m"})
    assert made.json()["channels"][-1]["name"] == "twice" and made.json()["channels"][-1]["place"] == 11
    bad = client.post("/api/derive", json={"name": "bad", "formula": "2 * (x"})
    assert bad.status_code == 422 and "character 5" in bad.json()["detail"]
    assert client.post("/api/derive", json={"name": "Bad Name", "formula": "x"}).status_code == 422
    assert client.delete("/api/derive/other").status_code == 404
    assert len(client.delete("/api/derive/twice").json()["channels"]) == 11


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("POST", "/api/derive", b"{", 422),
        ("POST", "/api/derive", b"[]", 422),
        ("POST", "/api/derive", b'{"name": "a", "formula": "x", "more": 1}', 422),
        ("POST", "/api/derive", b"x" * 2_000_000, 413),
        ("GET", "/api/schema?source=other", b"", 422),
        ("GET", "/api/nothing", b"", 404),
        ("GET", "/../../etc/passwd", b"", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", b"", 404),
        ("POST", "/api/status", b"", 405),
    ],
)
def test_a_bad_request_gets_one_sentence(
    api: tuple[Console, httpx.Client], method: str, path: str, content: bytes, status: int
) -> None:
    answer = api[1].request(method, path, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    detail = answer.json()["detail"]
    assert isinstance(detail, str) and "\n" not in detail and len(detail) < 400


def test_foreign_hosts_and_origins_get_nothing(api: tuple[Console, httpx.Client]) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for path in ("/api/status", "/api/openapi.json", "/ws"):
            assert api[1].get(path, headers=headers).status_code == 403


def test_the_description_is_a_page_of_its_own(api: tuple[Console, httpx.Client]) -> None:
    answer = api[1].get("/api")
    assert "/api/estop" in answer.text and "<script" not in answer.text and "://" not in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert set(api[1].get("/api/openapi.json").json()["paths"]) >= {"/api/me", "/api/estop", "/api/derive/{name}"}


def test_the_page_is_kept_for_ever_where_its_name_tells_its_content(folder: Path) -> None:
    static = folder / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>page</title>")
    (static / "assets" / "index-Bx12_-9Z.js").write_text("1")
    (folder / "secret.txt").write_text("secret")
    (static / "link.txt").symlink_to(folder / "secret.txt")
    with console(folder, static=static) as (_, address), httpx.Client(base_url=f"http://{address}") as client:
        assert "<title>page" in client.get("/").text
        assert client.get("/").headers["cache-control"] == "no-cache"
        assert "immutable" in client.get("/assets/index-Bx12_-9Z.js").headers["cache-control"]
        assert client.get("/link.txt").status_code == 404
        assert client.get("/%2e%2e/secret.txt").status_code == 404


def test_without_a_built_page_it_says_what_to_do(folder: Path) -> None:
    with console(folder, static=folder / "none") as (_, address):
        answer = httpx.get(f"http://{address}/")
        assert answer.status_code == 503 and "npm run build" in answer.text


def test_where_others_can_reach_it_viewers_need_a_token(folder: Path) -> None:
    with pytest.raises(UsageError, match="give a viewer token"):
        Settings(folder, folder, TOKEN, host="0.0.0.0")
    with console(folder, viewer_token=VIEWER) as (_, address), httpx.Client(base_url=f"http://{address}") as client:
        for path in ("/api/status", "/api/recordings", "/api/layouts", "/api/events"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers={"Authorization": f"Bearer {VIEWER}"}).status_code == 200
        seat = client.post("/api/seat", json={}, headers={"Authorization": f"Bearer {VIEWER}", "X-Client": "a"})
        assert seat.status_code == 401


def test_everything_that_changes_state_needs_token_and_seat(api: tuple[Console, httpx.Client]) -> None:
    """Whatever address there is: no viewer gets past the gate with anything but a question."""
    questions = {"/api/generators/preview", "/api/derive", "/api/derive/{name}"}
    paths = api[1].get("/api/openapi.json").json()["paths"]
    asked = 0
    for path, methods in paths.items():
        for method in methods.keys() - {"get"}:
            if path not in questions:
                asked += 1
                answer = api[1].request(method.upper(), path.replace("{name}", "a").replace("{number}", "1"), json={})
                assert answer.status_code == 401, f"{method} {path}"
    assert asked >= 14


def test_a_port_in_use_is_one_sentence() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port} cannot be used: Address already in use"):
            listening("127.0.0.1", port)
        assert address_of(taken, "::1", "secret") == f"http://[::1]:{port}/#token=secret"
    with pytest.raises(UsageError, match="cannot be used"):
        listening("no.such.host.invalid", 0)


def test_the_command_runs_to_a_good_end(folder: Path) -> None:
    token = folder / "token"
    token.write_text(TOKEN + "\n")
    command = [sys.executable, "-m", "motionbase", "console", "--ring", RING, "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [*command, "--token-file", str(token)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        address = line.partition(": ")[2].strip()
        assert line.startswith(f"console of ring '{RING}': http://127.0.0.1:") and address.endswith(f"#token={TOKEN}")
        assert TOKEN not in Path(f"/proc/{process.pid}/cmdline").read_text()
        base = address.partition("#")[0]
        assert httpx.get(f"{base}api/me", headers=OPERATOR).json()["role"] == "operator"
        port = base.rstrip("/").rpartition(":")[2]
        second = subprocess.run([*command[:-3], "--port", port, "--no-browser"], capture_output=True, text=True)
        assert second.returncode == 2 and second.stderr.count("\n") == 1 and "already in use" in second.stderr
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0 and time.monotonic() - begin < 15
        assert process.stderr.read() == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "99999"], "port 99999"),
        (["--token-file", "nowhere"], "nowhere"),
        (["--ring", "no/ring"], "ring name"),
        (["--recordings", "nowhere"], "no such folder"),
    ],
)
def test_the_command_refuses_in_one_sentence(folder: Path, options: list[str], said: str) -> None:
    command = [sys.executable, "-m", "motionbase", "console", "--no-browser", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=dict(os.environ))
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_a_run_has_its_console(folder: Path) -> None:
    """The address is printed, the token stands in no command line, and all ends together."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "motionbase", "run", "simona", "--ring", RING, "--no-record", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            line = next(text for text in process.stdout if "console | console of ring" in text)
            token = line.strip().partition("#token=")[2]
            headers = {"Authorization": f"Bearer {token}", "X-Client": "tab1"}
            assert httpx.get(f"http://127.0.0.1:{port}/api/me", headers=headers).json()["role"] == "operator"
            for name in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    assert token not in name.read_text(errors="replace")
                except OSError:
                    continue  # it has just ended

            def shows() -> bool:
                status = json.loads(httpx.get(f"http://127.0.0.1:{port}/api/status").text)
                return bool(status["sources"][0]["platform"] == "simona")

            wait_for(shows, 120.0)
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()
        assert process.wait(60) == 0
