"""Sets of traffic as files: those that come with the package, and one sentence for what is wrong in one's own."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MotionBaseError, UsageError
from motionbase.worlds.boat.traffic.contact import Thing, nearest
from motionbase.worlds.boat.traffic.sets import TrafficSet, traffic_named, traffic_names
from motionbase.worlds.boat.traffic.step import BUOYS, WALLS, Traffic
from motionbase.worlds.boat.traffic.things import Buoy, Craft, Wall
from motionbase.worlds.boat.traffic.wake import SHIPS


@pytest.mark.parametrize("name", traffic_names())
def test_sets_that_come_with_the_package(name: str) -> None:
    traffic = traffic_named(name)
    assert traffic.is_empty == (name == "none")
    assert np.isfinite(traffic.parameters).all() and traffic.parameters.shape == (Traffic.layout.size,)


@pytest.mark.parametrize("name", [n for n in traffic_names() if n != "none"])
def test_craft_run_into_nothing(name: str) -> None:
    """For ten minutes: into no wall, no buoy, not into each other, nor over the place where the boat starts."""
    traffic = traffic_named(name)
    t = np.arange(0.0, 600.0, 0.5)
    tracks = [np.array([c.course.at(now)[:3] for now in t]) for c in traffic.craft]
    for k, (craft, track) in enumerate(zip(traffic.craft, tracks, strict=True)):
        half = max(craft.length - craft.beam, 0) / 2
        shares = np.linspace(-1, 1, 9)
        spots = track[:, None, :2] + half * shares[:, None] * np.stack(
            [np.cos(track[:, 2]), np.sin(track[:, 2])], -1
        )[:, None]  # fmt: skip
        for wall in traffic.walls:
            a = np.deg2rad(wall.heading)
            d = spots - np.array(wall.at)
            along, across = d @ [np.cos(a), np.sin(a)], d @ [-np.sin(a), np.cos(a)]
            outside = np.hypot(
                np.maximum(np.abs(along) - wall.length / 2, 0), np.maximum(np.abs(across) - wall.breadth / 2, 0)
            )
            assert outside.min() > craft.beam / 2, (craft.name, wall.name)
        for buoy in traffic.buoys:
            far = np.linalg.norm(spots - np.array(buoy.at), axis=-1)
            assert far.min() > craft.beam / 2 + buoy.radius, (craft.name, buoy.name)
        for other, its_track in zip(traffic.craft[k + 1 :], tracks[k + 1 :], strict=True):
            far = np.linalg.norm(track[:, :2] - its_track[:, :2], axis=-1)
            assert far.min() > (craft.length + other.length) / 2, (craft.name, other.name)
        assert np.linalg.norm(spots, axis=-1).min() > 15, craft.name


def test_distances_from_a_wall() -> None:
    """From its long side, its short side and a corner, whatever its heading."""
    wall = Wall("w", (3.0, -2.0), 20.0, 4.0, heading=30.0)
    row = wall.row
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    for (along, across), distance in (((2, 5), 3), ((-13, 1), 3), ((10 + 3, 2 + 4), 5), ((9, 0), -1)):
        x, y = 3 + c * along - s * across, -2 + s * along + c * across
        found, n_x, n_y = (float(value) for value in nearest(Thing(*row), x, y))
        assert found == pytest.approx(distance, abs=0.08)  # corners are round
        assert np.hypot(n_x, n_y) == pytest.approx(1.0, abs=1e-4)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('summary = "mine"\n[[craft]]\nname = "a"\nlength = 20\nbeam = 5\ndraft = 1.5\nspeed = 5.0\n')
    assert traffic_named(str(path)).craft[0].course.speed == 5.0


WRONG = [
    ("", "needs the key 'summary'"),
    ('summary = "x"\nwall = 3', "a list of tables"),
    ('summary = "x"\n[[wall]]\nname = "w"\nat = [0, 0]\nlength = -5\nbreadth = 2', "line 5: .*length is -5"),
    ('summary = "x"\n[[wall]]\nname = "w"\nat = [0, 0]\nlength = 5', "needs the key 'breadth'"),
    ('summary = "x"\n[[wall]]\nname = "w"\nat = [0, 0]\nlength = 5\nbreadth = 2\nlook = "glass"', "one of pier"),
    ('summary = "x"\n[[buoy]]\nname = "b"\nat = [1e9, 0]', "within 100000 m"),
    ('summary = "x"\n[[wall]]\nname = "w"\nat = [0, 0]\nlength = 5\nbreadth = 2\nheading = 1e300', "-360 to 360 deg"),
    ('summary = "x"\n[[buoy]]\nname = "b"\nat = [1, 0]\n[[buoy]]\nname = "b"\nat = [9, 0]', "the same name"),
    ('summary = "x"\n[[craft]]\nname = "c"\nlength = 20\nbeam = 30\ndraft = 2', "beam is 30"),
    ('summary = "x"\n[[craft]]\nname = "c"\nlength = 20\nbeam = 4\ndraft = 2\nspeed = 500', "0 to 40"),
    ('summary = "x"\n[[craft]]\nname = "c"\nlength = 20\nbeam = 4\ndraft = 2\ncorners = [[0, 0], [1]]', "2 finite"),
    ('summary = "x"\n[[craft]]\nname = "c"\nlength = 20\nbeam = 4\ndraft = 2\ncorners = "round"', "finite"),
    ('summary = "x"\n[[craft]]\nname = "c"\nlength = 20\nbeam = 4\ndraft = 2\ncircle = 10.0', "two lengths"),
    ('summary = "x"\n[[craft]]\nname = "c"\nlength = 9\nbeam = 4\ndraft = 2\nspeed = 3\n'
     "corners = [[0, 0], [50, 0], [50, 50]]", "too short"),
    ('summary = "x"\n[[craft]]\nname = "c"\nwings = 2', "no key 'wings'"),
    ("summary = [", "not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_said_in_one_sentence(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=words) as told:
        traffic_named(str(path))
    assert "\n" not in str(told.value) and "mine.toml" in str(told.value)


@pytest.mark.parametrize("name", ["harbor", "../harbour", "/nowhere.toml", "", "x" * 5000])
def test_unknown_sets(name: str) -> None:
    with pytest.raises(MotionBaseError):
        traffic_named(name)


def test_there_are_bounds() -> None:
    with pytest.raises(MotionBaseError, match=f"there can be {SHIPS}"):
        TrafficSet("x", "", craft=tuple(Craft(f"c{k}", 9.0, 3.0, 1.0) for k in range(SHIPS + 1)))
    with pytest.raises(MotionBaseError, match=f"there can be {BUOYS}"):
        TrafficSet("x", "", buoys=tuple(Buoy(f"b{k}", (9.0, 3.0)) for k in range(BUOYS + 1)))
    with pytest.raises(MotionBaseError, match=f"there can be {WALLS}"):
        TrafficSet("x", "", walls=tuple(Wall(f"w{k}", (9.0, 3.0), 9.0, 3.0) for k in range(WALLS + 1)))


def test_the_set_of_the_docs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "docs" / "traffic.md").read_text()
    path = tmp_path / "docs.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0])
    traffic = traffic_named(str(path))
    assert (len(traffic.walls), len(traffic.buoys), len(traffic.craft)) == (1, 1, 1)
    assert traffic.craft[0].course.length > 1000
