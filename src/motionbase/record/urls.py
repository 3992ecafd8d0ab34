"""URLs by which sources of motion are named: SCHEME://NAME?OPTION=VALUE&OPTION=VALUE."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import unquote

from motionbase.errors import UsageError, unknown

LONGEST = 1000  # letters


def url_parts(text: str, schemes: Collection[str], such_as: str) -> tuple[str, str, dict[str, str]]:
    """Scheme, what follows, and the options; raises `UsageError` with one sentence.

    Args:
        such_as: an example, for a text that is no URL
    """
    if not text.isprintable() or len(text) > LONGEST:
        raise UsageError(f"{text[:60]!r} is no URL: it must be printable, of at most {LONGEST} letters")
    scheme, found, rest = text.partition("://")
    if not found:
        raise UsageError(f"{text!r} is no URL; give one such as {such_as}")
    if scheme not in schemes:
        raise UsageError(f"{text!r}: {unknown('scheme', scheme, schemes)}")
    rest, _, query = rest.partition("?")
    given: dict[str, str] = {}
    for piece in query.split("&") if query else []:
        name, equals, value = piece.partition("=")
        if not equals or not value:
            raise UsageError(f"{text!r}: {piece!r} is no option; options are NAME=VALUE, with & between them")
        if name in given:
            raise UsageError(f"{text!r}: {name} is given twice")
        given[name] = unquote(value)
    return scheme, rest, given
