"""What goes wrong around a page: no base, a base that dies, another platform, a console that dies, noise."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from motionbase.record.schema import Channel, Schema
from motionbase.record.states import STATES
from motionbase.ring.writer import Writer
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, panel, take_seat
from tests.console.browser.rig import RING, TOKEN, Rig, until

PANELS = ("operator", "generators", "tuning", "recorder", "events", "recordings")
OTHER = Schema(
    "press",
    (
        Channel("t", "s", "time", "time"),
        Channel("ram", "m", "place of the ram", "press"),
        Channel("force", "N", "of the ram", "press"),
        Channel("state", "-", "state", "status", codes=STATES),
    ),
)


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A console alone; the base comes with the second test."""
    rig.start_console()
    yield


@pytest.fixture
def base(rig: Rig) -> None:
    """A base that runs."""
    if "base" not in rig.running:
        rig.start_base()
    until(lambda: rig.ask("GET", "status").json()["sources"][0]["state"] == "live", "a base that runs")


def test_without_any_writer_the_page_says_what_to_do(pages: Pages) -> None:
    pages.allow(r"404.*api/(scene|parameters)", r"409")
    page = pages.open(waits="no writer", layout={})
    expect(at(page, "banner")).to_contain_text(f"motionbase run simona --ring {RING}")
    expect(at(page, "scene-message")).to_contain_text("motionbase run simona")
    expect(at(page, "plots-empty")).to_be_visible()
    expect(at(page, "channels")).to_contain_text("No channels yet")
    at(page, "plot-add").click()
    at(page, "plot-add").click()
    expect(at(page, "plot")).to_have_count(2)
    at(page, "columns").select_option("1")
    at(page, "layouts").click()
    at(page, "layout-save").click()
    at(page, "layout-name").fill("empty")
    at(page, "layout-save-now").click()
    expect(at(page, "toast")).to_contain_text("empty was saved")
    take_seat(page, "Ann")
    for name in PANELS:
        expect(panel(page, name)).to_be_visible()
    expect(at(panel(page, "operator"), "operate-standby")).to_be_disabled()
    expect(at(page, "operate-standby")).to_have_attribute("title", re.compile("No base is running"))
    at(page, "estop").first.click()
    expect(at(page, "estop").first).to_contain_text("REFUSED")  # nobody is there to stop, and it says so
    expect(at(page, "toast").filter(has_text="Use the hardware stop")).to_be_visible()
    pages.shot(page, "no_writer")


def test_a_base_that_dies_and_comes_back(pages: Pages, rig: Rig, base: None) -> None:
    page = pages.open()
    expect(at(page, "plot")).to_have_count(6)
    rig.end("base", signal.SIGKILL)
    expect(at(page, "writer")).to_have_text("lost")
    expect(at(page, "banner")).to_contain_text("continues when a writer comes back")
    expect(at(page, "badge")).to_contain_text("was")
    expect(at(page, "live")).to_have_attribute("aria-pressed", "true")
    pages.shot(page, "writer_lost")
    rig.start_base()
    expect(at(page, "writer")).to_have_text("running", timeout=120_000)
    expect(at(page, "banner")).to_be_hidden()
    value = at(page, "legend-leg1_l_meas").locator(".legend-value")
    expect(value).not_to_have_text("–")
    expect(at(page, "badge")).to_have_text("off")
    expect(at(panel(page, "events"), "events-list")).to_contain_text("Writer")


def test_a_console_that_dies_and_comes_back(pages: Pages, rig: Rig, base: None) -> None:
    pages.allow("WebSocket", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE")
    page = pages.open()
    take_seat(page, "Ann")
    panel(page, "operator")
    expect(at(page, "operate-down")).to_be_enabled()
    rig.end("console", signal.SIGKILL)
    expect(at(page, "banner")).to_contain_text("This page reconnects by itself")
    expect(at(page, "operate-down")).to_be_disabled()
    at(page, "estop").first.click()  # taken via the stop post, which the console does not take with it
    expect(at(page, "estop").first).to_contain_text("STOPPED")
    expect(at(page, "estop").first).not_to_contain_text("NO ANSWER")
    until(lambda: rig.newest()["estop"] == 1, "an emergency stop in the ring")
    pages.shot(page, "console_away")
    rig.start_console()
    expect(at(page, "banner")).to_be_hidden()
    expect(at(page, "writer")).to_have_text("running")
    expect(at(page, "legend-leg1_l_meas").locator(".legend-value")).not_to_have_text("–")
    expect(at(page, "seat")).to_contain_text("You operate")  # a short absence costs no seat
    expect(at(page, "seat-lost")).to_be_hidden()
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(at(page, "stopped")).to_be_visible()
    at(panel(page, "operator"), "operate-reset").click()
    expect(at(page, "stopped")).to_be_hidden()
    expect(at(page, "operate-down")).to_be_enabled()


def test_noise_in_the_page_kills_no_server(pages: Pages, rig: Rig, base: None) -> None:
    page = pages.open()
    pages.allow("WebSocket")
    said = page.evaluate(
        """async token => {
          const hello = JSON.stringify({do: "hello", client: "noise", token, source: "live"});
          const talk = (messages, protocol = "motionbase.1") => new Promise((done) => {
            const socket = new WebSocket(`ws://${location.host}/ws`, protocol);
            const heard = [];
            socket.onmessage = ({data}) => typeof data === "string" && heard.push(JSON.parse(data).kind);
            socket.onopen = () => messages.forEach((one) => socket.send(one));
            socket.onclose = ({code}) => done({code, heard});
            setTimeout(() => (socket.close(4000), done({code: 4000, heard})), 8000);
          });
          const wrong = JSON.stringify({do: "subscribe", channels: "all", span: -1});
          return {
            noJson: await talk([hello, "{{{{"]),
            binary: await talk([hello, new Uint8Array(2000)]),
            huge: await talk([hello, "x".repeat(100_000)]),
            unknown: await talk([hello, ...Array(3).fill(JSON.stringify({do: "delete everything"}))]),
            wrong: await talk([hello, wrong, wrong, wrong]),
            early: await talk([JSON.stringify({do: "subscribe", channels: [], span: 1, pixels: 1})]),
            token: await talk([JSON.stringify({do: "hello", client: "n", token: "no", source: "live"})]),
            deep: await talk([hello, "[".repeat(60_000)]),
          };
        }""",
        TOKEN,
    )
    codes = {name: one["code"] for name, one in said.items()}
    assert codes.pop("huge") in (1009, 1006)  # the latter where the rest of it was still on its way
    expected = dict(noJson=1007, binary=1007, unknown=1008, wrong=1008, early=1008, token=4401, deep=1007)
    assert codes == expected
    assert said["unknown"]["heard"].count("error") == 3
    assert rig.running["console"].poll() is None and rig.answers()
    expect(at(page, "writer")).to_have_text("running")
    value = at(page, "legend-leg1_f_meas").locator(".legend-value")
    before = value.inner_text()
    until(lambda: value.inner_text() != before, "values that go on in the page itself")


def test_another_platform_in_the_same_ring(pages: Pages, rig: Rig, base: None) -> None:
    """The schema changes under an open page: its layout stays, the new channels are there."""
    pages.allow(r"404.*api/(scene|parameters|generators)", r"409")
    page = pages.open()
    expect(at(page, "plot")).to_have_count(6)
    rig.end("base")
    with Writer(OTHER, name=RING, dt=0.01, capacity=5000, program="press") as writer:
        tick = 0

        def beat() -> bool:
            nonlocal tick
            for _ in range(5):
                writer.record[:] = 0.01 * tick, 0.25, -1234.5, 1
                writer.publish()
                tick += 1
            return bool(at(page, "channel-ram").count())

        at(page, "channel-search").fill("ram")
        until(beat, "the channels of the other schema")
        at(page, "channel-ram").dblclick()
        value = at(page, "legend-ram").locator(".legend-value")
        until(lambda: not beat() or value.inner_text() == "0.2500", "the value of its channel")
        expect(at(page, "legend-leg1_l_meas")).to_have_class(re.compile("is-missing"))
        pages.shot(page, "other_schema")
        at(page, "layouts").click()
        at(page, "layout-standard").click()
        expect(at(page, "legend-force")).to_be_visible()
    expect(at(page, "writer")).to_have_text("lost")
