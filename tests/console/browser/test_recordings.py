"""Recordings, from the list to a replay and to an exported file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from motionbase.platform.load import platform_text
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.ring.waveforms import records
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, drag, panel, shown, take_seat
from tests.console.browser.rig import Numbers, Rig, until
from tests.recording.files import EPOCH, write_mcap

SCHEMA = hexapod_schema()
COUNT, DT = 2000, 0.01
PLACES = SCHEMA.index
EVENTS = (Event(2.0, "note", "first look"), Event(15.0, "fault", "valve: it sticks"))
HEAVE = PLACES["pose_meas_heave"]
BROKEN = r"422.*file=broken.mcap"  # the list asks every file how long it is


def rows_of_a_drive() -> Numbers:
    """20 s of another small waveform in every channel, as of a base that drives."""
    rows = records(SCHEMA, 0, COUNT, DT)
    rows[:, 2:] = 0.1 * (rows[:, 2:] - np.arange(2, rows.shape[1]))
    for leg in range(1, 7):
        rows[:, PLACES[f"leg{leg}_l_meas"]] += 2.7
    for name, value in {"state": 5, "mode": 1, "fault": 0, "warning": 0, "estop": 0}.items():
        rows[:, PLACES[name]] = value
    return rows


ROWS = rows_of_a_drive()


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that is down, and a recording of 20 s of known waveforms."""
    rig.start_base()
    text = platform_text("simona")
    with McapWriter(rig.recordings / "waves.mcap", SCHEMA, {"epoch_utc_ns": str(EPOCH), "platform": text}) as writer:
        writer.write_rows(ROWS, 0, log_times(EPOCH, ROWS[:, 0]))
        writer.write_events(EVENTS, [EPOCH + round(event.t * 1e9) for event in EVENTS])
    (rig.recordings / "broken.mcap").write_bytes(b"\x89MCAP0\r\nnothing")
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    yield


def row(page: Page, file: str) -> Locator:
    return page.locator(f'[data-test="recording"][data-file="{file}"]')


def opened(pages: Pages, name: str = "Ann") -> Page:
    """A seated operator has opened the recording."""
    pages.allow(BROKEN)
    page = pages.open()
    take_seat(page, name)
    panel(page, "recordings")
    row(page, "waves.mcap").locator(".rec-row-head").click()
    at(row(page, "waves.mcap"), "recording-open").click()
    expect(at(page, "replay-state")).to_have_text("paused")
    return page


def record(page: Page) -> int:
    """Number of the record that the bar shows, from 0."""
    found = re.search(r"record ([\d\s]+) of", at(page, "replay-record").inner_text())
    assert found
    return int(re.sub(r"\s", "", found[1]))


def test_recordings_are_listed_described_and_shown(pages: Pages) -> None:
    pages.allow(BROKEN)
    page = pages.open(token=False)
    panel(page, "recordings")
    expect(row(page, "waves.mcap")).to_contain_text("19.99 s")
    at(page, "recordings-search").fill("broken")
    expect(at(page, "recording")).to_have_count(1)
    row(page, "broken.mcap").locator(".rec-row-head").click()
    at(row(page, "broken.mcap"), "recording-open").click()
    expect(at(page, "toast").first).to_contain_text("broken.mcap")
    expect(at(page, "replay-bar")).to_be_hidden()
    at(page, "recordings-search").fill("")
    row(page, "waves.mcap").locator(".rec-row-head").click()
    expect(at(row(page, "waves.mcap"), "recording-export")).to_be_enabled()
    expect(at(page, "recordings-upload")).to_be_disabled()
    at(row(page, "waves.mcap"), "recording-info-button").click()
    expect(at(page, "recording-info")).to_contain_text("2,000 at 100 Hz")
    expect(at(page, "recording-info")).to_contain_text("valve: it sticks")
    pages.shot(page, "recording_info")
    at(page, "recording-info-close").click()
    at(row(page, "waves.mcap"), "recording-open").click()
    expect(at(page, "replay-state")).to_have_text("paused")
    expect(at(page, "live")).to_have_text("Whole")
    for canvas in page.locator("canvas.plot-picture").all():
        until(lambda canvas=canvas: coloured(canvas) > 100, "traces of the recording")  # type: ignore[misc]
    until(lambda: coloured(at(page, "replay-overview").locator("canvas")) > 20, "the overview")
    pages.shot(page, "recording_viewer")
    at(page, "replay-close").click()
    expect(at(page, "replay-bar")).to_be_hidden()
    expect(at(page, "live")).to_have_text("Live")


def test_a_replay_is_led_from_the_bar(pages: Pages) -> None:
    page = opened(pages)
    expect(at(page, "badge")).to_have_text("replay")
    overview = at(page, "replay-overview")
    box = overview.bounding_box()
    assert box
    overview.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    until(lambda: abs(shown(page, "replay-time") - 10) < 0.1 and abs(record(page) - 1000) < 10, "the middle")
    here = record(page)
    at(page, "replay-step1").click()
    until(lambda: record(page) == here + 1, "one record on")
    at(page, "replay-step-10").click()
    until(lambda: record(page) == here - 9, "ten records back")
    value = ROWS[here - 9, HEAVE]
    cell = at(page, "channel-pose_meas_heave").locator(".cell-value")
    until(lambda: float(cell.inner_text().replace("−", "-")) == pytest.approx(value, abs=6e-4), f"heave {value:.4f}")
    at(page, "replay-speed").select_option("2")
    until(lambda: at(page, "replay-speed").input_value() == "2", "twice as fast")
    at(page, "replay-play").click()
    expect(at(page, "replay-state")).to_have_text("playing")
    until(lambda: shown(page, "replay-time") > 10.5, "time that passes")
    page.keyboard.press("k")
    expect(at(page, "replay-state")).to_have_text("paused")
    stands = at(page, "replay-time").inner_text()
    page.wait_for_timeout(700)
    assert at(page, "replay-time").inner_text() == stands
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 20, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(at(page, "replay-loop")).to_have_attribute("aria-pressed", "true")
    at(page, "replay-play").click()
    until(lambda: 3.9 < shown(page, "replay-time") < 5.1, "a time within the loop")
    pages.shot(page, "replay_loop")
    page.wait_for_timeout(1500)  # longer than the loop at this speed
    assert 3.9 < shown(page, "replay-time") < 5.1
    at(page, "replay-play").click()  # while it loops it cannot reach the end, however slow the machine
    expect(at(page, "replay-state")).to_have_text("paused")
    at(page, "replay-loop").click()
    expect(at(page, "replay-loop")).to_have_attribute("aria-pressed", "false")
    at(page, "replay-rewind").click()
    until(lambda: record(page) == 0, "the first record")
    at(page, "source-live").click()
    expect(at(page, "badge")).not_to_have_text("replay")
    at(page, "source-replay").click()
    expect(at(page, "replay-bar")).to_be_visible()
    at(page, "replay-close").click()
    expect(at(page, "replay-bar")).to_be_hidden()
    expect(at(page, "writer")).to_have_text("running")


def looked_at(pages: Pages) -> Page:
    """Somebody who only looks has opened the recording."""
    pages.allow(BROKEN)
    page = pages.open(token=False)
    panel(page, "recordings")
    row(page, "waves.mcap").locator(".rec-row-head").click()
    at(row(page, "waves.mcap"), "recording-open").click()
    expect(at(page, "replay-state")).to_have_text("paused")
    return page


def test_who_only_looks_replays_alone_and_disturbs_nobody(pages: Pages, rig: Rig) -> None:
    live = pages.open()
    one, other = looked_at(pages), looked_at(pages)
    box = at(one, "replay-overview").bounding_box()
    assert box
    for page, share in ((one, 0.5), (other, 0.25)):
        at(page, "replay-overview").click(position={"x": share * box["width"], "y": box["height"] / 2})
        until(lambda page=page, share=share: abs(record(page) - share * COUNT) < 10, "its place")  # type: ignore[misc]
    here = record(one)
    at(one, "replay-step1").click()
    until(lambda: record(one) == here + 1, "one record on")
    at(one, "replay-step-10").click()
    until(lambda: record(one) == here - 9, "ten records back")
    value = ROWS[here - 9, HEAVE]
    cell = at(one, "channel-pose_meas_heave").locator(".cell-value")
    until(lambda: float(cell.inner_text().replace("−", "-")) == pytest.approx(value, abs=6e-4), f"heave {value:.4f}")
    at(one, "replay-speed").select_option("2")
    at(one, "replay-play").click()
    expect(at(one, "replay-state")).to_have_text("playing")
    expect(at(one, "writer")).to_have_text("playing")
    until(lambda: shown(one, "replay-time") > 10.5, "time that passes")
    one.keyboard.press("k")
    expect(at(one, "replay-state")).to_have_text("paused")
    assert 4.9 < shown(other, "replay-time") < 5.1, "each has its own"
    at(one, "replay-speed").select_option("100")
    at(one, "replay-play").click()
    until(lambda: record(one) == COUNT - 1, "the last record")
    expect(at(one, "replay-state")).to_have_text("paused")
    at(one, "view-both").click()
    until(lambda: shown(one, "scene-pose-heave") == pytest.approx(ROWS[record(one), HEAVE], abs=2e-3), "its heave")
    pages.shot(one, "replay_viewer")
    assert rig.get("status").json()["replay"] is None, "no ring and no process has anything of it"
    expect(at(live, "badge")).not_to_have_text("replay")
    expect(at(live, "writer")).to_have_text("running")
    at(one, "source-live").click()
    expect(at(one, "badge")).not_to_have_text("replay")
    at(one, "source-replay").click()
    expect(at(one, "badge")).to_have_text("replay")
    at(one, "replay-close").click()
    expect(at(one, "replay-bar")).to_be_hidden()
    expect(at(one, "writer")).to_have_text("running")


def test_plots_of_who_only_looks_go_to_the_playhead_as_soon_as_it_plays(pages: Pages) -> None:
    page = looked_at(pages)
    drag(page, at(page, "plot").first.locator(".u-over"), (0.6, 0.5), (0.8, 0.52))
    until(lambda: visible(page)[0] > 10, "a zoom")
    page.mouse.move(700, 5)
    at(page, "replay-play").click()
    until(lambda: visible(page)[0] <= shown(page, "replay-time") <= visible(page)[1], "the playhead in sight")


def test_who_loses_the_seat_goes_on_with_the_replay_alone(pages: Pages, rig: Rig) -> None:
    page = opened(pages)
    box = at(page, "replay-overview").bounding_box()
    assert box
    at(page, "replay-overview").click(position={"x": 0.5 * box["width"], "y": box["height"] / 2})
    until(lambda: abs(rig.get("status").json()["replay"]["record"] - 0.5 * COUNT) < 10, "its place, not only the wish")
    until(lambda: abs(record(page) - 0.5 * COUNT) < 10, "its place on the page")
    here = record(page)
    at(page, "seat").click()
    at(page, "seat-release").click()
    expect(at(page, "seat")).not_to_contain_text("You operate")
    at(page, "replay-step1").click()
    until(lambda: record(page) == here + 1, "one record on")
    at(page, "replay-play").click()
    expect(at(page, "replay-state")).to_have_text("playing")
    assert rig.get("status").json()["replay"]["state"] == "paused", "the replay of all stays where it is"
    rig.ask("POST", "seat", {"name": "script"})
    rig.ask("DELETE", "replay")
    rig.ask("DELETE", "seat")


def test_who_only_looks_exports_and_draws_charts(pages: Pages, tmp_path: Path) -> None:
    page = looked_at(pages)
    at(row(page, "waves.mcap"), "recording-export").click()
    dialog = at(page, "export-dialog")
    at(dialog, "export-format-pdf").click()
    expect(at(dialog, "export-go")).to_be_disabled()
    expect(at(dialog, "export-go")).to_have_attribute(
        "title", re.compile("a strip chart has 16 channels at most", re.I)
    )
    at(dialog, "export-format-csv").click()
    at(dialog, "export-name").fill("a/b")
    at(dialog, "export-go").click()
    expect(at(dialog, "export-trouble")).to_contain_text("“/” cannot be in a name")
    at(dialog, "export-name").fill("home")
    expect(at(dialog, "export-trouble")).to_be_hidden()
    at(dialog, "export-to").fill("2")
    expect(at(dialog, "export-sum")).to_contain_text("viewers/home.csv")
    pages.shot(page, "export_viewer")
    at(dialog, "export-go").click()
    job = at(page, "job").first
    expect(job).to_have_attribute("data-state", "done")
    with page.expect_download() as taken:
        at(job, "job-file").first.click()
    taken.value.save_as(tmp_path / "home.csv")
    assert len((tmp_path / "home.csv").read_text().splitlines()) > 200


def visible(page: Page) -> tuple[float, float]:
    """What the plots show [s]."""
    from_t, to_t = (at(page, "shown").get_attribute("title") or "").removesuffix(" s").split(" to ")
    return float(from_t.replace("−", "-")), float(to_t)


def test_zoomed_plots_follow_the_playhead_and_legends_read_it(pages: Pages) -> None:
    page = opened(pages)
    over = at(page, "plot").first.locator(".u-over")
    drag(page, over, (0.1, 0.5), (0.3, 0.52))
    until(lambda: visible(page)[1] - visible(page)[0] < 6, "a zoom")
    first = visible(page)
    at(page, "replay-overview").click(position={"x": 0.5 * first[0] + 5, "y": 10})
    page.mouse.move(700, 5)
    at(page, "replay-speed").select_option("5")
    at(page, "replay-play").click()
    until(lambda: shown(page, "replay-time") > first[1] + 1, "beyond what was shown")
    page.keyboard.press("k")
    expect(at(page, "replay-state")).to_have_text("paused")
    from_t, to_t = visible(page)
    assert from_t <= shown(page, "replay-time") <= to_t and to_t - from_t == pytest.approx(
        first[1] - first[0], abs=0.02
    )
    value = ROWS[record(page), HEAVE]
    legend = at(page, "legend-pose_meas_heave").locator(".legend-value")
    until(lambda: float(legend.inner_text().replace("−", "-")) == pytest.approx(value, abs=6e-5), f"heave {value:.4f}")
    pages.shot(page, "replay_followed")
    at(page, "clock").select_option("utc")
    expect(at(page, "replay-time")).to_have_text(re.compile(r"^22:13:\d\d\.\d{3} UTC$"))  # the epoch is 22:13:20
    pages.shot(page, "replay_utc")
    at(page, "clock").select_option("run")
    at(page, "replay-close").click()


def test_a_channel_by_formula_is_computed_in_a_recording(pages: Pages) -> None:
    page = opened(pages)
    at(page, "derive-new").click()
    at(page, "derive-name").fill("apart")
    at(page, "derive-formula").fill("leg1_l_meas - leg4_l_meas")
    page.keyboard.press("Enter")
    legend = at(page, "legend-apart").locator(".legend-value")
    row = ROWS[record(page)]
    value = row[PLACES["leg1_l_meas"]] - row[PLACES["leg4_l_meas"]]
    until(lambda: legend.inner_text() not in ("", "–"), "a value")
    assert float(legend.inner_text().replace("−", "-")) == pytest.approx(value, abs=6e-4)
    pages.shot(page, "recording_derived")
    at(page, "channel-search").fill("apart")
    at(page, "channel-apart").click(button="right")
    at(page, "derive-delete").click()
    expect(at(page, "channel-apart")).to_have_count(0)
    at(page, "replay-close").click()


def test_a_part_is_exported_as_a_job_and_fetched(pages: Pages, rig: Rig, tmp_path: Path) -> None:
    page = opened(pages)
    at(row(page, "waves.mcap"), "recording-export").click()
    dialog = at(page, "export-dialog")
    expect(dialog).to_be_visible()
    expect(at(page, "estop").first).to_be_visible()
    pages.shot(page, "export")
    at(dialog, "export-from").fill("2")
    at(dialog, "export-to").fill("4.005")
    at(dialog, "export-name").fill("part")
    expect(at(dialog, "export-sum")).to_contain_text("exports/part.csv")
    at(dialog, "export-go").click()
    with page.expect_download() as taken:
        at(page, "job-file").filter(has_text="part.csv").click()  # jobs of other tests are listed, too
    taken.value.save_as(tmp_path / "part.csv")
    with (tmp_path / "part.csv").open(newline="") as file:
        lines = [line for line in csv.reader(file) if line and not line[0].startswith("#")]
    start = next(k for k, line in enumerate(lines) if _is_number(line[0]))
    table = np.array(lines[start:], dtype=np.float64)
    np.testing.assert_array_equal(table, ROWS[200:401])  # every channel, to the bit
    at(page, "recordings-search").fill("part.csv")
    expect(row(page, "exports/part.csv")).to_be_visible()
    pages.shot(page, "export_done")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_a_recording_is_sent_and_opened(pages: Pages, rig: Rig, tmp_path: Path) -> None:
    pages.allow(BROKEN)
    page = pages.open()
    take_seat(page, "Ann")
    panel(page, "recordings")
    write_mcap(tmp_path / "from my disk (1).mcap", SCHEMA, ROWS[:500])
    at(page, "recordings-file").set_input_files(tmp_path / "from my disk (1).mcap")
    expect(at(page, "replay-name")).to_have_text("from my disk _1_.mcap")
    expect(row(page, "from my disk _1_.mcap")).to_be_visible()
    (tmp_path / "letter.txt").write_text("dear all")
    at(page, "recordings-file").set_input_files(tmp_path / "letter.txt")
    expect(at(page, "toast").filter(has_text="letter.txt is not a recording")).to_be_visible()


def test_the_replay_moves_the_shaded_view(pages: Pages) -> None:
    page = opened(pages)
    at(page, "view-both").click()
    overview = at(page, "replay-overview")
    box = overview.bounding_box()
    assert box
    seen = []
    for share in (0.25, 0.7):
        overview.click(position={"x": share * box["width"], "y": box["height"] / 2})
        until(lambda share=share: abs(record(page) - share * COUNT) < 10, "the place")  # type: ignore[misc]
        value = ROWS[record(page), HEAVE]
        until(lambda value=value: shown(page, "scene-pose-heave") == pytest.approx(value, abs=2e-3), "its heave")  # type: ignore[misc]
        seen.append(value)
    assert seen[0] != seen[1]
    pages.shot(page, "replay_both")
