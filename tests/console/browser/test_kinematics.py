"""Kinematics as a person meets them: live angles, a pose that is studied, the extremes, and the alarm."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect

from motionbase.platform.load import load_platform
from motionbase.record.axes import DOFS
from motionbase.workbench.posture import at_dof
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, drag, overflow, panel, pixels, shown, take_seat
from tests.console.browser.rig import Rig, until

BOTH: dict[str, object] = {"shell": {"view": "both", "list": False}}


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that stands in its neutral pose."""
    rig.start_base()
    rig.start_console()
    until(lambda: rig.ask("GET", "kinematics/thresholds").status_code == 200, "the platform of the base")
    until(lambda: rig.ask("GET", "kinematics/extremes").status_code == 200, "its kinematics, once prepared")
    rig.bring("standby")
    yield


def opened(pages: Pages, **options: object) -> Page:
    page = pages.open(layout=BOTH, **options)  # type: ignore[arg-type]
    panel(page, "kinematics")
    expect(at(page, "kinematics-dexterity")).not_to_have_text("–")
    return page


def moved(rig: Rig) -> float:
    """How far the live base is from neutral, of all six [m, rad]."""
    newest = rig.newest()
    return max(abs(newest[f"pose_meas_{dof}"]) for dof in DOFS)


def test_live_angles_are_those_of_the_newest_record(pages: Pages, rig: Rig) -> None:
    page = opened(pages)
    rig.bring("down")

    def agrees() -> bool:
        newest = rig.newest()
        found = at_dof(load_platform("simona"), [newest[f"pose_meas_{dof}"] for dof in DOFS])
        angle = np.degrees(found.base[0, 2, 0])
        elevation = np.degrees(found.actuator[0, 2, 0])
        return (
            shown(page, "kinematics-base-1st-3") == pytest.approx(angle, abs=0.11)
            and shown(page, "kinematics-elevation-3") == pytest.approx(elevation, abs=0.11)
            and shown(page, "kinematics-dexterity") == pytest.approx(float(found.dexterity[0]), abs=2e-4)
        )

    until(agrees, "angles of the base that has settled")
    expect(at(page, "kinematics-gaps").locator("li").first).to_contain_text("mm")
    assert shown(page, "scene-clearance") > 0 and shown(page, "scene-dexterity") > 0.3
    pages.shot(page, "kinematics_live")
    rig.bring("standby")


def test_a_pose_is_studied_and_nothing_of_it_reaches_the_platform(pages: Pages, rig: Rig) -> None:
    page = opened(pages, token=False)  # a viewer may
    canvas = at(page, "scene-canvas")
    expect(canvas).to_be_visible()
    expect(at(page, "scene-study")).to_be_hidden()
    at(page, "kinematics-mode-study").click()
    expect(at(page, "scene-study")).to_contain_text("STUDY – not the platform")
    at(page, "study-neutral").click()
    at(page, "study-pitch").fill("10")
    expected = np.degrees(at_dof(load_platform("simona"), [0, 0, 0, 0, np.radians(10), 0]).base[0, 0])
    until(
        lambda: shown(page, "kinematics-base-1st-1") == pytest.approx(expected[0], abs=0.051), "the angle at 10 degrees"
    )
    assert shown(page, "scene-pose-pitch") == pytest.approx(10.0, abs=1e-3)
    expect(at(page, "scene-readouts")).to_contain_text("Pose, study")
    pages.shot(page, "kinematics_study")

    before = pixels(canvas.screenshot()).astype(int)
    drag(page, canvas, (0.5, 0.3), (0.6, 0.3))  # the cabin
    until(
        lambda: abs(shown(page, "study-surge")) + abs(shown(page, "study-sway")) > 0.05 or _typed(page, 0.05), "a drag"
    )
    assert np.mean(np.abs(pixels(canvas.screenshot()).astype(int) - before).max(axis=2) > 12) > 0.01
    yaw = _value(page, "study-yaw")
    drag(page, canvas, (0.55, 0.3), (0.65, 0.3), key="Shift")
    until(lambda: abs(_value(page, "study-yaw") - yaw) > 1.0, "a turn")

    at(page, "study-heave").fill("0.9")
    expect(at(page, "kinematics-reach")).to_contain_text("Not reachable: leg")
    at(page, "study-by-legs").click()
    for leg in range(1, 7):
        at(page, f"study-leg-{leg}").fill("2.5")
    until(lambda: shown(page, "kinematics-length-4") == 2.5, "legs of 2.5 m")
    until(lambda: abs(_value(page, "study-surge")) < 1e-3, "the pose of equal legs")
    assert moved(rig) < 0.02, "the base stays where it was"
    page.keyboard.press("Escape")
    expect(at(page, "scene-study")).to_be_hidden()
    expect(at(page, "scene-readouts")).to_contain_text("Pose, measured")


def _value(page: Page, name: str) -> float:
    return float(at(page, name).input_value())


def _typed(page: Page, least: float) -> bool:
    return max(abs(_value(page, f"study-{dof}")) for dof in ("surge", "sway", "heave")) > least


def test_the_extremes_are_played_one_after_another(pages: Pages, rig: Rig) -> None:
    page = opened(pages)
    at(page, "kinematics-mode-study").click()
    rows = at(page, "extremes").locator("tbody tr")
    expect(rows).to_have_count(64)
    clearances = [float(text.removesuffix(" mm")) for text in rows.locator("td:nth-child(2)").all_inner_texts()]
    assert clearances == sorted(clearances)
    at(page, "extremes-order").select_option("rod")
    turns = [float(text.removesuffix("°")) for text in rows.locator("td:nth-child(3)").all_inner_texts()]
    assert turns == sorted(turns, reverse=True)

    at(page, "extremes-play").click()
    expect(rows.nth(1)).to_have_attribute("aria-current", "")
    expect(rows.nth(2)).to_have_attribute("aria-current", "")
    at(page, "extremes-play").click()
    at(page, "extreme-63").locator("button").click()
    until(lambda: shown(page, "kinematics-stroke-1") == 100.0, "all legs out")
    until(lambda: not at(page, "panel-kinematics").evaluate("e => e.classList.contains('is-moving')"), "its arrival")
    pages.shot(page, "kinematics_extremes")
    at(page, "extremes-on").click()
    expect(at(page, "extreme-63")).not_to_have_attribute("aria-current", "")
    at(page, "scene-study-leave").click()
    expect(at(page, "scene-study")).to_be_hidden()
    assert moved(rig) < 0.02, "the base stays where it was"


def test_an_alarm_is_raised_seen_and_over(pages: Pages, rig: Rig) -> None:
    page = opened(pages)
    expect(at(page, "kinematics-set")).to_be_disabled()
    take_seat(page, "kim")
    at(page, "kinematics-warn").fill("200")
    at(page, "kinematics-stop").fill("150")
    at(page, "kinematics-set").click()
    alarm = at(page, "alarm-clearance-live")
    expect(alarm).to_contain_text("mm")
    expect(alarm).to_contain_text("now")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    expect(at(page, "scene-clearance")).to_have_class(re.compile("bad"))
    pages.shot(page, "kinematics_alarm")
    other = pages.open(token=False)
    expect(at(other, "alarm-clearance-live")).to_be_visible()
    panel(page, "events")
    expect(at(page, "events-list")).to_contain_text("150.0 mm is the least")
    alarm.click()
    expect(alarm).to_contain_text("seen")
    panel(page, "kinematics")
    at(page, "kinematics-warn").fill("50")
    at(page, "kinematics-stop").fill("25.4")
    at(page, "kinematics-set").click()
    expect(alarm).to_have_count(0)
    expect(at(other, "alarm-clearance-live")).to_contain_text("past")  # nobody has seen it there


@pytest.mark.parametrize(("width", "height", "theme"), [(1280, 720, "light"), (390, 844, "dark"), (390, 844, "light")])
def test_it_fits_small_windows(pages: Pages, width: int, height: int, theme: str) -> None:
    page = opened(pages, width=width, height=height, theme=theme)
    at(page, "kinematics-mode-study").click()
    expect(at(page, "extremes").locator("tbody tr")).to_have_count(64)
    found = overflow(page)
    assert found["by"] <= 0 and not found["out"], found
    inside = at(page, "panel-kinematics").evaluate("e => e.scrollWidth - e.clientWidth")
    assert inside <= 0
    pages.shot(page, f"kinematics_{width}_{theme}")


def test_extremes_are_asked_for_again_while_kinematics_are_being_prepared(pages: Pages) -> None:
    pages.allow(r"409.*kinematics/extremes")
    page = pages.open(token=False)
    asked: list[str] = []

    def at_first_not(route: Route) -> None:
        asked.append(route.request.url)
        body = {"detail": "the kinematics are being prepared; ask again in a moment"}
        route.fulfill(status=409, json=body) if len(asked) == 1 else route.fallback()

    page.route("**/api/kinematics/extremes*", at_first_not)
    panel(page, "kinematics")
    at(page, "kinematics-mode-study").click()
    expect(at(page, "extremes").locator("tbody tr")).not_to_have_count(0)
    assert len(asked) == 2
