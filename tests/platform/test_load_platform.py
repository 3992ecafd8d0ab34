"""A user's own TOML: what it may say, and complaints with file, line, key and what is wanted."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.platform.load import FOLDER, load_file, load_platform

SIMONA = (FOLDER / "simona.toml").read_text()


def changed(old: str, new: str) -> str:
    assert SIMONA.count(old) >= 1, old
    return SIMONA.replace(old, new, 1)


def line_of(text: str, piece: str) -> int:
    return text[: text.index(piece)].count("\n") + 1


def test_a_file_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SIMONA)
    found, preset = load_platform(path), load_platform("simona")
    assert found.name == "mine"  # a file without a name is called as the file
    np.testing.assert_array_equal(found.joints, preset.joints)
    assert load_platform(str(path)) == found


def test_a_file_may_have_its_own_name_and_places(tmp_path: Path) -> None:
    """Places one by one and in our axes and order are the same platform."""
    preset = load_platform("simona")
    places = "".join(f"{key} = {[list(p) for p in getattr(preset, key)]}\n" for key in ("base", "joints"))
    text = re.sub(r"(?m)^(base|joints|axes|legs) = .*\n", "", SIMONA)
    text = text.replace("p_neutral = [0.0, 0.0, -2.39]", f'name = "twin"\n{places}p_neutral = [0.0, 0.0, 2.39]')
    text = text.replace("com = [0.0, 0.0, -0.35]", "com = [0.0, 0.0, 0.35]")
    text = text.replace("-1.2075", "1.2075").replace("-0.8575", "0.8575")
    path = tmp_path / "mine.toml"
    path.write_text(text)
    found = load_file(path)
    assert found.name == "twin"
    for key in ("base", "joints", "p_neutral", "payload", "points", "stroke", "actuator"):
        assert getattr(found, key) == getattr(preset, key), key


def test_axes_turn_the_products_of_inertia_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(changed("5200.0, 0.0, 0.0, 0.0]", "5200.0, 10.0, 20.0, 30.0]"))
    assert load_file(path).payload.inertia == (4000.0, 4600.0, 5200.0, -10.0, -20.0, 30.0)


BAD = [
    ('axes = "z_down"', 'axes = "east"', 'axes = "east"', "axes is 'east', one of z_up, z_down is wanted"),
    ("legs = [6, 5, 4, 3, 2, 1]", "legs = [6, 5, 4, 3, 2, 2]", "legs =", "our legs 1 to 6, each once, is wanted"),
    ("legs = [6, 5, 4, 3, 2, 1]", "legs = [1, 2, 3, 4, 5, 6]", "legs =", "counter-clockwise from above"),
    ("legs = [6, 5, 4, 3, 2, 1]", "legs = 6", "legs =", "legs is 6"),
    ("radius = 1.650", "radius = -1.0", "base =", "radius is -1.0 m, a finite number above 0 is wanted"),
    ("spacing = 0.60", "spacing = 3.60", "base =", "makes the pairs overlap; it must be below 2.858 m"),
    ("spacing = 0.60,", "", "base =", "[base] needs the key 'spacing'; keys: radius, spacing, at_deg"),
    ("radius = 1.650", 'radius = "big"', "base =", "base.radius is 'big', a finite number is wanted"),
    ("p_neutral = [0.0, 0.0, -2.39]", "p_neutral = [0, 0]", "p_neutral =", "p_neutral is [0, 0], 3 finite numbers"),
    (
        "p_neutral = [0.0, 0.0, -2.39]",
        "p_neutral = [0, 0, -5]",
        "p_neutral =",
        "p_neutral makes leg 1 5.159 m long",
    ),
    ("l_down = 2.1215", "l_down = 2.0", "l_down =", "l_down is 2 m, it must be at least hard_min 2.081 m"),
    ("l_down = 2.1215", "l_down = true", "l_down =", "l_down is True, a finite number is wanted"),
    ("l_min = 2.131", "l_min = 4.0", "l_min =", "l_min 4 m must be below l_max 3.281 m"),
    ("l_min = 2.131", "l_min = nan", "l_min =", "stroke.l_min is nan, a finite number is wanted"),
    ("l_min = 2.131\n", "", "[stroke]", "[stroke] needs the key 'l_min'"),
    ("cushion = 0.05", "cushion = 0.7", "cushion =", "longer than half of the 1.25 m"),
    ("cushion = 0.05", "cushoin = 0.05", "cushoin =", "[stroke] has no key 'cushoin'; keys: l_min, l_max"),
    ("mass = 3500.0", "mass = -3500.0", "mass = -3500", "payload: mass is -3500.0 kg"),
    ("inertia = [4000.0", "inertia = [40000.0", "inertia = [4", "break the triangle inequality"),
    ("inertia_axial = 0.5", "inertia_axial = 500.0", "inertia_axial", "[cylinder] leg part: inertia_axial 500 is more"),
    ("velocity = [1.0,", "velocity = [-1.0,", "velocity =", "limits: velocity is"),
    (
        "0.61, 0.435",
        "6.1, 0.435",
        "position =",
        "limits.position is 6.1 m in heave, where the legs reach their ends at",
    ),
    ("0.61, 0.435", "0.61, 0.7", "position =", "is 0.7 rad in roll, where the legs reach their ends at 0.4524 rad; it"),
    (
        "leg_braking = 5.0",
        "leg_braking = 15.0",
        "leg_braking =",
        "limits.leg_braking is 15 m/s^2, it must be at most leg_acceleration, 10 m/s^2",
    ),
    ("velocity = [1.0,", "velocity = [", "velocity =", "limits.velocity is"),
    ('type = "hydraulic"', 'type = "steam"', "type =", "no type 'steam'; types: hydraulic, electric"),
    ('type = "hydraulic"\n', "", "[actuator]", "there is no type; types: hydraulic, electric"),
    ("area_cap = 25.0e-4", "area_cap = 0.0", "area_cap =", "area_cap"),
    ("kappa = 0.7", "kappa = 1.7", "kappa =", "kappa is 1.7, it must be below 1"),
    ("[actuator.friction]", "[actuator.frction]", "[actuator.frction]", "[actuator] has no key 'frction'"),
    ("eye = [0.0, 0.0, -1.2075]", "eye = 1.2", "eye =", "points.eye is 1.2, 3 finite numbers are wanted"),
    ('illustrative = ["payload"', 'illustrative = ["paylaod"', "illustrative =", "names 'paylaod', the file has no"),
    ("summary = ", "summery = ", "summery =", "the file has no key 'summery'"),
    ("[points]", "[pints]", "[pints]", "the file has no key 'pints'"),
    ("com = 0.60", "com = 2.5", "[cylinder]", "the cylinder's centre of mass is 2.5 m from its joint"),
    ("axes =", 'name = "a b"\naxes =', "name =", "letters, digits, dashes and underscores"),
]


@pytest.mark.parametrize(("old", "new", "place", "message"), BAD, ids=[b[1].strip() or b[0].strip() for b in BAD])
def test_complaints_lead_to_the_place(tmp_path: Path, old: str, new: str, place: str, message: str) -> None:
    text = changed(old, new)
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(PlatformError) as caught:
        load_file(path)
    said = str(caught.value)
    assert said.startswith(f"{path}, line {line_of(text, place)}: "), said
    assert message in said
    assert "\n" not in said


def test_a_missing_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(re.sub(r"(?s)\[rod\].*?\n\n", "", SIMONA).replace('"rod", ', ""))
    with pytest.raises(PlatformError, match=r"bad\.toml: the file needs the key 'rod'; keys: name, axes"):
        load_file(path)


def test_all_missing_keys_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('name = "bad"\n')
    with pytest.raises(PlatformError, match=r"the file needs the keys 'summary', 'sources', .*'actuator'; keys: name"):
        load_file(path)


def test_platform_joints_must_be_around_the_origin(tmp_path: Path) -> None:
    joints = [[round(x + 0.1, 4), y, z] for x, y, z in load_platform("simona").joints]
    text = re.sub(r"(?m)^joints = .*$", f"joints = {joints}", SIMONA)
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(
        PlatformError, match=r"centroid of the platform joints is at \(0\.1000, 0\.0000, 0\.0000\) m in P"
    ):
        load_file(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "simna",
            "no platform 'simna'; presets: atlas-stage, cmf, emotion-1500, emotion-8000, odu, simona, or a .toml file",
        ),
        ("absent.toml", "absent.toml: cannot be read: No such file or directory"),
    ],
)
def test_what_is_not_there_is_told(name: str, message: str) -> None:
    with pytest.raises(PlatformError, match=re.escape(message)):
        load_platform(name)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"name": "a b"},
            "platform 'a b': a name is letters, digits, dashes and underscores, and starts with a letter",
        ),
        ({"sources": "a book"}, "platform 'simona': sources are 'a book', a tuple of texts is wanted"),
        ({"stroke": 1.25}, "platform 'simona': stroke is 1.25, Stroke is wanted"),
        (
            {"actuator": None},
            "platform 'simona': actuator is None, hydraulic.HydraulicActuator | electric.ElectricActuator",
        ),
        ({"points": [1, 2]}, "platform 'simona': points is [1, 2], Mapping is wanted"),
        ({"points": {"eye": (0, 0)}}, "platform 'simona': point 'eye' is (0, 0), three finite numbers are wanted"),
        (
            {"base": [[0, 0, 0]]},
            "platform 'simona': base are [[0, 0, 0]], six places of three finite numbers are wanted",
        ),
    ],
)
def test_platforms_made_in_python_are_checked_too(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PlatformError, match=re.escape(message)):
        dataclasses.replace(load_platform("simona"), **changes)


def test_no_toml_at_all(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("summary = ")
    with pytest.raises(PlatformError, match=r"bad\.toml: not TOML"):
        load_file(path)


def test_a_leg_just_outside_its_stroke_is_told_with_enough_digits() -> None:
    """Four digits would read '0.85 m long' against a stroke of '0.85 to ...'."""
    simona = load_platform("simona")
    l = float(simona.l_neutral.max())
    stroke = dataclasses.replace(simona.stroke, l_max=l - 1e-6)
    with pytest.raises(PlatformError) as caught:
        dataclasses.replace(simona, stroke=stroke)
    text = re.search(r"p_neutral makes leg \d (\S+) m long, it must be inside .* and below (\S+) m", str(caught.value))
    assert text is not None and float(text[1]) > float(text[2])
