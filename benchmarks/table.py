"""The table of a benchmark run, for display."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.runner import Result

NOTES_IN_TABLE = 130  # narrower terminals get the notes below the table


def show(console: Console, name: str, results: Sequence[Result]) -> None:
    """Print the table, and the notes beside or below it as the width allows."""
    wide = console.width >= NOTES_IN_TABLE
    table = Table(title=Text(f"benchmark {name}"), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("metric", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("bar", no_wrap=True)
    table.add_column("met?", no_wrap=True)
    table.add_column("spread", no_wrap=True)
    if wide:
        table.add_column("note")
    for r in results:
        cells = [
            Text(r.benchmark.metric),
            Text(_value(r)),
            Text(r.benchmark.unit),
            Text(r.benchmark.bar or "-"),
            _met(r),
            Text(_spread(r)),
        ]
        table.add_row(*cells, *([Text(r.note)] if wide else []))
    console.print(table)
    if not wide:
        for r in results:
            console.print(Text.assemble((r.benchmark.metric, "bold"), f": {r.note}"))
        console.print()


def lines(results: Sequence[Result]) -> list[str]:
    """`metric value` lines for everything that was measured, for scripts and quick reading."""
    return [f"{r.benchmark.metric} {r.samples.median:.4g}" for r in results if r.samples]


def _value(r: Result) -> str:
    return f"{r.samples.median:.4g}" if r.samples else "-"


def _spread(r: Result) -> str:
    """The quartiles; they are more informative than a deviation when a busy machine skews the samples."""
    if not r.samples:
        return ""
    q1, q3 = r.samples.quartiles
    return f"{q1:.3g} … {q3:.3g}" if len(r.samples.values) > 1 else "one sample"


def _met(r: Result) -> Text:
    if r.status != "measured":
        return Text(r.status, style="yellow" if r.status == "skipped" else "bold red")
    return {True: Text("yes", style="green"), False: Text("NO", style="bold red"), None: Text("-")}[r.met]
