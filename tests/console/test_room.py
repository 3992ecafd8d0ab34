"""Limits of connections: pools, and pages of three ranks, compared with counts by hand."""

from __future__ import annotations

import random
from collections import Counter

from motionbase.console.live.endings import NO_ROOM, Ended
from motionbase.console.protocols import address_of
from motionbase.console.room import Pool


def test_the_oldest_goes_and_the_newest_stays() -> None:
    pool: Pool[int] = Pool(3)
    assert [pool.add(k, "a") for k in range(6)] == [None, None, None, 0, 1, 2] and len(pool) == 3
    pool.remove(4)
    pool.remove(4)
    assert pool.add(6, "a") is None and pool.add(7, "a") == 3


def test_an_idle_one_goes_before_one_that_is_served() -> None:
    pool: Pool[int] = Pool(3, is_idle=lambda guest: guest == 1)
    assert [pool.add(k, "a") for k in range(4)] == [None, None, None, 1]
    assert pool.add(4, "a") == 0, "all are served: the oldest"


def test_who_takes_most_room_gives_it() -> None:
    pool: Pool[int] = Pool(4)
    assert pool.add(0, "operator") is None
    assert [pool.add(k, "crowd") for k in range(1, 100)][-1] == 96
    assert pool.add(100, "operator") == 97, "an address with few connections loses none to a crowd elsewhere"


def test_an_address_has_a_bound_of_its_own() -> None:
    pool: Pool[int] = Pool(10, most_here=2)
    assert [pool.add(k, "a") for k in range(4)] == [None, None, 0, 1]
    assert pool.add(4, "b") is None and len(pool) == 3


def test_any_crowd_stays_within_its_bounds_and_the_newcomer_is_in() -> None:
    dice = random.Random(9)
    for _ in range(50):
        most, here = dice.randint(1, 8), dice.randint(1, 8)
        pool: Pool[int] = Pool(most, here, is_idle=lambda guest: guest % 3 == 0)
        inside: dict[int, str] = {}
        for guest in range(200):
            address = dice.choice("abc")
            gone, inside[guest] = pool.add(guest, address), address
            if gone is not None:
                assert gone != guest or len(inside) == 1
                del inside[gone]
            if inside and dice.random() < 0.2:
                left = dice.choice(list(inside))
                pool.remove(left)
                del inside[left]
            assert len(pool) == len(inside) <= most
            assert max(Counter(inside.values()).values(), default=0) <= min(here, most)


def test_a_reason_fits_into_a_closing_frame() -> None:
    assert Ended(NO_ROOM, "é" * 200).reason == "é" * 61 and Ended(NO_ROOM, "short").reason == "short"


def test_addresses() -> None:
    assert address_of(("10.0.0.5", 1)) == "10.0.0.5" and address_of(("::1", 1)) == "::1"
    assert address_of(("2001:db8:1:2:3:4:5:6", 1)) == address_of(("2001:db8:1:2::9", 1)) == "2001:db8:1:2::/64"
    assert address_of(("::ffff:10.0.0.5", 1)) == "10.0.0.5" and address_of(("fe80::1%eth0", 1)) == "fe80::/64"
    assert address_of(None) == address_of(None), "a socket of this machine"
