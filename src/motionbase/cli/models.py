"""`motionbase models`: the built-in models, with where their numbers are from."""

import json
from typing import Annotated

import typer

from motionbase.cli import terminal


def models(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List the built-in multibody models: what they are, their size, and where their numbers are from.

    A model marked "illustrative" has numbers that nobody published. Assumptions are printed below the table.

    Example: motionbase models
    """
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
