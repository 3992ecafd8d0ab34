"""The XML of a URDF file, with the line of every element and without document types.

A document type could define entities, and entities that grow without bound; a URDF needs none, so it is refused.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, final
from xml.parsers import expat

from motionbase.errors import ModelError


@final
@dataclass(frozen=True)
class UrdfXml:
    """A file's elements and their lines."""

    name: str
    root: ET.Element
    lines: dict[ET.Element, int]

    @classmethod
    def read(cls, path: Path | str) -> UrdfXml:
        """Read and parse; anything wrong is one sentence."""
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as e:
            reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
            raise ModelError(f"{path}: cannot be read: {reason}") from None
        parser, builder = expat.ParserCreate(), ET.TreeBuilder()
        lines: dict[ET.Element, int] = {}

        def start(tag: str, attributes: dict[str, str]) -> None:
            lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

        def refuse(*_: object) -> NoReturn:
            raise ModelError(f"{path}, line {parser.CurrentLineNumber}: a document type (<!DOCTYPE>) is not allowed")

        parser.StartElementHandler, parser.EndElementHandler = start, builder.end
        parser.StartDoctypeDeclHandler = refuse
        try:
            parser.Parse(data, True)
            root = builder.close()
        except expat.ExpatError as e:
            raise ModelError(f"{path}, line {e.lineno}: not XML: {expat.ErrorString(e.code)}") from None
        except (LookupError, ValueError) as e:  # an encoding nobody knows
            raise ModelError(f"{path}: cannot be read as XML: {e}") from None
        return cls(str(path), root, lines)

    def complain(self, element: ET.Element, message: str) -> NoReturn:
        """Raise an error about an element."""
        raise ModelError(f"{self.name}, line {self.lines[element]}: {message}")

    def where(self, element: ET.Element) -> str:
        """File and line."""
        return f"{self.name}, line {self.lines[element]}"

    def only(self, parent: ET.Element, tag: str) -> ET.Element | None:
        """A child that may be there once."""
        found = parent.findall(tag)
        if len(found) > 1:
            self.complain(found[1], f"<{parent.tag}> has more than one <{tag}>")
        return found[0] if found else None

    def text(self, element: ET.Element, attribute: str) -> str:
        """An attribute that must be there."""
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
