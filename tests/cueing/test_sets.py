"""Sets of washout parameters: presets, files, and what is wrong in them."""

from pathlib import Path

import pytest

from motionbase.cueing.cueing import Cueing
from motionbase.cueing.sets import load_set, set_names
from motionbase.errors import MotionBaseError
from motionbase.platform.load import load_platform

GOOD = """\
summary = "mine"
sources = []
illustrative = ["air"]
[air]
gain = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
"""


@pytest.mark.parametrize("name", set_names())
def test_presets_load_and_say_what_is_illustrative(name: str) -> None:
    found = load_set(name)
    assert found.name == name and found.summary and (found.sources or found.illustrative)
    assert Cueing.of(load_platform("simona"), found).parameters.size == 2 * len(found.vector("air"))


def test_simona_is_as_published() -> None:
    air = load_set("simona").air
    assert air["gain"] == (0.6, 0.6, 0.5, 0.6, 0.6, 0.6)
    assert air["high_pass"] == (0.8, 1.0, 1.0, 1.0, 0.8, 1.0)
    assert air["first_order"] == (0, 0, 0.2, 0, 0, 0)


def test_the_ground_is_the_air_unless_it_says_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD + "[ground]\nblend = 2.0\n")
    found = load_set(path)
    assert found.ground["blend"] == (2.0,) and found.ground["gain"] == found.air["gain"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (GOOD + "gian = 1\n", "no key 'gian'"),
        (GOOD + "tilt_rate = 5.0\n", "air.tilt_rate is 5 rad/s, it must be 0.001 to 1"),
        (GOOD + "damping = [1.0]\n", "6 finite numbers"),
        (GOOD + "high_pass = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]\n", "never wash out"),
        (GOOD.replace("[air]", "[space]"), "'space'"),
        ("gain", "mine.toml"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(MotionBaseError) as found:
        load_set(path)
    assert sentence in str(found.value) and "\n" not in str(found.value)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(MotionBaseError, match="did you mean 'simona'"):
        load_set("simoan")
