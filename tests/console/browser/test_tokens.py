"""Pages that are not let in, and pages that have to go: what they say, and how their people get in again."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from motionbase.console.room import Limits
from tests.console import live_rig
from tests.console.browser.conftest import SHOTS_VARIABLE
from tests.console.browser.person import PATIENCE_MS, at
from tests.console.live_rig import TOKEN, VIEWER, beating, own_rings, writer

ONE_PLACE = Limits(pages=2, viewer_pages=1)


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Of a console with room for one viewer, and one operator without eviction."""
    folder = own_rings(tmp_path, monkeypatch)
    (folder / "recordings").mkdir()
    (folder / "recordings" / "run.csv").write_text("t,x\n" + "".join(f"{k},{k}\n" for k in range(100)))
    with writer() as made, beating(made), live_rig.console(folder, viewer_token=VIEWER, limits=ONE_PLACE) as found:
        yield f"http://{found[1]}/"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1200, "height": 760}, color_scheme="dark", locale="en-US")
    context.set_default_timeout(PATIENCE_MS)
    made = context.new_page()
    yield made
    context.close()


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get(SHOTS_VARIABLE):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


def test_a_page_without_a_token_says_where_it_is_found_and_takes_it(page: Page, address: str) -> None:
    page.goto(address)
    gate = at(page, "gate")
    expect(gate).to_contain_text("This console needs a token")
    expect(gate).to_contain_text("Open the address that motionbase run printed")
    shot(page, "token_missing")
    at(page, "gate-token").fill("not-the-token-of-this-console")
    at(page, "gate-enter").click()
    expect(at(page, "gate-trouble")).to_contain_text("not a token of this console")
    at(page, "gate-token").fill(f"view only: {address}#token={VIEWER} ")
    at(page, "gate-enter").click()
    expect(at(page, "writer")).to_have_text("running")
    expect(gate).to_be_hidden()
    expect(at(page, "seat")).to_contain_text("Viewer")
    shot(page, "token_viewer")
    page.reload()
    expect(at(page, "writer")).to_have_text("running")
    assert "token" not in page.url, "it is kept for the tab, out of sight"


def test_a_wrong_token_is_said_and_the_right_one_works(page: Page, address: str) -> None:
    page.goto(f"{address}#token=that-of-yesterday-s-console")
    expect(at(page, "gate")).to_contain_text("That is not a token of this console")
    shot(page, "token_wrong")
    at(page, "gate-token").fill(TOKEN)
    at(page, "gate-token").press("Enter")
    expect(at(page, "seat")).to_contain_text("Seat is free")


def test_a_mistyped_token_leaves_a_viewer_a_viewer(page: Page, address: str) -> None:
    page.goto(f"{address}#token={VIEWER}")
    expect(at(page, "writer")).to_have_text("running")
    at(page, "seat").click()
    at(page, "seat-token").click()
    at(page, "token").fill(TOKEN[:-1])
    at(page, "token-dialog-yes").click()
    wrong = at(page, "token-dialog-wrong")
    expect(wrong).to_contain_text("That is not a token of this console, and this page keeps its role")
    shot(page, "token_mistyped")
    at(page, "token").fill(VIEWER)
    expect(wrong).to_have_text("")
    at(page, "token-dialog-yes").click()
    expect(wrong).to_contain_text("That is the viewer token")
    expect(at(page, "seat")).to_have_text("Viewer")
    expect(at(page, "writer")).to_have_text("running")
    page.keyboard.press("Escape")
    page.reload()
    expect(at(page, "writer")).to_have_text("running")
    expect(at(page, "seat")).to_have_text("Viewer")
    at(page, "seat").click()
    at(page, "seat-token").click()
    at(page, "token").fill(TOKEN)
    at(page, "token-dialog-yes").click()
    expect(at(page, "seat")).to_contain_text("Seat is free")


def test_a_viewer_that_has_to_go_says_why_and_comes_back(page: Page, address: str) -> None:
    page.goto(f"{address}#token={VIEWER}")
    expect(at(page, "writer")).to_have_text("running")
    netloc = address.removeprefix("http://").rstrip("/")

    async def crowd() -> None:
        async with AsyncExitStack() as stack:
            for name in ("o1", "o2"):
                one = await stack.enter_async_context(live_rig.page(netloc))
                await one.hello(name, TOKEN)
            await asyncio.to_thread(gone.wait, 60.0)

    gone = threading.Event()
    operators = threading.Thread(target=lambda: asyncio.run(crowd()))
    operators.start()
    try:
        expect(at(page, "writer")).to_have_text("full")
        expect(at(page, "banner")).to_contain_text("An operator needed this place, for the console is full")
        expect(at(page, "banner-again")).to_contain_text("Try again (automatically in")
        shot(page, "viewer_evicted")
    finally:
        gone.set()
        operators.join()
    at(page, "banner-again").click()
    expect(at(page, "writer")).to_have_text("running")
    expect(at(page, "banner")).to_be_hidden()


def test_a_viewer_takes_a_recording_home(page: Page, address: str) -> None:
    page.goto(f"{address}#token={VIEWER}")
    expect(at(page, "writer")).to_have_text("running")
    page.keyboard.press("Alt+6")
    at(page, "recording").first.locator("[aria-expanded]").click()
    with page.expect_download() as download:
        at(page, "recording-download").first.click()
    assert Path(download.value.path()).read_text().startswith("t,x\n")
