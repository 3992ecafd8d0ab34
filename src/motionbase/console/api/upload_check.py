"""Opens an uploaded file in a separate process with limits of memory and time.

A file of a few thousand bytes can claim to hold gigabytes. Run as `python -m motionbase.console.api.upload_check FILE
BYTES SECONDS`, with limits of memory and processor time; prints why a file is no recording, in one sentence on stderr.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

from motionbase.console.polite import give_way
from motionbase.errors import MotionBaseError, UsageError
from motionbase.interpreter import python

MEMORY = 4 * 1024**3  # limit besides the file itself [bytes]
PROCESSOR_S, WAIT_S = 60, 180.0
REFUSED = 2


def check(path: Path, name: str) -> None:
    """`UsageError` if a file is no recording that can be opened within the limits; waits for the result."""
    bounds = (str(MEMORY), str(PROCESSOR_S))
    command = python("-m", "motionbase.console.api.upload_check", str(path), *bounds)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise UsageError(f"recording {name!r} cannot be taken: it was not opened within {WAIT_S:g} s") from None
    if done.returncode == REFUSED:
        lines = done.stderr.decode(errors="replace").split("\n")
        raise UsageError(next((line for line in reversed(lines) if line), f"recording {name!r} cannot be opened"))
    if done.returncode:
        raise UsageError(
            f"recording {name!r} cannot be taken: to open it takes more than {MEMORY / 1024**3:g} GiB of memory or "
            f"{PROCESSOR_S} s of a processor"
        )


def main(path: Path, memory: int, seconds: int) -> int:
    """Open a file within limits that the system enforces."""
    give_way()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        from motionbase.console.api.recordings import info
        from motionbase.recording.open import open_recording

        with open_recording(path) as recording:
            if not recording.count:
                raise UsageError(f"recording {path.name!r} has no records")
            info(path.name, recording).model_dump_json()
    except MotionBaseError as error:
        print(str(error).replace(str(path), path.name), file=sys.stderr)
        return REFUSED
    except MemoryError:
        return 1
    return 0


if __name__ == "__main__":
    code = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stderr.flush()
    os._exit(code)  # skips an orderly shutdown, which is not needed
