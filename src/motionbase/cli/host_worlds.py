"""`motionbase host worlds`: vehicles of all kinds of worlds, their options and scripts."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Json
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.worlds.library import Catalogue
    from motionbase.worlds.option import Option


def worlds(
    name: Annotated[
        str | None, typer.Argument(metavar="[KIND|VEHICLE]", help="boat, flight, drive or the name of a vehicle.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the vehicles of all worlds and the scripts that steer them; with a name, also their options.

    Example: motionbase host worlds boat
    """
    from motionbase.worlds.library import CATALOGUES, catalogues

    found = {kind: catalogues(kind) for kind in CATALOGUES}
    vehicles = {vehicle: kind for kind, there in found.items() for one in there for vehicle in one.NAMES}
    if name is not None and name not in found and name not in vehicles:
        raise unknown("kind or vehicle", name, [*found, *vehicles], "kinds and vehicles")
    chosen = [
        (kind, one) for kind, there in found.items() for one in there if name in (None, kind) or name in one.NAMES
    ]
    if as_json:
        data = [about for kind, one in chosen for about in _about(kind, one, name)]
        print(json.dumps(data, indent=2))
        return
    table = terminal.table("Vehicles", "URL", "about", "scripts")
    for kind, one in chosen:
        for about in _about(kind, one, name):
            table.add_row(f"{kind}://{about['name']}", about["about"], ", ".join(about["scripts"]))
        if one.FILES:
            table.add_row(f"{kind}://FILE{one.FILES}", "a vehicle of your own", "")
    screen = terminal.console()
    screen.print(table)
    if name is None:
        print("options: `motionbase host worlds KIND`; a platform follows one with `motionbase run simona --host URL`")
        return
    for kind, one in chosen:
        names = [vehicle for vehicle in one.NAMES if name in (kind, vehicle)]
        title = f"Options of {kind}://{names[0]}" + (" and others of its kind" if len(names) > 1 else "")
        options = terminal.table(title, "option", "meaning", "default", "values")
        for option in one.OPTIONS:
            options.add_row(option.name, option.text, *_values(option))
        screen.print(options)
    print(
        f"use: `motionbase host {chosen[0][0]} VEHICLE OPTION=VALUE`, in URLs {chosen[0][0]}://VEHICLE?OPTION=VALUE&..."
    )


def _about(kind: str, catalogue: "Catalogue", name: str | None) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "name": vehicle,
            "about": text,
            "scripts": _scripts(kind, vehicle),
            "options": [_described(option) for option in catalogue.OPTIONS],
        }
        for vehicle, text in catalogue.NAMES.items()
        if name in (None, kind, vehicle)
    ]


def _scripts(kind: str, vehicle: str) -> list[str]:
    """Scripts of a vehicle; none if this installation cannot simulate it."""
    from motionbase.worlds.library import WorldUrl

    try:
        return list(WorldUrl(f"{kind}://{vehicle}", kind, vehicle).made().scripts)
    except UsageError:
        return []


def _described(option: "Option") -> dict[str, Any]:
    usual, values = _values(option)
    return {"name": option.name, "about": option.text, "usual": usual, "values": values}


def _values(option: "Option") -> tuple[str, str]:
    """Default of an option, and its possible values."""
    from motionbase.worlds.option import Choice, Number

    if isinstance(option, Number):
        unit = "" if option.unit == "-" else f" {option.unit}"
        return f"{option.usual:g}{unit}", f"{option.low:g} to {option.high:g}{unit}"
    return option.usual, ", ".join(option.choices) if isinstance(option, Choice) else ""
