"""The ring of a supervised run: what an earlier writer left is saved first; at the end the ring is removed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import final

from motionbase.errors import MotionBaseError, ScheduleError
from motionbase.recording.estop import files as estop
from motionbase.ring import catalogue
from motionbase.ring.backend import find
from motionbase.ring.glance import Glance
from motionbase.ring.layout import Status
from motionbase.ring.segment import left_behind

FAILED = Status.FAILED.name.lower()  # as ESTOP files say it


@final
class RunRing:
    """The ring, by its name.

    Args:
        folder, keep: of ESTOP files
    """

    def __init__(self, name: str, folder: Path | None, keep: int) -> None:
        self.name, self._folder, self._keep = name, folder, keep
        self._known = frozenset[Path]()

    def rescue(self, say: Callable[[str], object]) -> None:
        """Save what an earlier run left unsaved, or refuse to start. Files saved from here on belong to this run."""
        try:
            for saved in estop.rescue_all(self.name, self._folder, self._keep):
                say(f"an earlier run: {saved}")
        except MotionBaseError as error:
            raise ScheduleError(
                f"ring {self.name!r} holds unsaved records of an earlier run, which a new writer would remove, and "
                f"they cannot be saved: {error}; `motionbase ring save {self.name} --out FILE` saves them elsewhere"
            ) from None
        self._known = frozenset(f.path for f in self._files())

    @property
    def is_unsaved(self) -> bool:
        """Whether its writer has ended and left records that nobody has saved."""
        with suppress(MotionBaseError):
            entry = catalogue.entry(self.name)
            return entry.unsaved and entry.life is not catalogue.Life.ALIVE
        return False

    @property
    def why_unsaved(self) -> str:
        """The sentence for a ring that could not be saved."""
        return f"the records of ring {self.name!r} are not saved: `motionbase ring save {self.name}`"

    @property
    def has_failed(self) -> bool:
        """Whether a writer of this run says in the ring, or in an ESTOP file, that it failed."""
        if any(f.details is not None and f.details.status == FAILED for f in self.new_files()):
            return True
        with suppress(MotionBaseError):
            return catalogue.entry(self.name).life is catalogue.Life.FAILED
        return False

    @property
    def shows_stop(self) -> bool:
        """Whether the emergency stop acts in the newest record."""
        with suppress(MotionBaseError, OSError):
            return Glance(self.name, find(self.name)).shows_stop()
        return False

    def clean(self, say: Callable[[str], object]) -> None:
        """Remove it, and what it left under other names, unless it holds unsaved records."""
        for name in (self.name, *(left.name for left in left_behind(find(self.name)))):
            with suppress(MotionBaseError):  # nothing there
                for outcome in catalogue.clean((name,)):
                    if not outcome.removed:
                        say(f"{outcome.path} is kept: {outcome.why}")

    def new_files(self) -> list[estop.EstopFile]:
        """ESTOP files of this run."""
        return [f for f in self._files() if f.path not in self._known]

    def _files(self) -> list[estop.EstopFile]:
        with suppress(MotionBaseError):
            return estop.files(self._folder, self.name)
        return []
