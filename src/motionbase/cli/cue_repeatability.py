"""`motionbase cue repeatability`: the same motion several times through the whole simulated system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.cue_tested import FIRST, Tested
from motionbase.cli.options import with_options
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.arrays import Array

LONGEST_S = 600.0


@with_options(Tested, FIRST)
def repeatability(
    tested: Tested,
    motion: Annotated[
        str, typer.Option(metavar="SOURCE", help="A manoeuvre such as take_off, or a file, as in `motionbase cue`.")
    ] = "take_off",
    supply: Annotated[
        float, typer.Option(metavar="PERCENT", help="Tolerance of supply pressure or power; illustrative.")
    ] = 0.0,
    oil: Annotated[
        float, typer.Option(metavar="PERCENT", help="Tolerance of the oil's stiffness and viscosity; illustrative.")
    ] = 0.0,
    host_rate: Annotated[float, typer.Option("--host-rate", metavar="HZ", help="Samples a second.")] = 60.0,
) -> int:
    """Run the same motion eight times and show how far the linear accelerations of the head are apart.

    Each run has noise of the sensors of its own, and goes from the host's samples through cueing, law, guard, actuators
    and platform. --supply spreads supply pressures over the runs; --oil repeats all with cold and warm oil. The limit
    is 0.05 g (14 CFR part 60, table A2A, 3.d); the exit code is 1 if two runs differ by more.

    Example: motionbase cue repeatability simona --motion take_off --report repeatability.html

    Example: motionbase cue repeatability simona --supply 5 --oil 10 --plot repeatability.png
    """
    document = tested.document()
    if not 1 <= host_rate <= 1000:
        raise UsageError(f"--host-rate is {host_rate:g} Hz, it must be 1 to 1000")
    import numpy as np

    from motionbase.cli.cue_source import samples_of
    from motionbase.report.page import write_page
    from motionbase.system.repeatability import ALLOWED_G, Tolerances, repeated
    from motionbase.system.repeatability_report import RepeatabilityReport, page, repeatability_figure

    tolerances = Tolerances(supply / 100, oil / 100)
    samples = samples_of(motion, host_rate)
    length = float(samples.t[-1] - samples.t[0])
    if length > LONGEST_S:
        raise UsageError(f"{samples.name!r} lasts {length:.0f} s, a motion of at most {LONGEST_S:g} s is wanted")
    cues = tested.cues()
    hexapod = cues.platform

    def vehicle(t: Array) -> Array:
        newest = np.searchsorted(samples.t - samples.t[0], t + 1e-9, side="right") - 1
        return np.asarray(samples.rows[np.clip(newest, 0, len(samples.t) - 1)])

    with terminal.progress_bar(f"{samples.name} on {hexapod.name}") as bar:
        found = repeated(cues, samples.name, vehicle, length, tolerances, host_rate=host_rate, progress=bar)
    made = RepeatabilityReport(found, tolerances, document)
    if tested.report is not None:
        write_page(page(made), tested.report)
    if tested.plot is not None:
        from motionbase.report.figures import save

        save(repeatability_figure(found), tested.plot)
    if tested.as_json:
        print(made.json())
    else:
        screen, facts = terminal.console(), made.facts()
        heads = "axis", "largest acceleration [g]", "largest difference [g]"
        table = terminal.table(f"{hexapod.name}, {samples.name}: {len(found.runs)} runs", *heads, right=heads[1:])
        for axis, difference in facts["largest_g"].items():
            table.add_row(axis, f"{facts['most_g'][axis]:.4f}", f"{difference:.5f}")
        screen.print(table)
        axis, worst, at = found.worst
        verdict = "within" if found.passed else "OUTSIDE"
        screen.print(f"Largest difference {worst:.4f} g along {axis} at {at:.2f} s: {verdict} {ALLOWED_G:g} g.")
        if hexapod.illustrative:
            screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
    return 0 if found.passed else 1
