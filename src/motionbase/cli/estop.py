"""`motionbase estop`: lists and describes the files of unexpected stops."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.errors import MotionBaseError, UsageError


def estop(
    which: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|NUMBER]", help="Describe this one; a number is its place in the list."),
    ] = None,
    ring: Annotated[str | None, typer.Option(metavar="NAME", help="Files of this ring only.")] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the files; without it, that of the runs.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """List the ESTOP files, newest first, or describe one: cause, state and fault, what moved before the stop.

    A run saves them after every unexpected stop and keeps the newest three of every ring (docs/estop.md). They are
    recordings: `motionbase strip FILE` draws one, `motionbase replay FILE` plays it.

    Example: motionbase estop 1
    """
    if folder is not None and not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"--folder {str(folder)!r} {what}; leave it out for the folder that runs use")
    if which is None:
        _list(folder, ring, as_json)
        return
    path = _path(which, folder, ring)
    from motionbase.recording.estop.report import report

    told = report(path)
    if as_json:
        print(json.dumps(told, indent=2))
    else:
        _describe(told)


def _path(which: str, folder: Path | None, ring: str | None) -> Path:
    from motionbase.recording.estop.files import default_folder, files

    if not which.isascii() or not which.isdigit():
        there = [p for p in (Path(which), (folder or default_folder()) / which) if p.is_file()]
        if not there:
            raise UsageError(f"no ESTOP file {which!r}; `motionbase estop` lists them")
        return there[0]
    found = files(folder, ring)
    if not 1 <= int(which[:9]) <= len(found):
        raise UsageError(f"no ESTOP file number {which[:9]}; there are {len(found)} in {folder or default_folder()}")
    return found[int(which) - 1].path


def _list(folder: Path | None, ring: str | None, as_json: bool) -> None:
    from motionbase.recording.estop.files import default_folder, files

    rows = [_row(number, file.path) for number, file in enumerate(files(folder, ring), start=1)]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    if not rows:
        print(f"no ESTOP files in {folder or default_folder()}")
        return
    columns = "", "stop (UTC)", "local", "ring", "before", "after", "records", "size", "cause"
    table = terminal.table("ESTOP files", *columns, right=("", "before", "after", "records", "size"))
    for row in (row for row in rows if row["cause"] is not None):
        table.add_row(
            str(row["number"]), _short(row["stop_utc"]), row["stop_local"] or "-", row["ring"],
            _seconds(row["before_s"]), _seconds(row["after_s"]), str(row["records"]), terminal.size(row["bytes"]),
            row["cause"],
        )  # fmt: skip
    if table.rows:
        terminal.console().print(table)
    for row in rows:
        for sentence in row["damage"]:
            print(f"{row['number']}, {Path(row['path']).name}: {sentence}")


def _row(number: int, path: Path) -> dict[str, Any]:
    """A line of the list; with all checks, so that damage shows."""
    from motionbase.recording.estop.report import report, utc

    row: dict[str, Any] = {"number": number, "path": str(path), "bytes": None, "cause": None}
    try:
        row["bytes"] = path.stat().st_size
        told = report(path)
    except (MotionBaseError, OSError) as error:
        return row | {"damage": [str(error)]}
    when = told["event_utc_ns"] if told["event_utc_ns"] is not None else told["saved_utc_ns"]
    same = ("cause", "ring", "before_s", "after_s", "records", "damage")
    return row | {"stop_utc": utc(when), "stop_local": _local(when)} | {key: told[key] for key in same}


def _local(ns: int | None) -> str | None:
    from motionbase.recording.estop.report import moment

    try:
        return None if (when := moment(ns)) is None else when.astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
    except (OverflowError, ValueError, OSError):
        return None


def _short(iso: str | None) -> str:
    return "-" if iso is None else iso.replace("T", " ").removesuffix("Z")


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"


def _describe(told: dict[str, Any]) -> None:
    from motionbase.recording.estop.report import largest

    at, before = told["at_the_stop"], told["second_before"]
    when, local = _short(told["event_utc"]), _local(told["event_utc_ns"])
    first, last = (f"{told[k]:.3f}" if told[k] is not None else "-" for k in ("first_t", "last_t"))
    rows = {
        "cause": told["cause"],
        "stop": f"record {told['event']}, t = {told['event_t']} s"
        if told["event"] is not None
        else "none: saved by hand",
        "when": f"{when} UTC, {local}" if told["event_utc"] else "-",
        "state": f"{at['state_before'] or 'unknown'} before, {at['state']} at the stop" if at else "not recorded",
        "fault": f"{at['fault']}: {at['fault_sentence']}" if at and at["fault_sentence"] else "not recorded",
        "around it": f"{_seconds(told['before_s'])} before, {_seconds(told['after_s'])} after",
        "fastest leg": f"{largest(before['velocity'])}, in the second before" if before else "not recorded",
        "largest force": f"{largest(before['force'])}, in the second before" if before else "not recorded",
        "records": f"{told['records']} at {told['rate_hz']:g} Hz, t = {first} to {last} s",
        "overwritten": f"{told['overwritten']} while it was saved",
        "schema": f"{told['schema']}, {told['channels']} channels",
        "ring": f"{told['ring']}, {told['backend']}",
        "writer": f"{told['writer']}, process {told['writer_pid']}, {told['status']}",
        "saved": f"{_short(told['saved_utc'])} UTC, {terminal.size(told['bytes'])}",
        "damage": "; ".join(told["damage"]) or "none",
    }
    table = terminal.table(Path(told["path"]).name, "what", "value")
    for what, value in rows.items():
        table.add_row(what, value)
    screen = terminal.console()
    screen.print(table)
    if before and before["velocity"]:
        legs = terminal.table("In the second before", "leg", "velocity", "force", right=("velocity", "force"))
        forces = {p["leg"]: p for p in before["force"]}
        for p in before["velocity"]:
            f = forces.get(p["leg"])
            legs.add_row(str(p["leg"]), f"{p['value']:.4g} {p['unit']}", f"{f['value']:.5g} {f['unit']}" if f else "-")
        screen.print(legs)
