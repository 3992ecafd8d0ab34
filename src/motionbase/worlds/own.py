"""A user's own world by FILE.py:NAME: an object that is a `World`, or a class or function that makes one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from motionbase.compile.reference import guarded, module_of
from motionbase.errors import UsageError, unknown
from motionbase.worlds.world import World

MEMBERS = (
    "kind", "name", "dt", "controls", "channels", "scene", "scripts", "cueing", "reset", "step", "t", "vehicle",
    "place", "told",
)  # fmt: skip


def own_world(reference: str, options: Mapping[str, str]) -> World:
    """The world of that name; raises `UsageError` with one sentence.

    Args:
        options: of the URL, passed to a class or function by name, as texts
    """
    where, _, name = reference.rpartition(":")
    if not (where.endswith(".py") and name.isidentifier()):
        raise UsageError(f"{reference!r:.200}: a world of your own is world://FILE.py:NAME")
    module = module_of(where)
    if not hasattr(module, name):
        there = [n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__]
        raise unknown(f"world in {where}", name, there, "names there")
    value: Any = getattr(module, name)
    if callable(value):
        try:
            inspect.signature(value).bind(**options)
        except TypeError as error:
            raise UsageError(f"{reference}: options {', '.join(options) or 'none'}: {error}") from None
        value = guarded(f"{where}:{name}()", lambda: value(**options))
    elif options:
        raise UsageError(f"{reference} is no function, so it has no options, and {', '.join(options)} is given")
    if lacks := [member for member in MEMBERS if inspect.getattr_static(value, member, None) is None]:
        raise UsageError(f"{reference} is no world: it lacks {', '.join(lacks)}; see motionbase.worlds.world.World")
    world: World = value
    return world
