"""Designs that cannot work are refused when they are loaded, odd ones are told; what fits is left in peace."""

import math
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.linear import steady_speed
from motionbase.control.law import ControlLaw
from motionbase.errors import PlatformError, PlatformWarning
from motionbase.platform.load import FOLDER, PRESETS, load_file, load_platform, load_text
from motionbase.platform.sizing.architecture import SINGULAR, are_similar, condition_words, conditions_of
from motionbase.platform.sizing.capability import capability_of
from motionbase.platform.sizing.check import examine
from motionbase.platform.sizing.forces import LegMotion, Motion
from motionbase.platform.sizing.plausible import ANY_KIND, ELECTRIC, HYDRAULIC
from motionbase.platform.sizing.reserves import Reserves
from motionbase.workbench.singular import worst_pose

EMOTION, SIMONA = ((FOLDER / f"{name}.toml").read_text() for name in ("emotion-1500", "simona"))
SIMILAR = (
    (
        "joints = { radius = 1.600, spacing = 0.20, at_deg = 0.0 }",
        "joints = { radius = 1.32, spacing = 0.48, at_deg = 60.0 }",
    ),
    ("l_min = 2.131\nl_max = 3.281", "l_min = 2.05\nl_max = 2.8"),
    ("hard_min = 2.081\nhard_max = 3.331", "hard_min = 2.0\nhard_max = 3.0"),
    ("l_down = 2.1215", "l_down = 2.04"),
    ("position = [0.95, 1.0, 0.61, 0.435, 0.395, 0.70]", "position = [0.5, 0.5, 0.2, 0.1, 0.1, 0.1]"),
)


def written(folder: Path, text: str, *changes: tuple[str, str]) -> Path:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / "mine.toml"
    path.write_text(text)
    return path


WRONG = [  # what is wrong, the preset, the key that the complaint leads to, words of it
    (
        EMOTION,
        [("lead = 0.02", "lead = 10.0")],
        "lead",
        "actuator.lead is 10 m, screws have 0.002 to 0.1 m; if 10 mm is meant, write 0.01",
    ),
    (
        EMOTION,
        [("torque_max = 50.0", "torque_max = 5.0")],
        "torque_max",
        "the actuators cannot lift the platform: leg 1 needs 4825 N at sway",
    ),
    (
        EMOTION,
        [("brake_force = 15000.0", "brake_force = 1500.0")],
        "brake_force",
        "the brakes cannot hold the platform",
    ),
    (
        EMOTION,
        [("com = [0.0, 0.0, 0.35]", "com = [0.0, 0.0, 200.0]")],
        "com",
        "payload.com is 200 m from the middle of the platform joints",
    ),
    (
        EMOTION,
        [("[700.0, 800.0, 900.0,", "[0.7, 0.8, 0.9,")],
        "inertia",
        "less than a ball of solid steel, 94.37 kg m^2",
    ),
    (EMOTION, [("inertia = 0.003", "inertia = 30.0")], "inertia = 30", "the motors cannot accelerate themselves"),
    (
        EMOTION,
        [("speed_base = 200.0\nspeed_max = 250.0", "speed_base = 150.0\nspeed_max = 200.0")],
        "leg_velocity",
        "the actuators cannot reach limits.leg_velocity: a leg needs 0.7 m/s and has 0.6366 m/s",
    ),
    (
        SIMONA,
        [("area_cap = 25.0e-4", "area_cap = 2.5e-4"), ("area_rod = 25.0e-4", "area_rod = 2.5e-4")],
        "area_cap",
        "the actuators cannot lift the platform",
    ),
    (
        SIMONA,
        [("p_supply = 16.0e6", "p_supply = 160.0"), ("p_return = 0.5e6", "p_return = 5.0")],
        "p_supply",
        "if 160 bar is meant, write 1.6e+07",
    ),
    (SIMONA, [("rated_flow = 1.7e-3", "rated_flow = 1.7e-4")], "leg_velocity", "cannot reach limits.leg_velocity"),
    (SIMONA, [("mass = 3500.0", "mass = 3.5")], "inertia", "a radius of gyration of 36.3 m"),
    (SIMONA, SIMILAR, "joints", "'mine' is architecturally singular: base and platform joints are similar hexagons"),
]
ODD = [
    (SIMONA, [("eye = [0.0, 0.0, -1.2075]", "eye = [0.0, 0.0, -1207.5]")], "points.eye is 1207.5 m from the middle"),
    (SIMONA, [("rated_drop = 3.5e6", "rated_drop = 35.0")], "if 35 bar is meant, write 3.5e+06"),
    (SIMONA, [("leg_acceleration = 10.0", "leg_acceleration = 10000.0")], "if 10000 mm/s^2 is meant, write 10"),
    (
        EMOTION,
        [("brake_force = 15000.0", "brake_force = 5000.0")],
        "leg 1 needs 4475 N at sway +0.15 m and has 5000 N, 1.12 times that, and 1.5 times is usual",
    ),
    (
        EMOTION,
        [("inertia_lateral = 7.0\ninertia_axial = 0.3", "inertia_lateral = 0.007\ninertia_axial = 0.0003")],
        "that of a rod of 0.0346 m",
    ),
    (
        EMOTION,
        [("speed_base = 200.0\nspeed_max = 250.0", "speed_base = 2000.0\nspeed_max = 2500.0")],
        "if 2500 rpm is meant, write 261.8",
    ),
    (EMOTION, [("load_mass = 320.0", "load_mass = 3.2")], "a leg's share of the moving mass is 308.3 kg"),
    (
        EMOTION,
        [("coulomb = 250.0\nstatic = 350.0", "coulomb = 250.0\nstatic = 6000.0")],
        "38% of the actuator's 15708 N",
    ),
    (
        EMOTION,
        [("acceleration = [6.0,", "acceleration = [60.0,")],
        "the actuators cannot accelerate surge by its limit",
    ),
    (
        SIMONA,
        [("velocity = [1.0, 1.0, 0.9, 0.6, 0.6, 0.8]", "velocity = [1.0, 1.0, 0.9, 30.0, 30.0, 40.0]")],
        "limits.velocity is 30 rad/s in pitch",
    ),
    (
        SIMONA,
        [("mass = 3500.0", "mass = 3.5"), ("[4000.0, 4600.0, 5200.0", "[4.0, 4.6, 5.2")],
        "the six legs weigh 1020 kg",
    ),
    (
        SIMONA,
        [("rated_flow = 1.7e-3", "rated_flow = 1.45e-3")],
        "cannot lift the platform at leg_velocity: leg 1 needs 6.62 kW",
    ),
    (
        SIMONA,
        [
            ("com = [0.0, 0.0, -0.35]", "com = [0.0, 0.0, -5.0]"),
            ("position = [0.95, 1.0, 0.61, 0.435, 0.395, 0.70]", "position = [0.3, 0.3, 0.3, 0.05, 0.05, 0.1]"),
        ],
        "payload.com is 5 m from",
    ),
]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_nothing_wrong_or_odd(name: str) -> None:
    found = examine(load_platform(name), thorough=True)
    assert found.works and not found.findings
    assert all(row.verdict in ("ok", "-") for row in found.reserves)


@pytest.mark.parametrize(("text", "changes", "key", "message"), WRONG, ids=[one[1][0][1] for one in WRONG])
def test_what_cannot_work_is_refused_at_its_line(
    tmp_path: Path, text: str, changes: list[tuple[str, str]], key: str, message: str
) -> None:
    path = written(tmp_path, text, *changes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlatformWarning)
        with pytest.raises(PlatformError) as caught:
            load_file(path)
    said = str(caught.value)
    line = int(said.removeprefix(f"{path}, line ").split(":")[0])
    assert path.read_text().splitlines()[line - 1].startswith(key), said
    assert message in said and "\n" not in said
    assert load_file(path, sized=False).name == "mine"
    assert load_text(path.read_text(), "mine").name == "mine"  # a recording of it can still be looked at


@pytest.mark.parametrize(("text", "changes", "message"), ODD, ids=[one[1][0][1] for one in ODD])
def test_what_is_odd_is_told_and_loaded(
    tmp_path: Path, text: str, changes: list[tuple[str, str]], message: str
) -> None:
    path = written(tmp_path, text, *changes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert load_file(path).name == "mine"
    told = [str(one.message) for one in caught if one.category is PlatformWarning]
    assert any(message in one and one.startswith(f"{path}, line ") for one in told), told


def test_a_ball_of_steel_is_the_least_inertia() -> None:
    """2/5 m r^2 with the radius of the mass at 7850 kg/m^3: just above is odd at most, just below is wrong."""
    h = load_platform("simona")
    r = (3 * h.payload.mass / (4 * math.pi * 7850)) ** (1 / 3)
    for scale, works in ((1.001, True), (0.999, False)):
        I = scale * 0.4 * h.payload.mass * r**2
        made = replace(h, payload=replace(h.payload, inertia=(I, I, I, 0.0, 0.0, 0.0)))
        assert examine(made).works == works


def test_forces_and_speeds_are_the_actuators() -> None:
    """A leg that goes at the speed it can have under a load has just the force for that load."""
    for name in ("simona", "emotion-8000", "odu"):
        has = capability_of(load_platform(name).actuator)
        f = np.array([0.2, 0.5, 0.8]) * has.push
        np.testing.assert_allclose(has.forces(has.speed(f))[1], f, rtol=1e-12)
        assert has.forces(np.zeros(1))[1][0] == has.push and has.forces(np.zeros(1))[0][0] == -has.pull
        assert has.speed(np.array([1.01 * has.push]))[0] == 0
    odu = load_platform("odu").actuator
    has = capability_of(odu)
    assert has.speed(np.array([3000.0]))[0] == pytest.approx(steady_speed(odu, 1.0, 3000.0), rel=1e-12)  # type: ignore[arg-type]
    assert has.fastest == pytest.approx(float(has.speed(np.zeros(1))[0]), rel=1e-12)


def test_similar_hexagons_are_singular_wherever_they_are(tmp_path: Path) -> None:
    h = load_file(written(tmp_path, SIMONA, *SIMILAR), sized=False)
    assert are_similar(h) and not are_similar(load_platform("simona"))
    dof = np.random.default_rng(3).uniform(-1, 1, (50, 6)) * np.asarray(h.limits.position)
    conditions = conditions_of(h, LegMotion(h, Motion.of_dof(h, dof)).J)
    assert conditions.min() > SINGULAR
    assert condition_words(float(conditions[0])) == "infinite (singular)" and condition_words(3.14159) == "3.142"
    found = examine(h)
    assert not found.works and not found.reserves
    for use in (lambda: ControlLaw(h).legs.masses, lambda: worst_pose(h)):  # made in Python, it is named there
        with pytest.raises(PlatformError, match="architecturally singular"):
            use()


def test_hexagons_that_are_similar_to_the_millimetre_are_as_useless(tmp_path: Path) -> None:
    h = load_file(written(tmp_path, SIMONA, *SIMILAR), sized=False)
    off = np.round(np.asarray(h.joints), 3)
    off -= off.mean(axis=0)
    (found,) = [one for one in examine(replace(h, joints=tuple(map(tuple, off.tolist())))).findings if one.fatal]
    assert "architecturally singular" in found.sentence


def test_a_law_for_drives_that_are_too_slow_is_refused_in_words() -> None:
    h = load_platform("emotion-1500")
    assert isinstance(h.actuator, ElectricActuator)
    slow = replace(h, actuator=replace(h.actuator, speed_base=100.0, speed_max=200.0))
    with pytest.raises(PlatformError, match="'emotion-1500': the actuators cannot reach limits.leg_velocity"):
        ControlLaw(slow).parameters  # noqa: B018


def test_reserves_by_hand() -> None:
    """Of the emotion-1500 at neutral: six alike legs carry payload and legs, and lift them at leg_velocity."""
    h = load_platform("emotion-1500")
    rows = {(row.what, row.where): row for row in Reserves(h).rows()}
    l, z, a = float(h.l_neutral[1]), h.p_neutral[2], h.actuator
    leg = h.rod.mass + (h.cylinder.mass * h.cylinder.com - h.rod.mass * h.rod.com) * (1 - (z / l) ** 2) / l
    weight = 9.80665 * (h.payload.mass / 6 + leg) * l / z
    lift, brake = (rows[what, "at neutral"] for what in ("static force (weight and friction)", "brake (weight)"))
    assert lift.needed == pytest.approx(weight + 350.0, rel=1e-4)  # joints are published to 0.01 mm
    assert lift.available == pytest.approx(50.0 * 2 * math.pi / 0.02)
    assert brake.factor == pytest.approx(15000 / weight, rel=1e-4)
    power = rows["power, lifting at leg_velocity", "at neutral"]
    assert power.needed == pytest.approx(1e-3 * 0.7 * (weight + 250.0 + 500.0 * 0.7), rel=1e-4)
    share = (250.0 - 0.7 * 2 * math.pi / 0.02) / 50.0  # of the torque that is left at that speed
    assert power.available == pytest.approx(1e-3 * 0.7 * a.force_max * share, rel=1e-12)  # type: ignore[union-attr]


def test_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs/sizing.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(code, "docs/sizing.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == ["7063.4", "True ()"]


def test_limits_of_the_page_are_those_of_the_code() -> None:
    text = (Path(__file__).parents[2] / "docs/sizing.md").read_text().split("### Plausible numbers")[1]
    for one in (*ANY_KIND, *ELECTRIC, *HYDRAULIC):
        name = one.key.split(".")[1] + "`"
        row = next(row for row in text.splitlines() if row.startswith("| ") and name in row.split("|")[1])
        low, high = (f"{x:g}".replace("e+0", "e").replace("e-0", "e-") for x in one.odd)
        assert f"{low} to {high}" in row, one.key
