"""Makes the pictures of the console in docs/ from real runs: a base, its recorder, the console, and Chromium.

Example: python scripts/console_pictures.py
Example: python scripts/console_pictures.py robot
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from motionbase.cli import checkout
from motionbase.interpreter import motionbase_command
from motionbase.rig.drives.canopen import emergency
from motionbase.rig.drives.local_bus import LocalBus

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
ARGUMENTS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-accelerated-2d-canvas",
]  # fmt: skip
PATIENCE_S = 120.0
COLOURS, FREQUENT = 256, 176  # of a picture: a third of the size, and no difference to be seen


@contextmanager
def running(folder: Path, *words: str) -> Iterator[str]:
    """A command with its console; gives its address with the token."""
    token = "pictures-of-the-console"
    environment = os.environ | {"MOTIONBASE_CONSOLE_TOKEN": token, "XDG_DATA_HOME": str(folder)}
    command = motionbase_command(*words, "--ring", "pictures", "--no-browser")
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, env=environment, text=True, **output) as run:  # type: ignore[call-overload]
        try:
            address = next(found[0] for line in run.stdout if (found := re.search(r"http://[\w.:]+/", line)))
            yield f"{address}#token={token}"
        finally:
            run.terminate()
            run.wait(30)


def at(page: Page | Locator, name: str) -> Locator:
    """An element by its `data-test`."""
    return page.locator(f'[data-test="{name}"]')


def save(what: Page | Locator | Image.Image, name: str) -> None:
    """With few colours, so that the file is small."""
    path = PICTURES / f"{name}.png"
    if isinstance(what, Image.Image):
        what.save(path)
    else:
        what.screenshot(path=path)
    with Image.open(path) as image:
        whole = image.convert("RGB")
        whole.quantize(palette=palette(whole), dither=Image.Dither.NONE).save(path, optimize=True)


def palette(image: Image.Image) -> Image.Image:
    """Colours that are frequent, for smooth shades, and some that are rare, for small marks."""
    found: list[int] = []
    for method, count in ((Image.Quantize.MEDIANCUT, FREQUENT), (Image.Quantize.MAXCOVERAGE, COLOURS - FREQUENT)):
        found += image.quantize(count, method, dither=Image.Dither.NONE).getpalette() or []
    made = Image.new("P", (1, 1))
    made.putpalette(found)
    return made


def opened(chromium: Browser, address: str, theme: str, state: str) -> Page:
    """Once the base is in a state and the platform is drawn."""
    view = {"width": 1600, "height": 900}
    page = chromium.new_page(viewport=view, locale="en-US", color_scheme=theme)  # type: ignore[arg-type]
    page.set_default_timeout(1e3 * PATIENCE_S)
    expect.set_options(timeout=1e3 * PATIENCE_S)
    page.goto(address)
    expect(at(page, "badge")).to_have_text(state)
    expect(at(page, "scene-canvas")).to_be_visible()
    return page


def of_a_hexapod(page: Page) -> None:
    """Plots, the 3D view, generators, kinematics and a replay, one after the other."""
    page.wait_for_timeout(30_000)  # so that all axes move
    save(page, "console")
    save(at(page, "scene"), "console_scene")
    at(page, "tab-generators").click()
    expect(at(page, "preview-chart")).to_be_visible()
    page.wait_for_timeout(3_000)
    save(page, "console_generators")
    at(page, "tab-kinematics").click()
    at(page, "kinematics-mode-study").click()
    at(page, "study-neutral").click()
    at(page, "study-pitch").fill("10")
    expect(at(page, "scene-pose-pitch")).to_contain_text("10.0")
    page.wait_for_timeout(5_000)
    save(page, "console_kinematics")
    at(page, "study-leave").click()
    at(page, "tab-recordings").click()
    row = at(page, "recording").first
    row.locator("button").first.click()
    at(row, "recording-open").click()
    expect(at(page, "live")).to_have_text("Whole")
    at(page, "tab-recordings").click()
    page.wait_for_timeout(10_000)
    save(page, "console_replay")


def of_a_sphere(page: Page) -> None:
    """The sphere while it tumbles."""
    page.wait_for_timeout(20_000)
    save(at(page, "scene"), "atlas_scene")


def of_a_robot(page: Page) -> None:
    """The robot on its way to new set points, with its panel."""
    at(page, "toggle-list").click()
    at(page, "tab-robot").click()
    at(page, "access-way").click()
    at(page, "seat-dialog-yes").click()
    at(page, "scene-options").click()
    at(page, "scene-trail").click()
    page.keyboard.press("Escape")
    page.wait_for_timeout(10_000)  # so that what came with the start is out of the plots
    for joint, degrees in (("j1", "65"), ("j2", "-30"), ("j3", "-50"), ("j5", "35")):
        at(page, f"robot-number-{joint}").fill(degrees)
        at(page, f"robot-number-{joint}").press("Enter")
        page.wait_for_timeout(600)
    page.mouse.click(5, 5)
    page.wait_for_timeout(2_000)
    save(page, "robot")


def of_a_rotor(page: Page) -> None:
    """A rotor in forward flight with its panel: the angle of flap over the disk."""
    at(page, "toggle-list").click()
    at(page, "tab-rotor").click()
    at(page, "access-way").click()
    at(page, "seat-dialog-yes").click()
    for setting, value in (("collective", "9"), ("airspeed", "30"), ("shaft_angle", "-4"), ("cyclic_sin", "-3")):
        at(page, f"robot-number-{setting}").fill(value)
        at(page, f"robot-number-{setting}").press("Enter")
        page.wait_for_timeout(300)
    at(page, "rotor-quantity").select_option("flap")
    page.mouse.click(5, 5)
    page.wait_for_timeout(30_000)  # so that it flies as fast as asked for, and what came with the start is gone
    save(page, "rotor")


def of_cueing(page: Page) -> None:
    """A car's lane changes: the axes as large plots, the panel beside them, and two sets compared."""
    page.set_viewport_size({"width": 1600, "height": 1040})
    at(page, "toggle-list").click()
    page.get_by_role("button", name="Plots", exact=True).click()
    at(page, "tab-cueing").click()
    at(page, "cueing-large").click()
    at(page, "access-way").click()
    at(page, "seat-dialog-yes").click()
    at(page, "cueing-situation-ground").click()
    page.locator(".drawer-body").evaluate("body => body.scrollTo(0, 0)")
    page.wait_for_timeout(12_000)  # so that what came with the start is gone
    save(page, "cueing")
    at(page, "cueing-group-gains").locator("summary").click()
    for number, value in (("2", "0.8"), ("6", "0.8")):
        at(page, f"number-cue_ground_gain-{number}").fill(value)
        at(page, f"number-cue_ground_gain-{number}").press("Enter")
        page.wait_for_timeout(300)
    at(page, "compare-span").select_option("10")
    at(page, "compare-b-set").select_option("simona")
    at(page, "compare-run").click()
    expect(at(page, "compare-result")).to_be_visible()
    at(page, "compare-axes").click()
    page.set_viewport_size({"width": 1600, "height": 1240})
    at(page, "cueing-compare").evaluate("part => part.scrollIntoView()")
    page.mouse.move(5, 600)
    page.wait_for_timeout(3_000)
    save(at(page, "drawer"), "cueing_compared")


def of_a_rig_check(page: Page) -> None:
    """One leg after another moves slowly."""
    page.wait_for_timeout(25_000)
    save(page, "rig_check")


def of_a_rig(page: Page) -> None:
    """A base on a simulated rig in the moment in which the drive of leg 3 reports a fault."""
    at(page, "toggle-list").click()
    page.get_by_role("button", name="Plots", exact=True).click()
    at(page, "tab-operator").click()
    at(page, "access-way").click()
    at(page, "seat-dialog-yes").click()
    page.wait_for_timeout(25_000)  # so that several axes move
    bus = LocalBus(str(max(Path(tempfile.gettempdir()).glob("motionbase-rig-*"), key=os.path.getmtime)))
    bus.put([emergency(3, 0x8611, 1)])
    bus.shutdown()
    expect(at(page, "rig-faults")).to_be_visible()
    page.mouse.move(5, 600)
    page.wait_for_timeout(3_000)
    save(page, "console_rig")


RUN = "run", "--rate", "500"
RUNS = {  # words of the command, state, colours, pictures
    "simona": ((*RUN, "simona"), "drive", "dark", of_a_hexapod),
    "atlas": ((*RUN, "atlas", "--generators", "tumble"), "drive", "light", of_a_sphere),
    "robot": ((*RUN, "robot", "--controller-timeout", "1"), "drive", "dark", of_a_robot),
    "puma": (("run", "puma", "--rate", "400"), "drive", "dark", of_a_rotor),
    "cueing": ((*RUN, "simona", "--host", "manoeuvre://double_lane_change?loop=yes"), "drive", "dark", of_cueing),
    "rigged": ((*RUN, "emotion-1500", "--rig", "drives"), "drive", "dark", of_a_rig),
    "rig": (("rig", "check", "drives", "--simulated-person", "--real-time"), "slow movement", "light", of_a_rig_check),
}


def main() -> None:
    """All of them, or those named."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=checkout.chromium(), args=ARGUMENTS)
        for name in sys.argv[1:] or RUNS:
            words, state, theme, pictures = RUNS[name]
            began = time.monotonic()
            with running(Path(folder), *words) as address:
                pictures(opened(chromium, address, theme, state))
            print(f"{name}: {time.monotonic() - began:.0f} s")
        chromium.close()


if __name__ == "__main__":
    main()
