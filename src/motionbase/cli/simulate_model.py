"""`motionbase simulate` of a multibody model: data, table and picture."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from motionbase.cli import terminal
from motionbase.cli.terminal import progress_bar
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.cli.model_ref import Found
    from motionbase.multibody.recorded import Recorded
    from motionbase.multibody.trajectory import Trajectory

DURATION = 10.0


@final
@dataclass(frozen=True)
class ModelOptions:
    """Options of the command; None if not given."""

    dt: float | None = None
    method: str | None = None
    engine: str | None = None
    q0: list[str] | None = None
    v0: list[str] | None = None
    every: int | None = None
    momentum: bool | None = None
    redundancy: str | None = None
    outputs: str | None = None
    strict: bool | None = None
    mimic: str | None = None


def simulate_model(
    reference: str, duration: float | None, o: ModelOptions, out: Path | None, plot: Path | None, as_json: bool
) -> None:
    """Simulate, write and report."""
    from motionbase.cli import model_ref

    found = model_ref.load(reference, o.strict, o.mimic)
    lossy = bool(found.model.elements) or any(b.modes is not None for b in found.model.bodies)
    redundancy = o.redundancy or "drop"
    if redundancy not in ("drop", "regularise", "raise"):
        raise unknown("redundancy", redundancy, ("drop", "regularise", "raise"))
    options: dict[str, Any] = {"redundancy": redundancy, "outputs": _outputs(o.outputs)}
    options["start"] = (found.q0, found.v0)  # the default start, which a closed model may change
    options["q0"] = model_ref.named_numbers("--q0", o.q0) or found.q0
    options["v0"] = model_ref.named_numbers("--v0", o.v0) or found.v0
    trajectory, doubts = _run(found, DURATION if duration is None else duration, o, options)
    if out is not None:
        trajectory.write(out)
    if plot is not None:
        from motionbase.multibody.plot import write_plot

        write_plot(trajectory, plot)
    files = [str(p) for p in (out, plot) if p is not None]
    notes = [
        *found.notes,
        *doubts,
        *(["losses in dampers, friction and contact count as energy drift"] if lossy else []),
    ]
    summary = {**_summary(trajectory), "files": files, "notes": notes}
    if as_json:
        print(json.dumps(summary, indent=2))
    else:
        _show(trajectory, summary)


def _run(found: "Found", duration: float, o: ModelOptions, options: dict[str, Any]) -> tuple["Trajectory", list[str]]:
    """Simulate with a progress line on stderr; the motion, and notes about its accuracy."""
    import warnings

    from motionbase.multibody.integrators import METHODS
    from motionbase.multibody.network.methods import METHODS as NETWORK_METHODS
    from motionbase.multibody.simulate import simulate as run
    from motionbase.multibody.tree.dynamics import Tree
    from motionbase.multibody.tree.flight import Flight
    from motionbase.multibody.watch import SimulationWarning

    dt, every = 1e-3 if o.dt is None else o.dt, o.every
    if o.engine not in (None, "tree", "network"):
        raise unknown("engine", o.engine or "", ("tree", "network"))
    engine: Literal["tree", "network"] = "network" if o.engine == "network" else "tree"
    methods: tuple[str, ...] = tuple(METHODS) if engine == "tree" else tuple(NETWORK_METHODS)
    if o.method is not None and o.method not in methods:
        raise unknown("method", o.method, methods)
    if engine == "network" and o.momentum:
        raise UsageError("--momentum is for the tree engine; the network engine has no such form")
    model = Flight(Tree(found.model)) if o.momentum else found.model
    if every is None:
        every = max(1, int(duration / dt / 2000)) if dt > 0 and duration / dt < 1e15 else 1
    with progress_bar(found.model.name) as step, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SimulationWarning)
        found_motion = run(
            model,
            duration,
            dt,
            method=o.method,
            engine=engine,
            every=every,
            progress=step,
            **options,
        )
    return found_motion, [str(w.message) for w in caught]


def _outputs(given: str | None) -> "Recorded | None":
    """Parse outputs separated by commas: NAME=BODY.POINT, or the name of a kind."""
    from motionbase.multibody.recorded import Recorded

    if given is None:
        return None
    kinds: list[str] = []
    points: dict[str, tuple[str, Any]] = {}
    for item in (part.strip() for part in given.split(",")):
        name, equals, place = item.partition("=")
        body, dot, point = place.partition(".")
        if not equals:
            kinds.append(name)
        elif name and body and point:
            points[name] = (body, point)
        else:
            raise UsageError(f"--outputs {item!r}: a point is NAME=BODY.POINT, such as tip=arm.tip")
    return Recorded(tuple(kinds), points)


def _summary(trajectory: "Trajectory") -> dict[str, Any]:
    return {
        "model": trajectory.model,
        "method": trajectory.method,
        "duration_s": float(trajectory.t[-1]),
        "steps": trajectory.steps,
        "samples": len(trajectory.t),
        "wall_s": trajectory.wall_s,
        "real_time_factor": trajectory.real_time_factor,
        "energy_drift": trajectory.energy_drift,
        "q": {name: float(x) for (name, _), x in zip(trajectory.q_names, trajectory.q[-1], strict=True)},
        "v": {name: float(x) for (name, _), x in zip(trajectory.v_names, trajectory.v[-1], strict=True)},
    }


def _show(trajectory: "Trajectory", summary: dict[str, Any]) -> None:
    """Print the summary, then the final state."""
    screen = terminal.console()
    table = terminal.table(f"{trajectory.model} after {summary['duration_s']:g} s", "what", "value")
    table.add_row("method", f"{trajectory.method}, {trajectory.steps} steps")
    table.add_row("samples", str(len(trajectory.t)))
    factor = summary["real_time_factor"]
    table.add_row("wall time", f"{terminal.seconds(trajectory.wall_s)}, {terminal.times_real_time(factor)}")
    table.add_row("energy drift", f"{trajectory.energy_drift:.2g} of the energy exchanged")
    for file in summary["files"]:
        table.add_row("wrote", file)
    for note in summary["notes"]:
        table.add_row("note", note)
    screen.print(table)
    names = [name for name, _ in trajectory.q_names]
    if len(names) <= 14:
        ends = terminal.table("End", "coordinate", "value", "unit", right=("value",))
        for (name, unit), x in zip(trajectory.q_names, trajectory.q[-1], strict=True):
            ends.add_row(name, f"{x:.6g}", unit)
        screen.print(ends)
