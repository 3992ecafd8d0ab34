"""Scenes of multibody models: what is drawn of them live and of recordings, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.console.api.judge import judge_of_text
from motionbase.console.api.model_scene import model_of_text
from motionbase.console.models import ModelScene
from motionbase.console.models.shown import MOST_CORNERS, MOST_PARTS
from motionbase.multibody.models import MODELS
from motionbase.multibody.scene import axes_of, scene_of
from motionbase.record.model import model_schema
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.recorder.files import platform_name
from motionbase.ring.writer import Writer
from tests.console.api_rig import Page, page, wait_for
from tests.console.live_rig import own_rings

ROBOT = scene_of(MODELS["robot6"].build())
TRIANGLE = {"vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]}
MESH = {"type": "mesh", "size": [], "p": [0, 0, 0], **TRIANGLE}
Edit = Callable[[dict[str, Any]], object]


def text(edit: Edit | None = None) -> str:
    scene = json.loads(json.dumps(ROBOT))
    if edit:
        edit(scene)
    return json.dumps(scene)


def shape(scene: dict[str, Any]) -> dict[str, Any]:
    """The first of the first body."""
    found: dict[str, Any] = scene["bodies"][0]["shapes"][0]
    return found


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    own_rings(tmp_path, monkeypatch)
    with page(tmp_path) as made:
        yield made


@pytest.mark.parametrize("name", ["robot6", "slider_crank", "chain30", "srms_on_orbiter"])
def test_scenes_of_models_can_be_drawn(name: str) -> None:
    model = MODELS[name].build()
    found = model_of_text(json.dumps(scene_of(model)))
    assert isinstance(found, ModelScene) and found.name == model.name
    assert [body.name for body in found.bodies] == [body.name for body in model.bodies]


def test_a_mesh_and_what_a_later_version_adds_are_taken() -> None:
    found = model_of_text(
        text(lambda s: (s["bodies"][0]["shapes"].append(MESH), s.update(later=1), shape(s).update(gloss=2)))
    )
    assert isinstance(found, ModelScene)
    assert found.bodies[0].shapes[-1].faces == [(0, 1, 2)] and found.bodies[0].shapes[-1].role == "link"


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda s: shape(s).update(p=[0, "x", 1]), "bodies.0.shapes.0.p.1: input should be a valid number"),
        (lambda s: shape(s).update(p=[0, 1]), "bodies.0.shapes.0.p"),
        (lambda s: shape(s).update(p=[0, float("nan"), 1]), "bodies.0.shapes.0.p.1"),
        (lambda s: shape(s).update(p=[1e9, 0, 0]), "less than or equal to 1000000"),
        (lambda s: shape(s).update(size=[1, 1, -1]), "size.2: input should be greater than or equal to 0"),
        (lambda s: shape(s).update(size=[1]), "the size of a cylinder has 3 numbers, not 1"),
        (lambda s: shape(s).update(q=[0, 0, 0, 0]), "the quaternion has length 0, it must be 1"),
        (lambda s: shape(s).update(color="red; }"), "color"),
        (lambda s: shape(s).update(role="ghost"), "role"),
        (lambda s: shape(s).update(type="teapot"), "type"),
        (lambda s: shape(s).update(MESH, faces=[[0, 1, 3]]), "a face names vertex 3; the mesh has 3"),
        (lambda s: shape(s).update(MESH, faces=[[0, -1, 1]]), "greater than or equal to 0"),
        (lambda s: shape(s).update(MESH, faces=[]), "a mesh needs vertices and faces"),
        (lambda s: shape(s).update(MESH, faces=[[0, 1, 2]] * (MOST_CORNERS - 1)), f"draws {MOST_CORNERS} at most"),
        (lambda s: s.update(bodies=[]), "bodies"),
        (lambda s: s.update(bodies=7), "bodies"),
        (lambda s: s["bodies"].append(s["bodies"][0]), "two bodies are called 'link1'"),
        (lambda s: s.update(bodies=[{**s["bodies"][0], "name": f"b{k}"} for k in range(MOST_PARTS + 1)]), "bodies"),
        (lambda s: s["joints"][0].update(parent="nobody"), "joint 'j1' names body 'nobody', which is not there"),
        (lambda s: s.update(limits={"j1": [0]}), "limits.j1"),
        (lambda s: s.update(ground=None), "ground"),
        (lambda s: s.pop("name"), "name: field required"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_told_in_a_sentence(edit: Edit, why: str) -> None:
    found = model_of_text(text(edit))
    assert isinstance(found, str) and found.startswith("the scene of model ") and why in found and len(found) < 400


@pytest.mark.parametrize("other", ["", "name = 'simona'", "[1, 2]", "{", '{"kind": "platform"}', "[" * 100_000])
def test_other_texts_are_not_of_models(other: str) -> None:
    assert model_of_text(other) is None


def test_a_model_is_no_platform() -> None:
    assert judge_of_text(text()) == "it is a multibody model, not a motion platform"


def ring(name: str = "rig", scene: str = "") -> Writer:
    model = MODELS["robot6"].build()
    schema = model_schema(model.name, axes_of(model), [body.name for body in model.bodies])
    return Writer(schema, name=name, platform=scene or text())


def test_a_page_gets_the_scene_of_the_live_model(operator: Page) -> None:
    with ring() as made:
        made.publish()
        wait_for(lambda: operator.get("/api/scene").status_code == 200, 10)
        scene = operator.get("/api/scene").json()
        assert scene["kind"] == "model" and scene["name"] == "robot6"
        assert scene["bodies"][0]["shapes"][0] == {**ROBOT["bodies"][0]["shapes"][0], "vertices": [], "faces": []}
        assert platform_name(made.header.layout.platform) == "robot6"
        assert "multibody model" in operator.refusal(404, "GET", "/api/mesh/0")


def test_a_scene_that_cannot_be_drawn_has_a_reason(operator: Page) -> None:
    with ring(scene=text(lambda s: shape(s).update(q=[2, 0, 0, 0]))) as made:
        made.publish()

        def reason() -> str:
            return str(operator.get("/api/scene").json().get("detail", ""))

        wait_for(lambda: "no picture: the scene of model 'robot6' cannot be drawn" in reason(), 10)
        assert "the quaternion has length 2" in reason()


def test_a_recording_has_the_scene_of_its_model(operator: Page, tmp_path: Path) -> None:
    with ring("other") as made:
        rows = np.zeros((3, len(made.schema.channels)))
        rows[:, 0] = 0.01 * np.arange(3)
        about = {"epoch_utc_ns": "0", "platform": text()}
        with McapWriter(tmp_path / "recordings" / "arm.mcap", made.schema, about) as writer:
            writer.write_rows(rows, 0, log_times(0, rows[:, 0]))
    scene = operator.get("/api/recordings/scene", file="arm.mcap")
    assert scene.status_code == 200, scene.text
    assert scene.json()["kind"] == "model" and len(scene.json()["bodies"]) == 6
