"""Runs the stop post with little more than Python: no NumPy, no machine code, a quarter of the memory.

The package of the ring brings readers and writers with it, by its own `__init__`, which need both. The emergency stop
needs neither, so here the package is only a place.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec

PACKAGE = "motionbase.ring"


def without_its_beginning(package: str) -> None:
    """Let parts of a package be imported without what its `__init__` imports; only before anybody has."""
    found = find_spec(package)
    assert found is not None and found.submodule_search_locations is not None, package
    bare = ModuleSpec(package, None, is_package=True)
    bare.submodule_search_locations = list(found.submodule_search_locations)
    sys.modules[package] = module_from_spec(bare)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # of a terminal that it does not belong to
        signal.signal(number, signal.SIG_IGN)
    without_its_beginning(PACKAGE)
    from motionbase.console.stop.post import serve

    asyncio.run(serve())
    os._exit(0)  # a stop that is still being waited for has been pressed
