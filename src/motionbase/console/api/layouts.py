"""`/api/layouts`: what pages show, kept by name; the page alone knows what it means."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from motionbase.console.access import operator, viewer
from motionbase.console.api import names
from motionbase.console.api.sentences import SentenceRoute, TooLarge
from motionbase.console.models import Layout
from motionbase.errors import UsageError
from motionbase.recording.whole import whole_or_not

if TYPE_CHECKING:
    from pathlib import Path

    from motionbase.console.console import Console

WHAT, ENDING = "layout", ".json"
LARGEST = 256 * 1024  # bytes


def saved(folder: Path, name: str, layout: Layout) -> Layout:
    """Whole or not at all; one of that name is replaced."""
    if layout.name != name:
        raise UsageError(f"the layout says that it is called {layout.name!r:.80}, the address says {name!r:.80}")
    path = names.new_file(folder, WHAT, name, ENDING)
    try:
        text = json.dumps(layout.body, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        raise UsageError(f"layout {name!r}: it holds a number that is none, or a text that is no Unicode") from None
    if len(text) > LARGEST:
        raise TooLarge(f"layout {name!r} has {len(text)} bytes, {LARGEST} is the most")
    with whole_or_not(path, force=True) as part:
        part.write_bytes(text)
    return layout


def loaded(folder: Path, name: str) -> Layout:
    """One that is there."""
    path = names.stored_file(folder, WHAT, name, ENDING)
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError
        return Layout.model_validate({"name": name, "body": json.loads(path.read_text(encoding="utf-8"))})
    except (ValueError, RecursionError):  # also those of JSON, UTF-8 and the model
        raise UsageError(f"the file of layout {name!r} is damaged; save it anew or delete it") from None


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/layouts", route_class=SentenceRoute)
    folder = console.settings.data / "layouts"

    @api.get("", dependencies=[Depends(viewer)])
    def listed() -> list[str]:
        """Names of the layouts."""
        return names.stored(folder, ENDING)

    @api.get("/{name}", dependencies=[Depends(viewer)])
    def load(name: str) -> Layout:
        """A layout by name."""
        return loaded(folder, name)

    @api.put("/{name}", dependencies=[Depends(operator)])
    def save(name: str, layout: Layout) -> Layout:
        """Keep a layout under a name; one of that name is replaced."""
        return saved(folder, name, layout)

    @api.delete("/{name}", dependencies=[Depends(operator)])
    def remove(name: str) -> list[str]:
        """Remove a layout."""
        names.stored_file(folder, WHAT, name, ENDING).unlink(missing_ok=True)
        return names.stored(folder, ENDING)

    return api
