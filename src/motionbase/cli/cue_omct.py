"""`motionbase cue omct` measures gain and phase from a vehicle's motion to the platform's; `cue bounds` its table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.cue_tested import FIRST, Tested
from motionbase.cli.options import Force, check_new, check_writable, with_options
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.cueing.omct.motions import Test
    from motionbase.cueing.omct.report import Report

HOST_RATE, FASTEST_HOST = 60.0, 1000.0  # [Hz] of the whole system, and the largest
MOST_OF_THE_TIME = 0.9  # goes to the whole system


@with_options(Tested, FIRST)
def omct(
    tested: Tested,
    system: Annotated[
        bool, typer.Option("--system", help="The whole system, with the algorithm for comparison.")
    ] = False,
    bounds: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A table of bounds, .csv or .toml; see `motionbase cue bounds`.")
    ] = None,
    tests: Annotated[str | None, typer.Option(metavar="LIST", help="Only these tests, such as 1,6.")] = None,
    point: Annotated[
        str | None, typer.Option(metavar="NAME", help="Point of the platform; default: omct, or the head.")
    ] = None,
    host_rate: Annotated[
        float | None,
        typer.Option(
            "--host-rate", metavar="HZ", help="Samples of the vehicle; default: every tick, 60 with --system."
        ),
    ] = None,
    acceleration: Annotated[float, typer.Option(metavar="M/S2", help="Amplitude of translations.")] = 1.0,
    angle: Annotated[float, typer.Option(metavar="DEG", help="Largest attitude of rotations; illustrative.")] = 6.0,
    angular_rate: Annotated[
        float, typer.Option(metavar="DEG/S", help="Largest rate of rotations; illustrative.")
    ] = 6.0,
    angular_acceleration: Annotated[
        float, typer.Option(metavar="DEG/S2", help="Largest acceleration of rotations; illustrative.")
    ] = 20.0,
    settle: Annotated[
        float, typer.Option(metavar="S", help="From the fade of a sine to its measurement; more for slow washouts.")
    ] = 25.0,
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write all tones.")] = None,
) -> int:
    """Run the objective motion cueing test: ten tests at twelve frequencies from 0.1 to 15.8 rad/s.

    The vehicle moves as a sine along or about one axis; gain and phase of the platform's motion come from least
    squares: of the motion that the algorithm commands, and with --system of the true motion of the simulated platform,
    from the host's samples on, 60 a second. Harmonics show limits that act. Amplitudes of rotations are illustrative,
    and there are no bounds but your own, because open text has neither. The exit code is 1 if a tone is outside its
    bounds.

    Example: motionbase cue omct simona --cueing simona --report omct.html --plot omct.png

    Example: motionbase cue omct simona --system --bounds mine.csv --tests 6,7,8,9
    """
    check_writable(table, (".csv",))
    document = tested.document(others=(table,))
    if host_rate is not None and not 1 <= host_rate <= FASTEST_HOST:
        raise UsageError(f"--host-rate is {host_rate:g} Hz, it must be 1 to {FASTEST_HOST:g}")
    cues = tested.cues()
    hexapod = cues.platform
    from motionbase.cueing.omct.algorithm import Algorithm as Alone
    from motionbase.cueing.omct.algorithm import omct_point
    from motionbase.cueing.omct.bounds import load_bounds
    from motionbase.cueing.omct.measure import Course, Measured, System, measured
    from motionbase.cueing.omct.motions import Amplitudes
    from motionbase.cueing.omct.report import ALONE, WHOLE, Report, page
    from motionbase.report.page import write_page, write_text

    chosen = _tests(tests)
    limits = None if bounds is None else load_bounds(bounds)
    if point is not None and point not in hexapod.points:
        raise unknown("point", point, hexapod.points)
    place = omct_point(hexapod, cues.head_P) if point is None else hexapod.points[point]
    named = next((name for name, p in hexapod.points.items() if p == place), "head")
    deg = math.radians(1.0)
    sizes = Amplitudes(acceleration, deg * angle, deg * angular_rate, deg * angular_acceleration)
    course, rate = Course(settle), host_rate or (HOST_RATE if system else None)
    systems: dict[str, System] = {ALONE: Alone(cues, place, rate)}
    if system:
        from motionbase.system.omct import WholeSystem

        systems = {WHOLE: WholeSystem.of(cues, place, rate or HOST_RATE)} | systems
    results, before = [], 0.0
    with terminal.progress_bar(f"motion cueing test of {hexapod.name}") as bar:
        for label, one in systems.items():
            share = 1.0 - before if label == ALONE else MOST_OF_THE_TIME

            def done(part: float, before: float = before, share: float = share) -> None:
                bar(before + share * part)

            results.append(Measured(label, measured(one, sizes, course, chosen, progress=done)))
            before += share
    made = Report(cues, tuple(results), sizes, course, place, named, rate, limits, document)
    if tested.report is not None:
        with terminal.working("writing the report"):
            write_page(page(made), tested.report)
    if tested.plot is not None:
        from motionbase.cueing.omct.plot import all_figure
        from motionbase.report.figures import save

        title = f"{hexapod.name}, {cues.algorithm}, set {cues.cue_set.name}: {made.judged.label}"
        save(all_figure(made.results, title, limits), tested.plot)
    if table is not None:
        write_text(table, made.csv())
    if tested.as_json:
        print(made.json())
    else:
        _show(made)
    return 1 if made.counts["outside"] else 0


def bounds(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The table to write: .csv or .toml.")],
    force: Force = False,
) -> None:
    """Write an empty table of bounds for the motion cueing test, to be filled in from the standard that applies.

    Example: motionbase cue bounds mine.csv
    """
    from motionbase.cueing.omct.bounds import ENDINGS, template
    from motionbase.report.page import write_text

    check_writable(out, ENDINGS)
    check_new((out,), force)
    write_text(out, template(out.suffix))
    terminal.console().print(f"{out}: fill in limits, then motionbase cue omct PLATFORM --bounds {out}")


def _tests(text: str | None) -> tuple[Test, ...]:
    """The tests of a list of numbers, all by default."""
    from motionbase.cueing.omct.motions import TESTS

    if text is None:
        return TESTS
    words = [word.strip() for word in text.split(",")]
    known = {str(test.number): test for test in TESTS}
    if wrong := [word for word in words if word not in known]:
        raise UsageError(f"--tests is {text!r:.60}: there is no test {wrong[0]!r}, they are 1 to {len(TESTS)}")
    return tuple(test for test in TESTS if str(test.number) in words)


def _show(made: Report) -> None:
    """Tables of the terminal: gain and phase, frequencies along the rows."""
    from motionbase.cueing.omct.measure import DISTORTED

    screen, curves = terminal.console(), made.judged.curves
    names = [f"{curve.test.number} {curve.test.name}" for curve in curves]
    for title, digits, values in (
        ("gain [-]", 3, [curve.gain for curve in curves]),
        ("phase [deg]", 1, [curve.phase for curve in curves]),
    ):
        shown = terminal.table(f"{made.cueing.platform.name}, {made.judged.label}: {title}", "rad/s", *names,
                               right=("rad/s", *names))  # fmt: skip
        verdicts = [made.verdicts(curve) for curve in curves]
        for k, omega in enumerate(curves[0].omega.tolist()):
            cells = []
            for curve, own, verdict in zip(curves, values, verdicts, strict=True):
                mark = "!" if curve.doubtful[k] else " "
                cells.append(f"{own[k]:.{digits}f}{mark}{'x' if title.split()[0] in verdict[k] else ' '}")
            shown.add_row(f"{omega:.3f}", *cells)
        screen.print(shown)
    counts = made.counts
    if counts["doubtful"]:
        screen.print(f"! Harmonics above {DISTORTED:.0%} of the tone, because limits act, or mostly noise: "
                     "gain and phase say little there.")  # fmt: skip
    if made.bounds is None:
        screen.print("No bounds were given, so nothing is judged; `motionbase cue bounds FILE` writes an empty table.")
    else:
        screen.print(f"{counts['outside']} of {counts['bounded']} tones with a bound are outside it (x).")
    screen.print("Amplitudes of rotations are illustrative. Not man-rated.", style="dim")
