"""The WebSocket over a real server: the emergency stop, and how things stand."""

from __future__ import annotations

import asyncio
import threading

import httpx
import pytest

from motionbase.console.live import hub, outbox
from motionbase.console.live.head import ring_head
from motionbase.console.live.ring_status import ring_status
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.command_words import ESTOP_AT
from motionbase.ring.emergency import NO_ANSWER
from tests.console.live_rig import (
    RING,
    TOKEN,
    Served,
    page,
    rows,
    wait_for,
)

# ---- the emergency stop ----


def test_a_stop_over_the_socket_is_seen_to_act(served: Served) -> None:
    """Also while all threads that answer questions are busy, and questions of the same page wait."""
    receiver = CommandReceiver(served[2].segment, served[2].header.layout)
    go = threading.Event()
    for _ in range(3):
        served[0].turns.looking._threads.submit(go.wait, 20.0)

    async def base() -> None:
        """Takes the stop, and says so in its next record."""
        while not receiver.estop:
            receiver.poll()
            await asyncio.sleep(0.002)
        served[2].write(rows(3000, 1, estop=1.0))

    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello("tab1", TOKEN)
            await p.send(do="window", id=7, channels=[1], from_=0, to=1, pixels=100)
            acts = asyncio.create_task(base())
            await p.send(do="estop", id=8)
            said = await p.text("estop")
            await acts
            assert said == {"kind": "estop", "id": 8, "accepted": True, "text": "the emergency stop acts"}
            go.set()
            assert (await p.frame("window")).header["id"] == 7
            begin = asyncio.get_running_loop().time()
            await p.send(do="estop", id=9)
            assert (await p.text("estop"))["text"] == NO_ANSWER, "the last record acts, and none comes after it"
            assert asyncio.get_running_loop().time() - begin > 0.4

    try:
        asyncio.run(talk())
    finally:
        go.set()


def test_a_stop_over_the_socket_needs_the_token_and_a_base(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="estop", id=1)
            said = await p.text("estop")
            assert not said["accepted"] and "operator token" in said["text"]
            at = served[2].header.layout.commands_at + ESTOP_AT
            assert not any(served[2].segment.memory[at : at + 8]), "nothing was asked of the base"
        async with page(served[1]) as p:
            await p.hello("tab1", TOKEN)
            await p.send(do="estop", id=2)
            said = await p.text("estop")
            assert (said["id"], said["accepted"]) == (2, False) and "takes no commands" in said["text"]
            await p.send(do="estop", id="x")
            assert "id" in (await p.text("error"))["text"]

    asyncio.run(talk())


def test_a_press_that_comes_by_several_ways_is_one_event(served: Served) -> None:
    """The page asks by request and by socket at once, and again until it is heard; each press is told once."""
    CommandReceiver(served[2].segment, served[2].header.layout)
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Client": "tab1"}

    async def ask(press: str) -> None:
        async with httpx.AsyncClient(base_url=f"http://{served[1]}", trust_env=False) as client, page(served[1]) as p:
            await p.hello("tab1", TOKEN)
            await p.send(do="estop", id=1, press=press)
            answers = [client.post(f"/api/estop?press={press}", headers=headers) for _ in range(2)]
            assert all(answer.status_code == 200 for answer in await asyncio.gather(*answers))
            assert (await p.text("estop"))["accepted"]

    def told() -> int:
        return sum("asked for" in event.text for event in served[0].events.last("live"))

    asyncio.run(ask("first"))
    assert told() == 1
    asyncio.run(ask("second"))
    assert told() == 2
    asyncio.run(ask("odd name/" + 100 * "x"))
    assert told() == 3, "no name is a reason to refuse a stop"


# ---- how things stand ----


def test_a_status_that_fails_is_logged_once_and_pages_are_checked(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(outbox, "SILENT_S", 1.0)
    monkeypatch.setattr(hub, "STATUS_S", 0.1)

    def fails() -> None:
        raise ValueError("no status")

    monkeypatch.setattr(served[0], "status", fails)

    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="subscribe", channels=[1], span=5.0, pixels=400)
            assert await p.closed() == 1013, "it acknowledged nothing"

    asyncio.run(talk())
    told = [r for r in caplog.records if "status cannot be told" in r.getMessage()]
    assert [r.getMessage() for r in told] == ["the status cannot be told: ValueError: no status"]
    assert told[0].exc_info is None


def test_how_far_the_console_is_behind_is_said(served: Served) -> None:
    follower = served[0].source("live")
    # a turn takes records first and says "live" at its end
    wait_for(lambda: follower.behind_s == 0 and follower.value("x") == 2999 and follower.state == "live")
    with follower._lock:  # it is held up
        served[2].write(rows(3000, 1500))
        status = ring_status(follower)
        assert status.behind_s == pytest.approx(1.5) and status.state_text == "live, shown 1.5 s late"
        head = ring_head(RING, follower.backend)
        assert head.value("x") == 4499 and head.count == 4500, "the ring's own newest record, not the follower's"
    wait_for(lambda: follower.behind_s == 0)
    assert ring_status(follower).state_text == "live"
