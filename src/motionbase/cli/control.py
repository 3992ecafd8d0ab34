"""`motionbase control`: the design of the control law."""

import dataclasses
import json
import math
from typing import Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import drivable

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.callback()
def control() -> None:
    """Look at the design of the control law.

    Example: motionbase control margins simona
    """


@app.command()
def margins(
    platform: Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Show the gains of the leg loop and the margins they leave in each mode of the platform at neutral.

    Linear: softest place of the stroke, damping of the leakage alone, valve and half a tick of holding included; of
    electric legs the drive's speed loop with the lag of its current. What the nonlinear model does is measured by
    `motionbase step-response` and `motionbase frequency-response`.

    Example: motionbase control margins simona
    """
    hexapod = drivable(platform)
    from motionbase.system.margins import design

    with terminal.working("designing"):
        found = design(hexapod)
    if as_json:
        print(json.dumps({"platform": hexapod.name, **dataclasses.asdict(found)}, indent=2))
        return
    screen = terminal.console()
    gains = terminal.table(f"Gains of the leg loop, {hexapod.name}", "name", "value", "unit", right=("value",))
    for name, value in found.gains.items():
        gains.add_row(name, f"{value:.4g}", found.units[name])
    screen.print(gains)
    heads = (
        "mode",
        "mass [kg]",
        "speed loop [Hz]" if found.electric else "oil spring [Hz]",
        "stable",
        "phase [deg]",
        "gain [-]",
        "distance to -1",
        "crossing [Hz]",
    )
    table = terminal.table(
        f"Margins, loop broken at the {'speed' if found.electric else 'valve'} command",
        *heads,
        right=(*heads[1:3], *heads[4:]),
    )
    rows = [(str(k), f"{m.mass:.0f}", f"{m.frequency:.2f}", m.margins) for k, m in enumerate(found.modes, start=1)]
    for name, mass, frequency, m in [*rows, ("worst", "", "", found.worst), ("worst, late", "", "", found.late)]:
        crossing = f"{m.bandwidth / (2 * math.pi):.2f}" if mass else ""
        size = "any" if math.isinf(m.gain) else f"{m.gain:.2f}"
        cells = "yes" if m.stable else "NO", f"{math.degrees(m.phase):.1f}", size, f"{m.distance:.3f}", crossing
        table.add_row(name, mass, frequency, *cells)
    screen.print(table)
    screen.print(
        f"Delay from measurement to command: {1e3 * found.leg.delay:.3g} ms, half a tick of holding, as in the "
        f"simulated loop. The gains are designed to keep their margins {1e3 * found.reserve:.3g} ms later still (last "
        "row): the time that the computer and the bus of real hardware may take. Delays of sensors come on top."
    )
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
