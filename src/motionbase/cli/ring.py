"""`motionbase ring`: lists, describes, watches, saves and cleans the rings of this machine."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration

if TYPE_CHECKING:
    from motionbase.ring.catalogue import Entry

HELP = """List, inspect, watch, save and clean rings, the shared records of running simulations.

Rings are in shared memory, $MOTIONBASE_RING_FOLDER or /dev/shm, or in the device that $MOTIONBASE_RING_DEVICE names.

Example: motionbase ring watch motionbase t leg1_l_meas"""
app = typer.Typer(rich_markup_mode=None, add_completion=False, help=HELP)

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name from `motionbase ring list`.")]


@app.command("list")
def list_rings(as_json: Json = False) -> None:
    """List all rings of this machine, with their writers.

    Example: motionbase ring list
    """
    from motionbase.ring import catalogue

    found = catalogue.entries()
    if as_json:
        print(json.dumps([_data(e) for e in found], indent=2))
        return
    if not found:
        print("no rings; `motionbase dcu` writes one to try")
        return
    columns = "name", "backend", "writer", "schema", "rate", "records", "head", "age", "unsaved"
    table = terminal.table("Rings", *columns, right=("rate", "records", "head", "age"))
    for e in (e for e in found if not e.trouble):
        table.add_row(e.name, e.backend.kind, _writer(e), _schema(e), f"{e.rate:g} Hz", *_figures(e))
    if table.rows:
        terminal.console().print(table)
    for e in (e for e in found if e.trouble):
        print(f"{e.name}: not readable: {e.trouble}")


@app.command()
def show(name: Name = "motionbase", as_json: Json = False) -> None:
    """Describe one ring: header, conventions, channels by group, time base, lateness.

    Example: motionbase ring show motionbase
    """
    from motionbase.errors import RingError
    from motionbase.ring import catalogue

    entry = catalogue.entry(name)
    if entry.header is None:
        raise RingError(f"ring {name!r} is not readable: {entry.trouble}")
    data = _data(entry) | _details(entry)
    if as_json:
        print(json.dumps(data, indent=2))
        return
    screen, layout = terminal.console(), entry.header.layout
    every = "a record every tick" if layout.every == 1 else f"a record every {layout.every} ticks"
    table = terminal.table(f"Ring {name}", "what", "value")
    rows = {
        "backend": f"{entry.backend}, {terminal.size(entry.size)}",
        "writer": _writer(entry),
        "status": entry.status.name.lower(),
        "last sign of life": "none" if entry.age is None else f"{terminal.seconds(entry.age)} ago",
        "records": f"{entry.records} of {layout.capacity}, {layout.schema.record_bytes} bytes each",
        "head": f"{entry.head} since the epoch",
        "unsaved": _unsaved(entry),
        "time base": f"t = tick x {layout.dt:g} s, {every}: {entry.rate:g} Hz",
        "epoch": f"{data['epoch_utc']} UTC, number {entry.header.epoch}",
        "conventions": data["conventions"],
        "schema": f"{_schema(entry)}, {data['schema_hash'][:16]}",
        "platform": f"{terminal.size(len(layout.platform.encode()))} of text" if layout.platform else "none",
        "lateness": _lateness(data["lateness"]),
    }
    for what, value in rows.items():
        table.add_row(what, value)
    screen.print(table)
    groups = terminal.table("Channels", "group", "count", "names", right=("count",))
    for group, names in layout.schema.groups.items():
        shown = ", ".join(names[:3]) + (f" ... {names[-1]}" if len(names) > 3 else "")
        groups.add_row(group, str(len(names)), shown)
    screen.print(groups)


@app.command()
def watch(
    name: Name = "motionbase",
    channels: Annotated[
        list[str] | None, typer.Argument(metavar="[CHANNEL]...", help="Channels to show; default: one of each group.")
    ] = None,
    refresh: Annotated[float, typer.Option(help="Updates per second, 0.1 to 30.")] = 5.0,
    duration: Duration = None,
) -> None:
    """Watch channels live: value, least, greatest, and a small curve.

    It waits for a writer, and continues through stops and restarts. In a pipe it prints a line for each update.

    Example: motionbase ring watch motionbase t leg1_l_meas leg1_f_meas
    """
    from motionbase.cli.ring_watch import watch as run
    from motionbase.errors import UsageError

    if not 0.1 <= refresh <= 30:
        raise UsageError(f"--refresh is {refresh:g}, it must be 0.1 to 30 updates per second")
    if duration is not None and not duration > 0:
        raise UsageError(f"--duration is {duration:g} s, it must be above 0")
    run(name, tuple(channels or ()), 1 / refresh, duration)


@app.command()
def clean(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="These rings only.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also remove unsaved records and unreadable rings; needs NAME.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove the rings of writers that have ended, and files left by them, recorders and replays.

    A ring with a writer and files of a living recorder are never removed. A ring that holds unsaved records, or cannot
    be read, is removed only with --force and its name. NAME may be `device`, which is not removed, but its records no
    longer count as unsaved; or NAME.left-NUMBER, the records of a dead writer whose name another has taken.

    Example: motionbase ring clean
    """
    from motionbase.errors import UsageError
    from motionbase.ring import catalogue

    if force and not names:
        kept = ", ".join(e.name for e in catalogue.entries() if e.unsaved or e.trouble) or "none"
        raise UsageError(f"--force discards records, so it needs the names of rings; unsaved or not readable: {kept}")
    done = catalogue.clean(tuple(names or ()), force=force)
    if as_json:
        print(json.dumps([{"path": str(o.path), "removed": o.removed, "why": o.why} for o in done], indent=2))
        return
    for outcome in done:
        print(f"{'removed' if outcome.removed else 'kept   '} {outcome.path}: {outcome.why}")
    if not done:
        print("nothing to remove")


@app.command()
def save(
    name: Name = "motionbase",
    out: Annotated[
        Path | None, typer.Option(help="File to write; default: named by time and NAME, in the current folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Save the records of a ring as a recording, whether its writer lives or not.

    The writer is not disturbed. If the ring held unsaved records, it no longer counts as unsaved afterwards. The run
    itself saves such files after unexpected stops; see docs/estop.md.

    Example: motionbase ring save motionbase --out before_lunch.mcap
    """
    from motionbase.errors import MotionBaseError, UsageError
    from motionbase.recording.estop.details import file_name
    from motionbase.recording.estop.save import save as save_ring
    from motionbase.ring import catalogue, unsaved
    from motionbase.ring.gentle import be_gentle
    from motionbase.ring.segment import attach

    entry = catalogue.entry(name)
    segment = attach(entry.backend) if not entry.trouble else None
    if segment is None:
        raise UsageError(f"ring {name!r} is not readable: {entry.trouble or 'it has just been removed'}")
    path = out if out is not None else Path(file_name(name, time.time_ns()))
    if path.exists():
        raise UsageError(f"--out {str(path)!r} is there already; choose another name")
    be_gentle()
    ended = entry.life is not catalogue.Life.ALIVE
    cause = f"saved by hand; writer {entry.life.value}"
    with terminal.working(f"saving {name}"):
        event = entry.head - 1 if entry.unsaved and ended else None
        details = save_ring(segment, path, cause=cause, event=event, name=name)
    note = ""
    if entry.unsaved:
        try:
            unsaved.saved(segment)
        except MotionBaseError as error:
            note = f"; it still counts as unsaved: {error}"
    if as_json:
        print(json.dumps({"path": str(path), "note": note.removeprefix("; ") or None, **details.__dict__}, indent=2))
        return
    lost = f", {details.overwritten} more were overwritten meanwhile" if details.overwritten else ""
    span = terminal.seconds(details.count / details.rate)
    print(f"saved {details.count} records, {span}, {terminal.size(path.stat().st_size)}, to {path}{lost}{note}")


def _data(e: "Entry") -> dict[str, Any]:
    header = e.header
    return {
        "name": e.name,
        "backend": e.backend.kind,
        "path": str(e.backend.path),
        "bytes": e.size,
        "trouble": e.trouble or None,
        "writer": {"program": header.writer, "pid": header.writer_pid, "state": e.life.value} if header else None,
        "status": e.status.name.lower() if header else None,
        "schema": header.layout.schema.name if header else None,
        "channels": len(header.layout.schema.channels) if header else None,
        "rate_hz": e.rate if header else None,
        "capacity": header.layout.capacity if header else None,
        "records": e.records,
        "head": e.head,
        "age_s": e.age,
        "unsaved": e.unsaved,
    }


def _details(e: "Entry") -> dict[str, Any]:
    from motionbase.ring.catalogue import lateness
    from motionbase.ring.layout import CONVENTIONS, VERSION

    header = e.header
    assert header is not None
    layout = header.layout
    return {
        "version": VERSION,
        "dt_s": layout.dt,
        "every": layout.every,
        "epoch": header.epoch,
        "epoch_utc": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(header.epoch_utc_ns / 1e9)),
        "epoch_utc_ns": header.epoch_utc_ns,
        "conventions": CONVENTIONS,
        "schema_hash": layout.schema.hash.hex(),
        "record_bytes": layout.schema.record_bytes,
        "groups": {group: list(names) for group, names in layout.schema.groups.items()},
        "platform_bytes": len(layout.platform.encode()),
        "lateness": lateness(e),
    }


def _writer(e: "Entry") -> str:
    assert e.header is not None
    return f"{e.header.writer} ({e.header.writer_pid}), {e.life.value}"


def _schema(e: "Entry") -> str:
    assert e.header is not None
    return f"{e.header.layout.schema.name}, {len(e.header.layout.schema.channels)} channels"


def _figures(e: "Entry") -> tuple[str, str, str, str]:
    age = "-" if e.age is None else terminal.seconds(e.age)
    return str(e.records), str(e.head), age, "yes" if e.unsaved else "no"


def _unsaved(e: "Entry") -> str:
    return f"yes: an unplanned stop; `motionbase ring save {e.name}` saves its records" if e.unsaved else "no"


def _lateness(data: dict[str, float] | None) -> str:
    if data is None:
        return "not in the schema, or no records"
    figures = ", ".join(f"{what} {terminal.seconds(data[f'{what}_s'])}" for what in ("median", "p99", "largest"))
    return f"{figures}, of {data['records']:.0f} records"
