"""A base on a simulated rig in the browser: legs are enabled and homed, a leg fails, and all of it is told in words."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from motionbase.executive.rig.process import processes
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, RigFault
from motionbase.rig.drives.canopen import emergency
from motionbase.rig.drives.local_bus import LocalBus
from motionbase.rig.files import load_rig
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, overflow, panel, shown, take_seat
from tests.console.browser.rig import RING, Rig, until

PLATFORM, PRESET = "emotion-1500", "drives"
LAG = 0x8611  # the profile's code of a following error
LEG = 3


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Where the processes of the rig meet."""
    with tempfile.TemporaryDirectory(prefix="mb") as folder:
        yield Path(folder)


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig, place: Path) -> Iterator[None]:
    """A base that waits for an operator, and the rig as a supervisor would start it beside the base."""
    rig.start_base("run", PLATFORM, "--alone", "--rig", PRESET, "--ring", RING, "--rate", "200", "--manual")
    with (rig.folder / "legs.txt").open("wb") as said:
        for process in processes(load_rig(PRESET, load_platform(PLATFORM)), RING, PLATFORM, place):
            rig.running[process.name] = subprocess.Popen(process.command, stdout=said, stderr=said)
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    yield


def seated(pages: Pages, **options: object) -> Page:
    page = pages.open(**options)  # type: ignore[arg-type]
    take_seat(page, "Ann")
    return page


def states(rig: Rig) -> set[LegState]:
    row = rig.newest()
    return {LegState(int(row[f"leg{leg}_rig_state"])) for leg in range(1, 7)}


def fails(place: Path, code: int) -> None:
    """The drive of a leg reports a fault."""
    bus = LocalBus(str(place))
    bus.put([emergency(LEG, code, 1)])
    bus.shutdown()


def is_shown(page: Locator, rig: Rig, leg: int) -> bool:
    """Whether the page shows the newest length of a leg, to a millimetre."""
    return abs(shown(page, f"rig-length-{leg}") - rig.newest()[f"leg{leg}_rig_l"]) < 1e-3


def test_legs_are_switched_on_and_homed_by_whoever_operates(pages: Pages, rig: Rig) -> None:
    viewer = pages.open(token=False)
    watched = panel(viewer, "operator")
    expect(at(watched, "rig-leg-1")).to_contain_text("off")
    page = seated(pages)
    opened = panel(page, "operator")
    follows = opened.locator(".p-follows")
    expect(follows).to_contain_text("Next: enable, switch the legs on")
    expect(at(opened, "operate-home")).to_have_attribute(
        "title", re.compile("works while all legs are unhomed; the legs are off")
    )
    expect(at(opened, "operate-down")).to_have_attribute("title", "The legs are off: enable them first")
    for action in ("enable", "home", "disable"):
        expect(at(watched, f"operate-{action}")).to_be_disabled()
    pages.shot(page, "rig_off")

    at(opened, "operate-enable").click()
    until(lambda: states(rig) == {LegState.UNHOMED}, "all legs are switched on")
    expect(at(opened, "rig-leg-6")).to_contain_text("unhomed")
    expect(follows).to_contain_text("Next: home")
    at(opened, "operate-home").click()
    expect(at(page, "confirm")).to_contain_text("Nobody must be on, under or beside the platform")
    pages.shot(page, "rig_confirm")
    page.keyboard.press("Enter")  # alone it moves nothing
    expect(at(page, "confirm")).to_have_count(0)
    assert states(rig) == {LegState.UNHOMED}
    at(opened, "operate-home").click()
    at(page, "confirm-yes").click()
    until(lambda: states(rig) == {LegState.READY}, "all legs are homed")
    expect(follows).to_contain_text("Next: switch on")
    for leg in range(1, 7):
        expect(at(opened, f"rig-leg-{leg}")).to_contain_text("ready")
        expect(at(watched, f"rig-leg-{leg}")).to_contain_text("ready")
    until(lambda: all(is_shown(opened, rig, leg) for leg in range(1, 7)), "the page shows where the legs came to rest")
    until(lambda: shown(opened, "rig-rate") > 0, "cycles are counted")  # a tenth off on a busy machine says nothing
    for name in ("rig-latency", "rig-age", "rig-lateness"):
        expect(at(opened, name)).to_contain_text("ms")
    expect(at(opened, "rig-power")).to_be_hidden()
    pages.shot(page, "rig_ready")


def test_a_leg_that_fails_stops_all_and_is_named(pages: Pages, rig: Rig, place: Path) -> None:
    page = seated(pages)
    opened = panel(page, "operator")
    at(opened, "operate-down").click()
    expect(at(opened, "state")).to_have_text("down")
    at(opened, "operate-standby").click()
    at(page, "confirm-yes").click()
    expect(at(opened, f"rig-leg-{LEG}")).to_contain_text("following")
    expect(at(opened, "operate-disable")).to_have_attribute("title", re.compile("the base is in rising"))
    pages.shot(page, "rig_following")
    fails(place, LAG)
    until(lambda: rig.newest()[f"leg{LEG}_rig_fault"] == RigFault.FOLLOWING_ERROR, "the fault in the record")
    why = f"Leg {LEG}: following error, the leg is too far from its demand (code 0x8611)."
    expect(at(opened, "rig-faults")).to_contain_text(why)
    expect(at(opened, f"rig-leg-{LEG}")).to_have_class(re.compile("bad"))
    rig.until_state("held", "off")
    expect(opened.locator(".p-follows")).to_contain_text("Next: reset")
    expect(at(opened, "operate-enable")).to_have_attribute("title", re.compile("has a fault: reset it first"))
    pages.shot(page, "rig_fault")
    events = panel(page, "events")
    at(events, "events-search").fill(f"leg {LEG} stopped")
    event = at(events, "events-list").locator("li:not([hidden])").first
    expect(event).to_contain_text(
        re.compile(r"following error.*code 0x8611\); measured \d\.\d{4} m, asked for \d\.\d{4} m")
    )
    pages.shot(page, "rig_events")

    opened = panel(page, "operator")
    at(opened, "operate-reset").click()
    expect(at(opened, "rig-faults")).to_be_hidden()
    until(lambda: rig.newest()["fault"] == 0 and states(rig) <= {LegState.OFF, LegState.READY}, "all is reset")


def test_a_page_of_a_phone_holds_it(pages: Pages) -> None:
    page = pages.open(width=390, height=844, token=False)
    opened = panel(page, "operator")
    expect(at(opened, "rig-leg-6")).to_be_visible()
    assert overflow(page) == {"by": 0, "out": []}
    pages.shot(page, "rig_phone")


def test_a_rig_that_dies_is_not_shown_as_if_it_lived(pages: Pages, rig: Rig) -> None:
    """The process that moves the legs is killed: ages grow, cycles are none."""
    page = seated(pages)
    opened = panel(page, "operator")
    until(lambda: shown(opened, "rig-rate") > 0, "cycles are counted")
    process = rig.running.pop("rig")
    process.kill()
    process.wait()
    expect(at(opened, "rig-rate")).to_have_class(re.compile("bad"))
    expect(at(opened, "rig-age")).to_have_class(re.compile("bad"))
    expect(at(opened, "rig-about")).to_have_text("The rig does not answer; this is what it told last.")
    expect(at(opened, "operate-disable")).to_have_attribute("title", "The rig does not answer")
    pages.shot(page, "rig_dead")
