"""Makes the pictures and the short film of `motionbase demo` for the docs: its recordings, played in Chromium.

The page's clock is stepped, so the film moves evenly however slowly this machine draws.

Example: python scripts/tour_pictures.py                   # plays the tour first, four minutes
Example: python scripts/tour_pictures.py --recordings DIR  # of a tour that was played with --record DIR
"""

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from motionbase.arrays import Array
from motionbase.cli import checkout
from motionbase.interpreter import motionbase_command
from motionbase.recording.open import open_recording
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.writer import Writer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scripts.console_pictures import ARGUMENTS, PICTURES, at

TOKEN = "pictures-of-the-tour"
RING = "demo"
PATIENCE_S = 120.0
SIZE: ViewportSize = {"width": 1600, "height": 900}
FILM, QUALITY = (960, 540), 38  # size of the film, and WebP's quality
STILL = 88  # quality of pictures; they have too many shades for a palette
RECORDS_HZ, AT_ONCE = 100, 3  # records per second of the tour, and for a step of the page
HZ = RECORDS_HZ / AT_ONCE / 4  # pictures per second
LEAD_S = 1.5  # played before the first picture, so that wakes and curves are there
HISTORY_S = 7.0  # in the curves before that
AFTER_S = 0.05  # real time for a record to come
HARDWARE = """
const given = WebGL2RenderingContext.prototype.getParameter;
WebGL2RenderingContext.prototype.getParameter = function (name) {
  return name === 0x9246 || name === 0x1f01 ? "a graphics card" : given.call(this, name);
};
"""  # so that the view is drawn as finely as for people; time does not matter here
WITHOUT = ".title-rate { visibility: hidden; }"  # records come at the pace of the film, not of the run


class Shown(NamedTuple):
    """Of a part of the tour, by time of the world [s]: when the picture is taken, and from when on it is filmed."""

    picture: float
    film: float
    seconds: float
    camera: str = "chase"


SHOWN = {"boat": Shown(21.4, 19.0, 3.6), "flight": Shown(32.4, 30.0, 3.6), "drive": Shown(9.4, 7.0, 3.6)}


def played(folder: Path) -> None:
    """The tour, recorded."""
    command = motionbase_command("demo", "--no-console", "--ring", RING, "--record", str(folder))
    subprocess.run(command, check=True)


def kinds(folder: Path) -> dict[str, tuple[Path, float]]:
    """By kind of world, its newest recording and the record's time at which the world began."""
    found = {}
    for file in sorted(folder.glob("*.mcap")):
        with open_recording(file) as recording:
            kind = json.loads(str(recording.source.about["world"]))["kind"]
            columns = recording.columns(["world_t"])
            moves = columns["world_t"] > 0
            found[kind] = file, float((columns["time"] - columns["world_t"])[moves][0])
    return found


class Film:
    """Records of a recording that go, step by step, into a ring that a console shows as if they happened now."""

    def __init__(self, page: Page, writer: Writer, rows: Array) -> None:
        self._page, self._writer, self._rows, self._at = page, writer, rows, 0
        self._devtools = page.context.new_cdp_session(page)

    def begin(self) -> None:
        """Stop the page's clock."""
        self._page.clock.pause_at(self._page.evaluate("Date.now()") / 1000 + 4.0)  # a busy machine answers late

    def go(self, seconds: float) -> None:
        """A few records at once, so that the view outside and the curves go on evenly."""
        for _ in range(round(seconds * RECORDS_HZ / AT_ONCE)):
            self._writer.write(self._rows[self._at : self._at + AT_ONCE])
            self._at += AT_ONCE
            time.sleep(AFTER_S)
            self._page.clock.fast_forward(1000 * AT_ONCE // RECORDS_HZ)  # draws once

    def picture(self) -> Image.Image:
        """Of the page, as it is: Playwright would wait for an animation frame, and the clock stands still."""
        data = self._devtools.send("Page.captureScreenshot", {"format": "png"})["data"]
        with Image.open(BytesIO(base64.b64decode(data))) as image:
            return image.convert("RGB")


@contextmanager
def console(folder: Path) -> Iterator[str]:
    """Its address with the token."""
    environment = os.environ | {"MOTIONBASE_CONSOLE_TOKEN": TOKEN, "MOTIONBASE_DATA": str(folder)}
    command = motionbase_command("console", "--ring", RING, "--port", "0", "--no-browser")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(found[0] for line in process.stdout if (found := re.search(r"http://[\w.:]+/", line)))
            yield f"{address}#token={TOKEN}"
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def opened(chromium: Browser, address: str, file: Path, start: float, camera: str) -> Iterator[Film]:
    """The page beside a recording from a time on, with the view outside, platform and curves."""
    with open_recording(file) as recording:
        columns = recording.columns(start=start - HISTORY_S)
        about = {name: str(text) for name, text in recording.source.about.items()}
        rows = np.column_stack([columns[name] for name in recording.schema.index])
        texts: dict[str, Any] = {name: about.get(name, "") for name in ("platform", "parameters", "world")}
        schema = recording.schema
    with Writer(schema, name=RING, dt=1 / RECORDS_HZ, program="motionbase run", **texts) as writer, beating(writer):
        writer.write(rows[: round(HISTORY_S * RECORDS_HZ)])
        page = chromium.new_page(viewport=SIZE, locale="en-US", color_scheme="dark")
        page.set_default_timeout(1e3 * PATIENCE_S)
        expect.set_options(timeout=1e3 * PATIENCE_S)
        page.add_init_script(HARDWARE)
        page.clock.install()
        page.goto(address)
        expect(at(page, "world").locator("canvas").first).to_be_visible()
        at(page, f"world-camera-{camera}").click()
        at(page, "toggle-list").click()
        page.add_style_tag(content=WITHOUT)
        yield Film(page, writer, rows[round(HISTORY_S * RECORDS_HZ) :])
        page.close()


@contextmanager
def beating(writer: Writer) -> Iterator[None]:
    """The page shall not think that the writer has ended."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(0.1):
            writer.beat()

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def filmed(chromium: Browser, address: str, kind: str, file: Path, begin: float) -> list[Image.Image]:
    """Pictures of a part, evenly; one of them goes into the docs as it is."""
    shown, found = SHOWN[kind], list[Image.Image]()
    with opened(chromium, address, file, begin + shown.film - LEAD_S, shown.camera) as film:
        film.begin()
        film.go(LEAD_S)
        for k in range(round(shown.seconds * HZ)):
            film.go(1 / HZ)
            whole = film.picture()
            if k == round((shown.picture - shown.film) * HZ):
                whole.save(PICTURES / f"world_{kind}.webp", quality=STILL, method=6)
            found.append(whole.resize(FILM, Image.Resampling.LANCZOS))
    return found


def main() -> None:
    """Pictures and film of all parts, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(SHOWN))
    parser.add_argument("--recordings", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright, ExitStack() as stack:
        folder = given.recordings or Path(made)
        if given.recordings is None:
            played(folder)
        chromium = playwright.chromium.launch(executable_path=checkout.chromium(), args=ARGUMENTS)
        film: list[Image.Image] = []
        there = kinds(folder)
        rings = stack.enter_context(tempfile.TemporaryDirectory(dir=shared_folder()))
        os.environ[FOLDER_VARIABLE] = rings
        address = stack.enter_context(console(Path(rings)))
        for kind in given.parts:
            began = time.monotonic()
            film += filmed(chromium, address, kind, *there[kind])
            print(f"{kind}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        chromium.close()
        if set(given.parts) == set(SHOWN):
            first, *others = film
            path = PICTURES / "tour.webp"
            first.save(
                path, save_all=True, append_images=others, duration=round(1e3 / HZ), loop=0, quality=QUALITY, method=6
            )
            print(f"{path.name}: {len(film)} pictures, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
