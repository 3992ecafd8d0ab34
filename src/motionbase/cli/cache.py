"""`motionbase cache`: what is kept of compiled kernels, and how to be rid of it."""

import json
import time
from enum import StrEnum
from typing import Annotated, Any

import typer

from motionbase.cli.terminal import size


class Action(StrEnum):
    """What to do."""

    show = "show"
    clear = "clear"


def cache(
    action: Annotated[Action, typer.Argument(help="Tell what there is, or delete it.")] = Action.show,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Show or clear the object code kept on disk.

    The folder is $MOTIONBASE_CACHE, else motionbase/objects in the user's cache folder. Clearing costs nothing but the
    time to compile again.

    Example: motionbase cache show
    """
    from motionbase.native.cache import ObjectCache

    store = ObjectCache()
    data = _state(store) if action is Action.show else _clear(store)
    if as_json:
        print(json.dumps(data, indent=2))
    elif action is Action.show:
        _show(data)
    else:
        print(f"{data['folder']}: removed {data['removed']} entries, {size(data['bytes'])}")


def _state(store: Any) -> dict[str, Any]:
    entries = store.entries()
    refusal = store.refusal()
    return {
        "folder": str(store.folder),
        "usable": refusal is None,
        "reason": refusal,
        "entries": len(entries),
        "bytes": sum(e.bytes for e in entries),
        "oldest": _time(entries[0].used) if entries else None,
        "newest": _time(entries[-1].used) if entries else None,
    }


def _clear(store: Any) -> dict[str, Any]:
    total = sum(e.bytes for e in store.entries())
    return {"folder": str(store.folder), "removed": store.clear(), "bytes": total}


def _show(data: dict[str, Any]) -> None:
    print(f"folder   {data['folder']}")
    print(f"usable   {'yes' if data['usable'] else 'no: ' + data['reason']}")
    print(f"entries  {data['entries']}, {size(data['bytes'])}")
    if data["entries"]:
        print(f"used     {data['oldest']} to {data['newest']}")


def _time(stamp: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(stamp))
