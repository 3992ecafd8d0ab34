"""The WebSocket over a real server, as a page meets it."""

from __future__ import annotations

import asyncio
import json
import random

import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from motionbase.console.live import outbox, stream
from tests.console.live_rig import (
    DT,
    PATIENCE_S,
    RING,
    TOKEN,
    Page,
    Served,
    beating,
    page,
    rows,
    schema,
    writer,
)


def test_hello_is_answered_by_me_status_and_schema(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            assert p.socket.subprotocol == "motionbase.1"
            who = {
                "role": "viewer",
                "client": "tab1",
                "seated": False,
                "waiting": None,
                "may_stop": False,
                "stop_port": None,
            }
            me = {"kind": "me", **who}
            assert await p.hello("tab1") == me
            described = await p.text("schema")
            status = await p.text("status")
            assert [c["name"] for c in described["channels"]] == [c.name for c in schema().channels]
            assert described["source"] == "live" and described["channels"][3]["codes"][5] == "drive"
            assert status["viewers"] == 1 and status["sources"][0]["name"] == RING
        async with page(served[1]) as p:
            assert (await p.hello(token=TOKEN))["role"] == "operator"

    asyncio.run(talk())


def test_live_frames_add_up_to_the_records(served: Served) -> None:
    """What the frames bring, put together as a page does, are the records themselves."""

    async def talk() -> None:
        made = served[2]
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="subscribe", channels=[1, 2], span=2.0, pixels=100)
            shown: dict[int, tuple[float, float, float]] = {}
            done, last = 3000, -1.0
            while last < 3599 * DT - 1e-9:
                frame = await p.frame()
                head, columns = frame.header, frame.columns()
                if head["backfill"]:
                    shown.clear()
                    assert head["bucket"] == 16 and head["first"] == (3000 - 2001) // 16
                for k in range(head["count"]):
                    shown[head["first"] + k] = (columns["t"][k], columns["least"][0, k], columns["most"][1, k])
                assert len(columns["newest"]) == head["width"] == len(schema().channels)
                assert columns["newest"][0] == head["t"]
                last = head["t"]
                if done < 3600:
                    made.write(rows(done, 37 if done < 3555 else 3600 - done))
                    done = made.head
            everything = rows(0, 3600)
            assert set(shown) >= set(range(-(-1600 // 16), 225))
            for k, (t, least, most) in shown.items():
                part = everything[16 * k : 16 * (k + 1)]
                assert (t, least, most) == (part[0, 0], part[:, 1].min(), part[:, 2].max())

    asyncio.run(talk())


def test_a_subscription_to_nothing_brings_the_newest_record(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="subscribe", channels=[], span=10.0, pixels=800)
            frame = await p.frame()
            assert frame.header["count"] == 0
            np.testing.assert_array_equal(frame.numbers, rows(2999, 1)[0])

    asyncio.run(talk())


def test_windows_and_statistics(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.text("schema")
            await p.send(do="window", id=7, channels=[1], from_=1.0, to=1.01, pixels=800)
            frame = await p.frame("window")
            assert frame.header["id"] == 7 and frame.header["bucket"] == 1
            np.testing.assert_array_equal(frame.columns()["least"][0], np.arange(999, 1012))
            await p.send(do="window", id=8, channels=[2, 1], from_=0.0, to=3.0, pixels=100)
            frame = await p.frame("window")
            assert frame.header["bucket"] == 16 and frame.header["last_t"] == 2999 * DT
            everything = rows(0, 3000)[:, 2]
            wanted = [everything[k : k + 16].max() for k in range(0, 3000, 16)]
            np.testing.assert_array_equal(frame.columns()["most"][0], wanted)
            await p.send(do="statistics", id=9, channels=[1, 5], from_=1.0, to=2.0)
            found = await p.text("statistics")
            assert found["id"] == 9 and found["exact"]
            assert found["rows"][0] == {
                "place": 1, "n": 1001, "min": 1000, "max": 2000, "mean": 1500, "first": 1000, "last": 2000,
                "rms": pytest.approx(np.sqrt(np.mean(np.arange(1000.0, 2001.0) ** 2))),
            }  # fmt: skip

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"do": "window", "id": 3, "channels": [99], "from": 0, "to": 1, "pixels": 9}, "no channel at place 99"),
        ({"do": "window", "id": 3, "channels": [1], "from": 2, "to": 1, "pixels": 9}, "must not be before"),
        ({"do": "window", "id": 3, "channels": [1], "from": 0, "to": 1, "pixels": 0}, "pixels: input should be"),
        ({"do": "window", "id": 3, "channels": [-1], "from": 0, "to": 1, "pixels": 9}, "greater than or equal to 0"),
        ({"do": "window", "id": 3, "channels": [1] * 200, "from": 0, "to": 1, "pixels": 8000}, "times pixels"),
        ({"do": "window", "id": 3, "channels": [1], "from": 0, "to": "x", "pixels": 9}, "to: input should be"),
        ({"do": "statistics", "id": 3, "channels": [1]}, "from: field required"),
        ({"do": "dance", "id": 3}, "'dance'"),
        ({"id": 3}, "'do'"),
    ],
)
def test_a_message_that_cannot_be_is_answered_with_one_sentence(
    served: Served, message: dict[str, object], said: str
) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.text("schema")
            await p.socket.send(json.dumps(message))
            error = await p.text("error")
            assert error["id"] == 3 and said in error["text"] and "\n" not in error["text"]
            await p.send(do="statistics", id=4, channels=[1], from_=0, to=1)
            assert (await p.text("statistics"))["id"] == 4, "the connection goes on"

    asyncio.run(talk())


@pytest.mark.parametrize("before_hello", [True, False])
@pytest.mark.parametrize(
    ("message", "code"), [("not JSON", 1007), ("[1]", 1007), ("NaN", 1007), (b"\x00", 1007), ("x" * 70_000, 1009)]
)
def test_what_is_no_message_closes(served: Served, before_hello: bool, message: str | bytes, code: int) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            if not before_hello:
                await p.hello()
            await p.socket.send(message)
            assert await p.closed() == code

    asyncio.run(talk())


def test_three_messages_in_a_row_that_are_not_understood_close(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            for k in range(8):  # never three in a row
                await p.send(do="what" if k % 3 else "source", source="live")
            for _ in range(3):
                await p.send(do="what")
            assert await p.closed() == 1008

    asyncio.run(talk())


def test_the_first_message_must_be_hello_and_come_soon(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HELLO_S", 0.3)

    async def talk() -> None:
        async with page(served[1]) as p:
            await p.send(do="subscribe", channels=[], span=1, pixels=1)
            assert await p.closed() == 1008
        async with page(served[1]) as p:
            assert await p.closed() == 1008 and "no hello" in (p.socket.close_reason or "")
        async with page(served[1]) as p:
            await p.send(do="hello", client="bad client!")
            assert "client" in (await p.text("error"))["text"]
            assert await p.closed() == 1008

    asyncio.run(talk())


def test_a_wrong_token_is_refused(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.send(do="hello", client="page", token="wrong")
            assert "is not the console's" in (await p.text("error"))["text"]
            assert await p.closed() == 4401

    asyncio.run(talk())


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1"])
def test_a_foreign_page_gets_no_socket(served: Served, origin: str) -> None:
    async def talk() -> None:
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"ws://{served[1]}/ws", origin=origin, proxy=None):  # type: ignore[arg-type]
                pass
        assert refused.value.response.status_code == 403
        async with connect(f"ws://{served[1]}/ws", origin=f"http://{served[1]}", proxy=None):  # type: ignore[arg-type]
            pass

    asyncio.run(talk())


def test_at_most_three_frames_are_on_their_way_and_silence_ends_it(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "SILENT_S", 1.0)

    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="subscribe", channels=[1], span=5.0, pixels=400)
            frames = 0
            with pytest.raises(ConnectionClosed):
                while True:
                    frames += isinstance(await asyncio.wait_for(p.socket.recv(), PATIENCE_S), bytes)
            assert frames == 3 and p.socket.close_code == 1013

    with beating(served[2]):
        asyncio.run(talk())


def test_a_page_that_was_behind_gets_all_that_is_new_at_once(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="subscribe", channels=[1], span=1.0, pixels=100)
            has: set[int] = set()
            for _ in range(3):
                frame = await p.frame(ack=False)
                has |= set(range(frame.header["first"], frame.header["first"] + frame.header["count"]))
                served[2].write(rows(served[2].head, 16))
            served[2].write(rows(served[2].head, 400))
            await asyncio.sleep(0.2)
            await p.send(do="ack", frame=3)
            frame = await p.frame(ack=False)
            assert not frame.header["backfill"]
            has |= set(range(frame.header["first"], frame.header["first"] + frame.header["count"]))
            assert has >= set(range(min(has), -(-served[2].head // frame.header["bucket"])))
            await p.send(do="ack", frame=99)
            assert "never sent" in (await p.text("error"))["text"]

    asyncio.run(talk())


def test_one_page_that_takes_nothing_does_not_delay_another(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "SILENT_S", 1.0)

    async def talk() -> None:
        async with page(served[1]) as quick, page(served[1], max_queue=1) as slow:
            for p in (quick, slow):
                await p.hello()
                await p.text("schema")
            for k in range(200):  # answers that are never read fill every buffer on the way
                await slow.send(do="window", id=k, channels=[1] * 60, from_=0, to=3, pixels=8192)
            await quick.send(do="subscribe", channels=[1], span=1.0, pixels=100)
            for _ in range(30):
                await quick.frame()
            while served[0].viewers > 1:
                await quick.frame()

    with beating(served[2]):
        asyncio.run(talk())


def test_the_other_source_and_a_new_generation(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello()
            await p.send(do="subscribe", channels=[1], span=1.0, pixels=100)
            generation = (await p.frame()).header["generation"]
            served[2].write(rows(100, 10))  # time runs back
            assert (await p.text("schema"))["generation"] == generation + 1
            frame = await p.frame()
            assert frame.header["backfill"] and frame.header["count"] == 2 and frame.header["generation"] != generation
            with writer(f"{RING}_replay") as replay:
                replay.write(rows(500, 10))
                await p.send(do="source", source="replay")
                assert (await p.text("schema"))["source"] == "replay"
                frame = await p.frame()
                assert frame.header["backfill"] and frame.header["t"] == 509 * DT

    asyncio.run(talk())


def test_everybody_hears_of_events_and_of_the_seat(served: Served) -> None:
    async def talk() -> None:
        async with page(served[1]) as p:
            await p.hello("tab1", TOKEN)
            served[2].write(rows(3000, 5, state=5.0))
            while (event := await p.text("event"))["text"] == "state off":
                pass  # the first record's state, where the page was quicker than the follower
            assert (event["what"], event["text"], event["t"]) == ("state", "state drive", 3.0)
            served[0].access.seat.take("tab1", "Ann")
            assert (await p.text("event"))["text"] == "Ann took the operator's seat"
            assert (await p.text("me"))["seated"]
            while (await p.text("status"))["seat"] is None:
                pass

    asyncio.run(talk())


def test_messages_of_any_kind_never_break_the_server(served: Served) -> None:
    """A thousand random messages, half of them nearly right; afterwards everything works."""
    chance = random.Random(7)
    scraps: list[object] = [None, True, -1, 0, 3, 1e300, 2**70, "live", "x" * 50, [], [1], [1.5], {}, {"do": "ack"}]
    keys = ["do", "id", "channels", "from", "to", "pixels", "span", "source", "frame", "token", "client", "extra"]
    words = ["hello", "source", "subscribe", "window", "statistics", "ack", "other"]

    def message() -> str:
        made = {key: chance.choice(scraps) for key in chance.sample(keys, chance.randint(0, 6))}
        return json.dumps({"do": chance.choice(words), **made})

    async def talk() -> None:
        for _ in range(100):
            async with page(served[1]) as p:
                await p.hello()
                try:
                    for _ in range(10):
                        await p.socket.send(message())
                except ConnectionClosed:
                    pass
        async with page(served[1]) as p:
            await _works(p)

    asyncio.run(talk())


async def _works(p: Page) -> None:
    await p.hello()
    await p.send(do="subscribe", channels=[1], span=1.0, pixels=100)
    assert (await p.frame()).header["count"] > 0


def test_fifty_pages_at_once(served: Served) -> None:
    async def look(number: int) -> float:
        async with page(served[1]) as p:
            await p.hello(f"page{number}")
            await p.send(do="subscribe", channels=[1, 2], span=1.0, pixels=100 + number % 2)
            for _ in range(20):
                frame = await p.frame()
            return float(frame.header["t"])

    async def talk() -> list[float]:
        return await asyncio.gather(*(look(k) for k in range(50)))

    with beating(served[2]):
        assert min(asyncio.run(talk())) > 3.0
