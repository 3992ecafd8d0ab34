"""`motionbase simulate`: a model's motion as numbers, a table or a picture."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import check_writable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.cli.model_ref import Found
    from motionbase.multibody.recorded import Recorded
    from motionbase.multibody.trajectory import Trajectory


def simulate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A name from `motionbase models`, a .toml or .urdf file, or file.py:NAME."
        ),
    ],
    duration: Annotated[float, typer.Option(help="Simulated time [s].")] = 10.0,
    dt: Annotated[float, typer.Option(help="Step [s]; for adaptive methods the time between samples.")] = 1e-3,
    method: Annotated[
        str, typer.Option(help="euler, rk4, dopri5 (adaptive), rodas3 or rodas3_adaptive (stiff).")
    ] = "rk4",
    q0: Annotated[
        list[str] | None,
        typer.Option("--q0", metavar="NAME=VALUE", help="Start of a coordinate, or of a joint: base=0,0,0,1,0,0,0."),
    ] = None,
    v0: Annotated[
        list[str] | None, typer.Option("--v0", metavar="NAME=VALUE", help="Start of a speed, or of a joint's speeds.")
    ] = None,
    every: Annotated[int | None, typer.Option(help="Steps between samples; without it, about 2000 samples.")] = None,
    momentum: Annotated[
        bool, typer.Option("--momentum", help="Keep the momentum of a free-flying model to rounding; steps cost more.")
    ] = False,
    redundancy: Annotated[
        str,
        typer.Option(help="Closure rows that follow from others: drop, regularise (also at singular places) or raise."),
    ] = "drop",
    outputs: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="More columns: points as tip=BODY.POINT, and com, loads, reactions, accelerations; apart by commas.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the samples: .csv or .parquet.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the motion: .png, .pdf or .svg.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Simulate a multibody model and report its motion.

    A built-in model starts with some motion of its own, a model from a file at rest with all coordinates zero; --q0
    and --v0 change that, name by name. No drives act. Angles are in rad, lengths in m.

    Example: motionbase simulate pendulum --duration 5 --q0 pivot=1.5 --plot run.png
    """
    from motionbase.cli import model_ref
    from motionbase.cli.suggest import unknown

    _check_writable(out, (".csv", ".parquet"))
    _check_writable(plot, (".png", ".pdf", ".svg"))
    found = model_ref.load(model)
    lossy = bool(found.model.elements) or any(b.modes is not None for b in found.model.bodies)
    q = {**found.q0, **model_ref.named_numbers("--q0", q0)}
    v = {**found.v0, **model_ref.named_numbers("--v0", v0)}
    if redundancy not in ("drop", "regularise", "raise"):
        raise unknown("redundancy", redundancy, ("drop", "regularise", "raise"))
    options: dict[str, Any] = {"redundancy": redundancy, "outputs": _outputs(outputs)}
    trajectory, doubts = _run(found, duration, dt, method, q, v, every, momentum, options)
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


def _check_writable(path: Path | None, endings: tuple[str, ...]) -> None:
    """Before anything is computed: the folder is there, the ending is known, and its package is installed."""
    check_writable(path, endings)
    if path is not None and path.suffix == ".parquet":
        from importlib.util import find_spec

        from motionbase.multibody.trajectory import PARQUET_MISSING

        if find_spec("pyarrow") is None:
            raise UsageError(PARQUET_MISSING)


def _run(
    found: "Found",
    duration: float,
    dt: float,
    method: str,
    q: dict[str, Any],
    v: dict[str, Any],
    every: int | None,
    momentum: bool,
    options: dict[str, Any],
) -> tuple["Trajectory", list[str]]:
    """Simulate with a progress line on stderr; the motion, and what is in doubt about it."""
    import warnings

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from motionbase.cli.suggest import unknown
    from motionbase.multibody.integrators import METHODS
    from motionbase.multibody.simulate import simulate as run
    from motionbase.multibody.tree.dynamics import Tree
    from motionbase.multibody.tree.flight import Flight
    from motionbase.multibody.watch import SimulationWarning

    if method not in METHODS:
        raise unknown("method", method, METHODS)
    model = Flight(Tree(found.model)) if momentum else found.model
    if every is None:
        every = max(1, int(duration / dt / 2000)) if dt > 0 and duration / dt < 1e15 else 1
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(f"compiling {found.model.name}", total=None)

        def step(fraction: float) -> None:
            progress.update(task, description=found.model.name, total=1.0, completed=fraction)

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SimulationWarning)
            found_motion = run(model, duration, dt, method=method, q0=q, v0=v, every=every, progress=step, **options)
        return found_motion, [str(w.message) for w in caught]


def _outputs(given: str | None) -> "Recorded | None":
    """tip=BODY.POINT, or the name of a kind, apart by commas."""
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
    """Figures first, then where the motion ended."""
    screen = terminal.console()
    table = terminal.table(f"{trajectory.model} after {summary['duration_s']:g} s", "what", "value")
    table.add_row("method", f"{trajectory.method}, {trajectory.steps} steps")
    table.add_row("samples", str(len(trajectory.t)))
    factor = summary["real_time_factor"]
    table.add_row("wall time", f"{terminal.seconds(trajectory.wall_s)}, {factor:,.0f} times real time")
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
