"""Motion cueing in real time on its page: a car's slalom, a gain that is tuned, and two sets compared on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, drag, panel, take_seat
from tests.console.browser.rig import RING, Rig, until

HOST = "manoeuvre://slalom?loop=yes"
BASE = ("run", "simona", "--alone", "--ring", RING, "--rate", "200", "--host", HOST, "--cueing", "simona")


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that follows a car through motion cueing, and a console."""
    rig.start_base(*BASE)
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema")
    rig.start_module("host", "motionbase.executive.host", HOST, RING, "simona")
    rig.until_state("drive")
    yield


def gain(rig: Rig) -> float:
    """Of sway, where it goes."""
    listed = rig.ask("GET", "parameters").json()["parameters"]
    return float(next(p["goal"][1] for p in listed if p["name"] == "cue_gain"))


def compare(cueing: Locator) -> None:
    at(cueing, "compare-run").click()
    expect(at(cueing, "compare-run")).to_be_enabled()
    expect(at(cueing, "compare-result")).to_be_visible()


def test_a_gain_is_tuned_taken_back_and_its_set_compared_with_the_designed_one(pages: Pages, rig: Rig) -> None:
    page = pages.open(width=1440, height=1000)
    cueing = panel(page, "cueing")
    expect(at(cueing, "link-rate")).to_contain_text("Hz")
    until(lambda: coloured(at(cueing, "cueing-plot-f_y")) > 150, "the slalom")
    expect(at(cueing, "cueing-set")).to_contain_text("ground")
    expect(at(cueing, "cueing-situation-ground")).to_have_attribute("aria-pressed", "true")  # as it is in use
    at(cueing, "cueing-situation-air").click()
    expect(at(cueing, "number-cue_gain-2")).to_have_count(1)
    take_seat(page, "anna")
    at(cueing, "cueing-group-gains").locator("summary").click()
    assert gain(rig) == 0.6
    at(cueing, "number-cue_gain-2").fill("0.3")
    at(cueing, "number-cue_gain-2").press("Enter")
    until(lambda: gain(rig) == 0.3, "the gain that was entered")
    at(cueing, "cueing-undo").click()
    until(lambda: gain(rig) == 0.6, "the gain of before")
    at(cueing, "cueing-redo").click()
    until(lambda: gain(rig) == 0.3, "the gain again")
    at(cueing, "cueing-situation-ground").click()
    expect(at(cueing, "number-cue_gain-2")).to_have_count(0)
    at(cueing, "number-cue_ground_gain-2").fill("0.25")
    at(cueing, "number-cue_ground_gain-2").press("Enter")
    expect(at(cueing, "cueing-reset")).to_have_text("Reset 2")
    with page.expect_download() as saved:
        at(cueing, "cueing-save").click()
    assert "0.25" in saved.value.path().read_text()

    at(cueing, "compare-span").select_option("10")
    at(cueing, "compare-a-set").select_option("in use")
    at(cueing, "compare-b-set").select_option("simona")
    compare(cueing)
    errors = [float(text) for text in at(cueing, "compare-perceived-error").locator("td").all_inner_texts()]
    assert errors[0] != errors[1] and min(errors) > 0.1, "on the ground the sets differ"
    plot = at(cueing, "compare-plot-f_y")
    until(lambda: coloured(plot) > 150, "curves of both")
    pages.shot(page, "cueing_compared")
    at(cueing, "compare-curves-felt_cue").click()
    until(lambda: coloured(plot) > 150, "what people feel of both")
    drag(page, plot.locator(".u-over"), (0.3, 0.5), (0.6, 0.5))
    expect(at(cueing, "compare-whole")).to_be_visible()
    at(cueing, "compare-whole").click()
    at(cueing, "compare-swap").click()
    compare(cueing)
    expect(at(cueing, "compare-table").locator("th").nth(1)).to_contain_text("simona")

    at(cueing, "cueing-reset").click()
    at(page, "cueing-reset-all-yes").click()
    until(lambda: gain(rig) == 0.6, "the design values")


def test_a_viewer_compares_but_changes_nothing(pages: Pages, rig: Rig) -> None:
    page = pages.open(token=False, width=1280, height=900, theme="light")
    cueing = panel(page, "cueing")
    expect(at(cueing, "cueing-reset")).to_be_disabled()
    at(cueing, "cueing-group-gains").locator("summary").click()
    expect(at(cueing, "number-cue_gain-1")).to_be_disabled()
    at(cueing, "compare-span").select_option("10")
    compare(cueing)
    expect(at(cueing, "compare-stroke-used").locator("td").first).to_contain_text("%")
    pages.shot(page, "cueing_viewer")
    assert rig.state() == "drive"
