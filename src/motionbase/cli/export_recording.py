"""`motionbase export recording`: a recording in another format; the work is in motionbase.recording.export."""

import time
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli.choices import (
    Channels,
    File,
    Force,
    From,
    Groups,
    Legs,
    To,
    check_times,
    chosen_names,
    shown,
    warn_of_damage,
)


def export_recording(
    file: File,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write: .mcap, .csv or .parquet.")],
    channels: Channels = None,
    groups: Groups = None,
    legs: Legs = None,
    start: From = None,
    stop: To = None,
    force: Force = False,
) -> None:
    """Write a recording, or a part of it, as MCAP, CSV or Parquet.

    Numbers are the same to the bit; CSV has as many digits as that takes. --groups and --legs together mean what is in
    both, --channels adds to it; without any of them all channels are written. The time stamp t always comes first.

    Example: motionbase export recording run.mcap --out forces.csv --groups leg_force --legs 1,3 --from 10 --to 20
    """
    from motionbase.cli import terminal
    from motionbase.cli.measuring import check_writable
    from motionbase.recording.export import export
    from motionbase.recording.open import open_recording
    from motionbase.recording.sinks.sink import ENDINGS
    from motionbase.recording.whole import refuse_existing

    check_writable(out, ENDINGS)
    check_times(start, stop)
    if not force:
        refuse_existing(out)
    begun = time.perf_counter()
    with open_recording(file) as recording:
        names = chosen_names(recording, channels, groups, legs)
        with shown(f"writing {out.name}") as progress:
            done = export(recording, out, names, start, stop, force=force, progress=progress)
        warn_of_damage(recording.damage)
    took = terminal.seconds(time.perf_counter() - begun)
    print(
        f"wrote {done.count} records of {done.channels} channels, {terminal.size(done.bytes)}, to {done.path} in {took}"
    )
