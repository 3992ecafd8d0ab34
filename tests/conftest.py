"""For all tests: what every worker and every process started by a test would otherwise make again is kept on disk.

An example of hypothesis may take as long as a busy machine needs; speed is for the benchmarks.
"""

import gc
import os
import signal
import sys
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("motionbase", deadline=None)
settings.load_profile("motionbase")

# Object code goes to a folder beside the user's own, so that `motionbase cache` shows nothing of the tests. A key holds
# the instructions, the processor and a digest of the compiler, so a change of any of them compiles again.
_KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "motionbase"
os.environ.setdefault("MOTIONBASE_CACHE", str(_KEPT / "test-objects"))

# Tests start hundreds of Python processes. Where bytecode may not be written beside the sources, as images of
# containers often have it, each would compile every module it imports: half of its time.
if sys.dont_write_bytecode:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


# A shell lets its jobs in the background ignore Ctrl-C, and children of tests, who are sent it, would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

NICE = os.getpriority(os.PRIO_PROCESS, 0)
WAITING = ("benchmarks", "cli", "console", "executive", "recording", "ring", "test_examples.py")  # for processes mostly


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run tests that take minutes each (marked `long`)")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture is made."""
    if (long := item.get_closest_marker("long")) and not item.config.getoption("--all"):
        pytest.skip(f"{long.args[0]}: ./motionbase test --all")


def pytest_runtest_teardown() -> None:
    """A command that ran in this process may have made it more or less urgent for good: not for the tests after it."""
    with suppress(PermissionError):  # to be as urgent as before may need a right
        os.setpriority(os.PRIO_PROCESS, 0, NICE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose tests wait in turn with files whose tests compute, so that workers seldom all wait or all compute."""
    files: tuple[list[Path], list[Path]] = ([], [])
    for path in dict.fromkeys(item.path for item in items):
        files[any(part in WAITING for part in path.parts)].append(path)
    place = {path: k for k, path in enumerate(p for pair in zip_longest(*files) for p in pair if p)}
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """What the collection left lives to the end: no collector of garbage need walk through it again and again.

    The second time tells the collector that nothing is old yet: it looks at everything only when what it has not
    looked at exceeds a quarter of what it has, and would otherwise let a million objects come first.
    """
    gc.collect()
    gc.freeze()
    gc.collect()
