"""`motionbase models`: the built-in models with where their numbers are from, or what one model is made of."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.choices import Mimic, Strict

if TYPE_CHECKING:
    from motionbase.cli.model_ref import Found
    from motionbase.multibody import Model


def models(
    model: Annotated[
        str | None,
        typer.Argument(metavar="MODEL", help="Show the parts of one: a name, a .toml or .urdf file, or file.py:NAME."),
    ] = None,
    strict: Strict = None,
    mimic: Mimic = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List the built-in multibody models: what they are, their size, and where their numbers are from.

    A model marked "illustrative" has numbers that nobody published. Assumptions are printed below the table. With
    MODEL, show its joints, and the names that --q0, --v0 and files use.

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
        table.add_row(name, *size, e.about, f"{'illustrative; ' if e.illustrative else ''}{e.source}")
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
    """Joints with the bodies they carry, and the names of coordinates, speeds, elements and closures."""
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
    return {"model": model.name, "gravity": list(model.gravity), "joints": joints, **names}


def _show_parts(found: "Found") -> None:
    """One row a joint."""
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
    for what in ("elements", "closures"):
        if parts[what]:
            screen.print(f"{what.capitalize()}: {', '.join(parts[what])}")
    if found.model.closures:
        from motionbase.multibody.names import q_of
        from motionbase.multibody.tree.loops import Loops

        with terminal.working("looking for redundant rows of closures"):
            redundant = Loops(found.model, step=1e-3, around=q_of(found.model, found.q0)).redundant
        for row in redundant:
            screen.print(f"  {row}")
    for note in found.notes:
        screen.print(f"note: {note}", style="dim")
