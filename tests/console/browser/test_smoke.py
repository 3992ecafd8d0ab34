"""The page of a real base in a real browser, short enough for every run of the suite: it draws, and it stops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured
from tests.console.browser.rig import Rig, until

SMALL: dict[str, object] = {"shell": {"view": "plots", "list": False}}


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that is off, in maintenance."""
    rig.start_base()
    rig.start_console()
    yield


def test_curves_are_drawn_and_the_stop_acts(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=SMALL, width=1000, height=700)
    plot = at(page, "plot").first
    expect(plot).to_be_visible()
    until(lambda: coloured(plot) > 100, "curves in the first plot")
    assert not rig.newest()["estop"]
    at(page, "estop").first.click()
    expect(at(page, "estop").first).to_contain_text("STOPPED")
    expect(at(page, "stopped")).to_be_visible()
    until(lambda: rig.newest()["estop"] > 0, "a record that shows the stop")
