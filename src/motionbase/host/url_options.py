"""Parts of URLs: addresses, and options by name; everything that is wrong raises `UsageError` with one sentence."""

from __future__ import annotations

import math
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from motionbase.errors import UsageError, unknown
from motionbase.host.format import Format, Kind, Options
from motionbase.host.receiver import LOOPBACK, Network
from motionbase.record.axes import DOFS
from motionbase.record.vehicle import VEHICLE

YES = {"yes": True, "no": False}
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}  # [m]
ANGLES = {"rad": 1.0, "deg": math.pi / 180}  # [rad]
FLIPPED = tuple(channel.name.removeprefix("vehicle_") for channel in VEHICLE[:-1])
FARTHEST = 1000.0  # [m] of a lever or an offset: catches typing errors


def place_of(text: str, rest: str, usual: int) -> tuple[IPv4Address | IPv6Address, int]:
    """Address and port; loopback and the format's port if they are left out."""
    rest = rest.removesuffix("/")
    if rest.startswith("["):
        name, closed, after = rest[1:].partition("]")
        if not closed or (after and not after.startswith(":")):
            raise UsageError(f"{text!r}: an IPv6 address stands in brackets, such as udp://[::1]:8730")
        number = after[1:]
        given = bool(after)
    else:
        name, colon, number = rest.partition(":")
        given = bool(colon)
    port = port_of(text, number, "the port") if given else usual
    try:
        return ip_address({"": "127.0.0.1", "localhost": "127.0.0.1"}.get(name, name)), port
    except ValueError:
        raise UsageError(f"{text!r}: {name!r} is no address; give numbers such as 127.0.0.1, or localhost") from None


def port_of(text: str, number: str, what: str) -> int:
    """A port, written as a number."""
    if not (number.isascii() and number.isdecimal()):
        raise UsageError(f"{text!r}: {number!r} is no port; an address is ADDRESS:PORT, such as 127.0.0.1:8730")
    if not 1 <= int(number) <= 65535:
        raise UsageError(f"{text!r}: {what} is {number}, it must be 1 to 65535")
    return int(number)


def networks_of(text: str, given: dict[str, str], address: IPv4Address | IPv6Address) -> tuple[Network, ...]:
    """Who may send: loopback unless the URL says more."""
    if "from" not in given:
        if not address.is_loopback:
            raise UsageError(
                f"{text!r} listens beyond this machine; say who may send, such as from=192.168.1.20 or "
                "from=192.168.1.0/24"
            )
        return LOOPBACK
    found: list[Network] = []
    for name in given["from"].split(","):
        try:
            found.append(ip_network({"localhost": "127.0.0.1"}.get(name, name)))
        except ValueError:
            raise UsageError(
                f"{text!r}: from has {name!r}, it must be addresses such as 192.168.1.20 or networks such as "
                "192.168.1.0/24, with commas between them"
            ) from None
    return tuple(found)


def options_of(text: str, given: dict[str, str], form: Format) -> Options:
    """What a format is told."""
    lever, units = Options().lever, None
    if "lever" in given:
        numbers = [parsed(piece) for piece in given["lever"].split(",")]
        if len(numbers) != 3 or not all(abs(x) <= FARTHEST for x in numbers):
            raise UsageError(f"{text!r}: lever is {given['lever']!r}, it must be x,y,z in metres, such as 0.3,0,0.9")
        lever = (numbers[0], numbers[1], numbers[2])
    if "units" in given:
        length, _, angle = given["units"].partition(",")
        if length not in LENGTHS or angle not in ANGLES:
            raise UsageError(
                f"{text!r}: units are {given['units']!r}, they must be one of {', '.join(LENGTHS)} and one of "
                f"{', '.join(ANGLES)}, such as mm,deg"
            )
        units = LENGTHS[length], ANGLES[angle]
    flip = tuple(given["flip"].split(",")) if "flip" in given else ()
    for name in flip:
        if name not in (known := FLIPPED if form.kind is Kind.VEHICLE else DOFS):
            raise UsageError(f"{text!r}: flip: {unknown('quantity', name, known, 'quantities')}")
    return Options(
        lever,
        one_of(text, given, "gravity", YES, None),
        units,
        one_of(text, given, "axes", {"up": True, "down": False}, None),
        number_of(text, given, "neutral", -FARTHEST, FARTHEST, "m", None),
        one_of(text, given, "zero", {name: name for name in ("retracted", "neutral")}, "retracted"),
        flip=flip,
        layout=given.get("layout", ""),
    )


def check_known(text: str, given: dict[str, str], known: tuple[str, ...], of: str = "") -> None:
    """Refuse options that nobody knows."""
    for name in given:
        if name not in known:
            raise UsageError(f"{text!r}: {unknown('option', name, known, f'options{of}')}")


def one_of(text: str, given: dict[str, str], name: str, choices: dict[str, Any], default: Any) -> Any:
    """An option with a few possible values."""
    if name not in given:
        return default
    if given[name] not in choices:
        raise UsageError(f"{text!r}: {name} is {given[name]!r}, it must be {' or '.join(choices)}")
    return choices[given[name]]


def number_of(text: str, given: dict[str, str], name: str, low: float, high: float, unit: str, default: Any) -> Any:
    """An option that is a number between bounds."""
    if name not in given:
        return default
    value = parsed(given[name])
    if not low <= value <= high:
        raise UsageError(f"{text!r}: {name} is {given[name]!r}, it must be {low:g} to {high:g} {unit}")
    return value


def parsed(text: str) -> float:
    """A number; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
