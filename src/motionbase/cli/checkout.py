"""The source checkout: `motionbase test`, and the browser for tests and benchmarks of the console."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

import motionbase
from motionbase.errors import UsageError
from motionbase.interpreter import python

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = (
    ("apt-get", "update", "-qq"),
    ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"),
)


def find() -> Path | None:
    """The checkout that this package runs from, else the one that contains the current folder."""
    for start in (Path(motionbase.__file__).resolve().parent, Path.cwd()):
        for folder in (start, *start.parents):
            if (folder / "pyproject.toml").is_file() and (folder / "src" / "motionbase").is_dir():
                return folder
    return None


def require(purpose: str) -> Path:
    """The checkout; an error if there is none, saying that `purpose` needs one."""
    if (root := find()) is None:
        raise UsageError(f"{purpose} are only in a source checkout of motionbase; call this inside one")
    return root


def chromium() -> str | None:
    """Path of Chromium; None if there is none."""
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def ensure_chromium() -> str | None:
    """As `chromium`, after trying to install it if that needs no interaction: on Debian or Ubuntu, as root."""
    found = chromium()
    if found or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return found
    print("motionbase: installing Chromium for the tests of the console ...", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in INSTALL:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"motionbase: {' '.join(command)} failed: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
    return chromium()


def test(
    pytest_args: Annotated[
        list[str] | None, typer.Argument(metavar="PYTEST_ARGS", help="Paths and options for pytest.")
    ] = None,
) -> None:
    """Run the test suite of a checkout on all cores; further arguments are passed to pytest.

    The console is also tested briefly in Chromium, which is installed if possible. --all tests it in full, and runs
    everything else that takes minutes: floods, long runs, ARM64, downloads, other processors.

    Example: motionbase test tests/cli -k help
    """
    root = require("the tests")
    if importlib.util.find_spec("pytest") is None:
        raise UsageError("the test tools are not installed; ./motionbase test in the checkout installs them")
    ensure_chromium()  # without a browser its tests are skipped, with the reason
    args = [_absolute(a) for a in pytest_args or ()]
    # replacing this process leaves Ctrl-C, the exit code and the terminal to pytest
    os.chdir(root)
    # One worker more than cores, because tests that start processes wait a lot. A file stays on one worker, because its
    # tests may share processes. tests/conftest.py sets the order.
    spread = ["-n", str(cores() + 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    os.execv(sys.executable, python("-m", "pytest", *spread, *args))


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _absolute(argument: str) -> str:
    """A path relative to the caller's folder made absolute, because pytest runs in the checkout."""
    path, sep, test_id = argument.partition("::")
    is_path = not argument.startswith("-") and Path(path).exists()
    return f"{Path(path).resolve()}{sep}{test_id}" if is_path else argument
