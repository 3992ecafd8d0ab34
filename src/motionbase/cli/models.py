"""`motionbase models` and `motionbase modes`: built-in models, their parts, and natural modes."""

import json
import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Json, Mimic, Strict
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.cli.model_ref import Found
    from motionbase.multibody import Model
    from motionbase.multibody.analysis import Equilibrium, NaturalModes


def models(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL", help="Show the parts of this model: a name, a .toml or .urdf file, or file.py:NAME."
        ),
    ] = None,
    strict: Strict = None,
    mimic: Mimic = None,
    as_json: Json = False,
) -> None:
    """List the built-in multibody models with descriptions, sizes and sources.

    A model marked "illustrative" has unpublished numbers. Assumptions are listed below the table. With MODEL, shows its
    joints, and the names for --q0, --v0 and files.

    Example: motionbase models two_link

    Example: motionbase models robot.urdf --strict
    """
    if model is not None:
        from motionbase.cli import model_ref

        found = model_ref.load(model, strict, mimic)
        if as_json:
            print(json.dumps({**_parts(found.model), "notes": list(found.notes)}, indent=2))
        else:
            _show_parts(found)
        return
    from motionbase.multibody.models import MODELS

    built = {name: example.build() for name, example in MODELS.items()}
    if as_json:
        rows = {
            name: {
                "about": e.about,
                "source": e.source,
                "assumptions": list(e.assumptions),
                "illustrative": e.illustrative,
                "engines": list(e.engines),
                "bodies": len(built[name].bodies),
                "coordinates": built[name].nq,
                "speeds": built[name].nv,
            }
            for name, e in MODELS.items()
        }
        print(json.dumps(rows, indent=2))
        return
    table = terminal.table("Models", "name", "bodies", "q", "v", "what it is", "source", right=("bodies", "q", "v"))
    for name, e in MODELS.items():
        size = (str(len(built[name].bodies)), str(built[name].nq), str(built[name].nv))
        only = f"{e.engines[0]} engine only; " if len(e.engines) == 1 else ""
        table.add_row(name, *size, e.about, f"{only}{'illustrative; ' if e.illustrative else ''}{e.source}")
    screen = terminal.console()
    screen.print(table)
    notes: dict[str, list[str]] = {}
    for name, e in MODELS.items():
        for text in e.assumptions:
            notes.setdefault(text, []).append(name)
    screen.print("Assumed:", style="bold")
    for text, names in notes.items():
        screen.print(f"  {', '.join(names)}: {text}")
    screen.print("\nmotionbase simulate NAME runs one of them.", style="dim")


def _parts(model: "Model") -> dict[str, Any]:
    """Joints with their bodies, and the names of coordinates, speeds, elements, closures and driven inputs."""
    from motionbase.multibody.names import coordinates, speeds

    q, v = coordinates(model), speeds(model)
    joints = [
        {
            "joint": joint.name,
            "parent": joint.parent,
            "child": joint.child,
            "mass_kg": body.mass,
            "coordinates": {c.name: c.unit for at in model.q_slices[k] for c in q[at]},
            "speeds": {c.name: c.unit for at in model.v_slices[k] for c in v[at]},
        }
        for k, (joint, body) in enumerate(zip(model.joints, model.bodies, strict=True))
    ]
    names = {what: [part.name for part in getattr(model, what)] for what in ("elements", "closures")}
    names["drives"] = list(model.drives)
    return {"model": model.name, "gravity": list(model.gravity), "joints": joints, **names}


def _show_parts(found: "Found") -> None:
    """Print one row per joint."""
    parts = _parts(found.model)
    columns = "joint", "parent", "child", "mass [kg]", "coordinates", "speeds"
    table = terminal.table(f"Parts of {found.model.name}", *columns, right=("mass [kg]",))
    for joint in parts["joints"]:
        names = (
            ", ".join(f"{name} [{unit}]" for name, unit in joint[kind].items()) or "fixed"
            for kind in ("coordinates", "speeds")
        )
        table.add_row(joint["joint"], joint["parent"], joint["child"], f"{joint['mass_kg']:.6g}", *names)
    screen = terminal.console()
    screen.print(table)
    for what in ("elements", "closures", "drives"):
        if parts[what]:
            screen.print(f"{what.capitalize()}: {', '.join(parts[what])}")
    if found.model.closures:
        from motionbase.multibody.names import q_of
        from motionbase.multibody.tree.loops import Loops

        with terminal.working("searching redundant rows of closures"):
            redundant = Loops(found.model, step=1e-3, around=q_of(found.model, found.q0)).redundant
        for row in redundant:
            screen.print(f"  {row}")
    for note in found.notes:
        screen.print(f"note: {note}", style="dim")


def modes(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A name from `motionbase models`, a .toml or .urdf file, or file.py:NAME."
        ),
    ],
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="Start of the search for the equilibrium: a coordinate or joint [rad, m].",
        ),
    ] = None,
    nearest: Annotated[
        bool, typer.Option("--nearest", help="Use the nearest equilibrium, even if it is unstable.")
    ] = False,
    number: Annotated[int | None, typer.Option(help="Number of modes, from the lowest; default: all.")] = None,
    strict: Strict = None,
    mimic: Mimic = None,
    as_json: Json = False,
) -> None:
    """Find an equilibrium and print the natural frequencies, damping ratios and mode shapes about it.

    The search starts at the initial state of `motionbase simulate` and follows the forces; --at changes the start by
    name, in rad and m. Unrestrained motions have 0 Hz.

    Example: motionbase modes two_link --at shoulder=-1.5
    """
    from motionbase.cli import model_ref
    from motionbase.multibody.analysis import equilibrium
    from motionbase.multibody.analysis import modes as find

    if number is not None and number < 1:
        raise UsageError(f"--number {number}: at least 1 is wanted")
    found = model_ref.load(model, strict, mimic)
    start = {**found.q0, **model_ref.named_numbers("--at", at)}
    with terminal.working(f"searching the equilibrium of {found.model.name}"):
        rest = equilibrium(found.model, start, search="nearest" if nearest else "stable")
        natural = find(found.model, rest.q)
    count = len(natural) if number is None else min(number, len(natural))
    if as_json:
        print(json.dumps(_modes_data(found.model, rest, natural, count, found.notes), indent=2))
    else:
        _show_modes(found.model, rest, natural, count, found.notes)


def _number(x: float) -> float | None:
    """A number, or None for NaN, which JSON does not have."""
    return float(x) if math.isfinite(x) else None


def _modes_data(
    model: "Model", rest: "Equilibrium", natural: "NaturalModes", count: int, notes: tuple[str, ...]
) -> dict[str, Any]:
    from motionbase.multibody.names import coordinates

    rows = [
        {
            "frequency_hz": float(natural.frequencies[k]),
            "damping": _number(natural.damping[k]),
            "eigenvalue_per_s": [natural.eigenvalues[k].real, natural.eigenvalues[k].imag],
            "kind": natural.kinds[k],
            "joints": {name: float(share[k]) for name, share in natural.joints.items()},
            "bodies": {name: float(share[k]) for name, share in natural.bodies.items()},
            "shape": {name: [x.real, x.imag] for name, x in zip(natural.names, natural.shapes[:, k], strict=True)},
        }
        for k in range(count)
    ]
    return {
        "model": model.name,
        "q": {quantity.name: float(x) for quantity, x in zip(coordinates(model), rest.q, strict=True)},
        "force_left": rest.force,
        "closure_left": rest.closure,
        "steps": rest.steps,
        "modes": rows,
        "notes": list(notes),
    }


def _show_modes(
    model: "Model", rest: "Equilibrium", natural: "NaturalModes", count: int, notes: tuple[str, ...]
) -> None:
    """Print one row per mode, then the equilibrium."""
    from motionbase.multibody.names import coordinates
    from motionbase.spatial.equals import ALIKE, ranked

    screen = terminal.console()
    right = ("mode", "frequency [Hz]", "damping ratio")
    table = terminal.table(f"Modes of {model.name}", *right, "kind", "joints that move most", right=right)
    for k in range(count):
        shares = [(float(s[k]), name) for name, s in natural.joints.items()]
        most = [shares[i] for i in ranked([-s for s, _ in shares], ALIKE)[:3]]
        moving = ", ".join(f"{name} {100 * s:.0f} %" for s, name in most if s >= 0.01)
        ratio, kind = natural.damping[k], natural.kinds[k]
        rate = f", {natural.eigenvalues[k].real:+.4g} 1/s" if kind in ("growth", "driver") else ""
        damped = f"{ratio:.4g}" if math.isfinite(ratio) else "-"
        table.add_row(str(k + 1), f"{natural.frequencies[k]:.6g}", damped, kind + rate, moving)
    screen.print(table)
    if count < len(natural):
        screen.print(f"{len(natural) - count} more; --number shows others.", style="dim")
    places = [
        f"{c.name} = {x if abs(x) > 1e-12 else 0.0:.6g} {c.unit}".removesuffix(" -")
        for c, x in zip(coordinates(model), rest.q, strict=True)
    ]
    more = f" ... ({len(places)} in all)" if len(places) > 14 else ""
    screen.print(f"At rest at {', '.join(places[:14])}{more}; force left {rest.force:.2g} N or N m.")
    for note in notes:
        screen.print(f"note: {note}", style="dim")
