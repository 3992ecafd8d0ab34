"""What the page says while a base starts, ends and is started again, and what a press of the stop would do then."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from motionbase.cli.console import TOKEN_VARIABLE, VIEWER_VARIABLE
from motionbase.ring.backend import find
from motionbase.ring.claim import Claim
from motionbase.ring.lifeline import Role, asked
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, drag, panel, take_seat
from tests.console.browser.rig import RING, TOKEN, VIEWER, Rig, until

AWAY = ("WebSocket", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE")


@pytest.fixture
def console(rig: Rig, request: pytest.FixtureRequest) -> Iterator[None]:
    """A console alone, without a base; a test may give it options."""
    rig.reader = None  # of a ring that is gone
    rig.start_console(*getattr(request, "param", ()))
    yield
    for name in ("base", "console"):
        if name in rig.running:
            rig.end(name)


@pytest.fixture
def run(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`motionbase run` with all that belongs to it, without a terminal."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    monkeypatch.setenv(VIEWER_VARIABLE, VIEWER)
    rig.start("run", "run", "simona", "--ring", RING, "--rate", "200", "--port", str(rig.port), "--no-browser")
    until(rig.answers, "an answer of the console")
    yield
    if "run" in rig.running:
        rig.end("run")


def started(rig: Rig) -> None:
    """A base that waits for an operator, until the console has its records."""
    rig.start_base()
    until(lambda: rig.get("status").json()["sources"][0]["state"] == "live", "a base that runs")


def test_while_it_compiles_the_page_says_so(console: None, pages: Pages) -> None:
    pages.allow(r"404", r"409")
    claim = Claim(find(RING))
    try:
        claim.tell(platform="hexapod of the north")
        page = pages.open(waits="compiling", layout={})
        expect(at(page, "platform")).to_have_text("hexapod of the north")
        expect(at(page, "base-life")).to_contain_text("The base hexapod of the north is being compiled")
        expect(at(page, "scene-message")).to_contain_text("hexapod of the north")
        expect(page.locator("body")).not_to_contain_text("simona", use_inner_text=True)  # hidden hints name it
        expect(at(page, "start-again")).to_be_hidden()
        expect(at(page, "estop").first).to_have_attribute("data-ready", "latched")
        expect(at(page, "estop").first).to_contain_text("kept for the start")
        pages.shot(page, "compiling")
    finally:
        claim.release()
    expect(at(page, "base-strip")).to_be_hidden()
    expect(at(page, "banner")).to_contain_text("Nothing writes to ring")
    expect(at(page, "estop").first).to_have_attribute("data-ready", "nobody")


def test_a_base_that_dies_is_looked_at_and_started_again(rig: Rig, run: None, pages: Pages) -> None:
    pages.allow(*AWAY, r"404", r"409")
    page = pages.open()
    looker = pages.open(token=False, width=390, height=844)
    expect(at(page, "recorder")).to_contain_text("REC")
    expect(at(page, "estop").first).to_have_attribute("data-ready", "armed")
    rig.until_state("drive")
    pid = int(rig.get("status").json()["sources"][0]["writer_pid"])
    os.kill(pid, signal.SIGKILL)
    expect(at(page, "base-life")).to_contain_text("The base was ended by SIGKILL")
    expect(at(page, "writer")).to_have_text("ended")
    expect(at(page, "badge")).to_have_text("was drive")
    expect(at(page, "recorder")).to_contain_text("waits for records")
    expect(at(page, "recorder")).not_to_contain_text("REC")
    expect(at(panel(page, "recorder"), "recorder-state")).to_have_text("waits for records")
    expect(at(page, "estop").first).to_have_attribute("data-ready", "nobody")
    expect(at(looker, "base-life")).to_contain_text("an operator can restart it")
    expect(at(looker, "estop").first.locator("small")).to_be_visible()  # what a press would do
    assert at(looker, "estop").first.evaluate("(e) => e.scrollHeight <= e.clientHeight"), "all of it"
    expect(at(looker, "start-again")).to_be_hidden()
    assert at(looker, "base-life").evaluate("(e) => e.scrollHeight <= e.clientHeight"), "all of it is in sight"
    over = at(page, "plot").first.locator(".u-over")
    drag(page, over, (0.3, 0.5), (0.6, 0.5))  # back into what was: the console has it still
    expect(at(page, "live")).to_have_attribute("aria-pressed", "false")
    pages.shot(page, "base_ended")
    pages.shot(looker, "base_ended_viewer")
    expect(at(panel(page, "events"), "events-list")).to_contain_text("the base was ended by SIGKILL")
    at(page, "start-again").click()  # without the seat it is taken first
    at(page, "seat-name").fill("Ann")
    at(page, "seat-dialog-yes").click()
    expect(at(page, "start-again-dialog")).to_contain_text("at rest, switched off")
    at(page, "start-again-dialog-yes").click()
    expect(at(page, "writer")).to_have_text("running", timeout=120_000)
    expect(at(page, "badge")).to_have_text("off")
    expect(at(page, "base-strip")).to_be_hidden()
    expect(at(page, "recorder")).to_contain_text("REC")
    rig.reader = None  # of the ring that is gone
    assert rig.state() == "off", "nothing rises by itself"
    before = at(panel(page, "events"), "events-list").locator("li", has_text="drive")
    expect(before.first).to_contain_text("UTC")
    expect(before.locator("button")).to_have_count(0)  # the plots have nothing of the run before
    pages.shot(page, "started_again")
    process = rig.running.pop("run")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 1 and "SIGINT came; writer 'base' was ended by SIGKILL" in rig.said("run")


def test_the_stop_button_says_what_a_press_would_do(rig: Rig, console: None, pages: Pages) -> None:
    """With a token and without, by the post alone, and by nobody; and what it said was true."""
    pages.allow(*AWAY, r"401")
    started(rig)
    page = pages.open()
    looker = pages.open(token=False)
    expect(at(page, "estop").first).to_have_attribute("data-ready", "armed")
    expect(at(looker, "estop").first).to_contain_text("needs operator token")
    expect(at(looker, "estop").first).to_have_class(re.compile("unarmed"))
    pages.shot(looker, "stop_viewer")
    console_process = rig.running["console"]
    console_process.send_signal(signal.SIGSTOP)
    try:
        expect(at(page, "estop").first).to_have_attribute("data-ready", "post")
        expect(at(page, "banner")).to_contain_text("The stop button works, via the stop post, which answers")
        expect(at(page, "recorder")).to_contain_text("recorder unknown")
        pages.shot(page, "stop_by_post")
        (post,) = [found.pid for found in asked(find(RING), Role.POST, {"ask": "who"})]
        os.kill(post, signal.SIGSTOP)
        try:
            expect(at(page, "estop").first).to_have_attribute("data-ready", "unheard")
            expect(at(page, "banner")).to_contain_text("The stop button gets no answer: use the hardware stop")
            pages.shot(page, "stop_unheard")
            at(page, "estop").first.click()
            expect(at(page, "estop").first).to_contain_text("NO ANSWER")
        finally:
            os.kill(post, signal.SIGCONT)
        expect(at(page, "estop").first).to_contain_text("STOPPED")
        expect(at(page, "stopped")).to_contain_text("STOPPED")
        pages.shot(page, "stopped_by_post")
    finally:
        console_process.send_signal(signal.SIGCONT)
    until(lambda: rig.newest()["estop"] == 1, "an emergency stop in the ring")
    for one in (page, looker):
        expect(at(one, "estop").first).to_contain_text("STOPPED")
        expect(at(one, "stopped")).to_be_visible()
        expect(at(one, "badge")).to_contain_text("stopped")


@pytest.mark.parametrize("console", [("--anyone-may-stop",)], indirect=True, ids=["anyone"])
def test_where_anyone_may_stop_a_viewer_does(rig: Rig, console: None, pages: Pages) -> None:
    started(rig)
    page = pages.open(token=False)
    expect(at(page, "estop").first).to_have_attribute("data-ready", "armed")
    at(page, "estop").first.click()
    expect(at(page, "stopped")).to_be_visible()
    until(lambda: rig.newest()["estop"] == 1, "an emergency stop in the ring")


def test_a_page_that_is_refused_does_not_say_that_it_operates(rig: Rig, console: None, pages: Pages) -> None:
    pages.allow(*AWAY, r"401")
    page = pages.open(waits="no writer")
    take_seat(page, "Ann")
    loaded = "() => performance.getEntriesByType('resource').some((one) => one.name.includes('/assets/theme'))"
    until(lambda: page.evaluate(loaded), "the last part, which a page loads after its first curves")
    rig.end("console")
    (rig.folder / "other").write_text("another-token-of-a-test")
    rig.start_console("--token-file", str(rig.folder / "other"))
    expect(at(page, "seat")).to_have_text("No access")
    expect(page.locator("body")).not_to_contain_text("You operate")
    expect(at(page, "estop").first).to_have_attribute("data-ready", "token")
    pages.shot(page, "refused")
