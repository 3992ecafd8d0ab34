"""`motionbase control margins` shows the design of the loop; `step-response` and `frequency-response` measure it."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Json, Preset, check_axis, check_writable, drivable
from motionbase.errors import UsageError
from motionbase.record.axes import DOFS, unit_of

app = typer.Typer(rich_markup_mode=None, add_completion=False)
ALLOWED_OVERSHOOT = 0.05


@app.callback()
def control() -> None:
    """Show the design of the control law.

    Example: motionbase control margins simona
    """


@app.command()
def margins(
    platform: Preset,
    as_json: Json = False,
) -> None:
    """Show the gains of the leg loop and their margins in each mode of the platform at neutral.

    The analysis is linear: softest point of the stroke, damping by leakage only, with valve and half a tick of hold;
    for electric legs the drive's speed loop with its current lag. `motionbase step-response` and `motionbase
    frequency-response` measure the nonlinear model.

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


def step_response(
    platform: Preset,
    axis: Annotated[str, typer.Option(help=f"{', '.join(DOFS[:-1])} or {DOFS[-1]}.")] = "heave",
    size: Annotated[float, typer.Option(help="Size of the step [m, rad].")] = 0.05,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the response: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Simulate a step of one axis from neutral and report overshoot, rise and settling, and motion of the other axes.

    The step comes from a function generator; the control law limits its velocity and acceleration. The report is about
    the true motion of the simulated platform, not its sensor signals.

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


def frequency_response(
    platform: Preset,
    axis: Annotated[str, typer.Option(help=f"{', '.join(DOFS[:-1])} or {DOFS[-1]}.")] = "heave",
    lowest: Annotated[float, typer.Option("--from", help="Lowest frequency [Hz].")] = 0.1,
    highest: Annotated[float, typer.Option("--to", help="Highest frequency [Hz], up to 50.")] = 50.0,
    count: Annotated[int, typer.Option("--tones", help="Number of tones, evenly spaced on a logarithmic scale.")] = 20,
    amplitude: Annotated[
        float | None,
        typer.Option(
            help="Amplitude of the tones [m or rad], reduced where the axis' limits require it; default: small."
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the response: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Simulate sines in one axis, one after the other, and report gain and phase from demand to true motion.

    By default amplitudes are at most 5 cm or 50 mrad and a fifth of the axis' limits; with --amplitude, up to 80 % of
    the limits. Friction of the legs, not the loop, dominates small motions. A tone is marked with f if no leg moves by
    more than its friction deflects before it slips, or if its response changes by more than 10 % with half the
    amplitude. The bandwidth is the frequency with a phase of -90 degrees; as the gain may vary below it, the report
    also has the frequency up to which the gain is within 3 dB. Tones with more than 10 % distortion are marked. The
    turnaround bump is the largest error of acceleration around the reversals of a sine of 0.1 Hz.

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
    with terminal.progress_bar(f"{axis} of {hexapod.name}") as progress:
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
