"""Content of messages: ROS 2 definitions of the groups, and events as CDR."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import final

from motionbase.record.schema import Schema
from motionbase.recording.mcap.records import Cut

CDR_HEAD = b"\x00\x01\x00\x00"  # little-endian CDR
PACKAGE = "motionbase_msgs"
EVENTS_TOPIC = "/motionbase/events"
EVENT_DEFINITION = """# what happened beside the records
float64 t  # [s] since the epoch of the ring
string kind
string text
int64 tick  # of the control law, or the record's number; -1 where it is not known
string person  # who did it
bool is_bad
"""
NO_TICK = -1
LONGEST_TEXT = 1 << 20  # longest text of an event [bytes]


def topic(group: str) -> str:
    """Topic of a sensor group."""
    return f"/motionbase/{group}"


def type_names(schema: Schema) -> dict[str, str]:
    """ROS 2 type names of the groups' messages; unique, although `a_b` and `a__b` give the same name."""
    camel = {group: "".join(part.capitalize() for part in re.split("_+", group)) for group in schema.groups}
    return {group: f"{PACKAGE}/msg/{name}" for group, name in _apart(camel, "Variant", {"Event"}).items()}


def field_names(schema: Schema, group: str) -> dict[str, str]:
    """Field of the message for each channel: ROS 2 allows no double or trailing underscores."""
    plain = {name: re.sub("_+", "_", name).rstrip("_") for name in schema.groups[group]}
    return _apart(plain, "_variant", set())


def definition(schema: Schema, group: str) -> str:
    """A float64 for each channel, in order, with unit and description as a comment on its line."""
    lines = []
    for name, field in field_names(schema, group).items():
        channel = schema.channels[schema.index[name]]
        lines.append(f"float64 {field}  # [{_line(channel.unit)}] {_line(channel.description)}\n")
    return "".join(lines)


def _apart(wanted: dict[str, str], mark: str, taken: set[str]) -> dict[str, str]:
    """The wanted names, numbered if they are already taken."""
    found: dict[str, str] = {}
    taken = taken | {name for key, name in wanted.items() if key == name}
    for key, name in wanted.items():
        new, number = name, 1
        while new in taken and new != key:
            number += 1
            new = f"{name}{mark}{number}"
        taken.add(new)
        found[key] = new
    return found


def _line(text: str) -> str:
    return " ".join(text.split())


@final
@dataclass(frozen=True)
class Event:
    """An event in a recording.

    Attributes:
        t: [s] since the epoch of the ring; in an open recording, since the epoch of the recording
        kind: one word; docs/recorder.md lists them
        text: sentence for display
        tick: of the control law in the record at that time, None if unknown
        person: who caused it, "" if nobody or unknown
        is_bad: a fault, a stop, a loss, a refusal
    """

    t: float
    kind: str
    text: str
    tick: int | None = None
    person: str = ""
    is_bad: bool = False

    def cdr(self) -> bytes:
        """The event as CDR."""
        out = _with_text(_with_text(struct.pack("<d", self.t), self.kind), self.text)
        tick = NO_TICK if self.tick is None or not 0 <= self.tick < 2**63 else self.tick  # a file may hold any number
        out += b"\x00" * (-len(out) % 8) + struct.pack("<q", tick)
        return CDR_HEAD + _with_text(out, self.person) + struct.pack("<?", self.is_bad)

    @staticmethod
    def from_cdr(raw: bytes | memoryview) -> Event:
        """The event in a message; `Cut` if it is invalid. Older files have neither tick nor person."""
        body = bytes(raw)[len(CDR_HEAD) :]
        try:
            (t,) = struct.unpack_from("<d", body)
            kind, at = _text_at(body, 8)
            text, at = _text_at(body, at)
            if at == len(body):
                return Event(t, kind, text)
            at += -at % 8
            (tick,) = struct.unpack_from("<q", body, at)
            person, at = _text_at(body, at + 8)
            (is_bad,) = struct.unpack_from("<?", body, at)
        except struct.error as e:
            raise Cut(str(e)) from None
        return Event(t, kind, text, None if tick == NO_TICK else tick, person, is_bad)


def _with_text(out: bytes, text: str) -> bytes:
    raw = text.encode(errors="replace")[:LONGEST_TEXT] + b"\x00"
    return out + b"\x00" * (-len(out) % 4) + struct.pack("<I", len(raw)) + raw


def _text_at(body: bytes, at: int) -> tuple[str, int]:
    """The text at an offset of a message, and its end."""
    at += -at % 4
    (n,) = struct.unpack_from("<I", body, at)
    if not 1 <= n <= len(body) - at - 4:
        raise Cut(f"an event has a text of {n} bytes")
    return body[at + 4 : at + 4 + n - 1].decode(errors="replace"), at + 4 + n
