"""Models that cannot be drawn, or not whole: the page says why, and everything else works."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from motionbase.multibody.models import MODELS
from motionbase.multibody.scene import axes_of, scene_of
from motionbase.record.model import model_schema
from motionbase.ring.writer import Writer
from tests.background import in_background
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, shown
from tests.console.browser.rig import RING, Rig, until

MODEL = MODELS["robot6"].build()
SCHEMA = model_schema(MODEL.name, axes_of(MODEL), [body.name for body in MODEL.bodies])
VIEW: dict[str, object] = {"shell": {"view": "both", "list": False}}


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A console without a model yet."""
    rig.start_console()
    yield


@contextmanager
def written(scene: dict[str, Any], **values: float) -> Iterator[None]:
    """Records of a model whose bodies all stand upright in one place, a hundred times a second."""
    with Writer(SCHEMA, name=RING, dt=0.01, platform=json.dumps(scene)) as writer:
        for body in MODEL.bodies:
            writer.record[SCHEMA.place(f"{body.name}_qw")] = 1.0
        for name, value in values.items():
            writer.record[SCHEMA.place(name)] = value

        def write(stop: threading.Event) -> None:
            while not stop.wait(0.01):
                writer.record[0] += 0.01
                writer.publish()

        with in_background(write):
            yield


def test_bodies_without_a_pose_are_left_out_and_named(pages: Pages) -> None:
    pages.allow("409")  # this writer has no parameters
    lost = {"link3_x": float("nan"), "link5_qw": 0.0, "link6_z": 1e40}
    with written(scene_of(MODEL), j1=0.5, **lost):
        page = pages.open(layout=VIEW, width=1200, height=800)
        expect(at(page, "scene-trouble")).to_have_text("This record has no valid pose of link3, link5, link6.")
        until(lambda: coloured(at(page, "scene-canvas")) > 500, "the other bodies")
        assert abs(shown(page, "scene-joint-j1") - 28.65) < 0.01  # degrees


def test_a_scene_that_cannot_be_drawn_says_why(pages: Pages) -> None:
    pages.allow("404", "409")
    scene = scene_of(MODEL)
    scene["bodies"][1]["shapes"][0]["size"] = [1e9, "wide", None]
    with written(scene):
        page = pages.open(layout=VIEW, width=1200, height=800)
        expect(at(page, "scene-message")).to_contain_text(
            "the scene of model 'robot6' cannot be drawn: bodies.1.shapes.0"
        )
        plot = at(page, "plot").first
        until(lambda: coloured(plot) > 50, "plots beside it")
        expect(at(page, "tab-robot")).to_be_visible()
