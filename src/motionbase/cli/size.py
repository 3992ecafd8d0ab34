"""`motionbase size`: what a manoeuvre asks of every leg of a platform."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.choices import From, To
from motionbase.cli.kinematics_common import Json, Platform
from motionbase.cli.measuring import PICTURES, check_writable, drivable

if TYPE_CHECKING:
    from motionbase.cli.trajectory_ref import Trajectory
    from motionbase.platform.sizing.duty import Duty

RPM = 60 / (2 * math.pi)
LITRES = 60e3  # a minute in one m^3/s


def size(
    platform: Platform,
    trajectory: Annotated[
        Path,
        typer.Argument(
            metavar="TRAJECTORY",
            help="A recording, a CSV with t, surge to yaw [m, rad], or function generators (.toml, .json).",
        ),
    ],
    duration: Annotated[float | None, typer.Option(metavar="S", help="Of generators [s]; without it 20.")] = None,
    source: Annotated[
        str, typer.Option("--pose", metavar="NAME", help="Of a recording: legs (measured), measured, estimated, host.")
    ] = "legs",
    smooth: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Window of the fit for velocities and accelerations [s]; without it 0.05 for a recording's measured "
            "poses, five samples for the rest.",
        ),
    ] = None,
    start: From = None,
    stop: To = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it over time: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> int:
    """Show what a manoeuvre asks of every leg: stroke, speed, force, torque, RMS, power, flow, heat.

    Forces are those of the drive: weight and inertia of payload, cylinders, rods and rotor, and friction. The platform
    follows the trajectory exactly; no control law is in it. Reserve is the least of what the drive has at a moment's
    speed over what it is asked for. The exit code is 1 where a leg is asked for more than it has.

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
        _show(duty, path)
        if plot is not None:
            terminal.console().print(f"wrote {plot}")
    return 1 if beyond else 0


def _facts(duty: "Duty", path: "Trajectory") -> dict[str, Any]:
    """For scripts: SI; none where a number is infinite."""
    rows = [{k: v if math.isfinite(v) else None for k, v in row.items()} for row in duty.rows()]
    beyond = [{"leg": b.leg, "what": b.what, "asked": b.asked, "has": b.has, "unit": b.unit, "t": b.t}
              for b in duty.beyond()]  # fmt: skip
    return {
        "platform": duty.platform.name, "moments": len(duty.t), "seconds": float(duty.t[-1] - duty.t[0]),
        "derivatives": path.how, "legs": rows, "all": duty.totals(), "possible": not beyond, "beyond": beyond,
    }  # fmt: skip


def _show(duty: "Duty", path: "Trajectory") -> None:
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
