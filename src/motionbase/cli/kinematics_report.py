"""`motionbase kinematics report`: everything about a platform as one page, and as JSON."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import (
    DEFAULT,
    STOP,
    WARN,
    Platform,
    Stop,
    Warn,
    dexterity_name,
    loaded,
    thresholds,
)
from motionbase.cli.measuring import check_writable
from motionbase.cli.progress import fraction_bar
from motionbase.errors import UsageError


def report(
    platform: Platform,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page to write: .html, or .pdf by way of Chromium.")],
    data: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The same as .json; - prints it and nothing else.")
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also what this recording or CSV asked of the joints.")
    ] = None,
    source: Annotated[
        str, typer.Option("--pose", metavar="NAME", help="Of a recording: legs (measured), measured, estimated, host.")
    ] = "legs",
    warn: Warn = WARN,
    stop: Stop = STOP,
    author: Annotated[str, typer.Option(metavar="NAME", help="Who answers for it; on the first page.")] = "",
    revision: Annotated[str, typer.Option(metavar="TEXT", help="Of the design; on every printed page.")] = "draft",
    customer: Annotated[str, typer.Option(metavar="NAME", help="For whom it is; on the first page.")] = "",
    date: Annotated[str, typer.Option(metavar="DAY", help="Of the report, such as 2026-05-31; today without it.")] = "",
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of directions of the workspace, 4 to 200.")] = 24,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
) -> None:
    """Write a report of a platform: its numbers, limits, extremes, joints, clearances, workspace, maps, singular poses.

    One file of HTML with its pictures inside, that needs nothing from elsewhere and prints well. A PDF is that page
    printed by Chromium, so that both are the same; it needs Chromium or Chrome on this machine, 131 or later for the
    numbers of pages. Clearances of parts whose dimensions are derived are not judged.

    Example: motionbase kinematics report simona --out report.html --json report.json

    Example: motionbase kinematics report mine.toml --out report.pdf --author "A. Smith" --revision B
    """
    from motionbase.workbench.page import browser, page, print_pdf
    from motionbase.workbench.report import Document, made_report, today

    document = Document(date or today(), revision, author, customer)
    limits = thresholds(warn, stop)
    check_writable(out, (".html", ".pdf"))
    printed = str(data) == "-"
    check_writable(None if printed else data, (".json",))
    if not 4 <= rows <= 200:
        raise UsageError(f"--rows is {rows}, it must be 4 to 200")
    for path in (out, None if printed else data):
        if path is not None and path.exists() and not force:
            raise UsageError(f"{str(path)!r} is there already; choose another name, or --force to write over it")
    printer = browser() if out.suffix == ".pdf" else ""
    hexapod = loaded(platform)
    moments = None
    if recording is not None:
        from motionbase.cli.kinematics_file import read

        t, found, _ = read(hexapod, recording, source, dexterity_name(DEFAULT))
        moments = recording.name, t, found
    with fraction_bar("the report") as bar:
        made = made_report(
            hexapod, limits, document, recording=moments, rows=rows, progress=lambda part: bar(0.85 * part)
        )
        text = page(made)
        if printer:
            print_pdf(text, out, printer)
        else:
            _write_text(out, text)
        bar(1.0)
    if data is not None:
        text = json.dumps(made.facts(), default=_plain, allow_nan=False)
        if printed:
            print(text)
            return
        _write_text(data, text)
    worst = made.extremes.clearances.least
    near = "no parts near" if worst is None else f"{worst.gap.first} and {worst.gap.second} nearest"
    files = str(out) if data is None else f"{out} and {data}"
    terminal.console().print(f"report of {hexapod.name} to {files}; {near} at the extremes")


def _write_text(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def _plain(value: Any) -> Any:
    """What JSON has no word for."""
    return list(value) if isinstance(value, tuple | set | frozenset) else str(value)
