"""`/api/layouts`: layouts of pages, stored by name; their content is known only to the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from motionbase.console.access import operator, viewer
from motionbase.console.api.sentences import SentenceRoute, TooLarge
from motionbase.console.api.shelf import Shelf
from motionbase.console.models import Layout
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.console.console import Console

LARGEST = 256 * 1024  # of a layout [bytes]


def saved(shelf: Shelf, name: str, layout: Layout) -> Layout:
    """Store a layout, replacing one of that name."""
    if layout.name != name:
        raise UsageError(f"the layout says that it is called {layout.name!r:.80}, the address says {name!r:.80}")
    try:
        text = json.dumps(layout.body, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        raise UsageError(f"layout {name!r:.80}: it holds a number that is none, or a text that is no Unicode") from None
    if len(text) > LARGEST:
        raise TooLarge(f"layout {name!r:.80} has {len(text)} bytes, {LARGEST} is the most")
    shelf.keep(name, text)
    return layout


def loaded(shelf: Shelf, name: str) -> Layout:
    """A stored layout."""
    path = shelf.file(name)
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        return Layout.model_validate({"name": name, "body": json.loads(path.read_text(encoding="utf-8"))})
    except (ValueError, RecursionError):  # includes errors of JSON, UTF-8 and the model
        raise UsageError(f"the file of layout {name!r} is damaged; save it again or delete it") from None


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/layouts", route_class=SentenceRoute)
    shelf, turns = Shelf(console.settings.data / "layouts", "layout", ".json"), console.turns

    @api.get("", dependencies=[Depends(viewer)])
    async def listed() -> list[str]:
        """Names of the layouts."""
        return await turns.stored.take(lambda: shelf.names)

    @api.get("/{name:path}", dependencies=[Depends(viewer)])
    async def load(name: str) -> Layout:
        """Load a layout by name."""
        return await turns.stored.take(lambda: loaded(shelf, name))

    @api.put("/{name:path}", dependencies=[Depends(operator)])
    async def save(name: str, layout: Layout) -> Layout:
        """Store a layout under a name, replacing one of that name."""
        return await turns.working.take(lambda: saved(shelf, name, layout))

    @api.delete("/{name:path}", dependencies=[Depends(operator)])
    async def remove(name: str) -> list[str]:
        """Remove a layout."""
        return await turns.working.take(lambda: shelf.remove(name))

    return api
