"""A robot in real time on its page: it is drawn where its records are, and goes where its operator sends it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, overflow, panel, pixels, shown, take_seat
from tests.console.browser.rig import RING, Rig, until

ROBOT = ("run", "robot", "--alone", "--ring", RING, "--rate", "200", "--controller", "internal")
OPEN: dict[str, object] = {"shell": {"view": "both", "list": False, "panel": "robot"}}
STEEP = 1.5  # [deg] from its set point: what friction and gravity leave of a stiff controller's error


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """The robot under its own law, which drives at once."""
    rig.start_base(*ROBOT)
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the robot")
    rig.until_state("drive")
    yield


def degrees(rig: Rig, channel: str) -> float:
    return math.degrees(rig.newest()[channel])


def send(page: Page, joint: str, value: str) -> None:
    """A set point [deg], by its field."""
    at(page, f"robot-number-{joint}").fill(value)
    at(page, f"robot-number-{joint}").press("Enter")


def test_a_set_point_moves_the_arm_that_is_drawn(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN, width=1440, height=900)
    canvas = at(page, "scene-canvas")
    expect(at(page, "scene-message")).to_be_hidden()
    until(lambda: coloured(canvas) > 1000, "an arm of coloured links")
    take_seat(page, "anna")
    before = pixels(canvas.screenshot()).astype(int)
    tip = rig.newest()["link6_x"]
    send(page, "j1", "75")
    until(lambda: abs(degrees(rig, "j1") - 75) < STEEP, "joint 1 at its set point")
    until(lambda: abs(shown(page, "scene-joint-j1") - degrees(rig, "j1")) < 0.5, "its angle on the page, in degrees")
    until(lambda: abs(shown(page, "scene-joint-j1-ref") - 75) < 0.01, "its set point below the picture")
    assert abs(rig.newest()["link6_x"] - tip) > 0.1  # metres
    after = pixels(canvas.screenshot()).astype(int)
    assert np.mean(np.abs(after - before).max(axis=2) > 30) > 0.01
    pages.shot(page, "robot")
    page.keyboard.press("Control+z")
    until(lambda: degrees(rig, "j1") < 40, "the set point before")
    expect(at(page, "robot-number-j1")).to_have_value("17.19")  # 0.3 rad, as designed


def test_what_is_out_of_bounds_is_refused_in_a_sentence(pages: Pages) -> None:
    pages.allow("422")
    page = pages.open(layout=OPEN, width=1440, height=900)
    take_seat(page, "anna")
    send(page, "j2", "500")
    expect(at(page, "toast").first).to_contain_text("set_j2 is 8.72665 rad, it must be")
    at(page, "robot-number-j2").press("Escape")
    expect(at(page, "robot-number-j2")).not_to_have_value("500")


def test_friction_and_requests(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN, width=1440, height=900)
    take_seat(page, "anna")
    at(page, "robot-slider-friction").focus()
    for _ in range(2):
        page.keyboard.press("PageDown")
    until(lambda: rig.newest()["friction_scale"] < 0.7, "less friction")
    at(page, "operate-off").click()
    rig.until_state("off")
    expect(at(page, "state")).to_have_text("off")
    expect(at(page, "operate-freeze")).to_be_disabled()
    at(page, "operate-standby").click()
    rig.until_state("standby")
    until(lambda: abs(degrees(rig, "j1")) < STEEP, "home")
    at(page, "operate-drive").click()
    rig.until_state("drive")
    at(page, "robot-demo").click()
    until(lambda: abs(degrees(rig, "j1_ref") - 17.19) > 5, "the first step of the tour")
    at(page, "robot-demo").click()
    expect(at(page, "robot-demo")).to_have_attribute("aria-pressed", "false")


def test_a_stop_closes_the_brakes_until_it_is_reset(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN, width=1440, height=900)
    take_seat(page, "anna")
    at(page, "estop").first.click()
    rig.until_state("held")
    assert rig.newest()["brake"] == 1
    expect(at(page, "robot-about")).to_contain_text("emergency stop")
    expect(at(page, "operate-drive")).to_be_disabled()
    at(page, "operate-reset").click()
    until(lambda: not rig.newest()["estop"], "the stop released")
    expect(at(page, "operate-drive")).to_be_enabled()
    at(page, "operate-drive").click()
    rig.until_state("drive")


def test_a_viewer_looks_on(pages: Pages) -> None:
    page = pages.open(token=False, layout=OPEN, width=1440, height=900)
    expect(at(page, "access").first).to_contain_text("Viewers cannot operate")
    for control in ("robot-slider-j1", "robot-number-j1", "robot-control", "robot-demo", "operate-off"):
        expect(at(page, control)).to_be_disabled()
    expect(at(page, "scene-joint-j1")).not_to_have_text("–")


def test_nothing_of_a_hexapod_is_on_the_page(pages: Pages) -> None:
    page = pages.open(layout={"shell": {"view": "scene", "list": False}}, width=1200, height=800)
    expect(at(page, "tab-robot")).to_be_visible()
    for tab in ("operator", "generators", "kinematics"):
        expect(at(page, f"tab-{tab}")).to_be_hidden()
    for part in ("scene-source", "scene-ghost", "scene-view-pilot", "scene-readouts"):
        expect(at(page, part)).to_be_hidden()
    for choice in ("joints", "frames", "inertia", "names", "trail"):
        at(page, f"scene-{choice}").click()
        expect(at(page, f"scene-{choice}")).to_have_attribute("aria-pressed", "true")
    pages.shot(page, "robot_marks")
    page.keyboard.press("Alt+1")
    expect(at(page, "panel-robot")).to_be_visible()


def test_six_plots_and_no_overflow_on_a_phone(pages: Pages) -> None:
    page = pages.open(layout={"shell": {"view": "plots", "list": False}}, width=390, height=844)
    expect(at(page, "plot")).to_have_count(6)
    found = overflow(page)
    assert found["by"] <= 0 and found["out"] == []
    panel(page, "robot")
    expect(at(page, "robot-number-j6")).to_be_visible()
    found = overflow(page)
    assert found["by"] <= 0 and found["out"] == []
    pages.shot(page, "robot_phone")


def test_a_recording_is_drawn_without_the_robot(pages: Pages, rig: Rig) -> None:
    rig.start("record", "record", "--out", str(rig.recordings / "arm.mcap"), "--ring", RING, "--duration", "3")
    until(lambda: rig.running["record"].poll() is not None, "three seconds of records")
    rig.running.pop("record")
    page = pages.open(token=False, layout={"shell": {"view": "both", "list": False}}, width=1440, height=900)
    panel(page, "recordings")
    page.locator('[data-test="recording"][data-file="arm.mcap"]').locator("button").first.dblclick()
    canvas = at(page, "scene-canvas")
    until(lambda: coloured(canvas) > 1000, "the arm of the recording")
    expect(at(page, "scene-joint-j1")).not_to_have_text("–")
