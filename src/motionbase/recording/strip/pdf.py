"""A growing PDF: every page is appended, and the file is a valid PDF after each.

matplotlib's writer of several pages completes its file on closing: before that, and after a kill, it cannot be read.
Incremental updates (ISO 32000-1, 7.5.6) append new objects, a cross-reference table that points to the previous one,
and a trailer; existing bytes never change. So a page is on the disk as soon as it is drawn, and a pipe works as well
as a file.
"""

from __future__ import annotations

import re
from typing import final

BEGIN = b"%PDF-1.4\n%\xac\xdc \xab\xba\n"
CATALOG, PAGES = 1, 2  # numbers of the two objects shared by all pages
REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
OBJECT = re.compile(rb"(\d+) 0 obj\b")


@final
class GrowingPdf:
    """Makes the bytes to append from one-page PDFs of matplotlib."""

    def __init__(self) -> None:
        self.size = 0
        self._next = PAGES + 1
        self._kids: list[int] = []
        self._table_at = 0

    def addition(self, page: bytes) -> bytes:
        """The bytes to append for a page; call `written` once they are in the file."""
        objects = _objects(page)
        numbers = {old: self._next + k for k, old in enumerate(sorted(objects))}
        catalog = next(n for n, body in objects.items() if b"/Type /Catalog" in body)
        tree = next(n for n, body in objects.items() if b"/Type /Pages" in body)
        leaf = next(n for n, body in objects.items() if re.search(rb"/Type /Page\b(?!s)", body))
        numbers[tree] = PAGES
        self._after = (self._next + len(objects), [*self._kids, numbers[leaf]])
        bodies = {numbers[n]: _renumbered(body, numbers) for n, body in objects.items() if n not in (catalog, tree)}
        kids = b" ".join(b"%d 0 R" % kid for kid in self._after[1])
        bodies[PAGES] = b"<< /Type /Pages /Kids [ %s ] /Count %d >>" % (kids, len(self._after[1]))
        if not self._kids:
            bodies[CATALOG] = b"<< /Type /Catalog /Pages %d 0 R >>" % PAGES
        return self._appended(bodies)

    def written(self, addition: bytes) -> None:
        """Record that an addition is in the file."""
        self.size += len(addition)
        self._next, self._kids = self._after
        self._table_at = self._new_table_at

    def _appended(self, bodies: dict[int, bytes]) -> bytes:
        out, places = bytearray(b"" if self._kids else BEGIN), {}
        for n, body in sorted(bodies.items()):
            places[n] = self.size + len(out)
            out += b"%d 0 obj\n" % n + body + b"\nendobj\n"
        self._new_table_at = self.size + len(out)
        out += b"xref\n" + (b"" if self._kids else b"0 1\n0000000000 65535 f \n")
        for first, count in _runs(sorted(places)):
            out += b"%d %d\n" % (first, count)
            out += b"".join(b"%010d 00000 n \n" % places[n] for n in range(first, first + count))
        previous = b" /Prev %d" % self._table_at if self._kids else b""
        out += b"trailer\n<< /Size %d /Root %d 0 R%s >>\n" % (self._after[0], CATALOG, previous)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % self._new_table_at)

    _after: tuple[int, list[int]] = (0, [])
    _new_table_at = 0


def _objects(page: bytes) -> dict[int, bytes]:
    """Bodies of all objects by number, located by the file's cross-reference table."""
    table_at = int(page[page.rindex(b"startxref") + len(b"startxref") :].split()[0])
    offsets = [int(m[1]) for m in re.finditer(rb"(?m)^(\d{10}) 00000 n", page[table_at:])]
    found = {}
    for begin, end in zip(sorted(offsets), [*sorted(offsets)[1:], table_at], strict=True):
        head = OBJECT.match(page, begin)
        if head is None:
            raise ValueError(f"no object at {begin}")
        found[int(head[1])] = page[head.end() : page.rindex(b"endobj", begin, end)].strip(b"\n")
    return found


def _renumbered(body: bytes, numbers: dict[int, int]) -> bytes:
    """A body with its references, outside streams, changed to the new numbers."""
    head, stream, rest = body.partition(b"stream\n")
    return REFERENCE.sub(lambda m: b"%d 0 R" % numbers[int(m[1])], head) + stream + rest


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as (first, count)."""
    found: list[tuple[int, int]] = []
    for n in numbers:
        if found and n == sum(found[-1]):
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((n, 1))
    return found
