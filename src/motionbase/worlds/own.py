"""A user's own world by FILE.py:NAME: an object with the members of `World`, or a class or function that makes one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from motionbase.compile.reference import guarded, module_of
from motionbase.errors import UsageError, unknown
from motionbase.record.schema import Channel
from motionbase.worlds.world import Control, World

MEMBERS = (
    "kind", "name", "dt", "controls", "channels", "scene", "scripts", "cueing", "reset", "step", "t", "vehicle",
    "place", "told",
)  # fmt: skip
KINDS = ("boat", "flight", "drive")
LONGEST_NAME = 64
SHORTEST_S, LONGEST_S = 1e-4, 0.1  # periods; a base takes a host for silent after a few tenths of a second


def own_world(reference: str, options: Mapping[str, str]) -> World:
    """The world of that name; raises `UsageError` with one sentence.

    Args:
        options: of the URL, passed to a class or function as keyword arguments of type str
    """
    where, _, name = reference.rpartition(":")
    if not (where.endswith(".py") and name.isidentifier()):
        raise UsageError(f"{reference!r:.200}: a world of your own is FILE.py:NAME; in a URL, world://FILE.py:NAME")
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
        raise UsageError(f"{reference} is an object, which takes no options, but {', '.join(options)} is given")
    if lacks := [member for member in MEMBERS if inspect.getattr_static(value, member, None) is None]:
        raise UsageError(f"{reference} is no world: it lacks {', '.join(lacks)}; see motionbase.worlds.world.World")
    world: World = value
    if wrong := guarded(reference, lambda: _wrong(world)):
        raise UsageError(f"{reference}: {wrong}")
    return world


def _wrong(world: Any) -> str:
    """What is wrong with the members that are known before `reset`, "" if nothing is."""
    if world.kind not in KINDS:
        return f"kind is {world.kind!r:.60}, it must be {', '.join(KINDS[:-1])} or {KINDS[-1]}"
    if not (isinstance(world.name, str) and world.name.isprintable() and 0 < len(world.name) <= LONGEST_NAME):
        return f"name is {world.name!r:.60}, it must be a printable text of 1 to {LONGEST_NAME} letters"
    if not SHORTEST_S <= world.dt <= LONGEST_S:
        return f"dt is {world.dt!r:.60} s, it must be {SHORTEST_S:g} to {LONGEST_S:g} s"
    for member, wanted in ("controls", Control), ("channels", Channel):
        if strange := [one for one in getattr(world, member) if not isinstance(one, wanted)]:
            return f"{member} has {strange[0]!r:.60}, it must hold {wanted.__module__}.{wanted.__name__} only"
    if not isinstance(world.scripts, Mapping):
        return f"scripts is a {type(world.scripts).__name__}, it must be a dict of functions by name"
    return ""
