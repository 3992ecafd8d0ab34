"""One browser and one rig for each module, a page or more for each test; what goes wrong in a page fails its test."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, final

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from motionbase.cli import checkout
from motionbase.cli.console import STATIC_VARIABLE
from motionbase.console.console import STATIC
from tests.console.browser import rig as rigs
from tests.console.browser.person import PATIENCE_MS, at

SHOTS_VARIABLE = "MOTIONBASE_SHOTS"
SHORT = ("test_smoke.py", "test_tokens.py")  # take so little time that they always run
ARGUMENTS = (
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
QUIET: dict[str, object] = {"shell": {"view": "plots"}}  # a shaded view drawn by a processor is slow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in SHORT:
            item.add_marker(pytest.mark.long("minutes with software rendering"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    static = Path(os.environ.get(STATIC_VARIABLE) or STATIC)
    if not (static / "index.html").is_file():
        pytest.skip(f"the page is not built: {static}; install the package, or run `npm run build` in web")
    path = checkout.chromium()
    if path is None:
        pytest.skip(f"there is no Chromium on this machine; looked for {', '.join(checkout.CHROMIUM)}")
    with sync_playwright() as driver:
        try:
            made = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        except Error as error:
            pytest.skip(f"{path} does not start: {error.message.splitlines()[0]}")
        expect.set_options(timeout=PATIENCE_MS)
        yield made
        made.close()


@pytest.fixture(scope="module")
def rig(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[rigs.Rig]:
    """Folders for a module; its own `world` fixture starts what it needs in them."""
    with rigs.rig(tmp_path_factory.mktemp("browser")) as made:
        yield made


@final
@dataclass
class Pages:
    """Opens pages, each of a person of its own, and keeps what they complain about."""

    browser: Browser
    rig: rigs.Rig
    shots: Path
    allowed: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(
        self, *, token: bool = True, width: int = 1600, height: int = 900, waits: str = "running",
        layout: dict[str, object] | None = None, theme: Literal["dark", "light"] = "dark", **options: Any,
    ) -> Page:  # fmt: skip
        """A person opens the address, to operate or to look only; `waits` is the title bar's word for the writer."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, locale="en-US", color_scheme=theme, **options
        )
        context.set_default_timeout(PATIENCE_MS)
        self.contexts.append(context)
        kept = json.dumps({"version": 1, **(QUIET if layout is None else layout)})
        context.add_init_script(f"localStorage['motionbase.layout'] ??= {json.dumps(kept)};")
        page = context.new_page()
        self.watch(page)
        page.goto(f"{self.rig.address}#token={rigs.TOKEN if token else rigs.VIEWER}")
        if waits:
            expect(at(page, "writer")).to_have_text(waits)
        return page

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("console", self._heard)

    def _heard(self, message: ConsoleMessage) -> None:
        text = f"{message.text} ({message.location.get('url', '')})"
        if message.type == "error" and not any(re.search(one, text) for one in self.allowed):
            self.complaints.append(f"console error: {text}")

    def allow(self, *patterns: str) -> None:
        """What this test provokes: the browser writes every refused request into its console."""
        self.allowed.extend(patterns)

    def shot(self, page: Page, name: str) -> None:
        """A picture for people to look at."""
        self.shots.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=self.shots / f"{name}.png")

    def close(self) -> None:
        for context in self.contexts:
            context.close()


@pytest.fixture
def pages(browser: Browser, rig: rigs.Rig, tmp_path: Path) -> Iterator[Pages]:
    made = Pages(browser, rig, Path(os.environ.get(SHOTS_VARIABLE) or tmp_path))
    yield made
    made.close()
    assert made.complaints == []
