"""The recorder as a process of a supervised run: `motionbase record` without terminal output.

After a kill, most of the time to the next record goes into imports, so this module has half as many.

python -m motionbase.recording.recorder.main motionbase --after 0 --out recordings
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from motionbase.errors import MotionBaseError
from motionbase.recording.recorder.items import Settings
from motionbase.recording.recorder.recorder import Recorder
from motionbase.ring.gentle import be_prompt, stop_requested
from motionbase.ring.printer import Printer, to_stderr

MB = 1_000_000


def main(argv: Sequence[str] | None = None) -> int:
    """Record until a signal; exit code 1 if records read are not in the files, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="motionbase.recording.recorder.main", description=__doc__)
    parser.add_argument("ring")
    parser.add_argument("--after", type=int, default=0, help="epoch of the previous run, not recorded; 0: none")
    parser.add_argument("--out", type=Path, help="a .mcap file or a folder")
    parser.add_argument("--wait", action="store_true", help="begin at `motionbase record-control start`")
    given = parser.parse_args(argv)
    be_prompt()
    say = Printer(to_stderr)
    try:
        with stop_requested() as stop:  # first, so that the file is always finished
            recorder = Recorder(Settings(given.ring, given.out, wait=given.wait, after=given.after), say)
            say(f"recording ring {given.ring!r}")
            recorder.run(stop)
    except MotionBaseError as error:
        print(f"motionbase record: {error}", file=sys.stderr)
        return 2
    say.close()
    result = recorder.summary()
    for line in summary_lines(result):
        print(line)
    return 0 if result["complete"] else 1


def summary_lines(result: dict[str, Any]) -> Iterator[str]:
    """One line for each recording; if there are several, one more for all of them."""
    for one in result["recordings"]:
        first, last = Path(one["first"]).name, Path(one["last"]).name
        yield f"{_counted(one)}: {first if first == last else f'{first} to {last}'}" if first else _counted(one)
    if len(result["recordings"]) != 1:
        yield f"together {_counted(result)}" if result["recordings"] else _counted(result)
    if result["folder"]:
        yield f"in {result['folder']}"


def _counted(one: dict[str, Any]) -> str:
    files = f"{one['files']} file{'' if one['files'] == 1 else 's'}"
    return f"{one['written']} records, {one['lost']} lost, {one['bytes'] / MB:.1f} MB in {files}"


if __name__ == "__main__":
    sys.exit(main())
