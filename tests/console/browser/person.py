"""What a person does at a page, and sees on it."""

from __future__ import annotations

import math
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page, expect

PATIENCE_MS = 60_000  # of Playwright; on a quiet machine nothing waits for long


def at(page: Page | Locator, name: str) -> Locator:
    """An element by its `data-test`."""
    return page.locator(f'[data-test="{name}"]')


def panel(page: Page, name: str) -> Locator:
    """Open a panel of the drawer, as with a click on its tab."""
    if at(page, f"tab-{name}").get_attribute("aria-pressed") != "true":
        at(page, f"tab-{name}").click()
    return at(page, f"panel-{name}")


def take_seat(page: Page, name: str) -> None:
    """By the button in the title bar; it takes over where somebody sits."""
    at(page, "seat").click()
    at(page, "seat-take").click()
    at(page, "seat-name").fill(name)
    at(page, "seat-dialog-yes").click()
    expect(at(page, "seat")).to_contain_text("You operate")


def shown(page: Page | Locator, name: str) -> float:
    """A number on the page, as people read it; NaN where it shows none."""
    text = at(page, name).first.inner_text()
    found = re.search(r"[−-]?\d+(\.\d+)?", text)
    if not found:
        return math.nan
    return float(found[0].replace("−", "-"))


def coloured(element: Locator) -> int:
    """Pixels on the screen that are neither grey nor nearly so: traces are coloured, grids and labels are not."""
    picture = pixels(element.screenshot()).astype(int)
    return int(np.count_nonzero(np.ptp(picture, axis=2) > 60))


def pixels(picture: bytes | Path) -> NDArray[np.uint8]:
    """(height, width, 3) of a PNG."""
    with Image.open(BytesIO(picture) if isinstance(picture, bytes) else picture) as image:
        return np.asarray(image.convert("RGB"))


def overflow(page: Page) -> dict[str, Any]:
    """How far the page is wider than its window [css px], and what stands out of it."""
    found: dict[str, Any] = page.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth;
          const scrolls = (e) => { for (let at = e.parentElement; at; at = at.parentElement) {
            if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(at).overflowX)) return true; }
            return false; };
          const out = [...document.querySelectorAll("body *")].filter((e) => e.checkVisibility()
            && e.getBoundingClientRect().right > wide + 1 && !scrolls(e)).map((e) => e.className || e.tagName);
          return { by: document.documentElement.scrollWidth - wide, out: out.slice(0, 8) };
        }"""
    )
    return found


def drag(page: Page, over: Locator, start: tuple[float, float], end: tuple[float, float], key: str = "") -> None:
    """From one share of the element to another."""
    box = over.bounding_box()
    assert box
    if key:
        page.keyboard.down(key)
    page.mouse.move(box["x"] + start[0] * box["width"], box["y"] + start[1] * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + end[0] * box["width"], box["y"] + end[1] * box["height"], steps=6)
    page.mouse.up()
    if key:
        page.keyboard.up(key)


def click(over: Locator, x: float, **options: object) -> None:
    box = over.bounding_box()
    assert box
    over.click(position={"x": x * box["width"], "y": 0.5 * box["height"]}, **options)  # type: ignore[arg-type]
