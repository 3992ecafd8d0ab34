"""What the messages hold: ROS 2 definitions of the groups, and events as CDR."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import final

from motionbase.recording.mcap.records import Cut
from motionbase.ring.schema import Schema

CDR_HEAD = b"\x00\x01\x00\x00"  # little-endian CDR
PACKAGE = "motionbase_msgs"
EVENTS_TOPIC = "/motionbase/events"
EVENT_DEFINITION = """# what happened beside the records
float64 t  # [s] since the epoch of the ring
string kind
string text
"""
LONGEST_TEXT = 1 << 20  # [bytes] of an event


def topic(group: str) -> str:
    """Of a sensor group."""
    return f"/motionbase/{group}"


def type_names(schema: Schema) -> dict[str, str]:
    """Of each group's messages, as ROS 2 names them; no two the same, though `a_b` and `a__b` become alike."""
    camel = {group: "".join(part.capitalize() for part in re.split("_+", group)) for group in schema.groups}
    return {group: f"{PACKAGE}/msg/{name}" for group, name in _apart(camel, "Variant", {"Event"}).items()}


def field_names(schema: Schema, group: str) -> dict[str, str]:
    """Channel -> field of the message: ROS 2 has no two underscores in a row, and none at the end."""
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
    """The wanted names, numbered where they are taken already."""
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
    """Something that happened.

    Attributes:
        t: [s] since the epoch of the ring; in an open recording, since that of the recording
        kind: one word: note, lapped, writer, ...
        text: for people, or JSON for some kinds
    """

    t: float
    kind: str
    text: str

    def cdr(self) -> bytes:
        """As CDR."""
        out = struct.pack("<d", self.t)
        for s in (self.kind, self.text):
            raw = s.encode(errors="replace")[:LONGEST_TEXT] + b"\x00"
            out += b"\x00" * (-len(out) % 4) + struct.pack("<I", len(raw)) + raw
        return CDR_HEAD + out

    @staticmethod
    def from_cdr(raw: bytes | memoryview) -> Event:
        """The event in a message; `Cut` if there is none."""
        body, at, texts = bytes(raw)[len(CDR_HEAD) :], 8, []
        try:
            (t,) = struct.unpack_from("<d", body)
            for _ in range(2):
                at += -at % 4
                (n,) = struct.unpack_from("<I", body, at)
                if not 1 <= n <= len(body) - at - 4:
                    raise Cut(f"an event has a text of {n} bytes")
                texts.append(body[at + 4 : at + 4 + n - 1].decode(errors="replace"))
                at += 4 + n
        except struct.error as e:
            raise Cut(str(e)) from None
        return Event(t, *texts)
