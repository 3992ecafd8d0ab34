"""All wire formats by name."""

from __future__ import annotations

from motionbase.errors import unknown
from motionbase.host.format import Format
from motionbase.host.protocol import own

FORMATS: dict[str, Format] = {form.name: form for form in own.FORMATS}


def format_of(name: str) -> Format:
    """The format of that name; raises `UsageError` if there is none."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
