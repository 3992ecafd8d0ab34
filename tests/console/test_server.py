"""The whole server: REST of the core, and the page."""

from __future__ import annotations

import inspect
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import httpx
import pytest

from motionbase.console.console import Console, Settings
from motionbase.console.listening import listening
from motionbase.console.polite import NICE
from motionbase.console.server import address_of
from motionbase.errors import UsageError
from tests.console.live_rig import PATIENCE_S, RING, TOKEN, VIEWER, asking, console

OPERATOR = {"Authorization": f"Bearer {TOKEN}", "X-Client": "tab1"}


def test_who_is_who(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    nobody = {"role": "viewer", "client": "", "seated": False, "waiting": None, "may_stop": False, "stop_port": None}
    assert client.get("/api/me").json() == nobody
    wrong = client.get("/api/me", headers={"Authorization": "Bearer wrong"})
    assert wrong.status_code == 401 and "open the address" in wrong.json()["detail"]
    assert client.get("/api/me", headers={"X-Client": "no spaces please"}).status_code == 400
    assert client.post("/api/seat", json={}).status_code == 401
    assert client.post("/api/seat", json={}, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 422
    assert client.post("/api/seat", json={"name": "Ann"}, headers=OPERATOR).json()["seated"]
    other = client.post("/api/seat", json={"name": "Bob"}, headers={**OPERATOR, "X-Client": "tab2"})
    assert other.status_code == 409 and "taken by 'Ann'" in other.json()["detail"]
    seen = {"t": 0.099, "state": "drive", "mode": "host", "generators_version": 0}
    drive = {"action": "drive", "seen": seen}
    standing = client.post("/api/operate", json=drive, headers={**OPERATOR, "X-Client": "tab2"})
    assert standing.status_code == 409 and "'Ann' operates" in standing.json()["detail"]
    by_force: dict[str, object] = {"name": "Bob", "force": True}
    for named in (None, "tab3"):
        blind = client.post(
            "/api/seat", json={**by_force, "from_client": named}, headers={**OPERATOR, "X-Client": "tab2"}
        )
        assert blind.status_code == 409 and "taken by 'Ann' now" in blind.json()["detail"]
    forced = client.post(
        "/api/seat", json={**by_force, "from_client": "tab1"}, headers={**OPERATOR, "X-Client": "tab2"}
    )
    assert forced.json()["seated"]
    assert not client.get("/api/me", headers=OPERATOR).json()["seated"]
    assert not client.delete("/api/seat", headers={**OPERATOR, "X-Client": "tab2"}).json()["seated"]
    told = [e["text"] for e in client.get("/api/events").json() if e["what"] == "seat"]
    assert told == [
        "Ann took the operator's seat", "Bob took the operator's seat from Ann", "Bob left the operator's seat",
    ]  # fmt: skip


def test_who_waits_for_the_seat_gets_it_when_it_is_left(api: tuple[Console, httpx.Client]) -> None:
    console, client = api
    bob = {**OPERATOR, "X-Client": "tab2"}
    console.access.seat.arrived("tab2")  # as his WebSocket would
    client.post("/api/seat", json={"name": "Ann"}, headers=OPERATOR)
    waits = client.post("/api/seat", json={"name": "Bob", "wait": True}, headers=bob).json()
    assert (waits["seated"], waits["waiting"]) == (False, 1)
    seat = client.get("/api/status").json()["seat"]
    assert (seat["name"], seat["away"], seat["waiting"]) == ("Ann", False, ["Bob"])
    assert not client.delete("/api/seat", headers=OPERATOR).json()["seated"]
    me = client.get("/api/me", headers=bob).json()
    assert (me["seated"], me["waiting"]) == (True, None)


def test_how_things_stand(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    status = client.get("/api/status").json()
    live, replay = status["sources"]
    assert (live["state"], live["name"], live["channels"], live["writer"]) == ("live", RING, 11, "test")
    assert (replay["state"], replay["name"]) == ("none", f"{RING}_replay")
    assert (live["base_state"], live["base_mode"], live["base_fault"]) == ("drive", "host", "none: no fault")
    assert [replay[name] for name in ("base_state", "base_mode", "base_fault", "estop_by")] == [None] * 4
    assert live["estop_by"] is None and live["platform"] == ""
    assert client.get("/api/scene").json() == {"detail": "no picture: the ring carries no platform"}
    assert status["seat"] is None and status["viewers"] == 0 and status["jobs"] == []
    assert client.get("/api/schema").json()["channels"][3]["codes"][5] == "drive"
    missing = client.get("/api/schema", params={"source": "replay"})
    assert missing.status_code == 404 and "has shown no channels yet" in missing.json()["detail"]
    events = client.get("/api/events", params={"source": "live"}).json()
    assert [e["text"] for e in events] == ["test, small, 11 channels, 1000 Hz", "state drive"]


def test_viewers_who_compute_do_not_hold_up_the_operator(api: tuple[Console, httpx.Client]) -> None:
    """Every thread for viewers is busy for as long as the test wants: stop, seat and recorder answer meanwhile."""
    server, client = api
    go = threading.Event()
    busy = threading.Barrier(4, timeout=PATIENCE_S)

    def hold() -> None:
        busy.wait()
        go.wait(3 * PATIENCE_S)

    for _ in range(3):
        server.turns.looking._threads.submit(hold)
    busy.wait()
    try:
        assert client.post("/api/seat", json={"name": "Ann"}, headers=OPERATOR).status_code == 200
        assert client.post("/api/estop", headers=OPERATOR).status_code == 409, "a ring without a base"
        recorder = client.post("/api/recorder", json={"do": "start"}, headers=OPERATOR)
        assert "nobody records" in recorder.json()["detail"]
        seen = {"t": 0.099, "state": "drive", "mode": "host", "generators_version": 0}
        asked = client.post("/api/operate", json={"action": "lower", "seen": seen}, headers=OPERATOR)
        assert "takes no commands" in asked.json()["detail"]
        with pytest.raises(httpx.ReadTimeout):
            client.get("/api/schema", timeout=0.3)
    finally:
        go.set()
    assert client.get("/api/schema").status_code == 200


def test_no_request_waits_for_the_threads_that_all_share(api: tuple[Console, httpx.Client]) -> None:
    """Every address is asked for in the event loop, which hands it to threads of its own kind."""
    from fastapi.routing import APIRoute

    from motionbase.console.server import create_app

    routes = [r for r in _all_routes(create_app(api[0]).routes) if isinstance(r, APIRoute)]
    assert len(routes) > 35
    assert [r.path for r in routes if not inspect.iscoroutinefunction(r.endpoint)] == []


def _all_routes(routes: Iterable[object]) -> Iterator[object]:
    for route in routes:
        inner = getattr(getattr(route, "original_router", None), "routes", None)
        yield from _all_routes(inner) if inner is not None else [route]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux alone")
def test_only_threads_that_may_wait_give_way(api: tuple[Console, httpx.Client]) -> None:
    server, client = api
    client.get("/api/schema")
    client.get("/api/recordings")
    client.post("/api/seat", json={"name": "Ann"}, headers=OPERATOR)
    client.post("/api/recorder", json={"do": "start"}, headers=OPERATOR)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    found = {t.name: os.getpriority(os.PRIO_PROCESS, t.native_id or 0) for t in threading.enumerate()}
    nice = max(own, NICE)
    assert found[f"follower of {RING}"] == found["motionbase looking_0"] == found["motionbase files_0"] == nice
    assert found["motionbase operating_0"] == own
    assert os.getpriority(os.PRIO_PROCESS, os.getpid()) == own, "the process as a whole does not"


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


def test_the_page_is_kept_for_ever_where_its_name_tells_its_content(own_folder: Path) -> None:
    static = own_folder / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html><title>page</title>")
    (static / "assets" / "index-Bx12_-9Z.js").write_text("1")
    (own_folder / "secret.txt").write_text("secret")
    (static / "link.txt").symlink_to(own_folder / "secret.txt")
    with console(own_folder, static=static) as (_, address), asking(address) as client:
        assert "<title>page" in client.get("/").text
        assert client.get("/").headers["cache-control"] == "no-cache"
        assert "immutable" in client.get("/assets/index-Bx12_-9Z.js").headers["cache-control"]
        assert client.get("/link.txt").status_code == 404
        assert client.get("/%2e%2e/secret.txt").status_code == 404


def test_without_a_built_page_it_says_what_to_do(own_folder: Path) -> None:
    with console(own_folder, static=own_folder / "none") as (_, address):
        answer = httpx.get(f"http://{address}/", timeout=PATIENCE_S, trust_env=False)
        assert answer.status_code == 503 and "npm run build" in answer.text


def test_where_others_can_reach_it_viewers_need_a_token(own_folder: Path) -> None:
    with pytest.raises(UsageError, match="give a viewer token"):
        Settings(own_folder, own_folder, TOKEN, host="0.0.0.0")
    with console(own_folder, viewer_token=VIEWER) as (_, address), asking(address) as client:
        for path in ("/api/status", "/api/recordings", "/api/layouts", "/api/events"):
            assert client.get(path).status_code == 401
            assert client.get(path, headers={"Authorization": f"Bearer {VIEWER}"}).status_code == 200
        seat = client.post("/api/seat", json={}, headers={"Authorization": f"Bearer {VIEWER}", "X-Client": "a"})
        assert seat.status_code == 401


def test_everything_that_changes_state_needs_token_and_seat(api: tuple[Console, httpx.Client]) -> None:
    """Whatever address there is: no viewer gets past the gate with anything but a question."""
    questions = {
        "/api/generators/preview", "/api/derive", "/api/derive/{name}", "/api/kinematics/pose",
        "/api/recordings/ticket", "/api/export", "/api/jobs/{number}",  # copies of recordings, few and small
        "/api/cueing/trials",  # computed beside the console, few at a time
    }  # fmt: skip
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


def test_an_address_that_leads_nowhere_says_what_would(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    said = client.get("/api/nothing")
    assert said.status_code == 404
    assert said.json()["detail"] == "there is nothing at /api/nothing; /api lists the addresses of this server"
    page = client.get("/<b>nothing", headers={"Accept": "text/html"})
    assert page.status_code == 404 and '<a href="/">' in page.text and "<b>" not in page.text
    wrong = client.put("/api/me")
    assert wrong.status_code == 405 and "does not take PUT; it takes GET" in wrong.json()["detail"]
