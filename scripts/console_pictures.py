"""Makes the pictures of docs/console.md from a real run: a base, its recorder, the console, and Chromium.

Example: python scripts/console_pictures.py
"""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from motionbase.cli import checkout
from motionbase.interpreter import motionbase_command

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
ARGUMENTS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-accelerated-2d-canvas",
]  # fmt: skip
RING, GENERATORS, PATIENCE_S = "pictures", "examples/generators.toml", 120.0


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """A base that drives its generators; gives the console's address with the token."""
    token = "pictures-of-the-console"
    environment = os.environ | {"MOTIONBASE_CONSOLE_TOKEN": token, "XDG_DATA_HOME": str(folder)}
    command = motionbase_command("run", "simona", "--ring", RING, "--rate", "500", "--no-browser")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            address = next(found[0] for line in run.stdout if (found := re.search(r"http://[\w.:]+/", line)))
            cards = motionbase_command("generators", "set", GENERATORS, "--ring", RING)
            end = time.monotonic() + PATIENCE_S
            while subprocess.run(cards, cwd=ROOT, capture_output=True, check=False).returncode:
                assert time.monotonic() < end, "no base came"
                time.sleep(0.5)
            yield f"{address}#token={token}"
        finally:
            run.terminate()
            run.wait(30)


def pictures(page: Page, address: str) -> None:
    """One after the other."""
    page.goto(address)
    page.wait_for_timeout(20_000)
    page.screenshot(path=PICTURES / "console.png")
    page.locator('[data-test="scene"]').screenshot(path=PICTURES / "console_scene.png")
    page.keyboard.press("Alt+2")
    page.wait_for_timeout(5_000)
    page.screenshot(path=PICTURES / "console_generators.png")
    page.keyboard.press("Alt+6")
    page.wait_for_timeout(3_000)
    row = page.locator('[data-test="recording"]').first
    row.locator("button").first.click()
    row.locator('[data-test="recording-open"]').click()
    page.wait_for_timeout(8_000)
    page.keyboard.press("Alt+6")
    page.wait_for_timeout(3_000)
    page.screenshot(path=PICTURES / "console_replay.png")


def main() -> None:
    """All of them."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=checkout.chromium(), args=ARGUMENTS)
        view = {"width": 1600, "height": 900}
        page = chromium.new_page(viewport=view, locale="en-US", color_scheme="dark")  # type: ignore[arg-type]
        pictures(page, address)
        chromium.close()


if __name__ == "__main__":
    main()
