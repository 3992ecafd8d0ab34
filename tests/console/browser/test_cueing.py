"""The panel of motion cueing: its curves live, what is left of the strokes, and a host that becomes silent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, overflow, panel, shown
from tests.console.browser.rig import RING, Rig, until
from tests.console.cued_rig import cued_run, table

SILENT_S = 25.0  # of the ring's time: its host becomes silent while the page looks at it


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """Records of a base with cueing, and a console."""
    with cued_run(RING, SILENT_S, table().json):
        rig.start_console()
        until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema")
        yield


def test_curves_live_margins_and_a_host_that_becomes_silent(pages: Pages) -> None:
    page = pages.open()
    cueing = panel(page, "cueing")
    expect(at(cueing, "link-word")).to_contain_text("Frames arrive")
    for axis in ("f_x", "f_y", "f_z", "omega_x", "omega_y", "omega_z"):
        plot = at(cueing, f"cueing-plot-{axis}")
        plot.scroll_into_view_if_needed()
        until(lambda plot=plot: coloured(plot) > 150, f"curves of {axis}")  # type: ignore[misc]
    expect(at(cueing, "cueing-follows")).to_contain_text("washout")
    until(lambda: 0.5 < shown(cueing, "cueing-error") < 2.5, "the perceived error")
    until(lambda: shown(cueing, "cueing-stroke-left") > 50, "the least margin of a leg")
    assert cueing.locator(".cue-leg.least").count() == 1
    pages.shot(page, "cueing")
    before = coloured(at(cueing, "cueing-plot-f_y"))
    for row in ("demand", "felt_vehicle", "cue", "felt_cue"):
        at(cueing, f"cueing-curve-{row}").click()
    until(lambda: coloured(at(cueing, "cueing-plot-f_y")) < before / 4, "no curve, for all are hidden")
    at(cueing, "cueing-large").click()
    expect(at(page, "plot-grid").locator(".plot")).to_have_count(12)
    expect(at(cueing, "link-word")).to_contain_text("silent for")
    expect(at(cueing, "link-todo")).to_contain_text("settles by itself")
    pages.shot(page, "cueing_silent")


@pytest.mark.parametrize(
    ("width", "drawer", "theme"), [(1280, 372, "light"), (1280, 300, "light"), (800, 372, "dark"), (390, 372, "dark")]
)
def test_nothing_stands_out_of_the_page(pages: Pages, width: int, drawer: int, theme: Literal["dark", "light"]) -> None:
    page = pages.open(width=width, height=800, theme=theme, layout={"shell": {"view": "plots", "drawer": drawer}})
    cueing = panel(page, "cueing")
    expect(at(cueing, "cueing-leg-6")).to_contain_text("mm")
    pages.shot(page, f"cueing_{width}_{drawer}")
    assert overflow(page)["by"] <= 0, overflow(page)
    assert page.locator(".drawer-body").evaluate("body => body.scrollWidth - body.clientWidth") <= 0
