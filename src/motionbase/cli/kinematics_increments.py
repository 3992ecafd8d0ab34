"""`motionbase kinematics increments`: attitude and leg lengths from increments, in the paper's forms and right."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import Json, Platform, loaded, numbers
from motionbase.cli.measuring import PICTURES, check_writable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = ("dx", "dy", "dz", "rx", "ry", "rz")


def increments(
    platform: Platform,
    steps: Annotated[
        Path | None, typer.Option(metavar="FILE", help="CSV with dx, dy, dz [m] and rx, ry, rz [rad], in global axes.")
    ] = None,
    turn: Annotated[
        str | None, typer.Option(metavar="THREE", help="About x, then y, then z, in global axes [degrees].")
    ] = None,
    step: Annotated[float, typer.Option(metavar="DEG", help="Longest step of --turn [degrees].")] = 1.0,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the errors: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Add up increments of position and attitude in five forms, each against the exact map.

    Those of the wave-riding rig's paper (equations 4 to 16) are first order, not scaled to length one, and put behind
    the attitude so far; scaled and in front they are right to second order, and the exponential map is exact.

    Example: motionbase kinematics increments odu --turn "20 0 30" --step 1
    """
    import math

    import numpy as np

    from motionbase.workbench.increments import compare, turn_in_steps

    if steps is not None and turn is not None:
        raise UsageError("--steps and --turn both give the increments; give one of them")
    if not (math.isfinite(step) and 0 < step <= 180):
        raise UsageError(f"--step is {step:g} degrees, it must be above 0 and at most 180")
    check_writable(plot, PICTURES)
    hexapod = loaded(platform)
    if steps is not None:
        rows = _read(steps)
        ds, dtheta = rows[:, :3], rows[:, 3:]
    else:
        angles = numbers("--turn", turn or "20 0 30", 3)
        if not np.any(angles):
            raise UsageError("--turn is 0 about all axes; at least one angle other than 0 is wanted")
        dtheta = turn_in_steps(np.radians(angles), math.radians(step))
        ds = np.zeros_like(dtheta)
    with terminal.working("following"):
        found = compare(hexapod, ds, dtheta)
    if plot is not None:
        from motionbase.workbench.plots import increments_figure, save

        save(increments_figure(hexapod, found), plot)
    if as_json:
        print(json.dumps({"platform": hexapod.name, **found.facts()}, indent=2))
        return
    columns = "form", "attitude [deg]", "too long [%]", "legs at the pose [mm]", "legs by increments [mm]", "what it is"
    table = terminal.table(f"{hexapod.name}: errors after {found.steps} steps", *columns, right=columns[1:5])
    for one in (form.summary() for form in found.forms):
        figures = (math.degrees(one["attitude_rad"]), 100 * one["stretch"], 1000 * one["legs_at_pose_m"],
                   1000 * one["legs_by_increments_m"])  # fmt: skip
        meaning = f"{one['meaning']}; use this" if one["right"] else one["meaning"]
        table.add_row(one["form"], *(f"{x:.4g}" for x in figures), meaning)
    screen = terminal.console()
    screen.print(table)
    outside = (found.l < hexapod.stroke.l_min) | (found.l > hexapod.stroke.l_max)
    if outside.any():
        screen.print(f"! at the end leg {int(outside.argmax()) + 1} is beyond the operational stroke", style="bold")


def _read(path: Path) -> "NDArray[np.float64]":
    """(n, 6) of a CSV with the six columns by name."""
    import csv
    import math

    import numpy as np

    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise UsageError(f"{str(path)!r} has no column {missing[0]!r}; columns: {', '.join(COLUMNS)}")
            rows = []
            for number, row in enumerate(reader, start=2):
                try:
                    values = [float(row[name]) for name in COLUMNS]
                except (TypeError, ValueError):
                    values = [math.nan]
                if not all(map(math.isfinite, values)):
                    raise UsageError(f"{str(path)!r}, line {number}: six finite numbers are wanted")
                rows.append(values)
    except OSError as e:
        raise UsageError(f"cannot read {str(path)!r}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{str(path)!r} is not a text in UTF-8; a CSV is wanted") from None
    if not rows:
        raise UsageError(f"{str(path)!r} has no rows; at least one increment is wanted")
    return np.array(rows)
