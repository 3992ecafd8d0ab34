"""`motionbase size` and `loads`: requirements of a manoeuvre for every leg, and loads of faults on legs and joints."""

import dataclasses
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, From, Json, Preset, To, check_axis, check_writable, drivable
from motionbase.errors import UsageError
from motionbase.record.words import named

if TYPE_CHECKING:
    from motionbase.cli.trajectory_ref import Trajectory
    from motionbase.platform.hexapod import Hexapod
    from motionbase.platform.sizing.duty import Duty
    from motionbase.system.fault_cases import Outcome
    from motionbase.system.loads import Allowables

RPM = 60 / (2 * math.pi)
LITRES = 60e3  # litres per minute in one m^3/s
LOADS = (
    "fault", "leg", "worst in", "leg force [kN]", "factor", "joint [kN]", "factor ", "accel. [m/s2]",
    "end met at [m/s]", "found as", "after showing [ms]", "ends in", "at rest [s]",
)  # fmt: skip
LOAD_NUMBERS = (*LOADS[3:9], "after showing [ms]", "at rest [s]")


def size(
    platform: Annotated[str, typer.Argument(metavar="PLATFORM", help="A preset or a .toml file.")],
    trajectory: Annotated[
        Path,
        typer.Argument(
            metavar="TRAJECTORY",
            help="A recording, a CSV with t, surge to yaw [m, rad], or function generators (.toml, .json).",
        ),
    ],
    duration: Annotated[
        float | None, typer.Option(metavar="S", help="Duration for generators [s]; default: 20.")
    ] = None,
    source: Annotated[
        str,
        typer.Option(
            "--pose", metavar="NAME", help="Pose of a recording: legs (measured lengths), measured, estimated or host."
        ),
    ] = "legs",
    smooth: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Window of the fit for velocities and accelerations [s]; default: 0.05 for a recording's measured "
            "poses, five samples for the rest.",
        ),
    ] = None,
    start: From = None,
    stop: To = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the results over time: .png, .pdf or .svg.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show what a manoeuvre requires of every leg: stroke, speed, force, torque, RMS, power, flow, heat.

    Forces are those of the drive: weight and inertia of payload, cylinders, rods and rotor, and friction. The platform
    follows the trajectory exactly, without a control law. Reserve is the least ratio of available force at the present
    speed to required force. The exit code is 1 if a leg needs more than it has.

    Example: motionbase size simona examples/generators.toml --duration 30 --plot duty.png

    Example: motionbase size mine.toml flight.mcap --from 60 --to 120
    """
    check_writable(plot, PICTURES)
    hexapod = drivable(platform)
    from motionbase.cli.trajectory_ref import trajectory_of
    from motionbase.platform.sizing.duty import duty_of

    with terminal.working("computing"):
        path = trajectory_of(hexapod, trajectory, source, duration=duration, smooth=smooth, start=start, stop=stop)
        duty = duty_of(hexapod, path.t, path.dof, path.dof_dot, path.dof_ddot)
    if plot is not None:
        from motionbase.platform.sizing.plot import write_duty

        write_duty(duty, plot)
    beyond = duty.beyond()
    if as_json:
        print(json.dumps(_facts(duty, path), indent=2))
    else:
        _show_duty(duty, path)
        if plot is not None:
            terminal.console().print(f"wrote {plot}")
    return 1 if beyond else 0


def _facts(duty: "Duty", path: "Trajectory") -> dict[str, Any]:
    """The result as JSON data, in SI units; None for infinite numbers."""
    rows = [{k: v if math.isfinite(v) else None for k, v in row.items()} for row in duty.rows()]
    beyond = [{"leg": b.leg, "what": b.what, "asked": b.asked, "has": b.has, "unit": b.unit, "t": b.t}
              for b in duty.beyond()]  # fmt: skip
    return {
        "platform": duty.platform.name, "moments": len(duty.t), "seconds": float(duty.t[-1] - duty.t[0]),
        "derivatives": path.how, "legs": rows, "all": duty.totals(), "possible": not beyond, "beyond": beyond,
    }  # fmt: skip


def _show_duty(duty: "Duty", path: "Trajectory") -> None:
    screen, rows, electric = terminal.console(), duty.rows(), duty.torque is not None
    asked = ("leg", "length [m]", "stroke left [mm]", "speed [m/s]", "rms", "acceleration [m/s2]", "force [kN]", "rms ",
             "reserve")  # fmt: skip
    name = f"{duty.platform.name}: {duty.t[-1] - duty.t[0]:.4g} s, {len(duty.t)} moments"
    motion = terminal.table(f"{name}; peaks and root mean squares", *asked, right=asked)
    drives = ("leg", "torque [N m]", "rms", "motor [rpm]") if electric else ("leg", "flow [l/min]", "mean")
    spent = (*drives, "power [kW]", "mean ", "heat [kW]")
    energy = terminal.table("Drives; peaks, and over time", *spent, right=spent)
    for row in rows:
        motion.add_row(
            str(row["leg"]), f"{row['l_min_m']:.3f} to {row['l_max_m']:.3f}", f"{1e3 * row['stroke_left_m']:.0f}",
            f"{row['speed_peak_m_s']:.3f}", f"{row['speed_rms_m_s']:.3f}", f"{row['acceleration_peak_m_s2']:.2f}",
            f"{row['force_min_N'] / 1e3:.2f} to {row['force_max_N'] / 1e3:.2f}", f"{row['force_rms_N'] / 1e3:.2f}",
            f"{row['force_reserve']:.2f}",
        )  # fmt: skip
        drive = (
            (
                f"{row['torque_peak_Nm']:.1f}",
                f"{row['torque_rms_Nm']:.1f}",
                f"{RPM * row['motor_speed_peak_rad_s']:.0f}",
            )
            if electric
            else (f"{LITRES * row['flow_peak_m3_s']:.1f}", f"{LITRES * row['flow_mean_m3_s']:.1f}")
        )
        power = f"{row['power_least_W'] / 1e3:.2f} to {row['power_peak_W'] / 1e3:.2f}"
        energy.add_row(str(row["leg"]), *drive, power, f"{row['power_mean_W'] / 1e3:.2f}",
                       f"{row['heat_mean_W'] / 1e3:.2f}")  # fmt: skip
    screen.print(motion)
    screen.print(energy)
    every = duty.totals()
    said = f"All legs: power up to {every['power_peak_W'] / 1e3:.2f} kW, mean {every['power_mean_W'] / 1e3:.2f} kW"
    said += f"; heat {every['heat_mean_W'] / 1e3:.2f} kW"
    if "flow_peak_m3_s" in every:
        said += (
            f"; flow up to {LITRES * every['flow_peak_m3_s']:.1f} l/min, mean {LITRES * every['flow_mean_m3_s']:.1f} "
            f"l/min, {every['supply_mean_W'] / 1e3:.2f} kW of the supply"
        )
    screen.print(f"{said}.")
    for one in duty.beyond():
        screen.print(f"beyond {one.sentence}", style="bold red")
    screen.print(f"Velocities and accelerations: {path.how}.", style="dim")
    lost = "friction and braking; windings are not in the file" if electric else "throttling and friction; no leakage"
    screen.print(f"Forces: {duty.included}. Heat: {lost}.", style="dim")


def loads(
    platform: Preset,
    axis: Annotated[str, typer.Option(help="Axis that moves besides heave; heave for no other.")] = "surge",
    legs: Annotated[str, typer.Option(metavar="LIST", help="Legs with faults, separated by commas.")] = "1,2,3",
    near_ends: Annotated[bool, typer.Option("--near-ends", help="Also faults near the ends of the travel.")] = False,
    allowable_force: Annotated[
        float | None, typer.Option(help="Allowable force of a leg [N]; default: twice its stall force.")
    ] = None,
    allowable_joint: Annotated[
        float | None, typer.Option(help="Allowable load of a joint [N]; default: twice the stall force.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all cases to a .csv file.")] = None,
    as_json: Json = False,
) -> None:
    """Predict the loads of every fault at rest and during slow and fast motions of heave and of another axis.

    A host moves the platform as a sine; the fault occurs at full speed, at the reversals, and around the worst time
    found. With --near-ends it also occurs at 90 % of the travel, moving towards the end. The table has the worst case
    of each fault; --json and --out have every case. Factors are allowable load divided by peak load. The presets are
    symmetric, so legs 1 to 3 represent all.

    Example: motionbase loads simona --out loads.csv
    """
    check_axis("--axis", axis)
    check_writable(out, (".csv",))
    chosen = _legs(legs)
    hexapod = drivable(platform)
    from motionbase.system.loads import Allowables, Loads, case_row, write_cases

    allowed = Allowables.of(hexapod, allowable_force, allowable_joint)
    axes = ("heave",) if axis == "heave" else ("heave", axis)
    with terminal.progress_bar(f"loads of {hexapod.name}") as progress:
        cases = Loads(hexapod, axes, chosen, near_ends, allowed).predict(progress)
    rows = [case_row(case, allowed, hexapod.electric) for case in cases]
    if out is not None:
        write_cases(rows, out)
    if as_json:
        summary = {"platform": hexapod.name, "allowables": dataclasses.asdict(allowed), "cases": rows}
        print(json.dumps(summary, indent=2))
    else:
        _show_loads(hexapod, cases, allowed, out)


def _legs(text: str) -> tuple[int, ...]:
    given = [piece.strip() for piece in text.split(",")]
    if not all(piece in "123456" and len(piece) == 1 for piece in given) or len(set(given)) < len(given):
        raise UsageError(f"--legs is {text!r}, it must be some of 1 to 6, each once, separated by commas")
    return tuple(int(piece) for piece in given)


def _show_loads(hexapod: "Hexapod", cases: "tuple[Outcome, ...]", allowed: "Allowables", out: Path | None) -> None:
    from motionbase.spatial.equals import first_largest
    from motionbase.system.fault_cases import CONTACT_LIMIT, SHOWS
    from motionbase.system.loads import full_speed

    screen = terminal.console()
    table = terminal.table(f"Safety loads of {hexapod.name}, worst case of each fault", *LOADS, right=LOAD_NUMBERS)
    for name in (0, 2):
        table.columns[name].no_wrap = True
    by_fault: dict[str, list[Outcome]] = {}
    for case in cases:
        by_fault.setdefault(case.moment.fault, []).append(case)
    for same in by_fault.values():
        worst = same[first_largest([allowed.severity(c) for c in same])]
        table.add_row(*_cells(worst, same, allowed, hexapod.electric))
    screen.print(table)
    moved = dict.fromkeys(case.moment.swing.axis for case in cases if case.moment.swing.axis)
    speeds = (
        f"{a} {full_speed(hexapod, a)[0]:g} {'m/s' if a in ('surge', 'sway', 'heave') else 'rad/s'}" for a in moved
    )
    mark = " (illustrative: a multiple of the stall force, where none is given)" if allowed.illustrative else ""
    screen.print(f"{len(cases)} cases. Full speed: {', '.join(speeds)}; slow: 0.05 m or rad at 0.1 Hz.")
    periods = {c.moment.swing.name: c.moment.swing.period for c in cases if c.moment.swing.axis}
    told = ", ".join(f"{name} {period:.3g} s" for name, period in periods.items())
    screen.print(f"Times are those in a period ({told}): full speed at 0 s, the first reversal after a quarter.")
    screen.print(
        f"A fault shows once a leg is {1e3 * SHOWS:g} mm off its motion without the fault; the longest time is shown."
    )
    screen.print(f"Allowable: leg {allowed.force / 1e3:.1f} kN, joint {allowed.joint / 1e3:.1f} kN{mark}.")
    unfound = sum(c.shows_after is not None and c.found_after is None and c.moment.is_fault for c in cases)
    for what, over in (
        ("exceed the allowable leg force", sum(c.force > allowed.force for c in cases)),
        ("exceed the allowable joint load", sum(c.joint > allowed.joint for c in cases)),
        (f"meet a hard end faster than {CONTACT_LIMIT:g} m/s (!)", sum(not c.contact_is_soft for c in cases)),
        ("show and are not found", unfound),
    ):
        screen.print(f"{over} of {len(cases)} cases {what}.")
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
    if out is not None:
        screen.print(f"Every case: {out}")


def _cells(case: "Outcome", same: "list[Outcome]", allowed: "Allowables", electric: bool) -> tuple[str, ...]:
    from motionbase.system.fault_cases import CONTACT_LIMIT

    met = max((c.contact for c in same if c.contact is not None), default=None)
    late = max((c.detected_after for c in same if c.detected_after is not None), default=None)
    return (
        named(case.moment.fault, electric),
        str(case.moment.leg or "-"),
        case.moment.when,
        f"{case.force / 1e3:.1f}",
        f"{allowed.force / case.force:.2f}",
        f"{case.joint / 1e3:.1f}",
        f"{allowed.joint / case.joint:.2f}",
        f"{case.acceleration:.1f}",
        "-" if met is None else f"{met:.3f}{'!' if met > CONTACT_LIMIT else ' '}",
        named(case.found.name.lower(), electric),
        "-" if late is None else f"{1e3 * late:.0f}",
        case.end.name.lower(),
        "-" if case.rest_after is None else f"{case.rest_after:.2f}",
    )
