"""Worlds by URL: what is known, and what is refused in one sentence."""

import json
from pathlib import Path

import pytest

from motionbase.errors import MotionBaseError, UsageError
from motionbase.worlds.library import CATALOGUES, NO_SCRIPT, Described, catalogues, world_url


def test_a_kind_alone_is_its_usual_vehicle() -> None:
    url = world_url("boat")
    assert url is not None and url.kind == "boat" and url == world_url("boat://")


def test_what_is_no_world_is_left_to_others() -> None:
    assert world_url("udp://127.0.0.1:8730") is None and world_url("boats") is None and world_url("") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("boat://sead", "no vessel 'sead'; did you mean 'seed'?"),
        ("boat://seed?heigth=1", "'boat://seed?heigth=1': no option 'heigth'; did you mean 'height'?"),
        ("boat://seed?height=high", "height is 'high', it must be 0 to 5 m"),
        ("boat://seed?height=nan", "height is 'nan'"),
        ("boat://seed?height=1e999", "height is '1e999'"),
        ("boat://seed?height", "'height' is no option"),
        ("boat://seed?height=1&height=2", "height is given twice"),
        ("boat://seed?script=cruse", "no script 'cruse'; did you mean 'cruise'?"),
        ("boat://seed?\n=1", "is no URL"),
        ("boat://" + "x" * 5000, "is no URL"),
        ("world://nowhere.py:Mine", "nowhere.py"),
        ("world://mine", "world://FILE.py:NAME"),
    ],
)
def test_what_cannot_be_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        url = world_url(text)
        assert url is not None
        url.made()
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_script_can_be_named_or_left_out() -> None:
    for script in ("cruise", NO_SCRIPT):
        url = world_url(f"boat://seed?script={script}&height=1.5")
        assert url is not None and url.script == script
        url.made()


@pytest.mark.parametrize(("wanted", "told"), [("", "tour"), ("drift", "drift"), (NO_SCRIPT, "")])
def test_viewers_are_told_which_script_steers(wanted: str, told: str) -> None:
    url = world_url(f"boat://seed?script={wanted}" if wanted else "boat")
    assert url is not None
    described = Described.of(url.made(), url.script)
    assert json.loads(described.text)["script"] == told


@pytest.mark.parametrize("kind", CATALOGUES)
def test_every_catalogue_names_its_vehicles(kind: str) -> None:
    for catalogue in catalogues(kind):
        assert all(text for text in catalogue.NAMES.values())
        assert len({option.name for option in catalogue.OPTIONS}) == len(catalogue.OPTIONS)


OWN = """
from motionbase.worlds.seed.world import SeedWorld

def calm(height="0"):
    from motionbase.worlds.seed.boat import Boat
    from motionbase.worlds.seed.wave import Wave
    return SeedWorld(Boat(), Wave(height=float(height)))

class Nothing:
    pass
"""


def test_a_world_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    url = world_url(f"world://{file}:calm?height=0.3&script=drift")
    assert url is not None and url.made().wave.height == 0.3  # type: ignore[attr-defined]
    for name, said in (
        ("clam", "no world in"), ("Nothing", "is no world: it lacks"), ("calm?deep=1", "unexpected keyword argument"),
        ("calm?height=x", "cannot be used: ValueError"),
    ):  # fmt: skip
        with pytest.raises(MotionBaseError, match=said):
            url = world_url(f"world://{file}:{name}")
            assert url is not None
            url.made()
