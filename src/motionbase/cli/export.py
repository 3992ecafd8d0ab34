"""`motionbase export`: control law and plant of a platform as C99; the work is in motionbase.system.export."""

from collections.abc import Mapping
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
    from motionbase.platform.load import load_platform
    from motionbase.system.export import control_files

    _write(control_files(load_platform(preset)), out, force)


@app.command()
def plant(preset: Preset, out: Out, target: Language = Target.c, force: Force = False) -> None:
    """Write the platform with its actuators and sensors: code, header, an example, CMakeLists.txt and README.txt.

    Example: motionbase export plant simona --out generated
    """
    from motionbase.platform.load import load_platform
    from motionbase.system.export import plant_files

    _write(plant_files(load_platform(preset)), out, force)


@app.command()
def loop(preset: Preset, out: Out, target: Language = Target.c, force: Force = False) -> None:
    """Write both, with an example that closes the loop and prints CSV.

    Example: motionbase export loop simona --out generated
    """
    from motionbase.platform.load import load_platform
    from motionbase.system.export import loop_files

    _write(loop_files(load_platform(preset)), out, force)


def _write(files: Mapping[str, str], folder: Path, force: bool) -> None:
    from motionbase.system.export import compile_command, write_folder

    write_folder(folder, files, force)
    for name, text in files.items():
        print(f"wrote {folder / name} ({len(text.splitlines())} lines)")
    print(f"compile with: cd {folder} && {compile_command(files)}")
