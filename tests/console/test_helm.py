"""What pages say reaches the vehicle: by one hand, whatever else they send, and no longer than they speak."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.console.access import Access, Caller
from motionbase.console.live.helm import ELSEWHERE, IDLE_S, MOST_A_SECOND, NO_SEAT, NO_VEHICLE, VIEWER, Helm, Rate
from motionbase.console.live.messages import NotJson, NotUnderstood, Steer, understood
from motionbase.record.world import AXIS_COUNT, GAMEPAD, KEYBOARD, KEYS, NOBODY, SCRIPT, Hand
from motionbase.ring.backend import Emulation
from motionbase.ring.hand import HandReader, HandWriter, Told, made_hand
from tests.console.live_rig import RING, TOKEN, Served, own_rings, page, served_ring, wait_for
from tests.tier import often

ANNA, BOB = Caller("operator", "anna"), Caller("operator", "bob")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Emulation:
    own_rings(tmp_path, monkeypatch)
    return Emulation(RING)


@pytest.fixture
def reader(ring: Emulation) -> Iterator[HandReader]:
    with made_hand(ring):
        found = HandReader.attached(ring)
        assert found is not None
        with found:
            yield found


def access() -> Access:
    return Access("a" * 20, None, lambda _: None)


def newest(reader: HandReader) -> Told:
    told = reader.newest()
    assert told is not None
    return told


def test_only_the_page_with_the_seat_steers(ring: Emulation, reader: HandReader) -> None:
    made, clock = access(), Clock()
    helm = Helm(made, ring, clock)
    assert helm.steer(Caller("viewer", "eve"), Hand(KEYBOARD)) == VIEWER
    assert helm.steer(ANNA, Hand(KEYBOARD)) == NO_SEAT
    made.seat.take("bob", "Bob")
    assert helm.steer(ANNA, Hand(KEYBOARD)) == "Bob has the operator's seat and steers"
    assert reader.newest() is None
    assert helm.steer(BOB, Hand(KEYBOARD, keys=1)) == ""
    assert newest(reader).hand == Hand(KEYBOARD, keys=1)
    made.seat.take("anna", "Anna", force=True, from_client="bob")
    assert helm.steer(BOB, Hand(KEYBOARD, keys=3)) == "Anna has the operator's seat and steers"
    assert helm.steer(ANNA, Hand(GAMEPAD)) == ""
    assert newest(reader).hand == Hand(GAMEPAD)
    helm.left("bob")
    assert newest(reader).hand == Hand(GAMEPAD)
    helm.left("anna")
    assert newest(reader).hand == Hand(NOBODY)


def test_one_console_at_a_time_steers_and_another_one_may_when_it_rests(ring: Emulation, reader: HandReader) -> None:
    clock, helms = Clock(), []
    for _ in range(2):
        made = access()
        made.seat.take("anna", "Anna")
        helms.append(Helm(made, ring, clock))
    one, two = helms
    assert one.steer(ANNA, Hand(KEYBOARD)) == ""
    assert two.steer(ANNA, Hand(GAMEPAD)) == ELSEWHERE
    clock.now += IDLE_S
    one.rest()
    assert two.steer(ANNA, Hand(GAMEPAD)) == ELSEWHERE
    clock.now += 1.0
    one.rest()
    assert two.steer(ANNA, Hand(GAMEPAD)) == ""
    assert newest(reader).hand == Hand(GAMEPAD)
    two.close()


def test_a_vehicle_may_come_and_go(ring: Emulation) -> None:
    made, clock = access(), Clock()
    made.seat.take("anna", "Anna")
    helm = Helm(made, ring, clock)
    assert helm.steer(ANNA, Hand(KEYBOARD)) == NO_VEHICLE
    for _ in range(2):  # the second is another run
        with made_hand(ring):
            clock.now += 1.0
            assert helm.steer(ANNA, Hand(KEYBOARD)) == ""
    clock.now += 1.0
    assert helm.steer(ANNA, Hand(KEYBOARD)) == NO_VEHICLE
    helm.close()


def test_more_than_a_vehicle_needs_is_passed_over() -> None:
    clock = Clock()
    rate = Rate(clock)
    assert sum(rate.admits() for _ in range(10_000)) == MOST_A_SECOND
    clock.now += 0.1
    assert sum(rate.admits() for _ in range(10_000)) == MOST_A_SECOND // 10


def test_a_page_steers_over_its_websocket(reader: HandReader, tmp_path: Path) -> None:
    async def talk(served: Served) -> None:
        server, address, _ = served
        async with page(address) as viewer:
            await viewer.hello("eve")
            await viewer.send(do="steer", device="keyboard", keys=["ArrowUp"])
            assert (await viewer.text("steered"))["why_not"] == VIEWER
        async with page(address) as p:
            await p.hello("anna", TOKEN)
            server.access.seat.take("anna", "Anna")
            await p.send(do="steer", device="gamepad", axes=[0.5, -1], buttons=5)
            assert (await p.text("steered"))["why_not"] == ""
            assert newest(reader).hand == Hand(GAMEPAD, (0.5, -1.0, *(0.0,) * (AXIS_COUNT - 2)), 5)
            await p.send(do="steer", device="script")
            await asyncio.to_thread(wait_for, lambda: newest(reader).hand == Hand(SCRIPT))
            await p.send(do="steer", device="keyboard", keys=["KeyW", "KeyW", "Space"])
            keys = 1 << KEYS.index("KeyW") | 1 << KEYS.index("Space")
            await asyncio.to_thread(wait_for, lambda: newest(reader).hand == Hand(KEYBOARD, keys=keys))
        await asyncio.to_thread(wait_for, lambda: newest(reader).hand == Hand(NOBODY))  # the page is gone

    with served_ring(tmp_path) as served:
        asyncio.run(talk(served))


PAD = {"device": "gamepad"}
WRONG = [
    {"device": "hovercraft"}, {}, {**PAD, "axes": [2]}, {**PAD, "axes": [0] * 9}, {**PAD, "axes": ["x"]},
    {**PAD, "axes": None}, {**PAD, "buttons": -1}, {**PAD, "buttons": 1 << 24}, {**PAD, "buttons": 1.5},
    {"device": "keyboard", "keys": ["KeyZ"]}, {"device": "keyboard", "keys": ["KeyW"] * 99}, {**PAD, "more": 1},
]  # fmt: skip


@pytest.mark.parametrize("said", WRONG)
def test_what_no_device_says_is_one_sentence(said: dict[str, object]) -> None:
    with pytest.raises(NotUnderstood) as error:
        understood(json.dumps({"do": "steer", **said}))
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(KEYS),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
fields = st.fixed_dictionaries(
    {}, optional={
        "device": st.sampled_from(("nobody", "script", "keyboard", "gamepad", "joystick")) | junk,
        "axes": st.lists(st.floats(-1.1, 1.1), max_size=9) | junk, "buttons": st.integers(-1, 1 << 25) | junk,
        "keys": st.lists(st.sampled_from(KEYS), max_size=21) | junk,
    },
)  # fmt: skip


@given(fields)
@settings(max_examples=often(300), deadline=None)
def test_any_message_is_a_hand_within_its_bounds_or_one_sentence(said: dict[str, object]) -> None:
    with suppress(NotUnderstood, NotJson):
        message = understood(json.dumps({"do": "steer", **said}))
        assert isinstance(message, Steer)
        hand = message.hand
        assert hand.device in range(5) and len(hand.axes) == AXIS_COUNT and max(map(abs, hand.axes)) <= 1.0
        assert 0 <= hand.buttons < 1 << 24 and 0 <= hand.keys < 1 << len(KEYS)


def test_a_console_that_is_killed_leaves_no_hand_behind(ring: Emulation, reader: HandReader) -> None:
    """The count stands still, and the file is free for the next one; 0.5 s later the vehicle takes it for nobody."""
    writer = HandWriter.attached(ring)
    assert writer is not None
    writer.write(Hand(KEYBOARD, keys=1))
    before = newest(reader).number
    writer._mapped.close()  # as the system does for a process that is killed
    time.sleep(0.01)
    assert newest(reader).number == before
    after = HandWriter.attached(ring)
    assert after is not None
    after.close()
