"""Operating a base from the browser: who may, rising and driving, the emergency stop, generators, tuning, recording."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from motionbase.recording.open import open_recording
from motionbase.ring.blocks.generators import shown as armed
from motionbase.ring.blocks.parameters import shown as parameters
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, panel, take_seat
from tests.console.browser.rig import RING, Rig, until

ADDRESSES = (
    ("POST", "estop"), ("POST", "seat"), ("POST", "operate"), ("PUT", "generators"), ("PATCH", "parameters"),
    ("POST", "recorder"), ("POST", "strip"), ("POST", "export"), ("POST", "replay"), ("PUT", "layouts/mine"),
    ("PUT", "recordings/upload?name=x.csv"), ("DELETE", "jobs/1"), ("PUT", "generators/sets/mine"),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that waits for an operator."""
    rig.start_base()
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    yield


def seated(pages: Pages, name: str = "Ann", **options: object) -> Page:
    page = pages.open(**options)  # type: ignore[arg-type]
    take_seat(page, name)
    return page


def test_a_viewer_looks_and_can_touch_nothing(pages: Pages, rig: Rig) -> None:
    page = pages.open(token=False)
    pages.allow(r"401")
    expect(at(page, "seat")).to_have_text("Viewer")
    for name in ("operator", "generators", "tuning", "recorder"):
        opened = panel(page, name)
        expect(at(opened, "access")).to_contain_text("Viewers cannot operate")
        pages.shot(page, f"viewer_{name}")
    expect(at(page, "number-k_p")).to_be_disabled()
    for test in ("generators-apply", "strip-start", "recorder-start", "note-send", "set-save"):
        expect(at(page, test)).to_be_disabled()
    buttons = at(page, "panel-operator").locator("[data-test^=operate-], [data-test^=mode-]")
    assert buttons.count() == 11
    assert not any(button.is_enabled() for button in buttons.all())
    for method, path in ADDRESSES:
        status = page.evaluate(
            "async ([method, path]) => (await fetch(`/api/${path}`, {method, body: method === 'DELETE' ? null : '{}',"
            " headers: {'Content-Type': 'application/json'}})).status",
            [method, path],
        )
        assert status == 401, f"{method} {path}"
    before = rig.newest()
    at(page, "estop").first.click()
    expect(at(page, "token-dialog")).to_contain_text("A viewer cannot stop the base")
    page.keyboard.press("Escape")
    after = rig.newest()
    assert after["estop"] == 0 and after["state"] == before["state"]


def test_the_seat_goes_from_hand_to_hand(pages: Pages) -> None:
    ann = seated(pages, "Ann")
    bob = pages.open()
    expect(at(bob, "seat")).to_have_text("Ann operates")
    expect(at(panel(bob, "operator"), "access")).to_contain_text("Ann has the operator's seat")
    take_seat(bob, "Bob")
    expect(at(ann, "seat-lost")).to_contain_text("Bob took the operator's seat")
    expect(ann.locator("dialog[open]")).to_have_count(0)
    pages.shot(ann, "seat_lost")
    at(ann, "seat-lost-ok").click()
    expect(at(ann, "seat")).to_have_text("Bob operates")
    expect(at(panel(ann, "operator"), "operate-reset")).to_be_disabled()
    bob.reload()  # a reload keeps the seat
    expect(at(bob, "seat")).to_contain_text("You operate")
    at(bob, "seat").click()
    at(bob, "seat-release").click()
    expect(at(ann, "seat")).to_contain_text("Seat is free")
    expect(at(bob, "seat-lost")).to_be_hidden()


def test_rise_drive_and_stop_with_one_click(pages: Pages, rig: Rig) -> None:
    rig.bring("off")
    page = seated(pages)
    opened = panel(page, "operator")
    expect(at(opened, "state")).to_have_text("off")
    expect(at(opened, "operate-standby")).to_be_disabled()
    expect(at(opened, "operate-standby")).to_have_attribute("title", re.compile("works from down or lowering"))
    at(opened, "mode-maintenance").click()
    expect(at(opened, "mode-maintenance")).to_have_attribute("aria-pressed", "true")
    at(opened, "operate-down").click()
    expect(at(opened, "state")).to_have_text("down")
    at(opened, "operate-standby").click()
    expect(at(page, "confirm")).to_contain_text("rises to its neutral pose")
    expect(at(page, "estop").first).to_be_visible()
    pages.shot(page, "operator_confirm")
    expect(at(page, "confirm-no")).to_be_focused()
    page.keyboard.press("Enter")  # alone it moves nothing
    expect(at(page, "confirm")).to_have_count(0)
    assert rig.state() == "down"
    at(opened, "operate-standby").click()
    at(page, "confirm-yes").click()
    expect(at(opened, "state")).to_have_text(re.compile("rising|standby"))
    assert rig.state() in ("rising", "standby")
    rig.until_state("standby")
    expect(at(page, "badge")).to_have_text("standby")
    at(opened, "operate-drive").click()
    expect(at(page, "confirm")).to_contain_text("follows the generators")
    at(page, "confirm-yes").click()
    expect(at(opened, "state-diagram")).to_have_attribute("data-state", re.compile("engaging|drive"))
    rig.until_state("drive")
    expect(at(page, "badge")).to_have_text("drive")
    expect(at(opened, "mode-host")).to_be_disabled()
    pages.shot(page, "operator_drive")
    stop = at(page, "estop").first
    box = stop.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()  # it acts on the press: a hand that slips off has stopped the base all the same
    rig.until_state("stopping", "abort", "off", "down", "held")
    page.mouse.move(600, 400)
    page.mouse.up()
    assert rig.newest()["estop"] == 1
    expect(stop).to_contain_text("STOPPED")
    expect(at(page, "stopped")).to_contain_text(re.compile(r"STOPPED\d\d:\d\d:\d\d UTC by "))
    expect(at(opened, "fault")).to_contain_text("emergency stop")
    expect(at(page, "badge")).to_have_class(re.compile("bad"))
    pages.shot(page, "operator_stopped")
    rig.until_state("off", "down", "held")
    expect(at(opened, "operate-standby")).to_be_disabled()
    at(opened, "operate-reset").click()
    expect(at(opened, "fault")).to_have_text("No fault.")
    expect(stop).to_contain_text("EMERGENCY STOP")
    expect(at(page, "stopped")).to_be_hidden()
    assert rig.newest()["estop"] == 0 and rig.newest()["fault"] == 0


def test_the_keys_stop_it_from_a_text_field_and_without_the_seat(pages: Pages, rig: Rig) -> None:
    rig.bring("down")
    page = pages.open()
    search = at(page, "channel-search")
    search.fill("leg")
    page.keyboard.press("Control+Shift+Space")
    until(lambda: rig.newest()["estop"] == 1, "an emergency stop in the ring")
    expect(search).to_have_value("leg")
    opened = panel(page, "operator")
    expect(at(opened, "fault")).to_contain_text("emergency stop")
    expect(at(opened, "operate-reset")).to_be_disabled()
    rig.bring("down")
    expect(at(opened, "fault")).to_have_text("No fault.")


def test_generators_are_edited_previewed_armed_and_run(pages: Pages, rig: Rig) -> None:
    rig.bring("standby")
    page = seated(pages)
    opened = panel(page, "generators")
    at(opened, "generator-1-open").click()
    at(opened, "generator-1-heave").click()
    at(opened, "generator-1-amplitude").fill("2")
    at(opened, "generator-1-frequency").fill("0.5")
    at(opened, "generator-1-enabled").click()
    expect(at(opened, "preview-exceeded")).to_contain_text("the limit is")
    expect(at(opened, "generators-apply")).to_have_text(re.compile(r"Apply beyond \d+ limits …"))
    pages.shot(page, "generators_exceeded")
    at(opened, "generator-1-frequency").fill("zero")
    expect(at(opened, "generator-1")).to_contain_text("Must be a number")
    expect(at(opened, "generators-apply")).to_be_disabled()
    at(opened, "generator-1-frequency").fill("0.5")
    at(opened, "generator-1-amplitude").fill("0.05")
    expect(at(opened, "preview-exceeded")).to_be_hidden()
    expect(at(opened, "preview-usage")).to_contain_text("0.05 m")
    version = armed(RING)[0].version
    at(opened, "generators-apply").click()
    expect(at(opened, "fact-armed")).to_contain_text(f"Version {version + 1} by Ann (console)")
    first = armed(RING)[0].generators[0]
    assert (first.enabled, first.axes, first.amplitude, first.frequency) == (True, ("heave",), 0.05, 0.5)
    expect(at(opened, "fact-the")).to_contain_text(f"version {version + 1} takes effect at the next drive")

    rig.bring("drive")
    expect(at(opened, "fact-the")).to_have_text(f"Version {version + 1}, as armed")
    pages.shot(page, "generators_running")
    until(lambda: rig.newest()["pose_meas_heave"] > 0.04, "a heave upwards")
    until(lambda: rig.newest()["pose_meas_heave"] < -0.04, "a heave downwards")
    at(opened, "generator-1-amplitude").fill("0.06")
    expect(at(opened, "generators-apply")).to_be_disabled()
    expect(at(opened, "generators-why")).to_contain_text("The base is in state drive")
    with page.expect_request("**/api/generators") as asked:
        pass  # the panel looks at the block every second
    body = {"cards": {"name": "", "cards": []}, "version": version + 1}
    refused = rig.ask("PUT", "generators", body, client=asked.value.headers["x-client"])
    assert refused.status_code == 409 and "the base is in state drive" in refused.json()["detail"]
    rig.bring("standby")
    at(opened, "generators-apply").click()
    expect(at(opened, "fact-armed")).to_contain_text(f"Version {version + 2}")
    at(opened, "generator-1-amplitude").fill("0.07")
    at(opened, "generators-undo").click()
    expect(at(opened, "generator-1-amplitude")).to_have_value("0.06")
    at(opened, "set-save").click()
    at(page, "set-name-text").fill("calm")
    at(page, "set-name-yes").click()
    expect(at(opened, "set-select")).to_have_value("calm")
    at(opened, "generator-1-enabled").click()
    at(opened, "set-load").click()
    expect(at(opened, "generator-1-enabled")).to_have_attribute("aria-checked", "true")


def test_parameters_are_tuned_within_their_bounds(pages: Pages, rig: Rig) -> None:
    rig.bring("standby")
    page = seated(pages)
    pages.allow(r"4\d\d.*api/parameters")
    opened = panel(page, "tuning")
    at(opened, "tuning-search").fill("k_p")
    field = at(opened, "number-k_p")
    designed = parameters(RING)[0].of("k_p")[0]
    field.fill("12")
    field.press("Enter")
    until(lambda: abs(parameters(RING)[0].of("k_p")[0] - 12) < 1e-9, "k_p at 12")
    expect(at(opened, "parameter-k_p")).to_have_class(re.compile("tuned"))
    pages.shot(page, "tuning")
    field.fill("1e6")
    field.press("Enter")
    expect(at(opened, "error-k_p")).to_contain_text("k_p")
    assert parameters(RING)[0].of("k_p")[0] == pytest.approx(12)
    at(opened, "reset-k_p").click()
    until(lambda: parameters(RING)[0].of("k_p")[0] == pytest.approx(designed), "k_p as designed")
    expect(at(opened, "parameter-k_p")).not_to_have_class(re.compile("tuned"))


def test_the_recorder_obeys_and_notes_stand_in_its_file(pages: Pages, rig: Rig) -> None:
    page = seated(pages)
    opened = panel(page, "recorder")
    expect(opened).to_contain_text("motionbase record --ring rig")
    expect(at(opened, "recorder-start")).to_be_disabled()
    rig.start("recorder", "record", "--ring", RING, "--out", str(rig.recordings), "--wait")
    expect(at(opened, "recorder-start")).to_be_enabled()
    at(opened, "recorder-start").click()
    expect(at(opened, "recorder-state")).to_have_text("recording")
    expect(at(page, "recorder").first).to_contain_text("REC")
    at(opened, "note-text").fill("größer: 5 µm, <b>as it is</b>")
    at(opened, "note-text").press("Enter")
    expect(at(opened, "note-text")).to_have_value("")
    pages.shot(page, "recorder")
    events = panel(page, "events")
    expect(at(events, "events-list").locator("li").first).to_contain_text("größer: 5 µm, <b>as it is</b>")
    time.sleep(0.5)
    (made,) = rig.recordings.glob("*.mcap")
    made.unlink()
    opened = panel(page, "recorder")
    expect(at(opened, "recorder-incident")).to_contain_text(f"{made.name} was deleted while it was written")
    expect(at(opened, "recorder-file")).to_contain_text("_001.mcap")
    pages.shot(page, "recorder-incident")
    at(opened, "recorder-stop").click()
    expect(at(page, "recorder-stop")).to_be_disabled()
    rig.end("recorder")
    assert len(list(rig.recordings.glob("*.mcap"))) == 2
    with open_recording(made) as recording:  # it is back
        assert recording.count > 50
        assert "größer: 5 µm, <b>as it is</b>" in [event.text for event in recording.events]


def test_events_are_found_and_lead_to_their_moment(pages: Pages, rig: Rig) -> None:
    rig.bring("down")
    rig.bring("standby")
    page = pages.open()
    events = panel(page, "events")
    rows = at(events, "events-list").locator("li:not([hidden])")
    expect(rows.first).to_be_visible()
    kinds = "(list) => [...list.querySelectorAll('li')].map((one) => one.querySelector('.p-kind').offsetLeft)"
    assert len(set(at(events, "events-list").evaluate(kinds))) == 1, "all of this run, with times of one width"
    at(events, "events-search").fill("rising")
    expect(rows.first).to_contain_text("rising")
    rows.first.locator("button").click()
    expect(at(page, "live")).to_have_attribute("aria-pressed", "false")
    at(events, "events-search").fill("")
    everything = rows.count()
    at(events, "events-state").click()
    expect(at(events, "events-count")).to_contain_text(" of ")
    assert 0 < rows.count() < everything
    pages.shot(page, "events")


def test_a_strip_chart_of_what_the_plots_show(pages: Pages, rig: Rig, tmp_path: Path) -> None:
    page = seated(pages)
    opened = panel(page, "recorder")
    expect(at(opened, "strip-start")).to_be_disabled()
    at(opened, "strip-from-plots").click()
    expect(opened.locator(".p-pen")).to_have_count(16)
    at(opened, "strip-clear").click()
    at(opened, "strip-pick").fill("pose_meas_heave")
    expect(opened.locator(".p-pen")).to_have_count(1)
    at(opened, "strip-seconds").fill("3")
    at(opened, "strip-name").fill("heave")
    at(opened, "strip-start").click()
    expect(at(opened, "strip-state")).to_contain_text("Drawing")
    expect(at(opened, "strip-out")).to_be_visible()
    pages.shot(page, "strip")
    at(opened, "strip-stop").click()
    expect(at(opened, "strip-state")).to_contain_text("Ended")
    with page.expect_download() as taken:
        at(opened, "strip-out").click()
    taken.value.save_as(tmp_path / "strip.pdf")
    assert (tmp_path / "strip.pdf").read_bytes().startswith(b"%PDF")
