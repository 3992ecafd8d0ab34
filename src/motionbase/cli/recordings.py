"""`motionbase info` and `split`: describe a recording, and split it into smaller files."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Choice, File, Json, shown, warn_of_damage, with_options

if TYPE_CHECKING:
    from motionbase.recording.mcap.messages import Event
    from motionbase.recording.recording import Recording
    from motionbase.recording.statistics import Statistics

LISTED = 20  # gaps and events printed; --json has all
LONGEST = 200  # characters of an event or metadata entry


class Format(StrEnum):
    """Format of the files."""

    mcap = "mcap"
    csv = "csv"
    parquet = "parquet"


def info(
    file: File,
    as_json: Json = False,
    brief: Annotated[bool, typer.Option("--brief", help="Do not read the records: no gaps, no extremes.")] = False,
) -> None:
    """Describe a recording: channels, duration, rate, gaps, events, damage, and each channel's extremes.

    Damage is reported on stderr, with exit code 1.

    Example: motionbase info run.mcap
    """
    from motionbase.recording.open import open_recording
    from motionbase.recording.statistics import statistics

    with open_recording(file) as recording:
        found = None
        if not brief:
            with shown(f"reading {file.name}") as progress:
                found = statistics(recording, progress)
        try:
            if as_json:
                print(json.dumps(_finite(_data(recording, found)), indent=2))
            else:
                _print_summary(recording, found)
                _print_channels(recording, found)
            sys.stdout.flush()
        finally:  # even if the reader of a pipe ends early
            warn_of_damage(recording.damage)
        if recording.damage:
            raise typer.Exit(1)


def _data(recording: "Recording", found: "Statistics | None") -> dict[str, Any]:
    """The description as JSON data."""
    about = recording.source.about
    data: dict[str, Any] = {
        "path": str(recording.path),
        "format": recording.source.kind,
        "bytes": recording.path.stat().st_size,
        "platform": _platform(about) or None,
        "schema": recording.schema.name,
        "schema_sha256": recording.schema.hash.hex(),
        "records": recording.count,
        "start_s": recording.start,
        "end_s": recording.end,
        "duration_s": recording.end - recording.start,
        "start_utc": _utc(about, recording.start),
        "about": {k: v for k, v in about.items() if k != "schema"},
        "damage": [{"text": d.text, "first": d.first, "last": d.last} for d in recording.damage],
        "events": [asdict(e) for e in _events(recording, found)],
    }
    channels: list[dict[str, Any]] = [
        {"name": c.name, "unit": c.unit, "group": c.group, "leg": c.leg, "dof": c.dof, "description": c.description}
        for c in recording.schema.channels
    ]
    if found is not None:
        data["rate_hz"] = 1 / found.period if found.period else None
        data["gaps"] = {"count": found.gap_count, "records": found.lost, "list": [g._asdict() for g in found.gaps]}
        data["restarts"] = {"count": found.restart_count, "list_s": list(found.restarts)}
        for k, channel in enumerate(channels):
            channel |= {"min": float(found.least[k]), "max": float(found.most[k]), "mean": float(found.mean[k])}
            channel |= {"rms": float(found.rms[k]), "missing": int(found.missing[k])}
    return {**data, "channels": channels}


def _finite(data: Any) -> Any:
    """Data without NaN and infinity, which JSON does not have: null, and words."""
    if isinstance(data, float) and data != data:
        return None
    if isinstance(data, float) and data in (float("inf"), float("-inf")):
        return str(data)
    if isinstance(data, dict):
        return {k: _finite(v) for k, v in data.items()}
    return [_finite(v) for v in data] if isinstance(data, list) else data


def _platform(about: Mapping[str, str]) -> str:
    """Name of the preset; "" if the file has none."""
    from motionbase.recording.recorder.files import platform_name

    return about.get("platform_name") or platform_name(about.get("platform", ""))


def _utc(about: Mapping[str, str], t: float) -> str | None:
    try:
        ns = int(about["epoch_utc_ns"])
        if ns <= 0:
            return None
        return datetime.fromtimestamp(ns / 1e9 + t, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def _print_summary(recording: "Recording", found: "Statistics | None") -> None:
    size, about = terminal.size(recording.path.stat().st_size), recording.source.about
    print(f"{recording.path}: {recording.source.kind}, {size}, schema {recording.schema.name!r}, ", end="")
    print(f"{len(recording.schema.channels)} channels in {len(recording.schema.groups)} groups")
    rate = f", {1 / found.period:.6g} Hz" if found is not None and found.period else ""
    utc = _utc(about, recording.start)
    print(f"{recording.count} records{rate}, {recording.start:.6g} to {recording.end:.6g} s", end="")
    print(f", {recording.end - recording.start:.6g} s" + (f", from {utc}" if utc else ""))
    if name := _platform(about):
        print(f"platform: {' '.join(name.split())[:LONGEST]}")
    for key in ("ring", "writer", "motionbase", "cause", "exported_from"):
        if about.get(key):
            print(f"{key.replace('_', ' ')}: {' '.join(about[key].split())[:LONGEST]}")
    if "event_t" in about:
        at, before, after = (_seconds(about, key) for key in ("event_t", "before_s", "after_s"))
        print(f"stop at {at}, {before} before it, {after} after it")
    if found is not None:
        _print_gaps(found)
    _print_some(
        "events",
        [f"{e.t:12.6g} s  {e.kind}: {' '.join(e.text.split())[:LONGEST]}" for e in _events(recording, found)],
    )


def _events(recording: "Recording", found: "Statistics | None") -> "Sequence[Event]":
    """All events; without reading records, only those in the file."""
    return recording.events if found is None else recording.journal()


def _seconds(about: Mapping[str, str], key: str) -> str:
    try:
        return f"{float(about[key]):.6g} s"
    except (KeyError, ValueError):
        return "an unknown time"


def _print_gaps(found: "Statistics") -> None:
    if found.gap_count:
        lines = [f"{g.t:12.6g} s  {g.records} records, {terminal.seconds(g.seconds)}" for g in found.gaps]
        _print_some(f"gaps: {found.gap_count}, {found.lost} records", lines, found.gap_count)
    else:
        print("gaps: none")
    for t in found.restarts[:LISTED]:
        print(f"the writer restarted at {t:.6g} s")
    if (more := found.restart_count - LISTED) > 0:
        print(f"the writer restarted {more} more times")


def _print_some(title: str, lines: list[str], count: int | None = None) -> None:
    if not lines:
        return
    print(title if count is not None else f"{title}: {len(lines)}")
    for line in lines[:LISTED]:
        print(line)
    if (more := (count or len(lines)) - LISTED) > 0:
        print(f"             and {more} more; --json has them")


def _print_channels(recording: "Recording", found: "Statistics | None") -> None:
    columns = ("min", "max", "mean", "rms") if found is not None else ()
    table = terminal.table("", "group", "channel", "unit", *columns, right=columns)
    missing = []
    for k, c in enumerate(recording.schema.channels):
        numbers = (found.least[k], found.most[k], found.mean[k], found.rms[k]) if found is not None else ()
        table.add_row(c.group, c.name, c.unit, *(f"{float(x):.6g}" if x == x else "-" for x in numbers))
        if found is not None and found.missing[k]:
            missing.append(f"{c.name} ({found.missing[k]})")
    terminal.console().print(table)
    if missing:
        print(f"not a number: {', '.join(missing[:LISTED])}" + (", ..." if len(missing) > LISTED else ""))


@with_options(Choice)
def split(
    choice: Choice,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the files; created if it does not exist.")],
    records: Annotated[int | None, typer.Option(metavar="N", help="Records in each file.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Seconds in each file.")] = None,
    file_format: Annotated[
        Format | None,
        typer.Option("--format", help="Format of the files; default: that of FILE, CSV for ESTOP files up to 0.1."),
    ] = None,
) -> None:
    """Split a recording into files of N records or S seconds, with all channels or some.

    The files are called NAME_part001, NAME_part002 and so on. Channels and times are selected as in `export recording`.

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
