"""`motionbase replay` and `replay-control`: play a recording into a ring, and control the replay."""

import json
from typing import Annotated, Any

import typer

from motionbase.cli.options import File, From, Json, JsonAtEnd, To
from motionbase.errors import RecordingError, UsageError
from motionbase.record.requests import REPLAY_KINDS, Command, replay_command

SENDER = "motionbase replay-control"
ACTIONS = ("status", *REPLAY_KINDS)


def replay(
    file: File,
    ring: Annotated[str, typer.Option(help="Name of the ring to write.")] = "motionbase",
    speed: Annotated[float, typer.Option(help="Speed relative to the recording, 0.01 to 100.")] = 1.0,
    period: Annotated[
        float | None, typer.Option(metavar="S", help="Play a record every S seconds instead of at the recorded times.")
    ] = None,
    loop: Annotated[bool, typer.Option("--loop", help="Repeat without end.")] = False,
    start: From = None,
    stop_at: To = None,
    paused: Annotated[bool, typer.Option("--paused", help="Show the first record, then wait for commands.")] = False,
    once: Annotated[bool, typer.Option("--once", help="End after the last record.")] = False,
    as_json: JsonAtEnd = False,
) -> None:
    """Play a recording into a ring; readers of the ring see it as if it were live.

    Records come at the recorded times, or one every --period seconds. After the last one the replay waits for commands:
    `motionbase replay-control` plays, pauses, seeks, steps, loops. Times are seconds since the recording's epoch, as
    `motionbase info` shows them. A ring that has a writer already is refused.

    Example: motionbase replay flight.mcap --from 10 --to 20 --loop --speed 0.1
    """
    from motionbase.recording.open import open_recording
    from motionbase.recording.replay.replay import Replay, Settings
    from motionbase.ring.gentle import stop_requested
    from motionbase.ring.printer import Printer, to_stderr

    if period is not None and not period > 0:
        raise UsageError(f"--period is {period:g} s, it must be above 0")
    settings = Settings(ring, start, stop_at, speed, period or 0.0, loop, paused, once)
    say = Printer(to_stderr)
    with stop_requested() as stop, open_recording(file) as recording:
        playing = Replay(recording, settings, say)
        if playing.writer.replaced:
            say(f"motionbase replay: {playing.writer.replaced}")
        if not as_json:
            first = playing.status()
            span = f"{first['records']} records, {first['begin']:.6g} to {first['end']:.6g} s"
            print(f"replaying {file}: {span}", flush=True)
            print(f"ring {ring!r}: {playing.writer.backend}; Ctrl-C stops", flush=True)
            for damage in recording.damage:
                say(f"{file}: {damage.text}")
        playing.run(stop)
        result = {"ring": ring, "file": str(file), "written": playing.written, "held_up": playing.player.held_up}
    say.close()
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        held_up = f"; fell more than a second behind {result['held_up']} times" if result["held_up"] else ""
        print(f"stopped after {result['written']} records{held_up}")


def replay_control(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=f"One of {', '.join(ACTIONS)}.")] = "status",
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NUMBER", help="step: number of records; seek, loop: times [s]; speed: factor."),
    ] = None,
    ring: Annotated[str, typer.Option(help="Name of the ring that is written.")] = "motionbase",
    as_json: Json = False,
) -> None:
    """Control a replay: play, pause, rewind, step, seek, speed, loop, loop-off, stop.

    Seek, step and rewind show the new record at once; step also pauses.

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
