"""For all tests: what every worker and every process started by a test would otherwise make again is kept on disk.

An example of hypothesis may take as long as a busy machine needs; speed is for the benchmarks.
"""

import gc
import os
import sys
from pathlib import Path

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


def pytest_collection_finish() -> None:
    """What the collection left lives to the end: no collector of garbage need walk through it again and again.

    The second time tells the collector that nothing is old yet: it looks at everything only when what it has not
    looked at exceeds a quarter of what it has, and would otherwise let a million objects come first.
    """
    gc.collect()
    gc.freeze()
    gc.collect()
