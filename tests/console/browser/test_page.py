"""The page as a whole: the shaded view, layouts, keys, sizes of windows, tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, overflow, panel, pixels, shown
from tests.console.browser.rig import Rig, until

PANELS = ("operator", "generators", "tuning", "recorder", "events", "recordings")


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that is off."""
    rig.start_base()
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    yield


def test_the_platform_is_drawn_from_all_sides(pages: Pages, rig: Rig, tmp_path: Path) -> None:
    page = pages.open(layout={"shell": {"view": "scene", "list": False}}, width=1000, height=700)
    canvas = at(page, "scene-canvas")
    expect(canvas).to_be_visible()
    expect(at(page, "scene-message")).to_be_hidden()

    def picture() -> np.ndarray:
        return pixels(canvas.screenshot()).astype(int)

    until(lambda: len(np.unique(picture().reshape(-1, 3), axis=0)) > 500, "a platform, shaded")
    seen = {"isometric": picture()}
    for name in ("front", "side", "top", "pilot"):
        at(page, f"scene-view-{name}").click()
        page.wait_for_timeout(1200)  # the camera glides there
        seen[name] = picture()
        if name == "front":
            pages.shot(page, "scene_front")
    names = list(seen)
    for k, one in enumerate(names):
        for other in names[k + 1 :]:
            share = np.mean(np.abs(seen[one] - seen[other]).max(axis=2) > 12)
            assert share > 0.02, f"{one} and {other} look alike"
    at(page, "scene-view-isometric").click()
    expect(at(page, "scene-pose-heave")).not_to_have_text("–")

    def is_measured() -> bool:  # the base sinks for a while after its start, and texts follow four times a second
        return shown(page, "scene-pose-heave") == pytest.approx(rig.newest()["pose_meas_heave"], abs=2e-4)

    until(is_measured, "the measured heave")
    at(page, "scene-source").select_option("command")
    expect(at(page, "scene-readouts")).to_contain_text("Pose, command")
    until(lambda: shown(page, "scene-pose-heave") == pytest.approx(rig.newest()["cmd_heave"], abs=2e-4), "the command")
    at(page, "scene-orthographic").click()
    expect(at(page, "scene-orthographic")).to_have_attribute("aria-pressed", "true")
    at(page, "scene-ghost").click()
    at(page, "scene-options").click()
    pages.shot(page, "scene_options")
    at(page, "scene-option-millimetres").select_option("true")
    command = 1000 * rig.newest()["cmd_heave"]
    until(lambda: shown(page, "scene-pose-heave") == pytest.approx(command, abs=1.0), "millimetres")
    page.keyboard.press("Escape")
    with page.expect_download() as taken:
        at(page, "scene-camera").click()
    taken.value.save_as(tmp_path / "platform.png")
    assert taken.value.suggested_filename.startswith("simona_")
    assert len(np.unique(pixels(tmp_path / "platform.png").reshape(-1, 3), axis=0)) > 500


def test_layouts_are_kept_named_and_loaded_elsewhere(pages: Pages, tmp_path: Path) -> None:
    page = pages.open()
    expect(at(page, "plot")).to_have_count(6)
    at(page, "plot-add").click()
    at(page, "channel-search").fill("p_return")
    at(page, "channel-p_return").dblclick()
    at(page, "columns").select_option("3")
    at(page, "span").select_option("30")
    page.wait_for_timeout(700)  # it is kept half a second later
    page.reload()
    expect(at(page, "plot")).to_have_count(7)
    expect(at(at(page, "plot").last, "legend-p_return").locator(".legend-value")).not_to_have_text("–")
    expect(at(page, "columns")).to_have_value("3")
    at(page, "layouts").click()
    at(page, "layout-save").click()
    at(page, "layout-name").fill("hydraulics")
    at(page, "layout-save-now").click()
    expect(at(page, "toast")).to_contain_text("hydraulics was saved")
    at(page, "layouts").click()
    with page.expect_download() as taken:
        at(page, "layout-download").click()
    taken.value.save_as(tmp_path / "layout.json")
    assert len(json.loads((tmp_path / "layout.json").read_text())["plots"]["plots"]) == 7

    other = pages.open(token=False)
    expect(at(other, "plot")).to_have_count(6)
    at(other, "layouts").click()
    expect(at(other, "layout-save")).to_be_disabled()  # a viewer loads, and does not write
    at(other, "layout-hydraulics").click()
    expect(at(other, "plot")).to_have_count(7)
    expect(at(other, "span")).to_have_value("30")
    pages.shot(other, "plots_three_columns")
    at(other, "layouts").click()
    at(other, "layout-standard").click()
    expect(at(other, "plot")).to_have_count(6)
    with other.expect_file_chooser() as chosen:
        at(other, "layouts").click()
        at(other, "layout-upload").click()
    chosen.value.set_files(tmp_path / "layout.json")
    expect(at(other, "plot")).to_have_count(7)


def test_keys_open_panels_and_the_list_of_keys(pages: Pages) -> None:
    page = pages.open()
    for k, name in enumerate(PANELS, start=1):
        page.keyboard.press(f"Alt+{k}")
        expect(at(page, f"panel-{name}")).to_be_visible()
    page.keyboard.press("]")
    expect(at(page, "drawer")).to_be_hidden()
    page.keyboard.press("[")
    expect(at(page, "channels")).to_be_hidden()
    page.keyboard.press("t")
    expect(at(page, "toast")).to_contain_text("Colours: dark")
    page.keyboard.press("?")
    expect(at(page, "help")).to_contain_text("emergency stop, also while typing")
    pages.shot(page, "keys")
    assert _focused_within(page, "help")
    page.keyboard.press("Escape")
    expect(at(page, "help")).to_have_count(0)
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, input, select')].filter((e) => e.checkVisibility() && !(e.ariaLabel"
        " || e.labels?.length || (e.tagName === 'BUTTON' && e.textContent.trim()))).map((e) => e.outerHTML)"
    )
    assert nameless == []  # whoever listens instead of looking hears what each control is


def _focused_within(page: Page, name: str) -> bool:
    inside: bool = page.evaluate(f"document.activeElement.closest('[data-test={name}]') !== null")
    return inside


def test_everything_fits_on_a_phone(pages: Pages, rig: Rig) -> None:
    page = pages.open(width=390, height=844, has_touch=True, is_mobile=True)
    at(page, "estop").first.wait_for()

    def fits(name: str) -> None:
        found = overflow(page)
        assert found["by"] <= 0 and found["out"] == [], f"{name}: {found}"
        expect(at(page, "estop")).to_have_count(1)
        box = at(page, "estop").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] >= 44, f"{name}: {box}"
        for part in ("platform", "badge", "base-mode"):
            cut = "(e, right) => e.scrollWidth > e.clientWidth || e.getBoundingClientRect().right > right"
            assert not at(page, part).evaluate(cut, box["x"]), f"{name}: {part} is cut: {at(page, part).inner_text()}"
        top = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('[data-test=estop]') !== null",
            [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2],
        )
        assert top, f"{name}: something covers the emergency stop"
        pages.shot(page, f"phone_{name}")

    fits("plots")
    at(page, "toggle-list").click()
    expect(at(page, "channel-search")).to_be_visible()
    fits("channels")
    page.locator(".scrim").click(position={"x": 380, "y": 400})
    for name in PANELS:
        panel(page, name)
        fits(name)
        at(page, f"tab-{name}").click()
    page.keyboard.press("v")
    page.keyboard.press("v")
    expect(at(page, "scene-canvas")).to_be_visible()
    fits("scene")
    at(page, "title-more").focus()  # what has no room is in one menu, and keys reach it
    page.keyboard.press("Enter")
    for part in ("recorder", "rate", "view-plots", "source-live", "seat", "theme"):
        expect(at(page, part)).to_be_visible()
    fits("menu")
    at(page, "help-button").focus()
    page.keyboard.press("Enter")
    expect(at(page, "help")).to_be_visible()
    expect(at(page, "theme")).to_be_hidden()


def test_messages_cover_nothing_and_go_by_keyboard(pages: Pages) -> None:
    page = pages.open(width=1000, height=700, layout={"shell": {"view": "both"}})
    page.keyboard.press("t")
    message = at(page, "toast")
    box = message.bounding_box()
    assert box
    for name in ("centre", "drawer", "plot-grid", "scene"):
        other = at(page, name).bounding_box()
        assert other is None or other["y"] + other["height"] <= box["y"] + 1, f"{name} lies beneath a message"
    page.keyboard.press("Escape")
    expect(message).to_have_count(0)


def test_every_panel_fits_at_other_sizes(pages: Pages) -> None:
    page = pages.open(width=1280, height=720, theme="light")
    for name in PANELS:
        panel(page, name)
        found = overflow(page)
        assert found["by"] <= 0 and found["out"] == [], f"{name}: {found}"
        pages.shot(page, f"light_{name}_1280")


def test_it_works_over_plain_http_from_another_machine(pages: Pages) -> None:
    """Browsers keep some functions from pages without TLS; loopback has them, so they are taken away here."""
    page = pages.open(waits="")
    page.add_init_script("delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard;")
    page.reload()
    expect(at(page, "writer")).to_have_text("running")
    expect(at(page, "plot")).to_have_count(6)
    at(page, "plot-add").click()
    expect(at(page, "plot")).to_have_count(7)
    at(page, "export").click()
    at(page, "export-copy").click()
    expect(at(page, "toast")).to_contain_text("clipboard")
