"""What a report needs to be handed on: who made it, when, which revision, of which data; and the actuators."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime
from html import escape
from typing import Any, final

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.friction import Friction
from motionbase.errors import UsageError
from motionbase.kinematics.report_table import table
from motionbase.platform.hexapod import Actuator, Hexapod
from motionbase.platform.tables import meaning_of, unit_of

LONGEST = 120  # characters of a name or a revision
DRAFT = "draft"


@final
@dataclass(frozen=True)
class Document:
    """What a reader must know of a report itself.

    Attributes:
        date: of the report, ISO 8601
        revision: of the design or of the report, as its author counts
        author: who answers for it; "" where nobody is named
        customer: for whom it is; "" for nobody in particular
    """

    date: str
    revision: str = DRAFT
    author: str = ""
    customer: str = ""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if len(value) > LONGEST or any(ord(c) < 32 for c in value):
                raise UsageError(f"--{f.name} is {value[:20]!r}..., one line of at most {LONGEST} characters is wanted")
        try:
            date.fromisoformat(self.date)
        except ValueError:
            raise UsageError(f"--date is {self.date!r}, a day such as 2026-05-31 is wanted") from None


def today() -> str:
    """In UTC, ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def fingerprint(platform: Hexapod) -> str:
    """Of all numbers of a platform: two reports with the same one are of the same data."""
    text = json.dumps(asdict(platform), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def header(platform: Hexapod, document: Document, made_with: str) -> str:
    """Title and the block of the document."""
    rows = [
        ("Date", document.date),
        ("Revision", document.revision),
        ("Author", document.author or "not named"),
        *((("For", document.customer),) if document.customer else ()),
        ("Data", f"{platform.name}, fingerprint {fingerprint(platform)}"),
        ("Made with", made_with),
    ]
    cells = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in rows)
    return f"""<header><p class="kind">Kinematics report</p><h1>{escape(platform.name)}</h1>
<p>{escape(platform.summary)}</p><dl class="document">{cells}</dl></header>"""


def page_rules(platform: Hexapod, document: Document) -> str:
    """What stands at the foot of every printed page; browsers number the pages."""
    left = f"{platform.name}, kinematics, revision {document.revision}, {document.date}"
    return (
        "@page { @bottom-left { content: " + _quoted(left) + "; } "
        '@bottom-right { content: "page " counter(page) " of " counter(pages); } }'
    )


def actuators(platform: Hexapod, starred: bool) -> str:
    """All numbers of the legs' actuators, with units and meanings."""
    kind = "electric" if isinstance(platform.actuator, ElectricActuator) else "hydraulic"
    star = "<sup>*</sup>" if starred else ""
    rows = [
        (f"<code>{name}</code>", value, unit, escape(text.replace("`", "")))
        for name, value, unit, text in _numbers(platform.actuator)
    ]
    words = f"Six {kind} legs, all alike{', illustrative' if starred else ''}{star}."
    return f"<p>{words}</p>" + table(("key", "value", "unit", "meaning"), rows, "small")


def _numbers(actuator: Actuator) -> Iterator[tuple[str, str, str, str]]:
    for part, prefix in ((actuator, ""), (actuator.friction, "friction.")):
        cls: type[Any] = type(part)
        for f in fields(cls):
            if not isinstance(getattr(part, f.name), Friction):
                yield f"{prefix}{f.name}", f"{getattr(part, f.name):.6g}", unit_of(cls, f.name), meaning_of(cls, f.name)


def _quoted(text: str) -> str:
    """A string of CSS."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\3c ") + '"'
