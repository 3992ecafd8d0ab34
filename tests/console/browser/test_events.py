"""What happened in a recording: listed, found, marked in the plots, and a way to go there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, Route, expect

from motionbase.platform.load import platform_text
from motionbase.record.faults import FAULTS
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import STATES
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, click, coloured, panel, pixels
from tests.console.browser.rig import Numbers, Rig, until
from tests.recording.files import EPOCH

SCHEMA = hexapod_schema()
COUNT, DT = 4000, 0.01
NOTE = Event(12.0, "note", "a bump", 1200, "Anna")


def rows() -> Numbers:
    """40 s in standby, in drive, and stopped by a fault."""
    made = np.zeros((COUNT, len(SCHEMA.channels)))
    t = made[:, 0] = np.arange(COUNT) * DT
    made[:, SCHEMA.index["tick"]] = np.arange(COUNT)
    for leg in range(1, 7):
        made[:, SCHEMA.index[f"leg{leg}_l_meas"]] = 2.7 + 0.05 * np.sin(t + leg)
    made[:, SCHEMA.index["state"]] = np.select(
        [t < 10, t < 30], [STATES.index("standby"), STATES.index("drive")], STATES.index("abort")
    )
    made[:, SCHEMA.index["fault"]] = np.where(t < 30, 0, [f.startswith("tracking") for f in FAULTS].index(True))
    return made


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A recording of an older recorder: its only event is a note."""
    rig.recordings.mkdir(parents=True, exist_ok=True)
    about = {"epoch_utc_ns": str(EPOCH), "platform": platform_text("simona")}
    with McapWriter(rig.recordings / "old.mcap", SCHEMA, about) as writer:
        writer.write_rows(rows(), 0, log_times(EPOCH, rows()[:, 0]))
        writer.write_events([NOTE], [EPOCH + round(NOTE.t * 1e9)])
    rig.start_console()
    yield


def opened(pages: Pages) -> Page:
    page = pages.open(token=False, waits="")
    panel(page, "recordings")
    row = page.locator('[data-test="recording"][data-file="old.mcap"]')
    row.locator(".rec-row-head").click()
    at(row, "recording-open").click()
    expect(at(page, "live")).to_have_text("Whole")
    return page


def test_events_of_a_recording_are_listed_found_and_gone_to(pages: Pages) -> None:
    page = opened(pages)
    events = panel(page, "events")
    expect(at(events, "events-of")).to_contain_text("old.mcap")
    rows = at(events, "events-list").locator("li")
    expect(rows).to_have_count(5)
    expect(rows.nth(0)).to_contain_text("standby")
    expect(rows.nth(1)).to_contain_text("drive")
    expect(rows.nth(2)).to_contain_text("a bump (Anna)")
    expect(at(events, "events-list").locator("li.bad")).to_have_count(2)
    pages.shot(page, "events_recording")
    at(events, "events-search").fill("anna")
    expect(rows).to_have_count(1)
    at(events, "events-search").fill("fault tracking")
    expect(rows).to_have_count(1)
    rows.first.locator("button").click()
    expect(at(page, "readout")).to_contain_text("30.00")
    over = page.locator(".u-over").first
    until(lambda: coloured(page.locator("canvas.plot-picture").first) > 100, "traces of the recording")
    box = over.bounding_box()
    assert box is not None
    before = pixels(over.screenshot())
    page.mouse.move(box["x"] + box["width"] * 30 / (DT * COUNT - DT), box["y"] + box["height"] / 2)

    def red() -> int:
        """Pixels of the box that says what happened where the pointer is."""
        shown = pixels(over.screenshot()).astype(int)
        return int(np.count_nonzero((shown[..., 0] - shown[..., 1] > 80) & (shown != before).any(axis=2)))

    until(lambda: red() > 500, "the text of the fault under the pointer")
    pages.shot(page, "events_hover")
    at(events, "events-search").fill("")
    at(events, "events-state").click()
    at(events, "events-fault").click()
    expect(rows).to_have_count(1)


def test_plots_keep_their_size_when_the_numbers_at_a_cursor_come_late(pages: Pages) -> None:
    page = opened(pages)
    over = page.locator(".u-over").first
    until(lambda: coloured(page.locator("canvas.plot-picture").first) > 100, "traces of the recording")
    held: list[Route] = []
    page.route("**/api/recordings/**", lambda route: held.append(route))
    click(over, 0.5)
    numbers = at(page, "readout").locator("td.num")
    expect(numbers).to_have_text(["–"] * 6)

    def asked() -> bool:
        page.wait_for_timeout(20)  # lets the route's handler run
        return bool(held)

    until(asked, "the request for the numbers")
    before = over.bounding_box()
    for route in held:
        route.continue_()
    page.unroute("**/api/recordings/**")
    expect(numbers.first).to_have_text(re.compile(r"^2\.[67]"))
    assert over.bounding_box() == before
