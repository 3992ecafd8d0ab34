"""The world of a boat: its scripts, what is felt and told, the scene, being righted, and bad input."""

import json
import math

import numpy as np
import pytest

from motionbase.errors import MotionBaseError
from motionbase.record.vehicle import VEHICLE, G
from motionbase.worlds.boat import catalogue
from motionbase.worlds.boat.scripts import TOUR_S
from motionbase.worlds.boat.world import BoatWorld
from motionbase.worlds.library import world_url
from motionbase.worlds.option import read_options
from motionbase.worlds.seed.world import SeedWorld


def world(vessel: str = "launch", **options: str) -> BoatWorld:
    given = {"traffic": "none"} | options
    made = catalogue.made(vessel, read_options("boat", catalogue.OPTIONS, given))
    assert isinstance(made, BoatWorld)
    return made


def sailed(boat: BoatWorld, seconds: float, script: str) -> None:
    steered = boat.scripts[script]()
    for _ in range(round(seconds / boat.dt)):
        boat.step(steered(boat.t))


def test_at_rest_in_still_water_only_weight_is_felt() -> None:
    """The 0.28 deg of trim are seen in the specific force; all rows have their channels."""
    boat = world(sea="0")
    boat.reset()
    sailed(boat, 1.0, "drift")
    f = np.array(boat.vehicle[:3])
    assert np.linalg.norm(f) == pytest.approx(G, abs=1e-3) and f[0] == pytest.approx(
        -G * math.sin(boat.angles[1]), abs=1e-3
    )
    assert boat.t == pytest.approx(1.0) and len(boat.vehicle) == len(VEHICLE)
    assert len(boat.place) == 10 and len(boat.told) == len(boat.channels)
    assert boat.place[2] == pytest.approx(-boat.vessel.statics.draft, abs=0.05)  # amidships on the keel


def test_every_boat_has_the_same_channels() -> None:
    simple = SeedWorld()
    assert simple.channels == BoatWorld.channels and len(simple.told) == len(simple.channels)


@pytest.mark.parametrize("vessel", catalogue.NAMES)
def test_scenes_are_json_with_channels_that_exist(vessel: str) -> None:
    boat = world(vessel)
    scene = json.loads(json.dumps(boat.scene, allow_nan=False))
    known = {c.name for c in boat.channels} | {"world_qw"}
    assert {one["channel"] for one in (*scene["instruments"], *scene["parts"], *scene["controls"])} <= known
    assert scene["kind"] == "boat" and len(json.dumps(scene)) < 200_000
    assert scene["captions"]["tour"][-1] == [TOUR_S, ""]
    assert len(scene["sea"]["waves"]) == len(boat.waves)


def test_the_tour_planes_turns_and_leaps() -> None:
    boat = world()
    boat.reset()
    steered, speeds, wet, headings = boat.scripts["tour"](), [], [], []
    for _ in range(round(33.0 / boat.dt)):
        boat.step(steered(boat.t))
        told = dict(zip((c.name for c in boat.channels), boat.told, strict=True))
        speeds.append(told["boat_speed"])
        wet.append(told["boat_wet"])
        headings.append(told["boat_heading"])
    assert max(speeds) > 12.0 and min(wet) < 0.01 and headings[-1] > 1.0
    assert max(map(abs, headings[:4000])) < 0.2  # it keeps its course in a head sea


def test_a_cruise_repeats_to_the_bit() -> None:
    rows = []
    for _ in range(2):
        boat = world(random="4")
        boat.reset()
        sailed(boat, 3.0, "cruise")
        rows.append((*boat.vehicle, *boat.place, *boat.told))
    assert rows[0] == rows[1]


def test_a_capsized_boat_is_righted() -> None:
    boat = world(sea="1")
    boat.reset()
    boat.body("Q_WB")[:] = [0.0, 1.0, 0.0, 0.0]
    boat.body("p_W")[2] = boat.vessel.statics.balanced(math.pi).height
    sailed(boat, 7.0, "drift")
    assert abs(boat.angles[0]) > 2.5
    sailed(boat, 14.0, "drift")
    assert abs(boat.angles[0]) < 0.3


def test_controls_that_are_no_numbers_count_as_nothing() -> None:
    boat = world(sea="2")
    boat.reset()
    for _ in range(100):
        boat.step((math.nan, -math.inf))
    assert boat.told[:2] == (0.0, 0.0) and np.isfinite([*boat.vehicle, *boat.place, *boat.told]).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("boat://lunch", "did you mean 'launch'"),
        ("boat://launch?sea=9", "sea is '9', it must be 0 to 8"),
        ("boat://launch?height=3&period=3", "waves of 3 m and 3 s would break"),
        ("boat://otter?load=31", "load is 31 kg, it must be 0 to 30 kg"),
        ("boat://gone.toml", "gone.toml"),
        ("boat://launch?script=jump", "no script 'jump'"),
    ],
)
def test_bad_urls_are_told_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(MotionBaseError) as error:
        url = world_url(text)
        assert url is not None
        url.made()
    assert said in str(error.value) and "\n" not in str(error.value)
