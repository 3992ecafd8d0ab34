"""The XML of a URDF file, with the line of every element and without document types.

A document type could define entities that grow without bound; a URDF needs none, so it is refused.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, final
from xml.parsers import expat

from motionbase.errors import ModelError


@final
@dataclass(frozen=True)
class UrdfXml:
    """A file's elements and their lines.

    Attributes:
        strict: refuse what would have to be repaired
        notes: repairs and omissions, one sentence each
    """

    name: str
    root: ET.Element
    lines: dict[ET.Element, int]
    strict: bool = False
    notes: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path | str, strict: bool = False) -> UrdfXml:
        """Read and parse a file; raises `ModelError` for anything wrong."""
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as e:
            reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
            raise ModelError(f"{path}: cannot be read: {reason}") from None
        parser, builder = expat.ParserCreate(), ET.TreeBuilder()
        lines: dict[ET.Element, int] = {}
        notes: list[str] = []
        above = 0  # lines before the XML declaration, which other readers skip if they are empty
        if not strict and data[:1].isspace() and data.lstrip().startswith(b"<?xml"):
            above = data.count(b"\n", 0, data.index(b"<"))
            data = data.lstrip()
            notes.append(f"{path}, line {above + 1}: there is space before the XML declaration, which must come first")

        def start(tag: str, attributes: dict[str, str]) -> None:
            lines[builder.start(tag, attributes)] = parser.CurrentLineNumber + above

        def refuse(*_: object) -> NoReturn:
            line = parser.CurrentLineNumber + above
            raise ModelError(f"{path}, line {line}: a document type (<!DOCTYPE>) is not allowed")

        parser.StartElementHandler, parser.EndElementHandler = start, builder.end
        parser.StartDoctypeDeclHandler = refuse
        try:
            parser.Parse(data, True)
            root = builder.close()
        except expat.ExpatError as e:
            raise ModelError(f"{path}, line {e.lineno + above}: not XML: {expat.ErrorString(e.code)}") from None
        except (LookupError, ValueError) as e:  # an unknown encoding
            raise ModelError(f"{path}: cannot be read as XML: {e}") from None
        return cls(str(path), root, lines, strict, notes)

    def complain(self, element: ET.Element, message: str) -> NoReturn:
        """Raise an error about an element; its line is added unless the message has it already."""
        if message.startswith(f"{self.name}, line "):
            raise ModelError(message)
        raise ModelError(f"{self.name}, line {self.lines[element]}: {message}")

    def note(self, element: ET.Element, message: str) -> None:
        """Keep a sentence about an element, for a warning."""
        self.notes.append(f"{self.name}, line {self.lines[element]}: {message}")

    def pardon(self, element: ET.Element, message: str, remedy: str) -> None:
        """In strict mode, refuse a fault; otherwise note it with its remedy."""
        if self.strict:
            self.complain(element, message)
        self.note(element, f"{message}; {remedy}")

    def added(self, tag: str, name: str, beside: ET.Element) -> ET.Element:
        """A named element that the file lacks; errors about it give the line of `beside`."""
        element = ET.Element(tag, {"name": name})
        self.lines[element] = self.lines[beside]
        return element

    def only(self, parent: ET.Element, tag: str) -> ET.Element | None:
        """A child that may exist once; of several the first counts, as in other readers."""
        found = parent.findall(tag)
        if len(found) > 1:
            self.pardon(found[1], f"<{parent.tag}> has more than one <{tag}>", "the first counts")
        return found[0] if found else None

    def text(self, element: ET.Element, attribute: str) -> str:
        """A required attribute."""
        if attribute not in element.attrib:
            self.complain(element, f"<{element.tag}> has no {attribute!r}")
        return element.attrib[attribute]

    def numbers(self, element: ET.Element, attribute: str, count: int, default: str | None = None) -> tuple[float, ...]:
        """Numbers of an attribute, apart by spaces."""
        value = element.attrib.get(attribute, default)
        if value is None:
            self.complain(element, f"<{element.tag}> has no {attribute!r}")
        try:
            found = tuple(float(part) for part in value.split())
        except ValueError:
            found = ()
        if len(found) != count:
            wanted = "a number" if count == 1 else f"{count} numbers"
            verb = "is" if count == 1 else "are"
            self.complain(element, f"<{element.tag} {attribute}={value!r}>: {wanted} {verb} wanted")
        if not all(math.isfinite(x) for x in found):
            self.complain(element, f"<{element.tag} {attribute}={value!r}>: every number must be finite")
        return found
