"""`motionbase kernel`: inspect, run and export kernels and programs; the work is in the modules beside this one."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import checkout, kernel_export, kernel_show, terminal, units
from motionbase.cli.catalogue import CATALOGUE

app = typer.Typer(rich_markup_mode=None, add_completion=False)

Ref = Annotated[
    str, typer.Argument(metavar="REF", help="path/to/file.py:NAME, package.module:NAME, or a short name from the list.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


class Mode(StrEnum):
    """Rounding: the same bits everywhere, or faster."""

    strict = "strict"
    fast = "fast"


class Target(StrEnum):
    """Where code runs."""

    llvm = "llvm"
    c = "c"
    cuda = "cuda"
    python = "python"


class Exported(StrEnum):
    """Targets whose text is of use elsewhere."""

    c = "c"
    cuda = "cuda"


@app.callback()
def kernel() -> None:
    """Inspect, run and export kernels and programs.

    Example: motionbase kernel show pendulum
    """


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the kernels and programs that have a short name.

    Example: motionbase kernel list
    """
    there = {name: e for name, e in CATALOGUE.items() if ".py:" not in e.reference or checkout.find()}
    if as_json:
        print(json.dumps({name: entry._asdict() for name, entry in there.items()}, indent=2))
        return
    rows = terminal.table("Kernels and programs", "name", "what it is", "REF")
    for name, entry in there.items():
        rows.add_row(name, entry.about, entry.reference)
    terminal.console().print(rows)


@app.command()
def show(
    ref: Ref,
    lanes: Annotated[int, typer.Option(help="Scenarios at once: 1, 2, 4 or 8.")] = 1,
    mode: Annotated[Mode, typer.Option(help="Rounding.")] = Mode.strict,
    target: Annotated[Target, typer.Option(help="Whose text --source prints.")] = Target.llvm,
    source: Annotated[bool, typer.Option("--source", help="Print the generated text instead.")] = False,
    assembly: Annotated[bool, typer.Option("--assembly", help="Print this machine's assembly instead.")] = False,
    as_json: Json = False,
) -> None:
    """Show what a kernel is made of and what it costs: ports, instructions, time to compile, code and stack.

    With --source, the generated text of a target: LLVM IR after optimisation, C, CUDA, or the list of basic operations
    that the Python interpreter runs.

    Example: motionbase kernel show pendulum --lanes 8
    """
    unit = units.load(ref)
    if source or assembly:
        print(kernel_show.text(unit, "assembly" if assembly else target.value, lanes, mode.value), end="")
        return
    from motionbase.compile.inspection.report import describe

    report = describe(unit, lanes, mode.value)
    if as_json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        kernel_show.show(report)


@app.command()
def trace(
    ref: Ref,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input", metavar="PORT=VALUES", help="q=1,2,3 or q=@file.npy (or .csv); one number fills the port."
        ),
    ] = None,
    zeros: Annotated[bool, typer.Option("--zeros", help="Inputs that are not given are zero.")] = False,
    seed: Annotated[
        int | None, typer.Option("--random", metavar="SEED", help="Inputs not given are random from -1 to 1.")
    ] = None,
    probe: Annotated[
        list[str] | None, typer.Option("--probe", metavar="NAME", help="Print an inner value named by probe().")
    ] = None,
    as_json: Json = False,
) -> int:
    """Run a kernel once in the interpreter; if an output is NaN, find the line of Python it came from.

    Memory that is not given is zero. Exit code 1 means that an output is NaN.

    Example: motionbase kernel trace pendulum --zeros --input l=1 --input q=0.5 --probe energy
    """
    from motionbase.cli import kernel_trace  # imports NumPy

    unit = units.load(ref)
    result = kernel_trace.run(unit, given or [], zeros, seed, probe or [])
    if as_json:
        print(json.dumps(kernel_trace.as_json(result), indent=2))
    else:
        kernel_trace.show(result)
    return 0 if result.finding is None else 1


@app.command()
def export(
    ref: Ref,
    target: Annotated[Exported, typer.Option(help="Language of the files.")] = Exported.c,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files; made if it is missing.")] = Path("."),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files with other contents.")] = False,
) -> None:
    """Write a kernel as C99 (source and header, no dependencies) or as CUDA.

    Example: motionbase kernel export pendulum --target c --out generated
    """
    kernel_export.export(units.load(ref), target.value, out, force)
