"""Options of tests of a platform with its cueing: what is tested, and the report of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, final

import typer

from motionbase.cli.options import (
    PICTURES,
    Author,
    Customer,
    Day,
    Force,
    Json,
    Preset,
    Revision,
    check_new,
    check_page,
    check_writable,
    drivable,
)

if TYPE_CHECKING:
    from motionbase.cueing.cueing import Cueing
    from motionbase.report.document import Document

FIRST = 3  # of the fields come before a command's own options


@final
@dataclass(frozen=True)
class Tested:
    """Options of every such test, for `options.with_options`."""

    platform: Preset
    cueing: Annotated[str, typer.Option("--cueing", metavar="SET", help="A cueing set, or a TOML file of one.")] = (
        "simona"
    )
    algorithm: Annotated[str, typer.Option("--algorithm", metavar="NAME", help="Of the cueing.")] = "classical"
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report: .html or .pdf.")] = None
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .pdf or .svg.")] = None
    as_json: Json = False
    author: Author = ""
    revision: Revision = "draft"
    customer: Customer = ""
    date: Day = ""
    force: Force = False

    def document(self, others: Iterable[Path | None] = ()) -> "Document":
        """What the report says about itself; all files are checked before anything is computed.

        Args:
            others: files that the command writes besides report and plot
        """
        from motionbase.report.document import Document, today

        document = Document(self.date or today(), self.revision, self.author, self.customer)
        check_page(self.report)
        check_writable(self.plot, PICTURES)
        check_new((self.report, self.plot, *others), self.force)
        return document

    def cues(self) -> "Cueing":
        """The platform with its cueing."""
        hexapod = drivable(self.platform)
        from motionbase.cueing.cueing import Cueing

        return Cueing.of(hexapod, self.cueing, algorithm=self.algorithm)
