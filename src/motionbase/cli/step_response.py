"""`motionbase step-response`: a step of one axis on the nonlinear closed loop."""

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import PICTURES, check_axis, check_writable, drivable
from motionbase.errors import UsageError
from motionbase.record.axes import DOFS, unit_of

ALLOWED_OVERSHOOT = 0.05


def step_response(
    platform: Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")],
    axis: Annotated[str, typer.Option(help=f"{', '.join(DOFS[:-1])} or {DOFS[-1]}.")] = "heave",
    size: Annotated[float, typer.Option(help="Of the step [m, rad].")] = 0.05,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .pdf or .svg.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Drive a step of one axis from neutral and report overshoot, rise and settling, and what the other axes do.

    The step is that of a function generator; the control law keeps it within the limits of velocity and acceleration.
    What is measured is the true motion of the simulated platform, not what its sensors say.

    Example: motionbase step-response simona --axis heave --size 0.05 --plot step.png
    """
    check_axis("--axis", axis)
    check_writable(plot, PICTURES)
    if not math.isfinite(size):
        raise UsageError(f"--size is {size:g}, it must be a finite number")
    hexapod = drivable(platform)
    from motionbase.system.responses import SETTLED, Responses

    with terminal.working(f"step of {hexapod.name}"):
        found = Responses(hexapod).step(axis, size)
    if plot is not None:
        from motionbase.system.plot import write_step

        write_step(found, hexapod.name, plot)
    if as_json:
        keys = ("axis", "size", "overshoot", "rise", "settling")
        data = {key: getattr(found, key) for key in keys} | dict(
            zip(("crosstalk_m", "crosstalk_rad"), found.crosstalk, strict=True)
        )
        print(json.dumps({"platform": hexapod.name, **data, "illustrative": list(hexapod.illustrative)}, indent=2))
        return
    unit = unit_of(axis)
    table = terminal.table(f"Step of {size:g} {unit} in {axis}, {hexapod.name}", "measure", "value", right=("value",))
    within = (
        f"within {ALLOWED_OVERSHOOT:.0%}" if found.overshoot <= ALLOWED_OVERSHOOT else f"above {ALLOWED_OVERSHOOT:.0%}"
    )
    table.add_row("overshoot", f"{found.overshoot:.1%}, {within}")
    table.add_row("rise, 10 % to 90 %", f"{found.rise:.3f} s")
    settling = "never" if found.settling is None else f"{found.settling:.3f} s"
    table.add_row(f"settled within {SETTLED:.0%} after", settling)
    table.add_row("other axes, linear", f"{1e3 * found.crosstalk[0]:.3f} mm")
    table.add_row("other axes, angular", f"{1e3 * found.crosstalk[1]:.3f} mrad")
    screen = terminal.console()
    screen.print(table)
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
