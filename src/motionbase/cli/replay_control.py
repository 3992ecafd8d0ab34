"""`motionbase replay-control`: tells a replay that runs what to do, and shows where it is."""

import json
from typing import Annotated, Any

import typer

from motionbase.errors import RecordingError, UsageError
from motionbase.record.requests import REPLAY_KINDS, Command, replay_command

SENDER = "motionbase replay-control"
ACTIONS = ("status", *REPLAY_KINDS)


def replay_control(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(ACTIONS)}.")] = "status",
    values: Annotated[
        list[str] | None, typer.Argument(metavar="NUMBER", help="step: records; seek, loop: seconds; speed.")
    ] = None,
    ring: Annotated[str, typer.Option(help="Name of the ring that is written.")] = "motionbase",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Control a replay: play, pause, rewind, step, seek, speed, loop, loop-off, stop.

    Seek, step and rewind show the record there at once; step also pauses.

    Example: motionbase replay-control seek 12.5

    Example: motionbase replay-control step -10

    Example: motionbase replay-control loop 10 20
    """
    from motionbase.recording.replay.replay import status
    from motionbase.ring.blocks.commands import CommandSender

    if action not in ACTIONS:
        raise UsageError(f"there is no action {action!r}; actions: {', '.join(ACTIONS)}")
    if action != "status":
        command = _command(action, values or [])
        ack = CommandSender(ring, sender=SENDER).request(command)
        if not ack.accepted:
            raise RecordingError(f"ring {ring!r} refused {action!r}: {ack}{_range(ring)}")
        if action == "stop":
            print(json.dumps({"state": "stopped"}) if as_json else "stopped")
            return
    elif values:
        raise UsageError(f"status takes no number, {values[0]!r} was given")
    found = status(ring)
    print(json.dumps(found, indent=2) if as_json else _sentence(found))


def _command(action: str, values: list[str]) -> Command:

    try:
        numbers = tuple(float(v) for v in values)
    except ValueError:
        raise UsageError(f"{action}: {' '.join(values)!r} must be numbers") from None
    return replay_command(action, numbers)


def _range(ring: str) -> str:
    from motionbase.recording.replay.replay import status

    try:
        found = status(ring)
    except RecordingError:
        return ""
    return f"; the replay is from {found['begin']:.6g} to {found['end']:.6g} s"


def _sentence(found: dict[str, Any]) -> str:
    loop = f", loop {found['loop'][0]:.6g} to {found['loop'][1]:.6g} s" if found["loop"] else ""
    pace = (
        f", a record every {found['period'] / found['speed']:g} s" if found["period"] else f", speed {found['speed']:g}"
    )
    return f"{found['state']} at {found['time']:.6g} s of {found['begin']:.6g} to {found['end']:.6g} s{pace}{loop}"
