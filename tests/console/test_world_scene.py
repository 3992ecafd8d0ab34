"""Scenes of worlds as the console takes them: all that docs/worlds.md names comes through, nonsense is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from motionbase.console.api.world import world_of_text
from motionbase.console.models import WorldScene
from motionbase.worlds.library import world_url

BOX = {"type": "box", "size": [1.0, 1.0, 1.0], "p": [0.0, 0.0, 0.0]}
FERRY = {
    "name": "ferry", "shapes": [BOX], "p": [0.0, 0.0, 0.0], "floats": True,
    "moved": {"number": 2, "channel": "contact_with", "x": "contact_x", "y": "contact_y"},
    "wake": {"length": 90.0, "beam": 14.0, "draft": 4.0, "speed": 8.2},
    "course": {"speed": 8.2, "start": 120.0, "length": 1414.2, "segments": [[0.0, -400.0, 90.0, 0.0, 0.0]]},
}  # fmt: skip
BUMP = {"name": "hump", "p": [9.0, 0.0, 0.0], "heading": 0.1, "length": 4.0, "width": 6.0, "height": 0.1}
DRIVE: dict[str, Any] = {
    "kind": "drive", "name": "a car", "objects": [FERRY], "captions": {"lap": [[1.0, "begin"]]},
    "ground": {"waves": [[2.0, 0.01, 0.0, 0.3]]},
    "road": {"points": [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], "width": 7.0, "closed": True, "bumps": [BUMP]},
}  # fmt: skip


def scene(**changed: object) -> WorldScene | str:
    return world_of_text(json.dumps({**DRIVE, **changed}))


def test_every_field_of_the_docs_comes_through() -> None:
    found = scene()
    assert isinstance(found, WorldScene) and found.road and found.ground
    (ferry,) = found.objects
    assert ferry.floats and ferry.course and ferry.wake
    assert ferry.moved and (ferry.moved.number, ferry.moved.x) == (2, "contact_x")
    assert (ferry.course.length, ferry.course.segments[0][2], ferry.wake.beam) == (1414.2, 90.0, 14.0)
    assert found.road.closed and found.road.bumps[0].height == 0.1
    assert found.ground.waves == [(2.0, 0.01, 0.0, 0.3)]
    assert found.captions == {"lap": [(1.0, "begin")]}


def test_the_simple_mode_has_its_handles() -> None:
    url = world_url("boat://seed")
    assert url is not None
    found = world_of_text(json.dumps(url.made().scene))
    assert isinstance(found, WorldScene) and found.sea and found.sea.seed
    assert len(found.sea.seed.handles) == 6 and found.sea.seed.units == 500.0


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"road": {**DRIVE["road"], "bumps": [{**BUMP, "height": None}]}}, "height"),
        ({"objects": [{**FERRY, "course": {"speed": 1.0, "segments": []}}]}, "segments"),
        ({"objects": [{**FERRY, "course": {"speed": 1.0, "length": 0.0, "segments": [[0, 0, 0, 0, 0]]}}]}, "length"),
        ({"kind": "train"}, "kind"),
    ],
)
def test_what_cannot_be_drawn_is_named(changed: dict[str, object], named: str) -> None:
    found = scene(**changed)
    assert isinstance(found, str) and found.startswith("the scene of world 'a car' cannot be drawn") and named in found
