"""Where the motion of a base comes from: a host's URL, or a program on this machine that fills the exchange itself."""

from __future__ import annotations

import re
import socket
from contextlib import closing
from dataclasses import dataclass
from typing import final

from motionbase.errors import UsageError, unknown
from motionbase.executive.host.motions import kind_of_played
from motionbase.host.format import Kind
from motionbase.host.url import Played, Udp, source_of
from motionbase.worlds.library import CATALOGUES, WorldUrl, world_url

SHARED = "shared://"
KINDS = {kind.value: kind for kind in (Kind.POSE, Kind.VEHICLE)}
ANY_PORT = re.compile(r"(udp://.*):0(/?(?:\?.*)?)", re.DOTALL)


@final
@dataclass(frozen=True)
class Shared:
    """A program on this machine; no process of ours stands between it and the loop."""

    text: str
    kind: Kind


Source = Udp | Played | Shared | WorldUrl


def host_source(text: str) -> Source:
    """The source that `--host` names; raises `UsageError` with one sentence."""
    if (world := world_url(text)) is not None:
        return world
    if "://" not in text:
        worlds = ", ".join(CATALOGUES)
        raise UsageError(f"{text!r:.80} is no URL and no world; worlds are {worlds}, a URL is udp://127.0.0.1:8730")
    if not text.startswith(SHARED):
        return source_of(text)
    name = text.removeprefix(SHARED)
    if name not in KINDS:
        raise UsageError(f"{text!r:.80}: {unknown('kind', name, KINDS)}, such as {SHARED}pose")
    return Shared(text, KINDS[name])


def told_by(source: Source) -> Kind:
    """The kind of motion that a base gets from a source: a pose of displacements of legs."""
    if isinstance(source, WorldUrl):
        return Kind.VEHICLE
    if isinstance(source, Played):
        return kind_of_played(source)
    return Kind.VEHICLE if source.kind is Kind.VEHICLE else Kind.POSE


def with_port(text: str) -> str:
    """The URL with a free port in place of 0, so that a restarted process listens at the same port."""
    if (found := ANY_PORT.fullmatch(text)) is None:
        return text
    before, after = found.groups()
    with closing(socket.socket(socket.AF_INET6 if "[" in before else socket.AF_INET, socket.SOCK_DGRAM)) as free:
        free.bind(("::1" if "[" in before else "127.0.0.1", 0))
        return f"{before}:{free.getsockname()[1]}{after}"
