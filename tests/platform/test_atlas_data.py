"""Atlas platforms as data: the preset and its marks, units of files, and complaints that name what would work."""

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.errors import PlatformError
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.load import load_atlas, load_atlas_file
from motionbase.platform.atlas.units import ENDINGS, PAPER, SI, units_named
from motionbase.platform.load import FOLDER, load_file, load_platform

ATLAS = load_atlas("atlas")
TEXT = (FOLDER / "atlas.toml").read_text()


def changed(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = TEXT
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_published_numbers_in_si() -> None:
    assert ATLAS.sphere.radius == pytest.approx(9.5 * 0.3048 / 2, rel=1e-15)
    assert [math.degrees(w.azimuth) for w in ATLAS.wheels] == pytest.approx([0, 120, 240])
    for w in ATLAS.wheels:
        assert w.radius == pytest.approx(0.381 / 2, rel=1e-15) and w.friction == 0.6
        assert math.degrees(w.elevation) == pytest.approx(-45) and math.degrees(w.roller_angle) == pytest.approx(45)
        assert w.contact_area == pytest.approx(1290e-6, rel=1e-3)  # 1290 mm^2, "2 square inches"
        assert w.rollers.profile == "elliptical"
        assert w.coverage >= 1  # some roller always touches
    # lb in^2 by hand: 0.45359237 * 0.0254^2
    np.testing.assert_allclose(np.diag(ATLAS.sphere.inertia_matrix), [941.1, 864.5, 918.3], atol=0.05)
    assert ATLAS.sphere.inertia_matrix[1, 2] == pytest.approx(43.46, abs=0.01)
    assert [ring.count for ring in ATLAS.rings] == [12, 12]
    assert (math.degrees(ATLAS.limits.velocity), math.degrees(ATLAS.limits.acceleration)) == pytest.approx((35, 350))
    assert ATLAS.carried_mass < ATLAS.mass_limit == 1400 and ATLAS.stage_capacity == 2800


def test_the_stage_is_a_platform_that_says_it_is_illustrative() -> None:
    stage = load_platform(ATLAS.stage)
    assert stage.payload.mass >= ATLAS.carried_mass
    assert {"base", "joints", "stroke", "payload", "actuator"} <= set(stage.illustrative)
    assert "no" in stage.summary and "illustrative" in stage.summary
    assert ATLAS.mount == stage.points["sphere_centre"]


def test_what_is_illustrative_is_marked_where_it_stands() -> None:
    lines = TEXT.splitlines()
    for dotted in ATLAS.illustrative:
        table, _, key = dotted.rpartition(".")
        start = lines.index(next(line for line in lines if line.startswith(f"[{table}]"))) if table else 0
        place = next(line for line in lines[start:] if re.match(rf"({key}(_\w+)? =|\[{key}\])", line))
        assert "illustrative" in place, dotted


def test_a_file_in_other_units_is_the_same_platform(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        ("radius_ft = 4.75", f"radius = {4.75 * 0.3048}"),
        ("mass = 800.0", f"mass_lb = {800 / 0.45359237!r}"),
        ("radius_in = 7.5", "radius_mm = 190.5"),
        ("elevation_deg = -45.0", f"elevation = {-math.pi / 4!r}"),
        ("torque_max = 40.0", f"torque_max_lbf_in = {40 / (4.4482216152605 * 0.0254)!r}"),
        ("speed_max = 200.0", f"speed_max_rpm = {200 * 30 / math.pi!r}"),
        ("contact_area_in2 = 2.0", "contact_area_mm2 = 1290.32"),
    )
    found = load_atlas_file(path)
    assert found.name == "mine"
    np.testing.assert_allclose(found.J_tau, ATLAS.J_tau, rtol=1e-13)
    for a, b in zip(found.wheels, ATLAS.wheels, strict=True):
        plain = [dataclasses.asdict(w) | {"rollers": 0} for w in (a, b)]
        assert list(plain[0].values()) == pytest.approx(list(plain[1].values()), rel=1e-13)
    assert found.sphere.mass == pytest.approx(800, rel=1e-14)


@given(st.floats(-1e12, 1e12), st.sampled_from([*ENDINGS, "-"]), st.sampled_from(["si", "paper"]))
def test_units_go_there_and_back(value: float, unit: str, name: str) -> None:
    units = units_named(name)
    assert units.back(units.of(value, unit), unit) == pytest.approx(value, rel=1e-15)  # two roundings


def test_units_of_the_paper_are_those_of_engineers() -> None:
    """M = I alpha / 386.0886 in pounds and inches, g being 9.80665 m/s^2 by definition."""
    moment = PAPER.of(1.0, "N m") / PAPER.of(1.0, "kg m^2")
    assert 1 / moment == pytest.approx(9.80665 / 0.0254, rel=1e-14)
    assert PAPER.of(1.0, "N") == pytest.approx(0.224809, rel=1e-6)
    assert SI.of(3.0, "N m") == 3.0 and SI.name("N m") == "N m" and PAPER.name("N m") == "lb in"
    with pytest.raises(PlatformError, match="units are 'metric', one of si, paper is wanted"):
        units_named("metric")


def test_wheels_may_differ_and_be_many(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        ("azimuth_deg = [0.0, 120.0, 240.0]", "azimuth_deg = [0.0, 80.0, 160.0, 270.0]"),
        ("elevation_deg = -45.0", "elevation_deg = [-40.0, -45.0, -50.0, -45.0]"),
    )
    found = load_atlas_file(path)
    assert [round(math.degrees(w.elevation)) for w in found.wheels] == [-40, -45, -50, -45]
    assert found.J_tau.shape == (3, 4) and found.J_omega.shape == (4, 3)


WRONG = [
    (("[0.0, 120.0, 240.0]", "[7.0, 7.0, 7.0]"), "the wheels are singular, none can turn the sphere about the axis"),
    (("[0.0, 120.0, 240.0]", "[0.0, 120.0]"), "wheels are 2, at least 3 are needed"),
    (("roller_angle_deg = 45.0", "roller_angle_deg = 90.0"), "roller_angle is 90 degrees, it must be between"),
    (("elevation_deg = -45.0", "elevation_deg = -135.0"), "elevation is -135 degrees, it must be between -90 and 90"),
    (("radius_ft = 4.75", "radius_furlong = 1"), "'furlong' is not a unit of radius; keys: radius [m], radius_mm"),
    (("radius_ft = 4.75", "radius_lb = 1"), "'lb' is not a unit of radius"),
    (("radius_ft = 4.75", "radius_ft = 4.75\nradius = 1.4"), "sphere.radius is given twice, once as 'radius'"),
    (("gear = 20.0", "gear_deg = 20.0"), "'deg' is not a unit of gear; keys: gear [-]"),
    (("3.138e6, 1.629e3", "-3.138e6, 1.629e3"), "inertia has the principal moments -9"),
    (("2.099e2, 1.485e5", "2.099e2, 3.1e6"), "inertia has the principal moments -1"),
    (("3.216e6, 2.954e6", "9.216e6, 2.954e6"), "break the triangle inequality"),
    (("mass = 800.0", "mass = 600.0"), "mass is 600 kg, but its inertia needs at least 649.7 kg inside a radius of"),
    (("mass = 800.0", "mass = 851.0"), "851 + 550 = 1401 kg, it must be less than the mass_limit of 1400 kg"),
    (("mass_limit = 1400.0", "mass_limit = 2900.0"), "it must be at most the stage_capacity of 2800 kg"),
    (("com = [0.0, 0.0, -0.005]", "com = [0.0, 0.0, -1.5]"), "com is 1.5 m from the centre, it must be inside"),
    (('stage = "atlas-stage"', 'stage = "gantry"'), "line 13: stage: no platform 'gantry'; presets: atlas-stage, cmf"),
    (('stage = "atlas-stage"', 'stage = "odu"'), "stage 'odu' is made for a payload of 1000 kg, it must be at least"),
    (("friction = 0.6", "friction = [0.6, 0.5]"), "wheels.friction is [0.6, 0.5], one number, or a list of 3"),
    (("count = 12\n", "count = 12.5\n"), "rings: count is 12.5, a whole number of at least 3 is wanted"),
    (('"elliptical"', '"round"'), "profile is 'round', one of elliptical, barrel, cylindrical is wanted"),
    (('"mount", "structure', '"mounting", "structure'), "illustrative names 'mounting', the file has no such key"),
    (('kind = "sphere"\n', ""), 'the file needs kind = "sphere"'),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_a_mistake_is_one_sentence_with_its_place(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match=re.escape(message)) as caught:
        load_atlas_file(changed(tmp_path, change))
    assert str(caught.value).startswith(str(tmp_path / "mine.toml")) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"wheels": ATLAS.wheels[:2]}, "wheels are 2, at least 3"),
        ({"wheels": list(ATLAS.wheels)}, "a tuple of DrivenWheel is wanted"),
        ({"sphere": None}, "sphere is None, Sphere is wanted"),
        ({"name": "two words"}, "a name is letters, digits, dashes and underscores"),
        (
            {"points": {"head": (0.0, math.nan, 0.0)}},
            "point 'head' is (0.0, nan, 0.0), three finite numbers are wanted",
        ),
        ({"mount": (1.0, 2.0)}, "mount is (1.0, 2.0), three finite numbers are wanted"),
    ],
)
def test_wrong_parts(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PlatformError, match=re.escape(message)):
        dataclasses.replace(ATLAS, **changes)


def test_the_two_kinds_of_platform_know_each_other() -> None:
    with pytest.raises(PlatformError, match="'atlas' is a sphere on wheels and has no legs; motionbase atlas analyse"):
        load_platform("atlas")
    with pytest.raises(PlatformError, match="line 2: the file has a sphere on wheels and no legs"):
        load_file(FOLDER / "atlas.toml")
    with pytest.raises(PlatformError, match='the file needs kind = "sphere"'):
        load_atlas(FOLDER / "simona.toml")
    with pytest.raises(PlatformError, match="no sphere 'simona'; presets: atlas, or a .toml file"):
        load_atlas("simona")


def test_a_platform_can_be_hashed_and_compared() -> None:
    again = load_atlas("atlas")
    assert isinstance(again, Atlas) and again == ATLAS and hash(again) == hash(ATLAS)
