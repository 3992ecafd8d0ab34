"""Performance of a page with 36 channels of 1 kHz: animation frames with new data, and the age of drawn data."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchmarks.harness import Skip
from benchmarks.peers.browser import new_context
from benchmarks.peers.console_ring import SHOWN, places, schema
from benchmarks.peers.console_server import BARE, Console

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Side = Literal["plots", "plots_3d", "uplot", "uplot_decimated"]
WATCH = Path(__file__).with_name("console_watch.js").read_text()
SPAN_S = 10
EVERY_RECORD = 8192  # pixels from which the server does not decimate the span
PATIENCE_MS = 60_000
READY = "() => motionbaseWatch.frames > 0"
PLOT = ".plot-body"
CANVASES = "[...document.querySelectorAll('canvas')].map((c) => c.width * c.height > 4 ? c.toDataURL() : '')"


@dataclass(frozen=True)
class Drawn:
    """Measurements of one page over a time span.

    Attributes:
        fps: animation frames per second in which new data were drawn
        delays_ms: from the writing of the newest record to the end of the frame that drew it
        core_share: processor time of the server over elapsed time
    """

    fps: float
    delays_ms: tuple[float, ...]
    core_share: float

    @property
    def delay_ms(self) -> float:
        """Median delay [ms]."""
        return statistics.median(self.delays_ms)


def watched(browser: Browser, view: Literal["plots", "both"] = "plots") -> BrowserContext:
    """A user whose pages are monitored; the console shows only its plots, or the platform beside them."""
    context = new_context(browser)
    context.set_default_timeout(PATIENCE_MS)
    layout, key = json.dumps({"version": 1, "shell": {"view": view}}), "'motionbase.layout'"
    context.add_init_script(f"const motionbaseStamp = {schema().index['stamp']};\n{WATCH}")
    context.add_init_script(f"localStorage.getItem({key}) ?? localStorage.setItem({key}, {layout!r})")
    return context


def measure(browser: Browser, console: Console, side: Side, warm_s: float, seconds: float) -> Drawn:
    """Measure in a new page, which is discarded afterwards."""
    context = watched(browser, "both" if side == "plots_3d" else "plots")
    try:
        page = context.new_page()
        if side in ("plots", "plots_3d"):
            page.goto(console.address)
        else:
            page.goto(_bare(console, _plot_size(context, console), all_records=side == "uplot"))
        page.wait_for_function(READY)
        if side == "plots_3d":
            page.wait_for_selector("[data-test=scene-canvas]")
        page.wait_for_timeout(1e3 * warm_s)
        return _counted(page, console, seconds)
    finally:
        context.close()


def _counted(page: Page, console: Console, seconds: float) -> Drawn:
    before = page.evaluate(CANVASES)
    cpu, wall = console.cpu_s(), time.monotonic()
    page.evaluate("motionbaseWatch.delays.length = 0")
    frames, begin = page.evaluate("[motionbaseWatch.frames, performance.now()]")
    page.wait_for_timeout(1e3 * seconds)
    more, end = page.evaluate("[motionbaseWatch.frames, performance.now()]")
    share = (console.cpu_s() - cpu) / (time.monotonic() - wall)
    delays = page.evaluate("motionbaseWatch.delays")
    if not any(one != other for one, other in zip(before, page.evaluate(CANVASES), strict=True)):
        raise RuntimeError("frames were acknowledged and nothing was drawn")
    if more == frames:
        raise Skip(f"not one frame was drawn in {seconds:g} s")
    return Drawn(1e3 * (more - frames) / (end - begin), tuple(delays), share)


def _plot_size(context: BrowserContext, console: Console) -> tuple[int, int]:
    """Size of one plot of the console, axes included [css px]; uPlot alone gets the same."""
    page = context.new_page()
    page.goto(console.address)
    page.wait_for_function(READY)
    boxes = [box for one in page.locator(PLOT).all() if (box := one.bounding_box())]
    page.close()
    if len(boxes) != len(SHOWN) // 6:
        raise RuntimeError(f"the page shows {len(boxes)} plots, {len(SHOWN) // 6} are wanted")
    return int(boxes[0]["width"]), int(boxes[0]["height"])


def _bare(console: Console, size: tuple[int, int], all_records: bool) -> str:
    width, height = size
    asked = f"width={width}&height={height}&span={SPAN_S}&pixels={EVERY_RECORD if all_records else width}"
    return f"{console.address}/{BARE}/?{asked}&channels={','.join(map(str, places()))}"


def first_paints(browser: Browser, console: Console, visits: int) -> tuple[float, ...]:
    """Time [s] from the start of a navigation to the first plots with data, after an earlier visit."""
    context, found = watched(browser, "both"), []
    try:
        for _ in range(1 + visits):
            page = context.new_page()
            page.goto(console.address)
            page.wait_for_function(READY)
            found.append(1e-3 * page.evaluate("motionbaseWatch.firstMs"))
            page.wait_for_timeout(700)  # layouts are saved, code is cached a little later
            page.close()
    finally:
        context.close()
    return tuple(found[1:])
