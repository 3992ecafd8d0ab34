"""`motionbase replay`: a recording played into a ring."""

import json
from typing import Annotated

import typer

from motionbase.cli.choices import File, From, To
from motionbase.errors import UsageError


def replay(
    file: File,
    ring: Annotated[str, typer.Option(help="Name of the ring to write.")] = "motionbase",
    speed: Annotated[float, typer.Option(help="0.01 to 100 times as fast as it was.")] = 1.0,
    period: Annotated[
        float | None, typer.Option(metavar="S", help="A record every S seconds, whatever their times are.")
    ] = None,
    loop: Annotated[bool, typer.Option("--loop", help="Play again and again.")] = False,
    start: From = None,
    stop_at: To = None,
    paused: Annotated[bool, typer.Option("--paused", help="Show the first record, then wait for commands.")] = False,
    once: Annotated[bool, typer.Option("--once", help="End after the last record.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end and nothing else.")] = False,
) -> None:
    """Play a recording into a ring; whoever reads the ring sees it as if it happened now.

    Records come at the times they were recorded, or one every --period seconds. After the last one the replay waits for
    commands: `motionbase replay-control` plays, pauses, seeks, steps, loops. Times are seconds since the recording's
    epoch, as `motionbase info` shows them. A ring has one writer: a ring that is being written is refused.

    Example: motionbase replay flight.mcap --from 10 --to 20 --loop --speed 0.1
    """
    from motionbase.cli.stopping import stop_requested
    from motionbase.recording.open import open_recording
    from motionbase.recording.replay.replay import Replay, Settings
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
