"""`/api/world`: the world of a ring's host, out of the text that the ring carries."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapi import APIRouter
from pydantic import ValidationError

from motionbase.console.api.sentences import NotThere, SentenceRoute, told
from motionbase.console.models import SourceName, WorldScene

if TYPE_CHECKING:
    from motionbase.console.console import Console

UNNAMED = "a world"


@lru_cache(maxsize=4)
def world_of_text(text: str) -> WorldScene | str:
    """The scene in a text; a sentence if there is none, or it cannot be drawn."""
    if not text:
        return "the host's vehicle moves in no world"
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "the scene of the world is no JSON"
    name = str(found.get("name"))[:64] if isinstance(found, dict) else ""
    try:
        return WorldScene.model_validate(found)
    except ValidationError as error:
        return f"the scene of world {name!r} cannot be drawn: {told(error.errors()[0])}"


@lru_cache(maxsize=4)
def world_name(text: str) -> str:
    """What a world is called; "" if there is none."""
    if not text:
        return ""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return UNNAMED
    return (str(found.get("name", ""))[:64] if isinstance(found, dict) else "") or UNNAMED


def stored_world(text: str) -> WorldScene:
    """The scene of the world in a text, or 404 with the reason."""
    found = world_of_text(text)
    if isinstance(found, str):
        raise NotThere(f"no outside view: {found}")
    return found


def shown_world(console: Console, source: SourceName) -> WorldScene:
    """The scene of the world of a ring, or 404 with the reason."""
    header = console.source(source).header
    return stored_world(header.layout.world if header is not None else "")


def router(console: Console) -> APIRouter:
    """The address."""
    api = APIRouter(route_class=SentenceRoute)

    @api.get("/api/world")
    async def world(source: SourceName = "live") -> WorldScene:
        """The vehicle and its surroundings."""
        return await console.turns.looking.take(lambda: shown_world(console, source))

    return api
