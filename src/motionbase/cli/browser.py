"""The browser that tests and benchmarks of the console drive: Chromium, from the system, installed if it may be."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = (
    ("apt-get", "update", "-qq"),
    ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"),
)


def find() -> str | None:
    """Path of a Chromium; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def ensure() -> str | None:
    """As `find`, after an attempt to install one where that needs no question: Debian or Ubuntu, as root."""
    found = find()
    if found or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return found
    print("motionbase: installing Chromium for the tests of the console ...", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in INSTALL:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"motionbase: {' '.join(command)} failed: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
    return find()
