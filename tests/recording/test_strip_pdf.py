"""The roll as a PDF: read by the rules of the format, after every page and wherever it was cut."""

import io
import re
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.recording.strip.pdf import GrowingPdf


def one_page(text: str) -> bytes:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 2))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.plot([0, 1], [1, 0])
    axes.text(0.5, 0.5, text)
    out = io.BytesIO()
    figure.savefig(out, format="pdf")
    return out.getvalue()


class Read:
    """A reader of its own: from the end through all tables, as ISO 32000-1, 7.5 says."""

    def __init__(self, raw: bytes) -> None:
        assert raw.startswith(b"%PDF-1.4") and raw.endswith(b"%%EOF\n")
        self.raw, self.places = raw, dict[int, int]()
        at, self.root = int(raw[raw.rindex(b"startxref") + 9 :].split()[0]), 0
        seen = set[int]()
        while at and at not in seen:
            seen.add(at)
            trailer = raw[raw.index(b"trailer", at) :].split(b">>")[0]
            self.root = self.root or int(self._found(rb"/Root (\d+) 0 R", trailer))
            self._table(raw[at : raw.index(b"trailer", at)])
            previous = re.search(rb"/Prev (\d+)", trailer)
            at = int(previous[1]) if previous else 0

    def _found(self, pattern: bytes, raw: bytes) -> bytes:
        found = re.search(pattern, raw)
        assert found, f"{pattern!r} is not in {raw[:200]!r}"
        return found[1]

    def _table(self, table: bytes) -> None:
        lines = table.split(b"\n")[1:]
        k = 0
        while k < len(lines) and lines[k]:
            first, count = map(int, lines[k].split())
            for n in range(count):
                entry = lines[k + 1 + n]
                assert len(entry) == 19  # and the line end: 20 bytes, as the format demands
                if entry.endswith(b"n "):
                    self.places.setdefault(first + n, int(entry[:10]))
            k += 1 + count

    def body(self, number: int) -> bytes:
        at = self.places[number]
        head = b"%d 0 obj\n" % number
        assert self.raw[at : at + len(head)] == head
        return self.raw[at + len(head) : self.raw.index(b"endobj", at)]

    def stream(self, number: int) -> bytes:
        body = self.body(number)
        return zlib.decompress(body.partition(b"stream\n")[2])

    def pages(self) -> list[bytes]:
        """What draws each page."""
        tree = self.body(int(self._found(rb"/Pages (\d+) 0 R", self.body(self.root))))
        kids = [int(n) for n in re.findall(rb"(\d+) 0 R", self._found(rb"/Kids \[(.*?)\]", tree))]
        assert len(kids) == int(self._found(rb"/Count (\d+)", tree))
        drawn = []
        for kid in kids:
            page = self.body(kid)
            assert b"/Parent 2 0 R" in page
            for n in re.findall(rb"(\d+) 0 R", page):
                self.body(int(n))
            drawn.append(self.stream(int(self._found(rb"/Contents (\d+) 0 R", page))))
        return drawn


@pytest.fixture(scope="module")
def drawn() -> list[bytes]:
    return [one_page(text) for text in ("first, 3 0 R", "second", "third m/s²")]


def grown(pages: list[bytes]) -> list[bytes]:
    """The file after each page."""
    pdf, raw, states = GrowingPdf(), b"", []
    for page in pages:
        addition = pdf.addition(page)
        raw += addition
        pdf.written(addition)
        assert pdf.size == len(raw)
        states.append(raw)
    return states


def test_after_every_page_the_file_is_whole_and_has_all_pages_in_order(drawn: list[bytes]) -> None:
    alone = [Read(page).pages()[0] for page in drawn]
    for n, raw in enumerate(grown(drawn), start=1):
        assert Read(raw).pages() == alone[:n]


def test_nothing_that_was_written_is_ever_changed(drawn: list[bytes]) -> None:
    first, second, third = grown(drawn)
    assert second.startswith(first) and third.startswith(second)


def test_all_references_lead_somewhere(drawn: list[bytes]) -> None:
    read = Read(grown(drawn)[-1])
    for number in read.places:
        outside = read.body(number).partition(b"stream\n")[0]
        assert {int(n) for n in re.findall(rb"(\d+) 0 R", outside)} <= read.places.keys()


def test_an_addition_that_was_not_written_leaves_no_trace(drawn: list[bytes]) -> None:
    pdf = GrowingPdf()
    first = pdf.addition(drawn[0])
    pdf.written(first)
    pdf.addition(drawn[1])  # the disk was full
    second = pdf.addition(drawn[2])
    assert Read(first + second).pages() == [Read(drawn[k]).pages()[0] for k in (0, 2)]


@settings(max_examples=30, deadline=None)
@given(part=st.floats(0, 1, exclude_max=True))
def test_a_cut_anywhere_leaves_the_pages_before_it(drawn: list[bytes], part: float) -> None:
    """What a kill in the middle of a page leaves, up to its last end mark, is the roll before that page."""
    _, second, third = grown(drawn)
    cut = third[: len(second) + int(part * (len(third) - len(second)))]
    assert cut[: cut.rindex(b"%%EOF\n") + 6] == second
