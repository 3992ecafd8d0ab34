"""`motionbase export recording`: a recording in another format; the work is in motionbase.recording.export."""

import time
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli.choices import Choice, shown, warn_of_damage, with_choice


@with_choice
def export_recording(
    choice: Choice,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write: .mcap, .csv or .parquet.")],
) -> None:
    """Write a recording, or a part of it, as MCAP, CSV or Parquet.

    Numbers are the same to the bit; CSV has as many digits as that takes. --groups and --legs together mean what is in
    both, --channels adds to it; without any of them all channels are written. The time stamp t always comes first.
    Events of a CSV file go into NAME.events.tsv beside it.

    Example: motionbase export recording run.mcap --out forces.csv --groups leg_force --legs 1,3 --from 10 --to 20
    """
    from motionbase.cli import terminal
    from motionbase.cli.measuring import check_writable
    from motionbase.recording.export import export
    from motionbase.recording.open import open_recording
    from motionbase.recording.sinks.sink import ENDINGS
    from motionbase.recording.whole import refuse_existing

    check_writable(out, ENDINGS)
    choice.check_times()
    if not choice.force:
        refuse_existing(out)
    begun = time.perf_counter()
    with open_recording(choice.file) as recording:
        names = choice.names(recording)
        with shown(f"writing {out.name}") as progress:
            done = export(recording, out, names, choice.start, choice.stop, force=choice.force, progress=progress)
        warn_of_damage(recording.damage)
    took = terminal.seconds(time.perf_counter() - begun)
    beside = f"; its events are in {done.beside.name} beside it" if done.beside is not None else ""
    print(
        f"wrote {done.count} records of {done.channels} channels, {terminal.size(done.bytes)}, to {done.path} in "
        f"{took}{beside}"
    )
