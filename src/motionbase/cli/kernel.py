"""`motionbase kernel` and `cache`: inspect, run and export kernels and programs, and their cached code."""

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from motionbase.cli import checkout, terminal
from motionbase.cli.options import Json
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.compile import Unit


class Entry(NamedTuple):
    """Location and one-line description of a kernel or program.

    Attributes:
        reference: "package.module:NAME", or "path/to/file.py:NAME" relative to a source checkout
    """

    reference: str
    about: str


CATALOGUE: dict[str, Entry] = {
    "pendulum": Entry("examples/01_first_kernel.py:PENDULUM", "one step of a damped pendulum"),
    "leg_length": Entry("examples/02_six_legs_program.py:LEG", "length of one leg of a hexapod"),
    "six_legs": Entry("examples/02_six_legs_program.py:SIX_LEGS", "six leg lengths and their measurement"),
}


app = typer.Typer(rich_markup_mode=None, add_completion=False)

Ref = Annotated[
    str, typer.Argument(metavar="REF", help="path/to/file.py:NAME, package.module:NAME, or a short name from the list.")
]


class Mode(StrEnum):
    """Rounding: strict (bit-identical on every target) or fast."""

    strict = "strict"
    fast = "fast"


class Target(StrEnum):
    """Targets of the compiler."""

    llvm = "llvm"
    c = "c"
    cuda = "cuda"
    python = "python"


class Exported(StrEnum):
    """Targets that can be exported."""

    c = "c"
    cuda = "cuda"


class Action(StrEnum):
    """Action on the cache."""

    show = "show"
    clear = "clear"


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
    lanes: Annotated[int, typer.Option(help="Scenarios in parallel: 1, 2, 4 or 8.")] = 1,
    mode: Annotated[Mode, typer.Option(help="strict is bit-identical on every target, fast is faster.")] = Mode.strict,
    target: Annotated[Target, typer.Option(help="Target of --source.")] = Target.llvm,
    source: Annotated[bool, typer.Option("--source", help="Print the generated text instead.")] = False,
    assembly: Annotated[bool, typer.Option("--assembly", help="Print this machine's assembly instead.")] = False,
    as_json: Json = False,
) -> None:
    """Show the parts and costs of a kernel: ports, instructions, time to compile, code and stack.

    --source prints the generated text of a target: optimised LLVM IR, C, CUDA, or the list of basic operations that the
    Python interpreter runs.

    Example: motionbase kernel show pendulum --lanes 8
    """
    unit = unit_of(ref)
    if source or assembly:
        from motionbase.compile.inspection.texts import text

        if not assembly:
            _check_target(target, lanes, mode)
        print(text(unit, "assembly" if assembly else target.value, lanes, mode.value), end="")
        return
    from motionbase.cli import kernel_report
    from motionbase.compile.inspection.report import describe

    report = describe(unit, lanes, mode.value)
    if as_json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        kernel_report.show_report(report)


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
    """Run a kernel once in the interpreter; if an output is NaN, find the line of Python that caused it.

    Memory ports that are not given are zero. Exit code 1 means that an output is NaN.

    Example: motionbase kernel trace pendulum --zeros --input l=1 --input q=0.5 --probe energy
    """
    from motionbase.cli import kernel_report  # imports NumPy

    unit = unit_of(ref)
    result = kernel_report.traced(unit, given or [], zeros, seed, probe or [])
    if as_json:
        print(json.dumps(kernel_report.trace_json(result), indent=2))
    else:
        kernel_report.show_trace(result)
    return 0 if result.finding is None else 1


@app.command()
def export(
    ref: Ref,
    target: Annotated[Exported, typer.Option(help="Language of the files.")] = Exported.c,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the files; created if it does not exist.")
    ] = Path("."),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files with other contents.")] = False,
) -> None:
    """Write a kernel as C99 (source and header, no dependencies) or as CUDA.

    Example: motionbase kernel export pendulum --target c --out generated
    """
    from motionbase.compile.inspection.texts import compiler_call, files

    unit = unit_of(ref)
    wanted = {out / name: text for name, text in files(unit, target.value).items()}
    for path, text in wanted.items():
        if path.exists() and not force and path.read_bytes() != text.encode():
            raise UsageError(f"{path} exists with other contents; --force overwrites it")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise UsageError(f"cannot write to {out}: {e.strerror}") from e
    for path, text in wanted.items():
        print(f"wrote {path} ({len(text.splitlines())} lines)")
    print(f"compile with: {compiler_call(unit, target.value, out)}")


def unit_of(reference: str) -> "Unit":
    """The kernel, program or primitive of a reference REF."""
    from motionbase.compile.reference import FORMS, load

    if ":" not in reference:
        if reference not in CATALOGUE:
            hint = f"; {reference!r} is a file, so give {reference}:NAME" if Path(reference).is_file() else ""
            known = unknown("kernel", reference, CATALOGUE, "short names")
            raise UsageError(f"REF is {FORMS}{hint}" if hint else f"{known}; other forms: {FORMS.rpartition(',')[0]}")
        reference = CATALOGUE[reference].reference
        if ".py:" in reference:  # a path relative to the checkout
            reference = str(checkout.require("the example kernels") / reference)
    return load(reference)


def _check_target(target: Target, lanes: int, mode: Mode) -> None:
    """Raise an error if a target does not support lanes or mode."""
    if target is Target.llvm:
        return
    if lanes != 1:
        raise UsageError(f"target {target.value!r} has no lanes; use --target llvm")
    if mode is not Mode.strict and target is not Target.cuda:
        raise UsageError(f"target {target.value!r} has no fast mode; use --target llvm")


def cache(
    action: Annotated[
        Action, typer.Argument(help="show: print folder, size and age; clear: delete the cache.")
    ] = Action.show,
    as_json: Json = False,
) -> None:
    """Show or clear the disk cache of object code.

    The folder is $MOTIONBASE_CACHE, else motionbase/objects in the user's cache folder. Clearing costs only the time to
    compile again.

    Example: motionbase cache show
    """
    from motionbase.native.cache import ObjectCache

    store = ObjectCache()
    data = _cache_state(store) if action is Action.show else _clear_cache(store)
    if as_json:
        print(json.dumps(data, indent=2))
    elif action is Action.show:
        _show_cache(data)
    else:
        print(f"{data['folder']}: removed {data['removed']} entries, {terminal.size(data['bytes'])}")


def _cache_state(store: Any) -> dict[str, Any]:
    entries = store.entries()
    refusal = store.refusal()
    return {
        "folder": str(store.folder),
        "usable": refusal is None,
        "reason": refusal,
        "entries": len(entries),
        "bytes": sum(e.bytes for e in entries),
        "oldest": _time(entries[0].used) if entries else None,
        "newest": _time(entries[-1].used) if entries else None,
    }


def _clear_cache(store: Any) -> dict[str, Any]:
    total = sum(e.bytes for e in store.entries())
    return {"folder": str(store.folder), "removed": store.clear(), "bytes": total}


def _show_cache(data: dict[str, Any]) -> None:
    print(f"folder   {data['folder']}")
    print(f"usable   {'yes' if data['usable'] else 'no: ' + data['reason']}")
    print(f"entries  {data['entries']}, {terminal.size(data['bytes'])}")
    if data["entries"]:
        print(f"used     {data['oldest']} to {data['newest']}")


def _time(stamp: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(stamp))
