"""What every document says about itself: date, revision, author, fingerprint of its data, versions of the programs."""

from __future__ import annotations

import hashlib
import json
import platform as machine
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, final

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PACKAGES = ("motionbase", "casadi", "numpy", "coal", "matplotlib")
LONGEST = 120  # characters of a name or a revision
DRAFT = "draft"


@final
@dataclass(frozen=True)
class Document:
    """Date, revision, author and customer of a report.

    Attributes:
        date: of the report, ISO 8601
        revision: of the design or of the report
        author: who is responsible for it; "" if not named
        customer: "" if not named
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

    def head(self, data: str) -> list[tuple[str, str]]:
        """Lines of the first page.

        Args:
            data: what the document is about, with its fingerprint
        """
        return [
            ("Date", self.date),
            ("Revision", self.revision),
            ("Author", self.author or "not named"),
            *([("For", self.customer)] if self.customer else []),
            ("Data", data),
            ("Made with", f"motionbase {versions()['motionbase']}"),
        ]


def today() -> str:
    """The date in UTC, ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def fingerprint(data: DataclassInstance) -> str:
    """Hash of all fields: reports with equal fingerprints have equal data."""
    text = json.dumps(asdict(data), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def versions() -> dict[str, str]:
    """Versions of the programs that computed it."""
    found = {"Python": machine.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found
