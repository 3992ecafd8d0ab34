"""`motionbase kinematics watch`: angles, dexterity and clearances of a running platform, several times a second."""

import json
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import (
    STOP,
    WARN,
    Stop,
    Warn,
    apart,
    gap_facts,
    thresholds,
    verdict_text,
    where,
)
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Group

    from motionbase.platform.hexapod import Hexapod
    from motionbase.ring.reader import Reader
    from motionbase.workbench.clearance import Thresholds
    from motionbase.workbench.trajectory import Follower, Seen

MOST_BATCHES = 64  # between two pictures; the head of a ring that was spoilt may be anything


def watch(
    ring: Annotated[str, typer.Option(metavar="NAME", help="Name of the ring.")] = "motionbase",
    platform: Annotated[
        str | None, typer.Option(metavar="PLATFORM", help="Preset or file; without it, the ring's own.")
    ] = None,
    source: Annotated[
        str, typer.Option("--pose", metavar="NAME", help="legs (measured), measured, estimated or host.")
    ] = "legs",
    seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")] = None,
    refresh: Annotated[float, typer.Option(help="Pictures per second, 0.1 to 30.")] = 5.0,
    clearances: Annotated[bool, typer.Option("--clearance/--no-clearance", help="Distances of the parts.")] = True,
    warn: Warn = WARN,
    stop: Stop = STOP,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line for every picture.")] = False,
) -> None:
    """Watch what the legs and joints of a running platform do: a table in place, redrawn a few times a second.

    It reads the newest record of the ring whenever it draws, with a tail of its own and the lowest priority, so the
    writer never waits for it. In a pipe it prints a line for each picture.

    Example: motionbase kinematics watch --ring motionbase --seconds 10
    """
    import math

    if not 0.1 <= refresh <= 30:
        raise UsageError(f"--refresh is {refresh:g}, it must be 0.1 to 30 pictures per second")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise UsageError(f"--seconds is {seconds:g}, it must be above 0")
    limits = thresholds(warn, stop)
    _run(ring, platform, source, seconds, 1 / refresh, clearances, limits, as_json)


def _run(
    ring: str,
    platform: str | None,
    source: str,
    seconds: float | None,
    period: float,
    clearances: bool,
    limits: "Thresholds",
    as_json: bool,
) -> None:
    from rich.live import Live

    from motionbase.cli.kinematics_file import POSES
    from motionbase.cli.stopping import stop_requested
    from motionbase.ring.gentle import be_gentle
    from motionbase.ring.reader import Reader

    if source not in POSES:
        raise UsageError(f"--pose is {source!r}, it must be one of {', '.join(POSES)}")
    in_place = sys.stdout.isatty() and not as_json
    with stop_requested() as ended, Reader(ring) as reader:
        hexapod, places, restarts = _platform(reader, platform), reader.schema.places(POSES[source]), reader.restarts
        with terminal.working("compiling"):
            follower = _follower(hexapod, clearances)
        be_gentle()
        end = None if seconds is None else time.monotonic() + seconds
        with Live(console=terminal.console(), auto_refresh=False, transient=True) as live:
            while not ended.is_set() and (end is None or time.monotonic() < end):
                row = _newest(reader)
                if reader.restarts != restarts:  # another writer may have another platform
                    hexapod, restarts = _platform(reader, platform), reader.restarts
                    places = reader.schema.places(POSES[source])
                    follower = _follower(hexapod, clearances)
                if row is not None:
                    values = row[places]
                    seen = (follower.at_legs if source == "legs" else follower.at_dof)(float(row[0]), values)
                    if as_json:
                        print(json.dumps(_facts(seen, reader, limits)), flush=True)
                    elif in_place:
                        live.update(_picture(hexapod, seen, reader, limits), refresh=True)
                    else:
                        print(_line(seen, reader, limits), flush=True)
                ended.wait(period)
        if not as_json:
            print(f"{reader.name}: {reader.state.value}; {reader.lost} records lost")


def _platform(reader: "Reader", reference: str | None) -> "Hexapod":
    from motionbase.errors import RingError
    from motionbase.platform.load import load_platform, load_text

    if reference is not None:
        return load_platform(reference)
    try:
        text = reader.header.layout.platform
    except RingError:
        raise UsageError(
            f"ring {reader.name!r}: {reader.state.value}; start a platform first, with motionbase run"
        ) from None
    if not text:
        raise UsageError(f"ring {reader.name!r} does not say what platform it is of; name one with --platform")
    return load_text(text, reader.name)


def _follower(hexapod: "Hexapod", clearances: bool) -> "Follower":
    from motionbase.workbench.clearance import Clearance
    from motionbase.workbench.geometry import geometry_of
    from motionbase.workbench.trajectory import Follower

    follower = Follower(hexapod, Clearance(geometry_of(hexapod)) if clearances else None)
    follower.at_legs(0.0, hexapod.l_neutral)
    return follower


def _newest(reader: "Reader") -> Any:
    """The last record that has come; None where none has."""
    newest = None
    for _ in range(MOST_BATCHES):
        batch = reader.read()
        if len(batch.rows):
            newest = batch.rows[-1].copy()
        if len(batch.rows) == 0 or reader.behind == 0:
            break
    return newest


def _facts(seen: "Seen", reader: "Reader", limits: "Thresholds") -> dict[str, Any]:
    made: dict[str, Any] = {"t": seen.t, "state": reader.state.value, "lost": reader.lost}
    if seen.posture is None:
        return made | {"trouble": seen.trouble}
    found = seen.posture
    parts = ("dof", "l", "base", "platform", "rotation", "dexterity")
    made |= {part: getattr(found, part)[0].tolist() for part in parts}
    if seen.gaps:
        made["clearances"] = [gap_facts(gap, limits) for gap in seen.gaps]
    return made


def _line(seen: "Seen", reader: "Reader", limits: "Thresholds") -> str:
    if seen.posture is None:
        return f"t={seen.t:.3f} {reader.state.value}: {seen.trouble}"
    words = [f"t={seen.t:.3f}", f"dexterity={seen.posture.dexterity[0]:.4f}"]
    for gap in seen.gaps[:1]:
        words.append(
            f"clearance={apart(gap.distance)} mm ({gap.first} and {gap.second}): {limits.verdict(gap.distance)}"
        )
    return " ".join([*words, where(seen.posture.dof[0])])


def _picture(hexapod: "Hexapod", seen: "Seen", reader: "Reader", limits: "Thresholds") -> "Group":
    import numpy as np
    from rich.console import Group
    from rich.text import Text

    status = Text(f"{reader.name}: {reader.state.value}; t = {seen.t:.2f} s; {reader.lost} records lost", style="bold")
    if seen.posture is None:
        return Group(status, Text(seen.trouble, style="bold red"))
    found, stroke = seen.posture, hexapod.stroke
    ends = [f"{end} {which}" for end in ("base", "platform") for which in ("1st", "2nd")]
    columns = ("leg", "length [m]", "stroke [%]", *ends, "rod")
    table = terminal.table(f"{hexapod.name} at {where(found.dof[0])}; angles [deg]", *columns, right=columns[1:])
    for k in range(6):
        used = 100 * (found.l[0, k] - stroke.l_min) / stroke.length
        angles = np.degrees((*found.base[0, k], *found.platform[0, k], found.rotation[0, k]))
        table.add_row(str(k + 1), f"{found.l[0, k]:.4f}", f"{used:.1f}", *(f"{x:.2f}" for x in angles))
    lines: list[Any] = [status, table, Text(f"dexterity {found.dexterity[0]:.4f}")]
    for gap in seen.gaps:
        text = Text(f"{gap.first} and {gap.second}: {apart(gap.distance)} mm ")
        lines.append(text.append_text(verdict_text(limits.verdict(gap.distance))))
    return Group(*lines)
