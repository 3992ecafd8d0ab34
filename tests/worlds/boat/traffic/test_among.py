"""A boat among traffic: she rides the wakes of others, and what she runs into stops her."""

import functools
import math

import numpy as np

from motionbase.arrays import Array
from motionbase.record.vehicle import G
from motionbase.worlds.boat.sailing import Sailing
from motionbase.worlds.boat.step import Body, Seen
from motionbase.worlds.boat.traffic.among import Among
from motionbase.worlds.boat.traffic.sets import TrafficSet
from motionbase.worlds.boat.traffic.things import Buoy, Craft, Wall
from motionbase.worlds.boat.vessel import Vessel, load_vessel
from motionbase.worlds.sea.patch import Wave


@functools.cache
def launch() -> Vessel:
    return load_vessel("launch")


def sailed(traffic: TrafficSet, steps: int, throttle: float = 0.0, rudder: float = 0.0) -> dict[str, Array]:
    boat = Sailing(launch(), among=Among(traffic, launch()))
    boat.reset()
    rows = []
    for _ in range(steps):
        boat.step(throttle, rudder)
        assert boat.among is not None
        rows.append(np.concatenate([boat.body, boat.seen, boat.among.touched]))
    table = np.array(rows)
    b = Body.layout.size
    body, seen = table[:, :b], table[:, b : b + Seen.layout.size]
    return {
        "p": Body.layout.part(body, "p_W"), "V": Body.layout.part(body, "V"), "Q": Body.layout.part(body, "Q_WB"),
        "V_dot": Body.layout.part(body, "V_dot"), "surface": Seen.layout.part(seen, "surface")[:, 0],
        "force": table[:, b + Seen.layout.size + 6],
    }  # fmt: skip


def test_she_rides_the_wake_of_a_ferry() -> None:
    """Waves of eight times her length lift her as they lift the water; what is left is her answer to short ones."""
    ferry = Craft("ferry", 60.0, 9.0, 2.5, "ferry", 10.0, (-60.0, 40.0))  # waves of 64 m
    found = sailed(TrafficSet("ferry", "", craft=(ferry,)), 6000)
    height = np.ptp(found["surface"]) / 2
    assert 0.1 < height < 1.0
    lift = found["p"][:, 2] - found["p"][0, 2]
    assert np.abs(lift - found["surface"]).max() < 0.25 * height
    assert not found["force"].any()


def test_the_surface_about_her_is_the_sum_of_the_wakes() -> None:
    ferry = Craft("ferry", 60.0, 9.0, 2.5, "ferry", 10.0, (-60.0, 40.0))
    among = Among(TrafficSet("ferry", "", craft=(ferry,)), launch())
    boat = Sailing(launch(), among=among)
    boat.reset()
    for _ in range(4000):
        boat.step(0.0, 0.0)
    total = float(Wave.layout.part(among._arrays[1]["wakes"], "re").sum())
    assert abs(total) > 0.01
    assert abs(float(Seen.layout.part(boat.seen, "surface")[0]) - total) < 0.05 * abs(total) + 0.002


def test_a_quay_stops_her() -> None:
    """At full speed: she comes back from it and does not capsize; forces are finite and bounded."""
    quay = TrafficSet("quay", "", walls=(Wall("quay", (60.0, 0.0), 200.0, 10.0, heading=80.0),))
    found = sailed(quay, 3000, throttle=1.0)
    assert all(np.isfinite(column).all() for column in found.values())
    assert found["V"][:, 3].max() > 10 and found["force"].max() > 1e4
    inside = (found["p"][:, 0] - 60.0) * math.sin(math.radians(80)) - found["p"][:, 1] * math.cos(math.radians(80))
    assert inside.max() < -5.0 + 1.0  # its near face, within a metre
    w, x, y, z = found["Q"].T
    assert (1 - 2 * (x * x + y * y)).min() > math.cos(math.radians(60))
    assert np.abs(found["V_dot"][:, 3:]).max() < 40 * G


def test_buoys_give_way() -> None:
    """She loses some speed to a buoy, and less than a tenth of it."""
    buoys = TrafficSet("buoys", "", buoys=(Buoy("b", (60.0, 0.4)),))
    found, free = (sailed(traffic, 1700, throttle=1.0) for traffic in (buoys, TrafficSet("none", "")))
    assert found["force"].max() > 500
    lost = free["V"][:, 3].max() - found["V"][:, 3].max()
    at = np.argmax(found["force"] > 0)
    assert found["p"][-1, 0] > 62 and lost >= 0
    assert found["V"][at:, 3].min() > 0.85 * found["V"][at, 3]


def test_nothing_on_the_water_changes_nothing() -> None:
    """Rounding apart, she moves as without traffic."""
    boat = Sailing(launch())
    boat.reset()
    for _ in range(400):
        boat.step(0.8, 0.3)
    found = sailed(TrafficSet("none", ""), 400, 0.8, 0.3)
    np.testing.assert_allclose(found["p"][-1], Body.layout.part(boat.body, "p_W"), atol=1e-9)
