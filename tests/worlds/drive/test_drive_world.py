"""The world of a car: tours with sound numbers, hostile controls, falls and roll-overs, the scene, options."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MotionBaseError, UsageError
from motionbase.record.vehicle import G
from motionbase.worlds.drive import catalogue
from motionbase.worlds.drive.car import FOLDER, load_car
from motionbase.worlds.drive.catalogue import NAMES
from motionbase.worlds.drive.simulation import Simulation
from motionbase.worlds.drive.world import OVERTURNED_S, RETURN_S, DriveWorld
from motionbase.worlds.library import world_url
from motionbase.worlds.option import read_options
from tests.worlds.drive.pads import PLAIN


def made(url: str) -> DriveWorld:
    found = world_url(url)
    assert found is not None
    world = found.made()
    assert isinstance(world, DriveWorld)
    world.reset()
    return world


def felt_in(world: DriveWorld, script: str, seconds: float) -> np.ndarray:
    steer, rows = world.scripts[script](), []
    for _ in range(round(seconds / world.dt)):
        world.step(steer(world.t))
        rows.append(world.vehicle)
    return np.array(rows)


def test_the_tour_keeps_to_the_road_and_shows_what_it_promises() -> None:
    """With the road's class A: full throttle, a slalom, a bend, the rough part, within 31 s."""
    world = made("drive://hatchback")
    rows = felt_in(world, "tour", 31.0)
    assert len(world.told) == len(world.channels) and len(world.place) == 10
    assert np.isfinite(rows).all() and world.simulation.foot.s > 350 and abs(world.simulation.foot.across) < 1
    assert rows[:600, 0].max() > 4.0  # pulls away
    weave = rows[1200:2900, 1]
    assert weave.max() > 2.0 and weave.min() < -2.0
    assert 4.0 < rows[3700:4600, 1].mean() < 6.5  # the bend to the left pushes to the right: f_y is positive
    rough, smooth = rows[5500:6200, 2].std(), rows[4700:5100, 2].std()
    assert rough > 2 * smooth


@pytest.mark.long("two minutes of each car and script")
@pytest.mark.parametrize("script", ("tour", "lap", "slalom", "brake"))
@pytest.mark.parametrize("car", NAMES)
def test_every_script_drives_every_car_round_the_circuit(car: str, script: str) -> None:
    world = made(f"drive://{car}?road=C&hills=2")
    steer, way = world.scripts[script](), 0.0
    for _ in range(round(120 / world.dt)):
        world.step(steer(world.t))
        assert np.isfinite(world.vehicle).all() and abs(world.simulation.foot.across) < 3.0
        way += world.dt * float(world.simulation.v[3])
    assert way > 700


def test_every_lap_has_the_same_road() -> None:
    """Heights beside one sample of the course, seen from the same place a second time."""
    world = made("drive://hatchback?road=D&bumps=0")
    surface = world.simulation.surface
    x, y, _ = surface.road.course.at(700.0)
    wheels = [(x, y), (x + 1, y), (x, y + 1), (x - 1, y)]
    surface.seek()
    surface.look(wheels, (0.1, 0.0))
    first = surface.unders.copy()
    surface.seek()
    surface.look([(0.0, 0.0)] * 4, (0.0, 0.0))
    surface.seek()
    surface.look(wheels, (0.1, 0.0))
    np.testing.assert_array_equal(surface.unders, first)


def test_hostile_controls_break_nothing() -> None:
    """Random ends of all controls, numbers beyond them and no numbers at all, on a rough road with high bumps."""
    world = made("drive://sports?road=E&bumps=3&hills=2.5&speed=40")
    random = np.random.default_rng(5)
    for k in range(1500):
        if k % 40 == 0:
            controls = random.choice([-1e9, -1.0, 0.0, 0.5, 1.0, math.nan, math.inf], 4).tolist()
        world.step(controls)
        assert all(map(math.isfinite, (*world.vehicle, *world.place, *world.told)))
        assert np.abs(world.vehicle[:3]).max() < 60 * G


def rolled(world: DriveWorld, seconds: float) -> np.ndarray:
    """Rows without a touch of the controls."""
    rows = []
    for _ in range(round(seconds / world.dt)):
        world.step((0.0, 0.0, 0.0, 0.0))
        rows.append(world.vehicle)
    return np.array(rows)


def test_a_car_that_falls_lands_and_hardly_bounces() -> None:
    """From 4 m onto its side: it dents the shell, falls back onto its wheels, and comes to rest."""
    world = made("drive://hatchback?course=pad")
    car = world.simulation
    car.q[2] += 4.0
    car.v[0] = 2.5
    air = rolled(world, 1.1)
    heights = []
    for _ in range(140):
        world.step((0.0, 0.0, 0.0, 0.0))
        heights.append(float(car.q[2]))
    assert air[50, 12] == 0.0 and max(heights) < 1.3 and min(heights) > 0.0
    last = rolled(world, 6.0)
    assert last[-1, 12] == 1.0 and np.abs(car.angles[:2]).max() < 0.02 and abs(car.q[2]) < 0.05


def test_an_overturned_car_lies_still_and_comes_back() -> None:
    """The gravity felt turns from the roof to the wheels, at the angular rate of the same row."""
    world = made("drive://hatchback?course=pad")
    car = world.simulation
    car.q[2], car.q[3:7] = PLAIN.body.size[2] + 0.1, (0.0, 1.0, 0.0, 0.0)
    while world._fade is None:
        rolled(world, world.dt)
        assert world.t < 6.0
    assert OVERTURNED_S <= world.t
    fade = rolled(world, RETURN_S)
    assert abs(fade[0, 9]) > 3.0 and np.abs(np.linalg.norm(fade[:, :3], axis=1) - G).max() < 0.15
    np.testing.assert_allclose(np.diff(fade[:, 9]) / world.dt, (fade[1:, 3] + fade[:-1, 3]) / 2, atol=0.02)
    assert np.abs(np.diff(fade[:, :6], axis=0)).max() < 0.3
    assert np.abs(car.angles[:2]).max() < 0.02 and abs(car.q[2]) < 0.05 and fade[-1, 12] == 1.0


def test_the_brake_reverses_from_a_standstill_only_when_pressed_anew() -> None:
    world = made("drive://hatchback?course=pad&speed=5")
    for _ in range(600):
        world.step((0.0, 0.0, 1.0, 0.0))
    assert world.simulation.gearbox.gear > 0 and abs(world.simulation.v[3]) < 0.01
    for _ in range(20):
        world.step((0.0, 0.0, 0.0, 0.0))
    for k in range(400):  # as a key presses: on its way
        world.step((0.0, 0.0, min(0.6, 0.015 * k), 0.0))
    assert world.simulation.gearbox.gear == -1 and world.simulation.v[3] < -1.0
    for _ in range(400):
        world.step((0.0, 1.0, 0.0, 0.0))
    for _ in range(300):
        world.step((0.0, 0.5, 0.0, 0.0))
    assert world.simulation.gearbox.gear >= 1 and world.simulation.v[3] > 0.5


def test_what_is_felt_at_a_standstill_is_gravity_and_a_little_of_the_engine() -> None:
    world = made("drive://hatchback?course=pad")
    rows = np.array([(world.step((0, 0, 0, 0)), world.vehicle)[1] for _ in range(200)])  # type: ignore[func-returns-value]
    np.testing.assert_allclose(rows[:, [0, 1]], 0, atol=0.05)  # the road of class A is not quite level
    assert np.abs(np.diff(rows[:, [0, 1]], axis=0)).max() < 2e-3
    assert np.abs(rows[:, 2] - G).max() <= PLAIN.engine.vibration and rows[:, 2].std() > 0.005


def test_its_scene_is_plain_json_that_names_channels_of_its_own() -> None:
    from motionbase.console.models.world import WorldScene

    for car in NAMES:  # without making its dynamics
        world = catalogue.made(car, read_options("test", catalogue.OPTIONS, {}))
        assert isinstance(world, DriveWorld)
        scene = json.loads(json.dumps(world.scene))
        WorldScene.model_validate(scene)
        names = {c.name for c in world.channels}
        assert {i["channel"] for i in scene["instruments"]} | {c["channel"] for c in scene["controls"]} <= names
        assert {part.get("channel", part.get("slide")) for part in scene["parts"]} <= names
        assert len(scene["road"]["points"]) > 100 and len(scene["road"]["bumps"]) == 3


def test_wrong_options_are_refused_in_one_sentence() -> None:
    for url, text in (
        ("drive://tank", "hatchback"), ("drive://hatchback?road=F", "A or B or C or D or E"),
        ("drive://hatchback?speed=900", "0 to 60 m/s"), ("drive://hatchback?gripp=1", "grip"),
    ):  # fmt: skip
        with pytest.raises((UsageError, MotionBaseError), match=text):
            made(url)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("track = 1.51\n", "", r"line \d+: \[front\] needs the key 'track'"),
        ("mass = 1080.0", "mass = -3", "body: mass is -3, it must be above 0"),
        ("1450.0, 1600.0", "1450.0, 5000.0", "no body has this inertia"),
        ("#2f6fb0", "blue", "colour is 'blue', it must be like #2f6fb0"),
        ("mass = 1080.0", "mass = 1e300", r"body: mass is 1e\+300, it must be between 1e-09 and 1e\+09"),
        ("roll_centre = 0.06", "roll_centre = 3.0", "roll_centre is 3 m, it must be within half the track, 0.755 m"),
        ("efficiency = 0.92", "efficiency = 1.2", "efficiency is 1.2, at most 1; multiplies is 1.8, at least 1"),
        ("spring = 21000.0", "spring = 21e6", "spring and anti_roll on the wheel's mass gives 757.4 rad/s, the step"),
        ("lock = 4.0", "lock = 4000.0", "lock on spin_inertia gives 4706 rad/s, the step allows 700"),
        ("inertia = 0.16", "inertia = 0.001", "converter's torque at its stall speed on inertia gives 7384 rad/s"),
        ("relaxation_x = 0.22", "relaxation_x = 1e-6", "the step allows 700 rad/s"),
    ],
)
def test_files_of_cars_are_checked(before: str, after: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text((FOLDER / "hatchback.toml").read_text().replace(before, after, 1))
    with pytest.raises(UsageError, match=text):
        load_car(str(file))


def test_a_car_that_cannot_stand_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if its motion broke while it settles; the checks of files leave no such car that we know of."""
    monkeypatch.setattr(Simulation, "is_sound", False)
    with pytest.raises(UsageError, match="the car hatchback does not stand on its wheels; check the numbers of its"):
        made("drive://hatchback?course=pad")


def test_a_car_of_a_file_is_driven_and_a_script_finds_back_to_the_road(tmp_path: Path) -> None:
    """Placed 30 m beside the road and pointing the wrong way, the script turns the car and drives back."""
    file = tmp_path / "mine.toml"
    file.write_text((FOLDER / "hatchback.toml").read_text())
    world = made(f"drive://{file}?bumps=0")
    car = world.simulation
    car.surface.seek()
    car.q[1] -= 30.0
    car.q[2] = car.surface.height(float(car.q[0]), float(car.q[1]))[0] + 0.1
    car.q[3:7] = 0.0, 0.0, 0.0, 1.0
    steer = world.scripts["lap"]()
    for _ in range(6000):
        world.step(steer(world.t))
        if abs(car.foot.across) < 2.0 and math.cos(car.angles[2]) > 0.8 and car.v[3] > 2.0:
            return
    raise AssertionError(f"{car.foot.across:.1f} m beside the road")
