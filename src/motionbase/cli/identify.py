"""`motionbase identify`: parameters of a platform from a recording of its motion."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Force, From, Json, To, check_new, check_writable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.identify.estimates import Estimate
    from motionbase.identify.study import Identified


def identify(
    recording: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="A recording: .mcap, .csv, .parquet or .estop.")
    ],
    platform: Annotated[
        str | None,
        typer.Option(metavar="PRESET", help="Preset or TOML file to start from; default: that of the recording."),
    ] = None,
    leg: Annotated[int | None, typer.Option(metavar="N", help="Actuator of this leg alone, 1 to 6.")] = None,
    parameters: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Some of friction, flow, leakage, oil, valve, drive, mass, delay; or all."),
    ] = None,
    start: From = None,
    stop: To = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Write a platform file with the identified values.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw measured against model: .png, .pdf or .svg.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Identify friction, leakage, valve gain, moving mass and delays of a platform from a recording of its motion.

    Only undisturbed drive is used: other states, faults, gaps and the cushioned ends are left out. Every value comes
    with half the width of its 95 % interval; what the motion does not show is listed with what would show it. The file
    of --out is a whole platform, for `motionbase simulate` and `run`.

    Example: motionbase run simona --generators identify --rate 2000 --duration 90 --record run.mcap

    Example: motionbase identify run.mcap --out mine.toml --plot identified.png
    """
    check_writable(out, (".toml",))
    check_writable(plot, PICTURES)
    check_new((out, plot), force)
    groups = [part.strip() for part in (parameters or "").split(",") if part.strip()]
    if parameters is not None and not groups:
        raise UsageError(f"--parameters {parameters!r} names nothing; leave it out for all")
    from motionbase.identify.recorded import recorded
    from motionbase.identify.study import checked_groups
    from motionbase.identify.study import identify as identified
    from motionbase.recording.times import check_times

    checked_groups(groups)
    check_times(start, stop)
    with terminal.working(f"reading {recording.name}"):
        given = recorded(recording, platform, start, stop)
    with terminal.working(f"identifying {given.platform.name}"):
        found = identified(given.signals, given.platform, groups, leg)
    notes = list(found.notes)
    if out is not None:
        notes += _write(found, given.text, given.source, out)
    if plot is not None:
        from motionbase.identify.plot import draw

        draw(found, plot, leg, given.source)
    files = [str(path) for path in (out, plot) if path is not None]
    if as_json:
        print(json.dumps(_data(found, given.source, notes, files), indent=2))
    else:
        _show(found, given.source, notes, files)


def _write(found: "Identified", text: str, source: str, out: Path) -> list[str]:
    """Write the platform's file; returns what is to be said about it."""
    from motionbase.errors import PlatformError
    from motionbase.identify.preset import preset_text
    from motionbase.platform.load import load_platform

    made, notes = preset_text(found, text, source)
    try:
        out.write_text(made, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{str(out)!r} cannot be written: {error.strerror or error}") from None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            load_platform(out)
        except PlatformError as error:
            return [*notes, f"with these values the design cannot work: {error}"]
    return [*notes, *(str(one.message) for one in told)]


def _data(found: "Identified", source: str, notes: list[str], files: list[str]) -> dict[str, Any]:
    """The result as JSON data."""
    estimates = [
        {
            "group": one.group, "parameter": one.key, "value": one.value, "half_width_95": one.half, "unit": one.unit,
            "start": one.nominal, "ratio": one.ratio, "in_file": one.written,
            "legs": [{"value": leg.value, "half_width_95": leg.half} for leg in one.legs],
        }
        for one in found.estimates.values()
    ]  # fmt: skip
    hidden = [{"group": one.group, "parameter": one.key, "why": one.why} for one in found.hidden.values()]
    return {
        "platform": found.platform.name, "source": source, "seconds": found.seconds, "rate_hz": found.rate,
        "estimates": estimates, "not_identifiable": hidden, "notes": notes, "files": files,
    }  # fmt: skip


def _show(found: "Identified", source: str, notes: list[str], files: list[str]) -> None:
    """The result as a table."""
    screen = terminal.console()
    table = terminal.table(
        f"{found.platform.name}, from {source}: {found.seconds:.1f} s of drive at {found.rate:.0f} Hz",
        "parameter", "value", "+- (95 %)", "unit", "start", "ratio", right=("value", "+- (95 %)", "start", "ratio"),
    )  # fmt: skip
    group = None
    for one in found.estimates.values():
        if group not in (None, one.group):
            table.add_row("")
        group = one.group
        table.add_row(*_cells(one))
    screen.print(table)
    for missing in found.hidden.values():
        screen.print(f"{missing.key}: {missing.why}")
    for note in notes:
        screen.print(f"Note: {note}")
    for file in files:
        screen.print(f"written: {file}")


def _cells(one: "Estimate") -> tuple[str, ...]:
    """A row; with as many digits as the interval allows."""
    from motionbase.identify.estimates import digits, rounded

    start = "-" if one.nominal is None else rounded(one.nominal, 4)
    ratio = "-" if one.ratio is None else f"{one.ratio:.3f}"
    return one.key.removeprefix("actuator."), digits(one.value, one.half), rounded(one.half, 2), one.unit, start, ratio
