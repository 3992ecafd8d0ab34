"""Benches of rings' platforms: made once for each platform's text; the last few are kept."""

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

MOST = 4  # benches kept


@final
class Benches:
    """Benches of a console; thread-safe."""

    def __init__(self, console: Console) -> None:
        self._console, self._lock = console, threading.Lock()
        self._made: dict[tuple[str, frozenset[str]], Bench] = {}

    def of(self, header: Header | None) -> Bench:
        """The bench of a ring's platform, perhaps not ready yet; `NotThere` with the reason if there is none."""
        judge = judge_of(header)
        if header is None or judge is None:
            raise NotThere(f"no kinematics: {why_no_platform(header)}")
        # files named by a recording are not opened, as in the shaded view
        trusted = trusted_files(self._console) if judge.platform.meshes else frozenset()
        key = (header.layout.platform, trusted)
        with self._lock:
            if (known := self._made.pop(key, None)) is None:
                refused = {mesh: why for mesh in judge.platform.meshes if (why := why_not_served(mesh, trusted))}
                known = Bench(*without_files(judge.platform, refused), carries_sphere=judge.atlas is not None)
            self._made[key] = known  # the newest is last
            while len(self._made) > MOST:
                self._made.pop(next(iter(self._made)))
            return known
