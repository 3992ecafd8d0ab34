"""`motionbase record` and `record-control`: record a live ring into MCAP files."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.console import Group, share_with
from motionbase.cli.options import Duration, Json, JsonAtEnd, Ring
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.recording.recorder.items import Settings

MB = 1_000_000
ACTIONS = ("status", "start", "stop", "split", "note")


def record(
    ring: Ring = "motionbase",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="A .mcap file or a folder; default: see above.")
    ] = None,
    duration: Duration = None,
    split_mb: Annotated[
        float | None, typer.Option(metavar="N", help="Begin a new file after every N megabytes.")
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
        typer.Option(metavar="EPOCH", help="Record the whole run that follows the one of this epoch; 0: the next run."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Begin at `motionbase record-control start`.")] = False,
    group: Group = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Record a ring into MCAP files: every record, with names, units, notes and reports of lost records.

    It continues through stops and restarts of the ring's writer. The file is valid at any time and can be read while it
    grows. Restarted after it was killed, it continues after the last record in the file, if the ring still has the
    next. By default files are named by their start time, in $MOTIONBASE_DATA/recordings or the user's data folder.
    `motionbase record-control` notes, splits and stops.

    Example: motionbase record --note "first run with the new seat"
    """
    from motionbase.ring.gentle import be_prompt

    be_prompt()  # before the imports, which take most of the time until the first record
    from motionbase.recording.recorder.items import Settings, Split
    from motionbase.recording.recorder.main import summary_lines

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
    from motionbase.recording.recorder.recorder import Recorder
    from motionbase.ring.gentle import stop_after, stop_requested
    from motionbase.ring.printer import Printer, to_stderr

    say = Printer(to_stderr)
    with stop_requested() as stop:  # first, so that the file is always finished
        recorder = Recorder(settings, say)
        if not as_json:
            say(f"recording ring {settings.ring!r}; Ctrl-C stops")
        with stop_after(duration, stop), terminal.status_line(lambda: _line(recorder.status())):
            recorder.run(stop)
    say.close()
    return recorder.summary()


def _line(status: dict[str, Any]) -> str:
    name = Path(status["file"]).name or "no file yet"
    trouble = f"; {status['trouble']}" if status["trouble"] else ""
    return (
        f"{status['state']}, {status['writer']}: {status['records']} records, {status['lost']} lost, "
        f"{status['bytes'] / MB:.1f} MB, {name}{trouble}"
    )


def record_control(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="status, start, stop, split or note.")] = "status",
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="Text of a note.")] = None,
    ring: Annotated[str, typer.Option(help="Name of the ring that is recorded.")] = "motionbase",
    as_json: Json = False,
) -> None:
    """Control the recorder of a ring: start and stop a recording, split it, add a note.

    A note is stored with the time at which it was given. After split, the next record begins a new file. Start after
    stop begins a new recording.

    Example: motionbase record-control note "pilot feels a bump at the end of the stroke"
    """
    from motionbase.recording.recorder import control
    from motionbase.ring.command_words import user

    if action not in ACTIONS:
        raise UsageError(f"there is no action {action!r}; actions: {', '.join(ACTIONS)}")
    if (text is not None) != (action == "note"):
        raise UsageError("a note needs its text" if action == "note" else f"{action} takes no text, only note does")
    if action != "status":
        said = control.ask(ring, action, text or "", person=user())
        print(json.dumps({"text": said}) if as_json else said)
        return
    found = control.status(ring)
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        _show_status(found)


def _show_status(found: dict[str, Any]) -> None:
    print(f"ring     {found['ring']}: {found['writer']}")
    print(f"state    {found['state']}, process {found['pid']}")
    print(f"file     {Path(found['file']) if found['file'] else 'none'}")
    print(f"records  {found['records']}, {found['lost']} lost in {found['gaps']} gaps")
    print(
        f"size     {found['bytes'] / 1e6:.1f} MB in {found['files']} files, {found['waiting_bytes'] / 1e6:.1f} MB wait"
    )
    if found["trouble"]:
        print(f"trouble  {found['trouble']}")
