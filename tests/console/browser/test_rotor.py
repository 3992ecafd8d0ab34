"""A rotor in real time on its page: it is drawn, its controls follow, its disk shows the blades, a stop unloads it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from motionbase.rotor.blades.planform import load_planform
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, take_seat
from tests.console.browser.rig import RING, Rig, until

ROTOR = ("run", "puma", "--alone", "--ring", RING, "--rate", "200")
OPEN: dict[str, object] = {"shell": {"view": "both", "list": False, "panel": "rotor"}}


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """The rotor of a Puma, which drives at once."""
    rig.start_base(*ROTOR)
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the rotor")
    rig.until_state("drive")
    yield


def newtons(page: Page) -> float:
    """The thrust below the picture; thousands stand apart there."""
    return float(re.sub(r"[^\d.]", "", at(page, "scene-output-thrust").inner_text()) or "nan")


def test_a_control_moves_the_blades_that_are_drawn_and_a_stop_takes_the_load_off(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN, width=1440, height=900)
    canvas = at(page, "scene-canvas")
    expect(at(page, "scene-message")).to_be_hidden()
    until(lambda: coloured(canvas) > 1000, "four coloured blades")
    for tab in ("robot", "operator", "generators", "kinematics"):
        expect(at(page, f"tab-{tab}")).to_be_hidden()
    take_seat(page, "anna")
    at(page, "robot-number-collective").fill("8")
    at(page, "robot-number-collective").press("Enter")
    until(lambda: abs(math.degrees(rig.newest()["collective"]) - 8) < 1e-3, "the collective at its set point")
    until(lambda: rig.newest()["thrust"] > 1.5e4, "thrust")
    until(lambda: newtons(page) > 1.5e4, "the thrust below the picture")
    at(page, "rotor-quantity").select_option("pitch")
    expect(at(page, "rotor-range")).to_contain_text("°")
    until(lambda: coloured(at(page, "rotor-disk")) > 500, "the disk in colours")
    pages.shot(page, "rotor")
    at(page, "estop").first.click()
    rig.until_state("held")
    assert abs(rig.newest()["collective"] - load_planform("puma").flat_pitch) < 1e-9
    expect(at(page, "robot-about")).to_contain_text("emergency stop")
    at(page, "operate-reset").click()
    expect(at(page, "operate-drive")).to_be_enabled()
    at(page, "operate-drive").click()
    rig.until_state("drive")
