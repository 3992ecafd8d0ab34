"""Frame rate of the view outside, beside plots and 3D view, without a graphics card."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from benchmarks.hosts.base import restore
from benchmarks.peers.browser import HEIGHT, WIDTH, chromium, executable, new_context
from benchmarks.peers.console_server import built_page, load, served
from benchmarks.peers.recorders import unpinned
from motionbase.interpreter import motionbase_command
from motionbase.record.states import State
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.reader import Reader

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAME, HZ = "bench-outside", 250
ALONE = ("--no-console", "--no-record", "--joystick", "none")
PATIENCE_S = 180.0
PATIENCE_MS = 60_000
WARM_S = 8.0  # until the view has adapted its resolution
CANVAS = "[data-test=world-canvas]"
# counts the animation frames in which the canvas of the view outside was drawn
WATCH = """
(() => {
  const watch = { frames: 0, all: 0 };
  let isDrawn = false;
  for (const name of ["drawElements", "drawArrays"]) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...all) {
      isDrawn ||= this.canvas.dataset?.test === "world-canvas";
      return draw.apply(this, all);
    };
  }
  const count = () => {
    requestAnimationFrame(count);
    watch.all += 1;
    if (isDrawn) watch.frames += 1;
    isDrawn = false;
  };
  requestAnimationFrame(count);
  window.motionbaseOutside = watch;
})();
"""
NOW = "[motionbaseOutside.frames, motionbaseOutside.all, performance.now()]"
SIZE = f"(() => {{ const c = document.querySelector('{CANVAS}'); return [c.width, c.height]; }})()"


@dataclass(frozen=True)
class Seen:
    """A page over some seconds: frames per second of the view outside and of the page, and the view's pixels."""

    fps: float
    page_fps: float
    pixels: tuple[int, int]


def watched(url: str, seconds: float) -> Seen:
    """With real processes: a base that follows a world, a console, and a page in its usual layout."""
    executable()
    built_page()
    with unpinned(), ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(dir=shared_folder())))
        undo.callback(restore, os.environ.get(FOLDER_VARIABLE))
        os.environ[FOLDER_VARIABLE] = str(folder)
        options = ("--host", url, "--rate", str(HZ), "--ring", NAME, *ALONE)
        quiet = subprocess.DEVNULL
        run = subprocess.Popen(motionbase_command("run", "simona", *options), stdout=quiet, stderr=quiet)
        undo.callback(run.wait)
        undo.callback(run.terminate)
        until_it_drives(run, folder)
        console = undo.enter_context(served(NAME, folder))
        context = new_context(undo.enter_context(chromium()))
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.goto(console.address)
        page.wait_for_selector(CANVAS)
        return counted(page, seconds)


def until_it_drives(run: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the base is in drive."""
    end = time.monotonic() + PATIENCE_S

    def wait() -> None:
        if run.poll() is not None or time.monotonic() > end:
            raise Skip(f"the base did not drive within {PATIENCE_S:g} s")
        time.sleep(0.1)

    while not (folder / f"motionbase-{NAME}").exists():
        wait()
    with Reader(NAME) as reader:
        place, state = reader.schema.place("state"), -1.0
        while state != State.DRIVE:
            wait()
            rows = reader.read().rows
            state = float(rows[-1, place]) if len(rows) else state


def counted(page: Page, seconds: float) -> Seen:
    """Measure a page that shows its world."""
    page.wait_for_timeout(1e3 * WARM_S)
    frames, every, begin = page.evaluate(NOW)
    page.wait_for_timeout(1e3 * seconds)
    more, all_, end = page.evaluate(NOW)
    if more == frames:
        raise Skip(f"no frame was drawn in {seconds:g} s")
    passed = 1e-3 * (end - begin)
    width, height = page.evaluate(SIZE)
    return Seen((more - frames) / passed, (all_ - every) / passed, (width, height))


@functools.cache
def seen(settings: Settings, url: str) -> tuple[Seen, str]:
    """A world's page, and the load of the machine."""
    return watched(url, 5.0 if settings.quick else 30.0), load()


def fps(url: str) -> functools.partial[Samples]:
    """Frames per second of a world."""
    return functools.partial(_fps, url)


def _fps(url: str, settings: Settings) -> Samples:
    found, busy = seen(settings, url)
    return Samples((found.fps,), f"{found.pixels[0]} x {found.pixels[1]} pixels, {found.page_fps:.0f} frames; {busy}")


PAGE = f"page of {WIDTH} x {HEIGHT} with plots and 3D view"
BENCHMARKS = [
    Benchmark("worlds.sea_fps", "1/s", ">= 25", f"pictures of a sea state 4 with its boat, {PAGE}",
              fps("boat://launch?sea=4&script=cruise")),
]  # fmt: skip
