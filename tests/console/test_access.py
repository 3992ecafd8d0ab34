from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from motionbase.console.access import Access, Caller
from motionbase.console.bodies import LARGEST_BODY
from motionbase.console.guard import Guard
from motionbase.console.origins import is_loopback, own_names
from motionbase.console.seat import LEFT_S, MOST_WAITING, OperatorSeat, SeatTaken
from motionbase.console.tokens import bearer, new_token
from motionbase.errors import UsageError

TOKEN, VIEWER = "operator-token-of-a-test", "viewer-token-of-a-test"


@pytest.mark.parametrize(
    ("viewer", "given", "role"),
    [
        (None, None, "viewer"),
        (None, "", "viewer"),
        (None, TOKEN, "operator"),
        (None, TOKEN[:-1], None),
        (None, "Ünïcode", None),
        (VIEWER, None, None),
        (VIEWER, VIEWER, "viewer"),
        (VIEWER, TOKEN, "operator"),
        (VIEWER, "wrong", None),
    ],
)
def test_roles(viewer: str | None, given: str | None, role: str | None) -> None:
    assert Access(TOKEN, viewer, print).role(given) == role


def test_who_may_stop() -> None:
    viewer, operator = Caller("viewer", "c"), Caller("operator", "c")
    usual, open_to_all = Access(TOKEN, VIEWER, print), Access(TOKEN, VIEWER, print, anyone_may_stop=True)
    assert [usual.me(one).may_stop for one in (viewer, operator)] == [False, True]
    assert [open_to_all.me(one).may_stop for one in (viewer, operator)] == [True, True]


@pytest.mark.parametrize("token", ["", "short", "spaces are not allowed here", "x" * 15])
def test_tokens_that_can_be_guessed_or_not_be_sent_are_refused(token: str) -> None:
    with pytest.raises(UsageError, match="must have 16 or more"):
        Access(token, None, print)
    with pytest.raises(UsageError, match="give two"):
        Access(TOKEN, TOKEN, print)
    assert Access(new_token(), new_token(), print)


def test_headers_of_another_kind_are_no_token() -> None:
    assert bearer("Bearer abc") == "abc" and bearer("bearer  abc ") == "abc" and bearer(None) is None
    assert Access(TOKEN, None, print).role(bearer(f"Basic {TOKEN}")) is None


@given(st.one_of(st.text(), st.binary().map(lambda raw: raw.decode("latin-1")), st.just("\ud800"), st.just("\udc80")))
def test_nothing_but_the_tokens_themselves_is_let_in(text: str) -> None:
    """As headers, as tokens, alone and around the right ones."""
    for access in (Access(TOKEN, VIEWER, print), Access(TOKEN, None, print)):
        for token in (text, text + TOKEN, TOKEN + text, VIEWER + text, TOKEN[: len(text)]):
            wanted = {TOKEN: "operator", VIEWER: "viewer"}.get(token) if access.role(VIEWER) else None
            wanted = "operator" if token == TOKEN else "viewer" if token == "" and access.role(None) else wanted
            assert access.role(token) == wanted
        for header in (text, f"Bearer {text}", f"{text} {TOKEN}", f"Basic {TOKEN}", f"Bearer {TOKEN}, {text}"):
            found = access.role(bearer(header))
            assert found in (None, "viewer", "operator")
            assert found != "operator" or header.partition(" ")[2].strip() == TOKEN
            assert found != "viewer" or bearer(header) in (VIEWER, "")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("[::1]", True), ("127.9.9.9", True),
     ("0.0.0.0", False), ("192.168.0.1", False), ("rig", False), ("", False)],
)  # fmt: skip
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_sits_at_a_time() -> None:
    told: list[str] = []
    seat = OperatorSeat(told.append)
    seat.take("a", "Ann")
    seat.take("a", "Ann")
    with pytest.raises(SeatTaken, match="taken by 'Ann'"):
        seat.take("b", "Bob")
    assert seat.is_held_by("a") and not seat.is_held_by("b") and not seat.is_held_by("")
    for named in (None, "c"):
        with pytest.raises(SeatTaken, match="taken by 'Ann' now, whom the request does not name"):
            seat.take("b", "Bob", force=True, from_client=named)
    seat.take("b", "Bob", force=True, from_client="a")
    seat.release("a")
    assert seat.is_held_by("b")
    seat.release("b")
    assert seat.holder is None
    assert told == [
        "Ann took the operator's seat", "Bob took the operator's seat from Ann", "Bob left the operator's seat",
    ]  # fmt: skip


def test_who_is_gone_for_half_a_minute_has_left() -> None:
    clock, told = Clock(), list[str]()
    seat = OperatorSeat(told.append, clock)
    seat.arrived("a")
    seat.arrived("a")
    seat.take("a", "Ann")
    clock.now += 1000
    assert seat.holder is not None, "a socket holds it"
    seat.left("a")
    clock.now += 1000
    assert seat.holder is not None, "so does the other one"
    seat.left("a")
    clock.now += LEFT_S - 1
    assert seat.holder is not None
    seat.arrived("a")  # a reload
    clock.now += 1000
    assert seat.holder is not None
    seat.left("a")
    clock.now += LEFT_S
    gone: object = seat.holder
    assert gone is None and told[-1] == "Ann was away for 30 s and lost the operator's seat"


def test_a_drop_is_seen_and_costs_nothing_while_the_page_may_come_back() -> None:
    clock, told = Clock(), list[str]()
    seat = OperatorSeat(told.append, clock)
    seat.arrived("a")
    seat.arrived("b")
    seat.take("a", "Ann")
    seat.wait("b", "Bob")
    seat.left("a")
    assert (held := seat.holder) is not None and not held.away, "a reload is not worth a word"
    clock.now += LEFT_S - 1
    assert (held := seat.holder) is not None and (held.name, held.away, held.waiting) == ("Ann", True, ["Bob"])
    seat.arrived("a")
    clock.now += 1000
    assert (held := seat.holder) is not None and (held.name, held.away) == ("Ann", False)
    assert told == ["Ann took the operator's seat", "Bob waits for the operator's seat"]


def test_after_that_it_goes_to_who_has_waited_longest_and_is_here() -> None:
    clock, told = Clock(), list[str]()
    seat = OperatorSeat(told.append, clock)
    for client in ("a", "b", "c", "d"):
        seat.arrived(client)
    seat.take("a", "Ann")
    for client, name in (("b", "Bob"), ("c", "Cem"), ("d", "Dee"), ("b", "Bob")):
        seat.wait(client, name)
    assert [seat.place(client) for client in ("a", "b", "c", "d")] == [None, 1, 2, 3]
    seat.left("a")
    seat.left("b")  # he gave up, and closed his page
    clock.now += LEFT_S
    assert (held := seat.holder) is not None and (held.client, held.waiting) == ("c", ["Dee"])
    assert told[-1] == "Ann was away for 30 s and lost the operator's seat; Cem, who waited for it, has it now"
    assert not seat.is_held_by("a")
    seat.release("c")
    assert seat.is_held_by("d") and told[-1] == "Cem left the operator's seat; Dee, who waited for it, has it now"
    seat.wait("c", "Cem")
    seat.release("c")  # of the queue
    assert seat.is_held_by("d") and seat.place("c") is None
    assert told[-1] == "Cem does not wait for the operator's seat any more"
    seat.release("d")
    seat.wait("c", "Cem")
    assert seat.is_held_by("c"), "nobody waits for a seat that is free"


def test_who_takes_it_by_force_waits_no_more() -> None:
    seat = OperatorSeat(lambda text: None, Clock())
    for client in ("a", "b"):
        seat.arrived(client)
    seat.take("a", "Ann")
    seat.wait("b", "Bob")
    seat.take("b", "Bob", force=True, from_client="a")
    assert seat.is_held_by("b") and seat.place("b") is None


def test_the_queue_has_an_end() -> None:
    seat = OperatorSeat(lambda text: None, Clock())
    seat.take("a", "Ann")
    for k in range(MOST_WAITING):
        seat.wait(f"page{k}", "somebody")
    with pytest.raises(SeatTaken, match="16 pages wait for the operator's seat, which is the most"):
        seat.wait("one-more", "Bob")


def test_without_a_socket_requests_hold_it() -> None:
    clock = Clock()
    seat = OperatorSeat(lambda text: None, clock)
    seat.take("script", "a script")
    for _ in range(5):
        clock.now += LEFT_S - 1
        assert seat.is_held_by("script")
    clock.now += LEFT_S
    assert not seat.is_held_by("script")


# ---- the gate ----


def answered(headers: list[tuple[str, str]], *, path: str = "/api/status", method: str = "GET", kind: str = "http",
             body: list[bytes] | None = None, host: str = "127.0.0.1", allow: tuple[str, ...] = (),
             stop_port: int | None = None) -> dict[str, Any]:  # fmt: skip
    """What the gate says, or lets through to an application that reads all and says 200."""
    sent: list[Message] = []
    pieces = list(body or [b""])

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        while (message := await receive()).get("more_body"):
            pass
        assert message["type"] in ("http.request", "http.disconnect")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def receive() -> Message:
        if kind == "websocket":
            return {"type": "websocket.connect"}
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": kind, "path": path, "method": method, "server": ("10.0.0.5", 8700),
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers],
    }  # fmt: skip
    asyncio.run(Guard(application, names=own_names(host, allow), stop_port=lambda: stop_port)(scope, receive, send))
    return dict(sent[0])


OURS = ("Host", "127.0.0.1:8700")


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ([OURS], True),
        ([("Host", "localhost:8700")], True),
        ([("Host", "[::1]:8700")], True),
        ([("Host", "10.0.0.5:8700")], True),  # the address at which the connection came in
        ([], False),
        ([OURS, OURS], False),
        ([("Host", "evil.example:8700")], False),
        ([("Host", "127.0.0.1.evil.example")], False),
        ([("Host", "evil@127.0.0.1")], True),  # a name with a user is still this host
        ([("Host", "[::1")], False),
        ([("Host", "")], False),
        ([OURS, ("Origin", "http://127.0.0.1:8700")], True),
        ([OURS, ("Origin", "https://127.0.0.1:8700")], True),
        ([OURS, ("Origin", "http://127.0.0.1:3000")], False),
        ([OURS, ("Origin", "http://localhost:8700")], False),
        ([OURS, ("Origin", "http://evil.example")], False),
        ([OURS, ("Origin", "null")], False),
        ([OURS, ("Origin", "file://127.0.0.1:8700")], False),
        ([OURS, ("Sec-Fetch-Site", "same-origin")], True),
        ([OURS, ("Sec-Fetch-Site", "none")], True),
        ([OURS, ("Sec-Fetch-Site", "same-site")], False),
        ([OURS, ("Sec-Fetch-Site", "cross-site")], False),
    ],
)
def test_only_our_own_page_passes(headers: list[tuple[str, str]], passes: bool, kind: str) -> None:
    first = answered(headers, kind=kind)
    if kind == "http":
        assert first["status"] == (200 if passes else 403)
    else:
        assert first["type"] == ("websocket.accept" if passes else "websocket.close")


@pytest.mark.parametrize(
    ("path", "method", "mode", "dest", "status"),
    [
        ("/", "GET", "navigate", "document", 200),
        ("/", "GET", "navigate", "iframe", 403),
        ("/", "POST", "navigate", "document", 403),
        ("/", "GET", "no-cors", "script", 403),
        ("/api/status", "GET", "navigate", "document", 403),
    ],
)
def test_a_link_to_the_page_itself_may_be_followed(path: str, method: str, mode: str, dest: str, status: int) -> None:
    headers = [OURS, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest)]
    assert answered(headers, path=path, method=method)["status"] == status


def test_further_names_can_be_allowed() -> None:
    assert answered([("Host", "rig.lab:8700")])["status"] == 403
    assert answered([("Host", "RIG.lab:8700")], allow=("rig.lab",))["status"] == 200
    assert answered([("Host", "localhost")], host="0.0.0.0")["status"] == 200
    assert answered([("Host", "rig.lab")], host="0.0.0.0")["status"] == 403


def test_bodies_have_an_end() -> None:
    size = LARGEST_BODY
    assert answered([OURS], method="PUT", body=[b"x" * size])["status"] == 200
    assert answered([OURS], method="PUT", body=[b"x" * size, b"x"])["status"] == 413
    assert answered([OURS, ("Content-Length", str(size + 1))], method="PUT")["status"] == 413
    upload = "/api/recordings/upload"
    assert answered([OURS, ("Content-Length", str(10 * size))], method="PUT", path=upload)["status"] == 200


def test_every_answer_is_sealed() -> None:
    for headers in ([OURS], []):
        found = dict(answered(headers)["headers"])
        assert b"frame-ancestors 'none'" in found[b"content-security-policy"]
        assert b"connect-src 'self';" in found[b"content-security-policy"]
        assert found[b"x-content-type-options"] == b"nosniff" and found[b"referrer-policy"] == b"no-referrer"


@pytest.mark.parametrize(
    ("host", "post"),
    [("127.0.0.1:8700", b" http://127.0.0.1:8701"), ("localhost:8700", b" http://localhost:8701"), ("[::1]:8700", b"")],
)
def test_the_page_may_ask_the_stop_post_at_the_same_name_and_nobody_else(host: str, post: bytes) -> None:
    found = dict(answered([("Host", host)], stop_port=8701)["headers"])
    assert b"; connect-src 'self'" + post + b"; " in found[b"content-security-policy"]
