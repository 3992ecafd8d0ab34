"""The platform of a ring and its bench: made once for each platform's text, the last few are kept."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, final

from motionbase.console.api.judge import judge_of, why_no_platform
from motionbase.console.api.scene import trusted_files, why_not_served
from motionbase.console.api.sentences import NotThere
from motionbase.console.kinematics.bench import Bench, without_files
from motionbase.ring.layout import Header

if TYPE_CHECKING:
    from motionbase.console.console import Console

MOST = 4  # platforms whose kernels and models are kept


@final
class Benches:
    """Those of a console; any thread may ask."""

    def __init__(self, console: Console) -> None:
        self._console, self._lock = console, threading.Lock()
        self._made: dict[tuple[str, frozenset[str]], Bench] = {}

    def of(self, header: Header | None) -> Bench:
        """Of a ring's platform; `NotThere` with the reason where there is none. It may not be ready yet."""
        judge = judge_of(header)
        if header is None or judge is None:
            raise NotThere(f"no kinematics: {why_no_platform(header)}")
        # what a recording names is not opened, as in the shaded view
        trusted = trusted_files(self._console) if judge.platform.meshes else frozenset()
        key = (header.layout.platform, trusted)
        with self._lock:
            if (known := self._made.pop(key, None)) is None:
                refused = {mesh: why for mesh in judge.platform.meshes if (why := why_not_served(mesh, trusted))}
                known = Bench(*without_files(judge.platform, refused), carries_sphere=judge.atlas is not None)
            self._made[key] = known  # the youngest is the last
            while len(self._made) > MOST:
                self._made.pop(next(iter(self._made)))
            return known
