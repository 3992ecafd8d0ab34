"""One program at a time moves the legs of a machine: a run, or a check."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from motionbase.errors import UsageError
from motionbase.rig.files import RigFile
from motionbase.ring.backend import shared_folder
from motionbase.ring.lock import FileLock


@contextmanager
def sole_user(rig: RigFile) -> Iterator[None]:
    """Keep the devices of a rig from other programs of this package; a simulated machine has none."""
    with ExitStack() as held:
        for device in rig.devices:
            path = os.path.realpath(device) if os.path.isabs(device) else device  # ports have several names
            name = hashlib.sha256(path.encode()).hexdigest()[:16]
            lock = held.enter_context(FileLock(shared_folder() / f"motionbase.rig.{name}.lock"))
            if not lock.take():
                who = f"process {pid}" if (pid := lock.holder()) else "another process"
                raise UsageError(
                    f"{device} of rig {rig.name!r} is used by {who}: a run or a check of a rig; end it first"
                )
        yield
