"""URLs of sources and targets of motion.

udp://ADDRESS:PORT?format=NAME&from=ADDRESS,ADDRESS&requests=yes&lever=x,y,z&gravity=yes|no&flip=NAME,NAME
file://PATH?rate=HZ&loop=yes&kind=pose|vehicle&channels=host|cmd|pose_hat&start=S&stop=S
ring://NAME?rate=HZ&kind=pose|vehicle&channels=host|cmd|pose_hat
manoeuvre://NAME?rate=HZ&loop=yes&amplitude=NUMBER
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import final
from urllib.parse import unquote

from motionbase.errors import UsageError
from motionbase.host.format import Format, Kind, Options
from motionbase.host.formats import format_of
from motionbase.host.receiver import LOOPBACK, Network
from motionbase.host.url_options import (
    YES,
    check_known,
    networks_of,
    number_of,
    one_of,
    options_of,
    parsed,
    place_of,
    port_of,
)
from motionbase.record.urls import url_parts

RATE, SLOWEST, FASTEST = 60.0, 1.0, 1000.0  # [Hz] of frames
KINDS = {"pose": Kind.POSE, "vehicle": Kind.VEHICLE}


@final
@dataclass(frozen=True)
class Udp:
    """A host that sends datagrams to us, or a base to which we send.

    Attributes:
        address, port: where the receiver listens
        allowed: networks whose datagrams are heard
        requests: whether the host may ask for more than to freeze or abort
        answer: port of the host that gets the answers; None is the one that it sends from
    """

    text: str
    address: str
    port: int
    form: Format
    options: Options = Options()
    allowed: tuple[Network, ...] = LOOPBACK
    requests: bool = False
    answer: int | None = None

    @property
    def kind(self) -> Kind:
        """What its frames hold."""
        return self.form.kind


@final
@dataclass(frozen=True)
class Played:
    """A file, a ring or a manoeuvre that is sent as a host would.

    Attributes:
        scheme: file, ring or manoeuvre
        name: path or name
        rate: frames per second [Hz]
        loop: whether it begins again at its end
        kind: what is taken of a source that holds both; None is a vehicle if there is one
        start, stop: part of a file [s]
        channels: which pose of a recording or ring is taken: the host's, the command, or the estimate
        settings: options of a manoeuvre, checked where it is made
    """

    text: str
    scheme: str
    name: str
    rate: float = RATE
    loop: bool = False
    kind: Kind | None = None
    start: float | None = None
    stop: float | None = None
    channels: str = "host"
    settings: tuple[tuple[str, float], ...] = ()

    @property
    def path(self) -> Path:
        """Of a file."""
        return Path(self.name).expanduser()


@final
@dataclass(frozen=True)
class Stored:
    """A file or a ring that frames go into.

    Attributes:
        scheme: file or ring
        name: path or name
    """

    text: str
    scheme: str
    name: str

    @property
    def path(self) -> Path:
        """Of a file."""
        return Path(self.name).expanduser()


Source = Udp | Played
STORES = {"file": "path", "ring": "name"}
OPTIONS = {
    "file": ("rate", "loop", "kind", "channels", "start", "stop"),
    "ring": ("rate", "kind", "channels"),
    "manoeuvre": ("rate", "loop"),
}
SCHEMES = ("udp", *OPTIONS)
CHANNELS = ("host", "cmd", "pose_hat")


def source_of(text: str, usual: Format | None = None) -> Source:
    """The source that a URL names; raises `UsageError` with one sentence.

    Args:
        usual: format of datagrams if the URL names none; None is our own pose frame
    """
    scheme, rest, given = _parts(text)
    if scheme == "udp":
        return _udp(text, rest, given, is_target=False, usual=usual)
    settings = _settings(text, given) if scheme == "manoeuvre" else ()
    check_known(text, given, OPTIONS[scheme])
    if not rest:
        raise UsageError(f"{text!r} has no {'path' if scheme == 'file' else 'name'} after {scheme}://")
    rate = number_of(text, given, "rate", SLOWEST, FASTEST, "Hz", RATE)
    start, stop = (number_of(text, given, name, 0.0, 1e9, "s", None) for name in ("start", "stop"))
    if start is not None and stop is not None and start >= stop:
        raise UsageError(f"{text!r}: start is {start:g} s, it must be before stop, {stop:g} s")
    loop, kind = one_of(text, given, "loop", YES, False), one_of(text, given, "kind", KINDS, None)
    channels = one_of(text, given, "channels", {name: name for name in CHANNELS}, "host")
    return Played(text, scheme, unquote(rest), rate, loop, kind, start, stop, channels, settings)


def target_of(text: str) -> Udp:
    """Where datagrams are sent; raises `UsageError` with one sentence."""
    scheme, rest, given = _parts(text)
    if scheme != "udp":
        raise UsageError(f"{text!r}: datagrams are sent to udp://ADDRESS:PORT")
    return _udp(text, rest, given, is_target=True)


def sink_of(text: str) -> Udp | Stored:
    """Where frames go; raises `UsageError` with one sentence."""
    scheme, rest, given = _parts(text)
    if scheme == "udp":
        return _udp(text, rest, given, is_target=True)
    if scheme not in STORES:
        raise UsageError(f"{text!r}: motion can go to udp://ADDRESS:PORT, file://PATH or ring://NAME")
    check_known(text, given, ())
    if not rest:
        raise UsageError(f"{text!r} has no {STORES[scheme]} after {scheme}://")
    return Stored(text, scheme, unquote(rest))


def _parts(text: str) -> tuple[str, str, dict[str, str]]:
    """Scheme, what follows, and the options."""
    return url_parts(text, SCHEMES, "udp://127.0.0.1:8730?format=motionbase or file://PATH")


def _settings(text: str, given: dict[str, str]) -> tuple[tuple[str, float], ...]:
    """What is left for the manoeuvre, taken out of the options."""
    names = [name for name in given if name not in OPTIONS["manoeuvre"]]
    settings = tuple((name, parsed(given.pop(name))) for name in names)
    for name, value in settings:
        if not math.isfinite(value):
            raise UsageError(f"{text!r}: {name} is no number")
    return settings


def _udp(text: str, rest: str, given: dict[str, str], is_target: bool, usual: Format | None = None) -> Udp:
    form = usual if usual is not None and "format" not in given else format_of(given.get("format", "motionbase"))
    ours = ("format", "answer") if is_target else ("format", "from", "requests", "answer")
    check_known(text, given, (*ours, *form.known_options), f" of format {form.name}")
    address, port = place_of(text, rest, form.port)
    if is_target and address.is_unspecified:
        raise UsageError(f"{text!r}: {address} is no address to send to")
    allowed = networks_of(text, given, address) if not is_target else LOOPBACK
    requests = one_of(text, given, "requests", YES, False)
    answer = port_of(text, given["answer"], "answer") if "answer" in given else None
    return Udp(text, str(address), port, form, options_of(text, given, form), allowed, requests, answer)
