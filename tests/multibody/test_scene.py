"""Scenes of models: shapes to scale, in the frames of the bodies, as JSON."""

import json
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody.beams.chain import beam_chain
from motionbase.multibody.beams.line import straight
from motionbase.multibody.beams.profile import Profile
from motionbase.multibody.body import Body
from motionbase.multibody.elements import JointLimit
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.models import MODELS
from motionbase.multibody.scene import axes_of, place_of, scene_of
from motionbase.record.model import model_schema
from motionbase.spatial import R_quaternion


def ends(shape: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Of a cylinder or capsule."""
    z = np.array(ca.evalf(R_quaternion(ca.DM(shape["q"]))))[:, 2]
    return np.array(shape["p"]) - 0.5 * shape["size"][2] * z, np.array(shape["p"]) + 0.5 * shape["size"][2] * z


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_scene_with_the_channels_of_its_record(name: str) -> None:
    model = MODELS[name].build()
    scene = json.loads(json.dumps(scene_of(model), allow_nan=False))
    schema = model_schema(model.name, axes_of(model), [body.name for body in model.bodies])
    assert scene["kind"] == "model" and list(scene)[1] == "name"  # the first name in the text is the model's
    assert [body["name"] for body in scene["bodies"]] == [body.name for body in model.bodies]
    assert all(f"{body['channel']}_qw" in schema.index for body in scene["bodies"])
    assert all(joint["channel"] in schema.index for joint in scene["joints"] if joint["channel"])
    for body in scene["bodies"]:
        for shape in body["shapes"]:
            assert min(shape["size"]) >= 0 and np.isclose(np.linalg.norm(shape["q"]), 1, atol=1e-8)


def test_links_reach_from_joint_to_joint() -> None:
    model = MODELS["robot6"].build()
    for body, following in zip(scene_of(model)["bodies"][:-1], model.joints[1:], strict=True):
        (link,) = (shape for shape in body["shapes"] if shape["role"] == "link")
        a, b = ends(link)
        np.testing.assert_allclose(a, 0, atol=1e-8)  # numbers are rounded to 1e-9
        np.testing.assert_allclose(b, place_of(model, following), atol=1e-8)


def test_a_joint_is_drawn_about_its_axis() -> None:
    for body, joint in zip(scene_of(MODELS["robot6"].build())["bodies"], MODELS["robot6"].build().joints, strict=True):
        (drawn,) = (shape for shape in body["shapes"] if shape["role"] == "joint")
        a, b = ends(drawn)
        np.testing.assert_allclose((b - a) / np.linalg.norm(b - a), joint.motion.steps[0].axis, atol=1e-8)  # type: ignore[attr-defined]


def test_the_box_of_inertia_has_the_moments_of_the_body() -> None:
    tensor = np.array([[3.0, 0.4, -0.2], [0.4, 2.5, 0.3], [-0.2, 0.3, 2.0]])
    body = Body("b", 7.0, (0.1, 0.2, 0.3), tuple(map(tuple, tensor)))  # type: ignore[arg-type]
    model = Model("m", (body,), (Joint("j", "ground", "b", revolute()),))
    (box,) = (s for s in scene_of(model)["bodies"][0]["shapes"] if s["role"] == "inertia")
    a, b, c = np.array(box["size"]) ** 2
    R = np.array(ca.evalf(R_quaternion(ca.DM(box["q"]))))
    np.testing.assert_allclose(R @ np.diag(np.array([b + c, c + a, a + b])) * 7.0 / 12 @ R.T, tensor, atol=1e-7)
    assert box["p"] == [0.1, 0.2, 0.3]


def test_beams_are_drawn_at_their_nodes() -> None:
    profile = Profile((1e6, 1e6, 1e6, 1e3, 1e3, 1e3), 1.0, (1e-3, 1e-3, 1e-3))
    chain = beam_chain("rod", straight((0, 0, 0), (2, 0, 0), 5), profile)
    model = Model("rod", chain.bodies, chain.joints, elements=chain.beams)
    lengths = [s["size"][2] for body in scene_of(model)["bodies"] for s in body["shapes"] if s["role"] == "link"]
    np.testing.assert_allclose(sum(lengths), 2.0, atol=1e-8)


def test_limits_of_travel() -> None:
    slide = Joint("slide", "ground", "b", prismatic())
    stop = JointLimit("stop", "slide", -0.2, float("inf"), 1e5)
    scene = scene_of(Model("m", (Body("b", 1.0),), (slide,), elements=(stop,)))
    assert scene["limits"] == {"slide": [-0.2, None]}
    assert scene["joints"][0]["type"] == "prismatic" and scene["joints"][0]["unit"] == "m"
