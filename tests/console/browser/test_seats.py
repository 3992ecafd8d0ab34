"""The operator's seat while connections drop, and a page that nothing covers while the emergency stop acts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, panel, take_seat
from tests.console.browser.rig import TOKEN, Rig, until


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that waits for an operator."""
    rig.start_base()
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    yield


class Network:
    """Between a page and the console; once it is cut, the connections of before carry nothing any more."""

    def __init__(self, page: Page) -> None:
        self.connections, self._dead = 0, 0
        page.route_web_socket(re.compile("/ws$"), self._carry)

    def _carry(self, here: WebSocketRoute) -> None:
        self.connections += 1
        number, there = self.connections, here.connect_to_server()
        here.on_message(lambda text: there.send(text) if number > self._dead else None)
        there.on_message(lambda text: here.send(text) if number > self._dead else None)
        here.on_close(lambda code, reason: None)
        there.on_close(lambda code, reason: None)

    def cut(self) -> None:
        self._dead = self.connections


def test_a_dead_connection_is_given_up_and_the_seat_is_kept(pages: Pages, rig: Rig) -> None:
    page = pages.open(waits="")
    network = Network(page)
    page.goto(f"{rig.address}?again#token={TOKEN}")
    expect(at(page, "writer")).to_have_text("running")
    take_seat(page, "Ann")
    before = network.connections
    network.cut()  # says nothing to either side, as a network that went away
    expect(at(page, "writer")).to_have_text(re.compile("silent|away"))
    pages.shot(page, "connection_dead")
    expect(at(page, "writer")).to_have_text("running")
    assert network.connections > before
    expect(at(page, "seat")).to_contain_text("You operate")
    expect(at(page, "seat-lost")).to_be_hidden()
    assert rig.get("status").json()["seat"]["name"] == "Ann"


def test_who_waits_gets_the_seat(pages: Pages) -> None:
    ann, bob = pages.open(), pages.open()
    take_seat(ann, "Ann")
    expect(at(bob, "seat")).to_have_text("Ann operates")
    at(bob, "seat").click()
    at(bob, "seat-menu").locator('[data-test="seat-wait"]').click()
    at(bob, "seat-wait-text").fill("Bob")
    at(bob, "seat-wait-yes").click()
    at(ann, "seat").click()
    expect(at(ann, "seat-menu")).to_contain_text("Waiting for the seat: Bob.")
    pages.shot(ann, "seat_queue")
    at(ann, "seat-release").click()
    expect(at(bob, "seat")).to_contain_text("You operate")
    expect(at(bob, "toast").first).to_contain_text("you have it now")
    expect(at(ann, "seat")).to_have_text("Bob operates")
    expect(at(ann, "seat-lost")).to_be_hidden()


def test_nothing_covers_the_page_while_the_emergency_stop_acts(pages: Pages, rig: Rig) -> None:
    rig.bring("standby")
    page, bob = pages.open(), pages.open()
    take_seat(page, "Ann")
    at(panel(page, "operator"), "operate-lower").click()
    expect(at(page, "confirm")).to_be_visible()
    page.keyboard.press("Control+Shift+Space")
    until(lambda: rig.newest()["estop"] == 1, "an emergency stop in the ring")
    expect(at(page, "stopped")).to_be_visible()
    expect(page.locator("dialog[open]")).to_have_count(0)
    take_seat(bob, "Bob")  # a seat that is lost meanwhile puts up no dialog either
    expect(at(page, "seat-lost")).to_contain_text("Bob took the operator's seat")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".drawer")).to_have_js_property("inert", False)
    pages.shot(page, "seat_lost_while_stopped")
    at(page, "seat-again").click()
    at(page, "seat-dialog-yes").click()
    expect(at(page, "seat")).to_contain_text("You operate")
    rig.until_state("off", "down", "held")
    at(page, "operate-reset").click()
    expect(at(page, "stopped")).to_be_hidden()
