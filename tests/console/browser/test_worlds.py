"""The view outside at a real page: it opens with a world, shows sea, ground and road, and what a recording has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, overflow, panel, pixels
from tests.console.browser.rig import RING, Rig, until

SAMPLES = Path(__file__).with_name("sample_worlds.py")
BASE = ("run", "simona", "--ring", RING, "--rate", "200", "--no-console", "--no-record", "--joystick", "none")
OPEN: dict[str, object] = {"shell": {"list": False}}


@contextmanager
def following(rig: Rig, kind: str) -> Iterator[None]:
    """A base that follows the sample of a kind, and a console; the console stays."""
    rig.start_base(*BASE, "--host", f"world://{SAMPLES}:Sample?kind={kind}")
    if "console" not in rig.running:
        rig.start_console()
    until(lambda: rig.ask("GET", "world").json().get("kind") == kind, f"a world of kind {kind}")
    try:
        yield
    finally:
        rig.end("base")


def picture(page: Page) -> np.ndarray[tuple[int, ...], np.dtype[np.int_]]:
    """What the view shows, without its instruments."""
    page.add_style_tag(content=".helm-overlay, .world-caption { visibility: hidden !important; }")
    return pixels(at(page, "world-canvas").screenshot()).astype(int)


def drawn(page: Page) -> Locator:
    """The canvas, once something is on it."""
    canvas = at(page, "world-canvas")
    expect(canvas).to_be_visible()
    until(lambda: coloured(canvas) > 2000, "a world in colours")
    return canvas


@pytest.mark.parametrize("kind", ["boat", "flight", "drive"])
def test_a_world_is_drawn_from_all_cameras(pages: Pages, rig: Rig, kind: str) -> None:
    with following(rig, kind):
        page = pages.open(layout=OPEN, width=1440, height=900)
        expect(at(page, "centre")).to_have_attribute("data-view", "world")
        drawn(page)
        expect(at(page, "world-message")).to_be_hidden()
        rig.until_state("drive")
        expect(at(page, "world-caption")).to_have_text("Round and round")
        pages.shot(page, f"world_{kind}")
        seen = []
        for camera in ("chase", "eye", "orbit"):
            at(page, f"world-camera-{camera}").click()
            page.wait_for_timeout(1500)
            seen.append(picture(page))
            pages.shot(page, f"world_{kind}_{camera}")
    sky, low = seen[0][: len(seen[0]) // 8].mean(axis=(0, 1)), seen[0][-len(seen[0]) // 4 :].mean(axis=(0, 1))
    assert sky[2] > sky[0]  # blue above
    assert low[2] > low[0] if kind == "boat" else low[1] > low[2]  # water, or grass and asphalt
    red = [np.count_nonzero((p[..., 0] > 90) & (p[..., 0] > 2 * p[..., 1])) for p in seen]
    assert red[0] > 200 and red[2] > 200  # the vehicle, from outside
    assert all(np.abs(a - b).mean() > 5 for a, b in zip(seen, seen[1:], strict=False))


def test_choices_are_kept_and_a_recording_shows_its_world(pages: Pages, rig: Rig) -> None:
    with following(rig, "drive"):
        page = pages.open(layout=OPEN, width=1440, height=900)
        drawn(page)
        rig.start("record", "record", "--out", str(rig.recordings / "lap.mcap"), "--ring", RING, "--duration", "4")
        at(page, "world-camera-orbit").click()
        page.keyboard.press("v")
        expect(at(page, "centre")).to_have_attribute("data-view", "plots")
        page.wait_for_timeout(800)  # the layout is kept a little later
        page.reload()
        expect(at(page, "centre")).to_have_attribute("data-view", "plots")
        at(page, "view-world").click()
        drawn(page)
        expect(at(page, "world-camera-orbit")).to_have_attribute("aria-pressed", "true")
        at(page, "world-full").click()
        until(lambda: (at(page, "world").bounding_box() or {"width": 0})["width"] > 1200, "a view as wide as the page")
        page.keyboard.press("Escape")
        until(lambda: (at(page, "world").bounding_box() or {"width": 0})["width"] < 1000, "its usual width")
        until(lambda: rig.running["record"].poll() is not None, "four seconds of records")
        rig.running.pop("record")
    viewer = pages.open(token=False, layout=OPEN, width=1440, height=900, waits="")
    panel(viewer, "recordings")
    viewer.locator('[data-test="recording"][data-file="lap.mcap"]').locator("button").first.dblclick()
    drawn(viewer)
    pages.shot(viewer, "world_recording")


def test_instruments_stand_at_the_lower_edge_and_touch_nothing(pages: Pages, rig: Rig) -> None:
    """With room beside the keys, and without; the vehicle is in the middle, above them."""
    with following(rig, "flight"):
        page = pages.open(layout=OPEN, width=1920, height=1080)
        drawn(page)
        rig.until_state("drive")
        expect(at(page, "world-caption")).to_be_visible()
        for width, height in ((1920, 1080), (1600, 900), (1280, 720)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(1000)
            view, dials, keys, caption = (
                at(at(page, "world"), name).bounding_box()
                for name in ("world-canvas", "helm-instruments", "helm-rows", "world-caption")
            )
            assert view and dials and keys and caption
            assert 0 < view["y"] + view["height"] - dials["y"] - dials["height"] < 12
            assert dials["height"] < 0.25 * view["height"]  # in one line
            for one, other in combinations((dials, keys, caption), 2):
                assert apart(one, other), f"{one} and {other} at {width} x {height}"
            middle = FloatRect(
                x=view["x"] + 0.4 * view["width"],
                y=view["y"] + 0.4 * view["height"],
                width=0.2 * view["width"],
                height=0.35 * view["height"],
            )
            assert apart(middle, keys) and apart(middle, caption) and apart(middle, dials)


def apart(one: FloatRect, other: FloatRect) -> bool:
    """Whether two boxes have no point in common."""
    beside = one["x"] >= other["x"] + other["width"] or other["x"] >= one["x"] + one["width"]
    return beside or one["y"] >= other["y"] + other["height"] or other["y"] >= one["y"] + one["height"]


def test_a_phone_has_view_and_plots_below_each_other(pages: Pages, rig: Rig) -> None:
    with following(rig, "boat"):
        page = pages.open(layout=OPEN, width=390, height=844)
        drawn(page)
        found = overflow(page)
        assert found["by"] <= 0 and found["out"] == []
        expect(at(page, "scene")).to_be_hidden()
        pages.shot(page, "world_phone")


def test_a_run_without_a_world_has_no_view_outside(pages: Pages, rig: Rig) -> None:
    rig.start_base()
    if "console" not in rig.running:
        rig.start_console()
    until(lambda: rig.ask("GET", "world").status_code == 404, "a ring without a world")
    page = pages.open(layout=OPEN, width=1440, height=900)
    expect(at(page, "centre")).to_have_attribute("data-view", "both")
    expect(at(page, "view-world")).to_be_hidden()
    expect(at(page, "world")).to_be_hidden()
