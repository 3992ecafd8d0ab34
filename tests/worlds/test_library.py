"""Worlds by URL: what is known, and what is refused in one sentence."""

import json
import re
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


OWN = r'''
from motionbase.worlds.seed.world import SeedWorld

def calm(height="0"):
    from motionbase.worlds.seed.boat import Boat
    from motionbase.worlds.seed.wave import Wave
    return SeedWorld(Boat(), Wave(height=float(height)))

class Nothing:
    pass

class Odd:
    """A calm world with one member changed by an option, as Python."""
    def __init__(self, member, value):
        self.__dict__.update(world=calm(), member=member, value=eval(value))
    def __getattr__(self, name):
        return self.value if name == self.member else getattr(self.world, name)
for member in ("kind", "name", "dt", "controls", "channels", "scene", "scripts", "cueing", "reset", "step", "t",
               "vehicle", "place", "told"):
    setattr(Odd, member, property(lambda self, member=member: self.__getattr__(member)))
'''


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


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("kind", "'submarine'", "kind is 'submarine', it must be boat, flight or drive"),
        ("name", "''", "name is '', it must be a printable text of 1 to 64 letters"),
        ("dt", "0", "dt is 0 s, it must be 0.0001 to 0.1 s"),
        ("dt", "float('nan')", "dt is nan s"),
        ("dt", "'fast'", "cannot be used: TypeError"),
        ("controls", "('rudder',)", "controls has 'rudder', it must hold motionbase.worlds.world.Control only"),
        ("channels", "(1,)", "channels has 1, it must hold motionbase.record.schema.Channel only"),
        ("scripts", "['tour']", "scripts is a list, it must be a dict of functions by name"),
    ],
)
def test_members_of_ones_own_world_are_checked(tmp_path: Path, member: str, value: str, said: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    url = world_url(f"world://{file}:Odd?member={member}&value={value}")
    assert url is not None
    with pytest.raises(UsageError, match=re.escape(said)) as error:
        url.made()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["{'kind': {1, 2}}", "{'eye': [float('nan')]}"])
def test_a_scene_that_is_no_json_is_one_sentence(tmp_path: Path, value: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN)
    url = world_url(f"world://{file}:Odd?member=scene&value={value}")
    assert url is not None
    with pytest.raises(UsageError, match="the scene of world .* cannot be written as JSON"):
        Described.of(url.made())
