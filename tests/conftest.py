"""Settings of all tests: compiled code and bytecode are kept on disk for all workers and processes.

Examples of hypothesis have no time limit, because the machine may be busy; speed is for the benchmarks.
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

from tests import tier

settings.register_profile("motionbase", deadline=None)
settings.load_profile("motionbase")

# Object code goes to a folder beside the user's own, so that `motionbase cache` does not show that of tests. A key has
# the instructions, the processor and a digest of the compiler, so a change of any of them compiles again.
_KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "motionbase"
os.environ.setdefault("MOTIONBASE_CACHE", str(_KEPT / "test-objects"))

# A thread of OpenBLAS that waits for work spins, on a processor that another worker needs. NumPy reads this when it is
# imported, which is later. `scripts/processors` also runs the tests with two threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests start hundreds of Python processes. If bytecode may not be written beside the sources, as in many container
# images, each process would spend half of its time on compiling the modules it imports.
if sys.dont_write_bytecode:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).resolve().parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


# Background jobs of a shell ignore Ctrl-C, and children of tests, which are sent it, would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

NICE = os.getpriority(os.PRIO_PROCESS, 0)
WAITING = ("benchmarks", "cli", "console", "executive", "recording", "ring", "test_examples.py")  # for processes mostly


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run tests that take minutes each (marked `long`)")


def pytest_configure(config: pytest.Config) -> None:
    tier.ALL = config.getoption("--all")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip long tests before any fixture is made."""
    if (long := item.get_closest_marker("long")) and not item.config.getoption("--all"):
        pytest.skip(f"{long.args[0]}: ./motionbase test --all")


def pytest_runtest_teardown() -> None:
    """Restore the priority, which a command that ran in this process may have changed."""
    with suppress(PermissionError):  # raising the priority may not be permitted
        os.setpriority(os.PRIO_PROCESS, 0, NICE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Alternate files whose tests wait with files whose tests compute, so that workers seldom all do the same."""
    files: tuple[list[Path], list[Path]] = ([], [])
    for path in dict.fromkeys(item.path for item in items):
        files[any(part in WAITING for part in path.parts)].append(path)
    place = {path: k for k, path in enumerate(p for pair in zip_longest(*files) for p in pair if p)}
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """Exempt the collected tests, which live to the end, from garbage collection.

    The second collection tells the collector that no objects are old: a full collection waits until new objects exceed
    a quarter of the old ones, and would otherwise come only after a million objects.
    """
    gc.collect()
    gc.freeze()
    gc.collect()
