"""`motionbase export`: control law and plant of a platform as C99; the work is in motionbase.system.export."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, add_completion=False)

Preset = Annotated[
    str, typer.Argument(metavar="PRESET", help="A platform from `motionbase platforms`, or a .toml file.")
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files; made if it is missing.")]
Force = Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")]


class Target(StrEnum):
    """Language of the files."""

    c = "c"


Language = Annotated[Target, typer.Option(help="Language of the files.")]


@app.callback()
def export() -> None:
    """Write the control law or the plant of a platform as C99 without dependencies.

    Example: motionbase export control simona --target c --out generated
    """


@app.command()
def control(preset: Preset, out: Out, target: Language = Target.c, force: Force = False) -> None:
    """Write the control law: code, header, an example, CMakeLists.txt and README.txt.

    Example: motionbase export control simona --target c --out generated
    """
    _export("control", preset, out, force)


@app.command()
def plant(preset: Preset, out: Out, target: Language = Target.c, force: Force = False) -> None:
    """Write the platform with its actuators and sensors: code, header, an example, CMakeLists.txt and README.txt.

    Example: motionbase export plant simona --out generated
    """
    _export("plant", preset, out, force)


@app.command()
def loop(preset: Preset, out: Out, target: Language = Target.c, force: Force = False) -> None:
    """Write both, with an example that closes the loop and prints CSV.

    Example: motionbase export loop simona --out generated
    """
    _export("loop", preset, out, force)


def _export(what: str, preset: str, folder: Path, force: bool) -> None:
    from motionbase.platform.load import load_platform
    from motionbase.system.export import EXPORTS, check_folder, compile_command, write_folder

    check_folder(folder, force)  # before the work
    files = EXPORTS[what](load_platform(preset))
    write_folder(folder, files, force)
    for name in files:
        print(f"wrote {folder / name}")
    print(f"compile with: cd {folder} && {compile_command(files)}")
