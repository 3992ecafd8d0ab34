"""`motionbase record`: records of a ring into MCAP files, as they come."""

import json
import math
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli.console import Group, share_with
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.recording.recorder.items import Settings
    from motionbase.recording.recorder.recorder import Recorder

REFRESH_S = 0.5
MB = 1_000_000


def record(
    ring: Annotated[str, typer.Option(help="Name of the ring.")] = "motionbase",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="A .mcap file or a folder; without it, the default folder.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")] = None,
    split_mb: Annotated[
        float | None, typer.Option(metavar="N", help="Begin a new file whenever one has N megabytes.")
    ] = None,
    split_seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Begin a new file after every S seconds of records.")
    ] = None,
    note: Annotated[str, typer.Option(metavar="TEXT", help="The first note of the recording.")] = "",
    oldest: Annotated[
        bool, typer.Option("--oldest", help="Begin with the oldest record in the ring that is in no file yet.")
    ] = False,
    after: Annotated[
        int | None,
        typer.Option(metavar="EPOCH", help="The whole run that follows the one of this epoch; 0: whatever runs next."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Begin when somebody says `motionbase record-control start`.")
    ] = False,
    group: Group = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end and nothing else.")] = False,
) -> None:
    """Record a ring: every record, with names, units, notes and everything that was lost, in MCAP files.

    It goes on through stops and restarts of the ring's writer. The file is whole at every moment and can be read while
    it grows. Started again after it was killed, it goes on with the record after the last in the file, as long as the
    ring has it. Files are called as the time of their start, in
    $MOTIONBASE_DATA/recordings or the user's folder for data. `motionbase record-control` notes, splits, stops.

    Example: motionbase record --note "first run with the new seat"
    """
    from motionbase.ring.gentle import be_prompt

    be_prompt()  # before the libraries: on a busy machine they take most of the time until the first record
    from motionbase.cli.recorder import summary_lines
    from motionbase.recording.recorder.items import Settings, Split

    share_with(group)
    for name, value in (("--duration", duration), ("--split-mb", split_mb), ("--split-seconds", split_seconds)):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise UsageError(f"{name} is {value:g}, it must be a finite number above 0")
    if oldest and wait:
        raise UsageError("--oldest and --wait contradict each other; leave out one")
    if after is not None and (oldest or after < 0):
        raise UsageError(f"--after {after}: it is the epoch of a run, 0 or above, and cannot go with --oldest")
    split = Split(round((split_mb or 0) * MB), round((split_seconds or 0) * 1e9))
    result = _recorded(Settings(ring, out, split, wait, note, oldest, after), duration, as_json)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        for line in summary_lines(result):
            print(line)
    if not result["complete"]:
        raise typer.Exit(1)


def _recorded(settings: "Settings", duration: float | None, as_json: bool) -> dict[str, Any]:
    from motionbase.cli.stopping import stop_requested
    from motionbase.recording.recorder.recorder import Recorder
    from motionbase.ring.printer import Printer, to_stderr

    say = Printer(to_stderr)
    with stop_requested() as stop:  # the signals first: the file always gets its end
        recorder = Recorder(settings, say)
        if not as_json:
            say(f"recording ring {settings.ring!r}; Ctrl-C stops")
        timer = threading.Timer(duration, stop.set) if duration is not None else None
        if timer is not None:
            timer.start()
        try:
            with _shown(recorder):
                recorder.run(stop)
        finally:
            if timer is not None:
                timer.cancel()
    say.close()
    return recorder.summary()


def _shown(recorder: "Recorder") -> Any:
    """A line on a terminal; a pipe gets the sentences only."""
    from contextlib import nullcontext

    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    screen = Console(stderr=True)
    if not screen.is_terminal:
        return nullcontext()

    def line() -> Text:
        return Text(_line(recorder.status()))

    return Live(console=screen, transient=True, refresh_per_second=1 / REFRESH_S, get_renderable=line)


def _line(status: dict[str, Any]) -> str:
    name = Path(status["file"]).name or "no file yet"
    trouble = f"; {status['trouble']}" if status["trouble"] else ""
    return (
        f"{status['state']}, {status['writer']}: {status['records']} records, {status['lost']} lost, "
        f"{status['bytes'] / MB:.1f} MB, {name}{trouble}"
    )
