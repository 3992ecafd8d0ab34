"""`motionbase simulate` of a platform under its control law: table, record and picture."""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from motionbase.cli import terminal
from motionbase.errors import UsageError, unknown
from motionbase.record.axes import DOFS, LEGS, LINEAR
from motionbase.record.words import named, told

if TYPE_CHECKING:
    from motionbase.arrays import Array
    from motionbase.control.own_law import OwnLaw
    from motionbase.executive.host.offline import Offline
    from motionbase.platform.hexapod import Hexapod
    from motionbase.system.runs import Scenario
    from motionbase.system.simulation import Done

DURATION = 20.0
RISING = 15.0  # [s] to drive, and a while beyond
LONGEST = 1e6  # [s]: eleven days; more is probably a typing error
RATE = 1000
LEG_NAMES = tuple(f"leg {k}" for k in LEGS)
RESET = "reset"


@final
@dataclass(frozen=True)
class PlatformOptions:
    """Options of the command; None if not given."""

    generators: Path | None = None
    faults: Path | None = None
    at: list[str] | None = None
    estop_at: float | None = None
    manual: bool | None = None
    rate: int | None = None
    seed: int | None = None
    law: str | None = None
    allow_fault: bool | None = None
    host: str | None = None
    cueing: str | None = None
    algorithm: str | None = None


def simulate_platform(
    reference: str, duration: float | None, o: PlatformOptions, out: Path | None, plot: Path | None, as_json: bool
) -> bool:
    """Simulate, write and report; True if it failed: a fault is active at the end, and not allowed."""
    from motionbase.control.law_file import load_law
    from motionbase.platform.load import load_platform

    host = _host(o)
    usual = DURATION if host is None else RISING + host.duration
    seconds = usual if duration is None else duration
    if not (math.isfinite(seconds) and seconds > 0):
        raise UsageError(f"--duration is {seconds:g} s, it must be a finite number above 0")
    if seconds > LONGEST:
        raise UsageError(f"--duration is {seconds:g} s, it must be at most {LONGEST:g} s")
    hexapod = load_platform(reference)
    scenario = _scenario(o, seconds, host, _settings(o.generators, hexapod))
    law = None if o.law is None else load_law(o.law, hexapod)
    done = _run(hexapod, scenario, seconds, o, out, law, host)
    if plot is not None:
        from motionbase.system.run_plot import RunPicture

        RunPicture(hexapod, done.traces, done.summary, scenario.faults).write(plot)
    files = [str(p) for p in (out, plot) if p is not None]
    late = [e for e in scenario.faults.events if e.at >= seconds]
    notes = [f"{named(e.kind.name.lower(), hexapod.electric)} at {e.at:g} s comes after the end" for e in late]
    if host is not None:
        notes.append(_note(host, seconds))
    if as_json:
        print(json.dumps({**_data(hexapod, done), "files": files, "notes": notes}, indent=2))
    else:
        _show(hexapod, done, files, notes)
    if (standing := done.summary.standing) is None or o.allow_fault:
        return False
    t, fault = standing
    print(
        f"motionbase: the run ended by a fault at {t:.4f} s: {told(fault.sentence, hexapod.electric)}; exit code 1, "
        "or 0 with --allow-fault",
        file=sys.stderr,
    )
    return True


def _host(o: PlatformOptions) -> "Offline | None":
    """What moves the platform besides generators."""
    from motionbase.executive.base_setup import PREDICTIVE
    from motionbase.executive.host.offline import Offline
    from motionbase.host.format import Kind

    if o.algorithm == PREDICTIVE:
        raise UsageError(f"--algorithm {PREDICTIVE}: it plans in real time; try it with `motionbase cue` or in a run")
    host = None if o.host is None else Offline(o.host)
    if host is None or host.kind is Kind.POSE:
        why = "motion cueing follows a host; add --host URL" if host is None else "poses are followed as they are"
        for name, value in (("--cueing", o.cueing), ("--algorithm", o.algorithm)):
            if value is not None:
                raise UsageError(f"{name} {value}: {why}")
    return host


def _note(host: "Offline", duration: float) -> str:
    """When the motion was played."""
    if host.begin is None:
        return "the motion did not begin: the base did not come to drive"
    left = host.begin + host.duration - duration
    rest = f"; its last {left:.2f} s come after the end" if left > 0.01 else ""
    return f"the motion began at {host.begin:g} s{rest}"


def _scenario(
    o: PlatformOptions, duration: float, host: "Offline | None" = None, settings: "Array | None" = None
) -> "Scenario":
    from motionbase.plant.fault_plan import FaultPlan, load_faults
    from motionbase.record.states import Mode, Request
    from motionbase.system.runs import Scenario

    asked = _asked(o.at or [], duration)
    if o.estop_at is not None and not 0 <= o.estop_at < duration:
        raise UsageError(f"--estop-at is {o.estop_at:g} s, it must be within the run, 0 to {duration:g} s")
    if o.seed is not None and o.seed < 0:
        raise UsageError(f"--seed is {o.seed}, it must be 0 or above")
    return Scenario(
        faults=load_faults(o.faults) if o.faults else FaultPlan(),
        settings=settings,
        requests={t: what for t, what in asked.items() if isinstance(what, Request)},
        resets=tuple(t for t, what in asked.items() if what == RESET),
        modes={t: what for t, what in asked.items() if isinstance(what, Mode)},
        estop_at=math.inf if o.estop_at is None else o.estop_at,
        host=host,
        host_rate=60.0 if host is None else host.rate,
        automatic=not o.manual,
        automatic_until=min(asked, default=math.inf),
        seed=o.seed or 0,
    )


def _settings(given: Path | None, hexapod: "Hexapod") -> "Array | None":
    """Of the function generators: a file, or one of the platform's ready sets by its name."""
    from motionbase.platform.ready_sets import ready_sets
    from motionbase.ring.blocks.files import load

    if given is None:
        return None
    ready = ready_sets(hexapod)
    if given.suffix or given.exists():
        return load(given).values
    if str(given) not in ready:
        there = ", ".join(ready)
        raise UsageError(f"--generators {str(given)!r:.80}: it must be one of {there}, or a file .toml or .json")
    return ready[str(given)].values


def _asked(given: list[str], duration: float) -> dict[float, Any]:
    """Requests by time from options S=REQUEST: a `Request`, a `Mode` or RESET."""
    from motionbase.record.states import Mode, Request

    names: dict[str, Any] = {r.name.lower(): r for r in Request if r} | {RESET: RESET}
    names |= {m.name.lower(): m for m in Mode}
    found = dict[float, Any]()
    for item in given:
        when, equals, name = item.partition("=")
        if not equals:
            raise UsageError(
                f"--at {item!r}: the form is S=REQUEST, such as 12=settle; S is a time from 0 to {duration:g} s, "
                f"requests: {', '.join(names)}"
            )
        if name not in names:
            raise UsageError(f"--at {item!r}: {unknown('request', name, names)}")
        t = _time(item, when, duration)
        if any(abs(t - other) < 1e-3 for other in found):
            raise UsageError(f"--at {item!r}: there is a request at {when} s already; a tick takes one")
        found[t] = names[name]
    return found


def _time(item: str, when: str, duration: float) -> float:
    """Time of a request [s]."""
    try:
        t = float(when)
    except ValueError:
        raise UsageError(f"--at {item!r}: the time {when!r} is no number; such as 12=settle, in seconds") from None
    if not 0 <= t < duration:
        raise UsageError(f"--at {item!r}: the time {when} s is not within the run, 0 to {duration:g} s")
    return t


def _run(
    hexapod: "Hexapod", scenario: "Scenario", duration: float, o: PlatformOptions, out: Path | None,
    law: "OwnLaw | None", host: "Offline | None",
) -> "Done":  # fmt: skip
    from motionbase.executive.base_setup import cueing_of
    from motionbase.host.format import Kind
    from motionbase.record.cueing import cued_schema
    from motionbase.record.hexapod import hexapod_schema
    from motionbase.system.closed_loop import ClosedLoop
    from motionbase.system.cued_loop import CuedLoop
    from motionbase.system.runnable import Runnable
    from motionbase.system.simulation import simulated

    schema = hexapod_schema(hexapod.electric)
    loop: Runnable = ClosedLoop.of(hexapod, tuple(c.name for c in schema.channels) if out is not None else (), law)
    if host is not None and host.kind is Kind.VEHICLE:
        loop, schema = CuedLoop(loop, cueing_of(hexapod, o.cueing, o.algorithm)), cued_schema(schema)
    channels, rate = schema.channels if out is not None else (), RATE if o.rate is None else o.rate
    per_second = round(1 / loop.dt)
    if not 1 <= rate <= per_second or per_second % rate:
        raise UsageError(f"--rate is {rate}, it must divide the {per_second} ticks of a second")
    watched = {} if host is None else {"seen": host.look}
    with terminal.progress_bar(hexapod.name) as progress:
        return simulated(loop, channels, scenario, duration, per_second // rate, out, progress, **watched)


def _data(hexapod: "Hexapod", done: "Done") -> dict[str, Any]:
    """The result as JSON data, in SI units with names in lower case."""

    s, electric = done.summary, hexapod.electric
    return {
        "platform": hexapod.name,
        "duration_s": done.simulated_s,
        "ticks": done.ticks,
        "records": done.records,
        "wall_s": done.wall_s,
        "real_time_factor": done.simulated_s / done.wall_s,
        "states": [{"t": t, "state": state.name.lower()} for t, state in s.states],
        "faults": [
            {"t": t, "fault": named(fault.name.lower(), electric), "sentence": told(fault.sentence, electric)}
            for t, fault in s.faults
        ],
        "ended_by": None if s.standing is None else named(s.standing[1].name.lower(), electric),
        "drive_s": s.drive_s,
        "tracking": _errors(DOFS, s.rms, s.largest) if s.drive_s > 0 else {},
        "leg_tracking": _errors(LEG_NAMES, s.leg_rms, s.leg_largest) if s.drive_s > 0 else {},
        "peak_leg_force": s.force.tolist(),
        "peak_leg_force_at": s.force_at.tolist(),
        "stroke_left": s.stroke_left.tolist() if s.drive_s > 0 else None,
        "hard_end_left": s.hard_left.tolist(),
        "illustrative": list(hexapod.illustrative),
    }


def _errors(names: tuple[str, ...], rms: Any, largest: Any) -> dict[str, dict[str, float]]:
    """Errors by name; None if there is nothing to compare with."""
    if rms is None:
        return {}
    return {name: {"rms": float(a), "max": float(b)} for name, a, b in zip(names, rms, largest, strict=True)}


def _show(hexapod: "Hexapod", done: "Done", files: list[str], notes: list[str]) -> None:
    from motionbase.spatial.equals import first_largest, first_least

    s, screen = done.summary, terminal.console()
    table = terminal.table(f"{hexapod.name} after {done.simulated_s:g} s", "what", "value")
    factor = done.simulated_s / done.wall_s
    table.add_row(
        "wall time", f"{terminal.seconds(done.wall_s)}, {terminal.times_real_time(factor)}, {done.ticks} ticks"
    )
    table.add_row("states", ", ".join(f"{state.name.lower()} {t:.2f}" for t, state in s.states) + " s")
    for t, fault in s.faults:
        table.add_row("fault", f"{t:.4f} s: {told(fault.sentence, hexapod.electric) if fault else 'reset'}")
    if not s.faults:
        table.add_row("fault", "none")
    leg = first_largest(s.force)
    table.add_row("peak leg force", f"{s.force[leg] / 1e3:.2f} kN, leg {leg + 1} at {s.force_at[leg]:.3f} s")
    if s.drive_s > 0:
        leg = first_least(s.stroke_left)
        table.add_row("stroke left in drive", f"{s.stroke_left[leg] * 1e3:.0f} mm, leg {leg + 1}")
    leg = first_least(s.hard_left)
    left = s.hard_left[leg] * 1e3
    table.add_row("nearest to a hard end", f"{left:.0f} mm, leg {leg + 1}" if left >= 0 else f"met by leg {leg + 1}")
    for file in files:
        records = f" ({done.records} records)" if file.endswith((".csv", ".parquet")) else ""
        table.add_row("wrote", f"{file}{records}")
    for note in notes:
        table.add_row("note", note)
    screen.print(table)
    if s.drive_s > 0:
        columns = ("of", "rms error", "largest", "unit")
        errors = terminal.table(f"Error in drive, {s.drive_s:.2f} s", *columns, right=columns[1:3])
        listed = _errors(DOFS, s.rms, s.largest) | _errors(LEG_NAMES, s.leg_rms, s.leg_largest)
        for name, error in listed.items():
            unit = "mm" if name in (*LINEAR, *LEG_NAMES) else "mrad"
            errors.add_row(name, f"{1e3 * error['rms']:.3f}", f"{1e3 * error['max']:.3f}", unit)
        screen.print(errors)
        if s.rms is None:
            screen.print("Generators move single legs, so only lengths are compared: as commanded, and as they are.")
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
