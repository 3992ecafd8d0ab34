"""`motionbase frequency-response`: gain and phase of one axis, measured tone by tone on the nonlinear closed loop."""

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import PICTURES, check_axis, check_writable, counted, drivable
from motionbase.record.axes import DOFS, unit_of


def frequency_response(
    platform: Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")],
    axis: Annotated[str, typer.Option(help=f"{', '.join(DOFS[:-1])} or {DOFS[-1]}.")] = "heave",
    lowest: Annotated[float, typer.Option("--from", help="Lowest frequency [Hz].")] = 0.1,
    highest: Annotated[float, typer.Option("--to", help="Highest frequency [Hz], up to 50.")] = 50.0,
    count: Annotated[int, typer.Option("--tones", help="How many tones, evenly spaced on a logarithmic scale.")] = 20,
    amplitude: Annotated[
        float | None,
        typer.Option(help="Of the tones [m or rad]; less where the axis' limits do not allow it. Without it small."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .pdf or .svg.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Drive one axis with sines, one after the other, and report gain and phase from demand to true motion.

    Without --amplitude, amplitudes are at most 5 cm or 50 mrad and a fifth of the axis' limits; with it, up to 80 % of
    the limits. Small motion is shaped by the friction of the legs rather than by the loop: tones that move no leg by
    more than its friction bends before it slips, or whose answer changes by more than 10 % with half the amplitude, are
    marked with f. The bandwidth is read where the phase is -90
    degrees; below it the gain may be anything, so the frequency up to which it is within 3 dB is told too. Tones that
    come back with more than 10 % of distortion are marked. The turnaround bump is the largest error of acceleration
    around the reversals of a sine of 0.1 Hz.

    Example: motionbase frequency-response simona --axis heave --plot response.png

    Example: motionbase frequency-response simona --from 10 --to 30 --tones 5 --amplitude 0.001
    """
    check_axis("--axis", axis)
    check_writable(plot, PICTURES)
    hexapod = drivable(platform)
    import numpy as np

    from motionbase.system.responses import AMPLITUDE_MATTERS, DISTORTED, FLAT_DB, Responses, tones

    f = tones(lowest, highest, count)
    measured = Responses(hexapod)
    with counted(f"{axis} of {hexapod.name}") as progress:
        found = measured.frequency(axis, f, progress, amplitude)
        turn = measured.turnaround(axis, amplitude=min(0.1, 0.2 * hexapod.limits.position[measured.place(axis)]))
    if plot is not None:
        from motionbase.system.plot import write_frequency

        write_frequency(found, hexapod.name, plot)
    names = ("f", "amplitude", "gain", "phase", "distortion")
    columns = {name: getattr(found, name).tolist() for name in names}
    if as_json:
        turning = {"f": turn.f, "amplitude": turn.amplitude, "bump": turn.bump, "elsewhere": turn.elsewhere}
        data = {
            "platform": hexapod.name,
            "axis": axis,
            **columns,
            "distorted": found.distorted.tolist(),
            "leg_travel": np.broadcast_to(found.travel, f.shape).tolist(),
            "halved_change": [None if math.isnan(x) else x for x in np.broadcast_to(found.halved, f.shape).tolist()],
            "by_friction": found.by_friction.tolist(),
            "bandwidth_hz": found.bandwidth,
            "flat_to_hz": found.flat_to,
            "turnaround": turning,
            "illustrative": list(hexapod.illustrative),
        }
        print(json.dumps(data, indent=2))
        return
    unit = unit_of(axis)
    heads = "f [Hz]", f"amplitude [m{unit}]", "gain", "phase [deg]", "distortion", "with half of it"
    table = terminal.table(
        f"Frequency response of {hexapod.name} in {axis}, demand to true motion", *heads, right=heads
    )
    halved = np.broadcast_to(found.halved, f.shape)
    marks = zip(found.distorted, found.by_friction, halved, strict=True)
    for (bad, stuck, h), (tone, a, g, p, d) in zip(marks, zip(*columns.values(), strict=True), strict=True):
        change = "-" if math.isnan(h) else f"{h:.0%}"
        cells = f"{g:.3f}", f"{p:.1f}", f"{d:.1%}{'!' if bad else ' '}", f"{change}{'f' if stuck else ' '}"
        table.add_row(f"{tone:.3f}", f"{1e3 * a:.3g}", *cells)
    screen = terminal.console()
    screen.print(table)
    width = "none of the tones lags 90 degrees" if found.bandwidth is None else f"{found.bandwidth:.1f} Hz"
    friction = " (among tones that friction shapes)"
    screen.print(f"Bandwidth at -90 degrees: {width}{friction if found.at_friction(found.bandwidth) else ''}.")
    flat = "all of the tones" if found.flat_to is None else f"{found.flat_to:.1f} Hz"
    screen.print(f"Gain within {FLAT_DB:g} dB up to: {flat}{friction if found.at_friction(found.flat_to) else ''}.")
    if found.by_friction.any():
        bend = 1e3 * hexapod.actuator.friction.static / hexapod.actuator.friction.sigma0
        screen.print(
            f"f Friction, not the loop, shapes {int(found.by_friction.sum())} of {len(f)} tones: a leg moves by less "
            f"than the {bend:.3g} mm that its friction bends before it slips, or half the amplitude changes the answer "
            f"by more than {AMPLITUDE_MATTERS:.0%}. A larger --amplitude shows the loop."
        )
    if amplitude is not None and (less := found.amplitude < abs(amplitude)).any():
        screen.print(f"From {f[less][0]:.3g} Hz on the limits of {axis} allow less than the amplitude asked for.")
    if found.distorted.any():
        screen.print(f"! More than {DISTORTED:.0%} of the motion is not the tone: gain and phase say little there.")
    screen.print(
        f"Turnaround of {turn.f:g} Hz, {1e3 * turn.amplitude:.3g} m{unit}: bump of {turn.bump:.3f} {unit}/s2, "
        f"elsewhere {turn.elsewhere:.3f}; {turn.demanded:.3f} are demanded."
    )
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
