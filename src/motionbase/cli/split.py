"""`motionbase split`: a recording as several smaller files; the work is in motionbase.recording.split."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli.choices import Choice, shown, warn_of_damage, with_choice


class Format(StrEnum):
    """Of the files."""

    mcap = "mcap"
    csv = "csv"
    parquet = "parquet"


@with_choice
def split(
    choice: Choice,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files; made if it is missing.")],
    records: Annotated[int | None, typer.Option(metavar="N", help="Records in each file.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Seconds in each file.")] = None,
    file_format: Annotated[
        Format | None, typer.Option("--format", help="Of the files; without it that of FILE, CSV for ESTOP files.")
    ] = None,
) -> None:
    """Break a recording into files of so many records or seconds, with all channels or some.

    The files are called NAME_part001, NAME_part002 and so on. Choosing channels and times is as for `export recording`.

    Example: motionbase split run.mcap --records 65000 --out pieces --format csv --groups leg_position
    """
    from motionbase.cli import terminal
    from motionbase.errors import UsageError
    from motionbase.recording.open import open_recording
    from motionbase.recording.split import split as split_recording

    if (records is None) == (seconds is None):
        raise UsageError("give either --records N or --seconds S")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {str(out)!r} is a file; give a folder")
    choice.check_times()
    with open_recording(choice.file) as recording:
        names = choice.names(recording)
        with shown(f"splitting {choice.file.name}") as progress:
            files = split_recording(
                recording,
                out,
                records=records,
                seconds=seconds,
                names=names,
                start=choice.start,
                stop=choice.stop,
                ending=f".{file_format}" if file_format is not None else None,
                force=choice.force,
                progress=progress,
            )
        warn_of_damage(recording.damage)
    count, size = sum(f.count for f in files), terminal.size(sum(f.bytes for f in files))
    if len(files) == 1:
        print(f"wrote {count} records of {files[0].channels} channels, {size}, to {files[0].path}")
        return
    print(
        f"wrote {count} records of {files[0].channels} channels, {size}, to {len(files)} files, "
        f"{files[0].path.name} to {files[-1].path.name} in {out}"
    )
