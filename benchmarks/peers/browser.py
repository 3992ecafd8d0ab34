"""A headless Chromium that renders in software, as on machines without a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.harness import Skip
from motionbase.cli import checkout

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

WIDTH, HEIGHT = 1600, 900  # [css px]
ARGUMENTS = (
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-accelerated-2d-canvas",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


def executable() -> str:
    """Path of the system's Chromium; raises `Skip` if there is none."""
    found = checkout.chromium()
    if found is None:
        raise Skip(f"there is no Chromium on this machine; looked for {', '.join(checkout.CHROMIUM)}")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for the block; it is closed even if the block is interrupted."""
    path = executable()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise Skip("Playwright is not installed; it comes with the development dependencies") from None
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        except Error as error:
            raise Skip(f"{path} does not start: {error.message.splitlines()[0]}") from None
        try:
            yield browser
        finally:
            browser.close()


def new_context(browser: Browser) -> BrowserContext:
    """A new user profile: an empty cache, no data of earlier visits."""
    return browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, locale="en-US")
