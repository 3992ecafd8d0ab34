"""`motionbase bench`: measure, show a table and plain `metric value` lines, or print JSON."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import checkout
from motionbase.cli.options import Json
from motionbase.cli.terminal import console
from motionbase.errors import unknown
from motionbase.interpreter import SAFE_PATH

if TYPE_CHECKING:
    from benchmarks.harness import Benchmark
    from benchmarks.runner import Result


def bench(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The benchmark to run; without it, lists them.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure roughly, within 50 s.")] = False,
    as_json: Json = False,
) -> int:
    """Measure speed against the project's bars, on one pinned CPU, with all sides of a comparison in turn.

    Prints a table, then one "metric value" line for each metric measured. Metrics that this machine cannot measure are
    skipped, with the reason. Exit code 1 means that a benchmark failed to run, not that a bar was missed.

    Example: motionbase bench compile --quick
    """
    root = checkout.require("the benchmarks")
    sys.path.insert(0, str(root))  # benchmarks/ is beside the package and never installed
    from benchmarks import runner

    folder = root / "benchmarks"
    names = runner.available(folder)
    if name is None:
        _list(names, as_json)
        return 0
    if name not in names:
        raise unknown("benchmark", name, names)
    with _safe_children():
        results = _run(runner.load(folder, name), quick)
    if as_json:
        print(json.dumps(runner.as_json(name, results, quick=quick, root=root), indent=2))
    else:
        _show(name, results, root)
    return 1 if any(r.status == "failed" for r in results) else 0


@contextmanager
def _safe_children() -> Iterator[None]:
    """Keep the current folder out of the path of multiprocessing's children, whose command line is not ours."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _run(benchmarks: "list[Benchmark]", quick: bool) -> "list[Result]":
    """Run with a progress line on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from benchmarks import runner

    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    # Without automatic refresh there is no display thread to disturb the measurement.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        task = progress.add_task("starting", total=len(benchmarks))
        done = count()

        def step(benchmark: "Benchmark") -> None:
            progress.update(task, description=benchmark.metric, completed=next(done), refresh=True)

        return runner.run(benchmarks, quick=quick, progress=step)


def _show(name: str, results: "list[Result]", root: Path) -> None:
    from benchmarks import runner, table

    screen = console()
    about = runner.machine(root)
    table.show(screen, name, results)
    versions = ", ".join(f"{p} {v}" for p, v in about["versions"].items())
    screen.print(f"{about['cpu']}, {about['cores']} cores, Python {about['python']}, {versions}", style="dim")
    print("\n".join(["", *table.lines(results)]))


def _list(names: dict[str, str], as_json: bool) -> None:
    if as_json:
        print(json.dumps(names, indent=2))
    elif not names:
        print("There are no benchmarks in this checkout yet.")
    else:
        width = max(map(len, names))
        print("Benchmarks (motionbase bench NAME [--quick] [--json]):")
        print("\n".join(f"  {name:<{width}}  {text}".rstrip() for name, text in names.items()))
