"""`motionbase record-control`: tells a recorder that runs what to do, and shows what it does."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from motionbase.errors import UsageError

ACTIONS = ("status", "start", "stop", "split", "note")


def record_control(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="status, start, stop, split or note.")] = "status",
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="Of a note.")] = None,
    ring: Annotated[str, typer.Option(help="Name of the ring that is recorded.")] = "motionbase",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Control the recorder of a ring: start and stop a recording, split it, note something in it.

    A note stands in the file at the time it is given. Split: the very next record begins a new file. Start after stop
    begins a new recording.

    Example: motionbase record-control note "pilot feels a bump at the end of the stroke"
    """
    from motionbase.recording.recorder import control as control
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
        _show(found)


def _show(found: dict[str, Any]) -> None:
    print(f"ring     {found['ring']}: {found['writer']}")
    print(f"state    {found['state']}, process {found['pid']}")
    print(f"file     {Path(found['file']) if found['file'] else 'none'}")
    print(f"records  {found['records']}, {found['lost']} lost in {found['gaps']} gaps")
    print(
        f"size     {found['bytes'] / 1e6:.1f} MB in {found['files']} files, {found['waiting_bytes'] / 1e6:.1f} MB wait"
    )
    if found["trouble"]:
        print(f"trouble  {found['trouble']}")
