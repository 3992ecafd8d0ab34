"""Traffic in the world of a boat: its option, its objects for viewers, its channels."""

import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.console.models.world import WorldScene
from motionbase.errors import UsageError
from motionbase.worlds.boat.traffic.sets import traffic_named, traffic_names
from motionbase.worlds.library import Described, world_url
from motionbase.worlds.world import World


def world(text: str) -> World:
    url = world_url(text)
    assert url is not None
    return url.made()


@pytest.mark.parametrize("name", traffic_names())
def test_viewers_get_every_object(name: str) -> None:
    """As the console checks them; a craft in the scene is where the step has it."""
    scene = world(f"boat://skiff?traffic={name}").scene
    shown = WorldScene.model_validate({**scene, "script": "tour"})
    traffic = traffic_named(name)
    assert len(shown.objects) == len(traffic.buoys) + len(traffic.craft) + len(traffic.walls)
    by_name = {o["name"]: o for o in scene["objects"]}
    for craft in traffic.craft:
        made, at = by_name[craft.name], craft.course.at(0.0)
        np.testing.assert_allclose(made["p"], [at.x, at.y, 0.0])
        assert made["floats"] and ("course" in made) == ("wake" in made) == (craft.speed > 0)
    for k, buoy in enumerate(traffic.buoys):
        assert by_name[buoy.name]["moved"] == {
            "number": k + 1, "channel": "boat_buoy", "x": "boat_buoy_x", "y": "boat_buoy_y",
        }  # fmt: skip


def test_the_description_of_a_harbour_stays_small() -> None:
    """It is in the header of every ring and recording."""
    described = Described.of(world("boat://launch?traffic=harbour"))
    assert len(described.text) < 600_000 and json.loads(described.text)["objects"]


def test_channels_tell_of_contacts(tmp_path: Path) -> None:
    """Straight ahead at half power into the second of two buoys, of a file of one's own."""
    buoys = "".join(f'[[buoy]]\nname = "{name}"\nat = {at}\n' for name, at in (("a", [30, 9]), ("b", [40.0, 0.2])))
    path = tmp_path / "buoys.toml"
    path.write_text(f'summary = "two buoys"\n{buoys}')
    boat = world(f"boat://launch?sea=0&traffic={path}")
    names = [channel.name for channel in boat.channels]
    boat.reset()
    rows = []
    for _ in range(2400):
        boat.step((0.6, 0.0))
        rows.append(boat.told)
    told = np.array(rows)
    buoy, force = told[:, names.index("boat_buoy")], told[:, names.index("boat_contact")]
    assert force.max() > 500 and set(buoy) == {0, 2}
    away = np.hypot(told[:, names.index("boat_buoy_x")], told[:, names.index("boat_buoy_y")])
    assert away.max() > 0.3 and not away[buoy == 0].any()


def test_unknown_traffic_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="no traffic 'harbor'; did you mean 'harbour'") as told:
        world("boat://launch?traffic=harbor")
    assert "\n" not in str(told.value)


@pytest.mark.long("ten minutes on the water, steered by chance")
@pytest.mark.parametrize("vessel", ["launch?sea=2&", "skiff?sea=4&"])
def test_a_harbour_stops_whoever_steers_by_chance(vessel: str) -> None:
    """Nobody's middle gets into a wall, and everything told and felt is finite."""
    boat, rng = world(f"boat://{vessel}traffic=harbour"), np.random.default_rng(3)
    contact = [channel.name for channel in boat.channels].index("boat_contact")
    boat.reset()
    hits, held = 0, (0.0, 0.0)
    for k in range(60_000):
        if k % 300 == 0:
            held = rng.uniform(-0.3, 1), rng.uniform(-1, 1)
        boat.step(held)
        if k % 10:
            continue
        assert np.isfinite([*boat.told, *boat.vehicle, *boat.place]).all()
        hits += boat.told[contact] > 0
        for wall in traffic_named("harbour").walls if k % 100 == 0 else ():
            c, s = np.cos(np.deg2rad(wall.heading)), np.sin(np.deg2rad(wall.heading))
            x, y = np.subtract(boat.place[:2], wall.at)
            assert abs(c * x + s * y) > wall.length / 2 or abs(c * y - s * x) > wall.breadth / 2
    assert hits
