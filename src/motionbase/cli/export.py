"""`motionbase export`: control law and plant of a platform as C99, and recordings in other formats."""

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli.options import Choice, shown, warn_of_damage, with_options

app = typer.Typer(rich_markup_mode=None, add_completion=False)

Preset = Annotated[
    str, typer.Argument(metavar="PRESET", help="A platform from `motionbase platforms`, or a .toml file.")
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files; created if it does not exist.")]
Force = Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")]
OwnLaw = Annotated[str | None, typer.Option("--law", metavar="FILE.py:NAME", help="A user law, see docs/control.md.")]


class Target(StrEnum):
    """Language of the files."""

    c = "c"


Language = Annotated[Target, typer.Option(help="Language of the files.")]


@app.callback()
def export() -> None:
    """Write the control law or the plant of a platform as C99, or a recording as CSV, Parquet or MCAP.

    `control`, `plant`, `loop` and `cueing` write C99 without dependencies; `recording` writes the data of a run.

    Example: motionbase export control simona --target c --out generated

    Example: motionbase export recording run.mcap --out run.csv
    """


@app.command("recording")
@with_options(Choice)
def export_recording(
    choice: Choice,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write: .mcap, .csv or .parquet.")],
) -> None:
    """Write a recording, or a part of it, as MCAP, CSV or Parquet.

    Numbers are exact to the bit; CSV has the digits needed for that. --groups and --legs together select channels that
    are in both, --channels adds more; by default all channels are written. The time stamp t always comes first. Events
    of a CSV file go into NAME.events.tsv beside it.

    Example: motionbase export recording run.mcap --out forces.csv --groups leg_force --legs 1,3 --from 10 --to 20
    """
    from motionbase.cli import terminal
    from motionbase.cli.options import check_writable
    from motionbase.recording.export import export as write_export
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
            done = write_export(recording, out, names, choice.start, choice.stop, force=choice.force, progress=progress)
        warn_of_damage(recording.damage)
    took = terminal.seconds(time.perf_counter() - begun)
    beside = f"; its events are in {done.beside.name} beside it" if done.beside is not None else ""
    print(
        f"wrote {done.count} records of {done.channels} channels, {terminal.size(done.bytes)}, to {done.path} in "
        f"{took}{beside}"
    )


@app.command()
def control(preset: Preset, out: Out, target: Language = Target.c, force: Force = False, law: OwnLaw = None) -> None:
    """Write the control law: code, header, an example, CMakeLists.txt and README.txt.

    Example: motionbase export control simona --target c --out generated
    """
    _export("control", preset, out, force, law)


@app.command()
def plant(preset: Preset, out: Out, target: Language = Target.c, force: Force = False) -> None:
    """Write the platform with its actuators and sensors: code, header, an example, CMakeLists.txt and README.txt.

    Example: motionbase export plant simona --out generated
    """
    _export("plant", preset, out, force)


@app.command()
def loop(preset: Preset, out: Out, target: Language = Target.c, force: Force = False, law: OwnLaw = None) -> None:
    """Write control law and plant, with an example that closes the loop and prints CSV.

    Example: motionbase export loop simona --out generated
    """
    _export("loop", preset, out, force, law)


@app.command()
def cueing(
    preset: Preset,
    out: Out,
    cue_set: Annotated[
        str, typer.Option("--set", metavar="SET", help="A set of parameters, or a .toml file.")
    ] = "simona",
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="classical, adaptive, optimal, or predictive (without its planner).")
    ] = "classical",
    target: Language = Target.c,
    force: Force = False,
) -> None:
    """Write motion cueing: code, header, an example, CMakeLists.txt and README.txt.

    It takes samples of a vehicle's motion and gives the demand for the control law, see docs/cueing.md.

    Example: motionbase export cueing simona --out washout
    """
    from motionbase.cueing.cueing import Cueing
    from motionbase.platform.load import load_platform
    from motionbase.system.export import check_folder, cueing_files

    check_folder(out, force)
    _write(out, cueing_files(Cueing.of(load_platform(preset), cue_set, algorithm=algorithm)), force)


def _export(what: str, preset: str, folder: Path, force: bool, law: str | None = None) -> None:
    from motionbase.control.law_file import load_law
    from motionbase.platform.load import load_platform
    from motionbase.system.export import EXPORTS, check_folder

    check_folder(folder, force)  # before any computation
    hexapod = load_platform(preset)
    _write(folder, EXPORTS[what](hexapod, load_law(law, hexapod) if law is not None else None), force)


def _write(folder: Path, files: dict[str, str], force: bool) -> None:
    from motionbase.system.export import compile_command, write_folder

    write_folder(folder, files, force)
    for name in files:
        print(f"wrote {folder / name}")
    print(f"compile with: cd {folder} && {compile_command(files)}")
