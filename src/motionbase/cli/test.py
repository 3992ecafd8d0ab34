"""`motionbase test`: the whole test suite of a checkout, on all cores."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import browser, checkout
from motionbase.errors import UsageError
from motionbase.interpreter import python


def test(
    pytest_args: Annotated[
        list[str] | None, typer.Argument(metavar="PYTEST_ARGS", help="Paths and options for pytest.")
    ] = None,
) -> None:
    """Run the test suite of a checkout on all cores; further arguments go to pytest.

    The console is also tested in Chromium, which is installed if it may be: shortly, and with --all in full. --all runs
    everything else that takes minutes as well: floods, long runs, ARM64, downloads, other processors.

    Example: motionbase test tests/cli -k help
    """
    root = checkout.require("the tests")
    if importlib.util.find_spec("pytest") is None:
        raise UsageError("the test tools are not installed; ./motionbase test in the checkout installs them")
    browser.ensure()  # without one, the tests in a browser are skipped and say so
    args = [_absolute(a) for a in pytest_args or ()]
    # Replacing this process leaves Ctrl-C, the exit code and the terminal to pytest.
    os.chdir(root)
    # One worker more than cores, because tests that start processes wait a lot. A file stays on one worker: its tests
    # may share processes. The order is that of tests/conftest.py.
    spread = ["-n", str(cores() + 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    os.execv(sys.executable, python("-m", "pytest", *spread, *args))


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _absolute(argument: str) -> str:
    """A path given relative to the caller's folder, for pytest, which runs in the checkout."""
    path, sep, test_id = argument.partition("::")
    is_path = not argument.startswith("-") and Path(path).exists()
    return f"{Path(path).resolve()}{sep}{test_id}" if is_path else argument
