"""Records on paper: no spike is lost, breaks and gaps are where they were, pages follow each other."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.recording.strip.paper import COLUMNS, MOST_MARKS, ROUNDING, Break, Gap, Mark, Page, Paper


def paper_of(pens: int = 1, seconds: float = 25.0) -> tuple[Paper, list[Page]]:
    pages: list[Page] = []
    return Paper(pens, seconds, pages.append), pages


def drawn(
    t: np.ndarray, values: np.ndarray, breaks: tuple[Break, ...] = (), pieces: int = 1, seconds: float = 25.0
) -> list[Page]:
    """The pages of records that come in pieces."""
    paper, pages = paper_of(values.shape[1], seconds)
    edges = np.linspace(0, len(t), pieces + 1).astype(int)
    for first, last in zip(edges, edges[1:], strict=False):
        mine = [Break(b.row - first, b.lost) for b in breaks if first <= b.row < last]
        paper.add(t[first:last], values[first:last], mine)
    paper.cut()
    return pages


@settings(max_examples=40, deadline=None)
@given(spike=st.integers(0, 59_999), pieces=st.integers(1, 40), up=st.booleans())
def test_a_spike_of_one_record_is_on_the_paper(spike: int, pieces: int, up: bool) -> None:
    """60 s at 1 kHz: ten records to a column; exactly one column of one page has the spike."""
    t = np.arange(60_000) / 1000
    values = np.zeros((60_000, 2))
    values[spike, 1] = 7.5 if up else -7.5
    pages = drawn(t, values, pieces=pieces)
    assert [p.number for p in pages] == [1, 2, 3] and [p.start for p in pages] == [0, 25, 50]
    ends = np.concatenate([(p.most if up else p.least)[1] for p in pages])
    assert (np.abs(ends) == 7.5).sum() == 1
    assert abs(int(np.nanargmax(np.abs(ends))) - spike / 10) <= 1
    assert all(np.nanmax(np.abs(p.most[0])) == 0 for p in pages)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20))
def test_columns_are_the_extremes_of_their_records_however_they_come(seed: int, pieces: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 25, 3000))
    values = rng.standard_normal((3000, 1))
    values[rng.random(3000) < 0.1] = np.nan
    (page,) = drawn(t, values, pieces=pieces)
    column = np.floor(t * (COLUMNS / 25) + ROUNDING).astype(int)
    for c in rng.choice(np.unique(column), 20):
        mine = values[column == c, 0]
        known = mine[~np.isnan(mine)]
        assert page.seen[c]
        if len(known):
            assert (page.least[0, c], page.most[0, c]) == (known.min(), known.max())
        else:
            assert np.isnan(page.least[0, c])
        np.testing.assert_equal(page.last[0, c], mine[-1])
    assert page.seen.sum() == len(np.unique(column))


def test_a_gap_is_a_break_with_its_count_on_both_pages_it_touches() -> None:
    t = np.concatenate([np.arange(24_000), np.arange(26_000, 30_000)]) / 1000
    first, second = drawn(t, np.ones((len(t), 1)), (Break(24_000, 2000),))
    assert first.gaps == second.gaps == [Gap(23.999, 26.0, 2000)]
    assert second.breaks == {100} and first.breaks == {0}
    assert second.before is None and first.after is None


def test_a_new_writer_is_a_break_without_a_count() -> None:
    (page,) = drawn(np.array([0.0, 1.0, 5.0, 6.0]), np.ones((4, 1)), (Break(2, None),))
    assert page.gaps == [] and page.breaks == {0, 500}


def test_slow_records_are_joined_over_the_edge_of_the_page() -> None:
    """One record every 10 s: the line goes on to the next record, wherever that is."""
    t = np.array([0.0, 10.0, 20.0, 30.0, 40.0])
    first, second = drawn(t, t[:, None] ** 2, pieces=5)
    assert first.after is not None and first.after[0] == pytest.approx(3000) and first.after[1].tolist() == [900]
    assert second.before is not None and second.before[0] == pytest.approx(-500) and second.before[1].tolist() == [400]


def test_time_that_goes_back_is_told_and_begins_another_page() -> None:
    t = np.concatenate([np.arange(3000, 4000), np.arange(0, 500)]) / 100
    pages = drawn(t, np.ones((1500, 1)))
    assert [(p.number, p.start, p.seen.sum()) for p in pages] == [(1, 30, 1000), (2, -20, 500)]
    assert [m for p in pages for m in p.marks] == [Mark(0.0, "time", "the time went back by 39.990 s")]
    assert pages[0].after is pages[1].before is None


def test_long_silence_costs_no_empty_pages() -> None:
    t = np.array([0.0, 1.0, 86_400.0, 86_401.0])
    pages = drawn(t, np.ones((4, 1)), (Break(2, None),))
    assert [p.number for p in pages] == [1, 2] and pages[1].start == pytest.approx(86_400)


def test_records_without_a_time_are_left_out_and_told() -> None:
    t = np.array([0.0, np.nan, 1.0, np.inf, 2.0, 1e300])
    paper, pages = paper_of()
    paper.add(t, np.arange(6.0)[:, None], [Break(4, 3)])
    paper.cut()
    (page,) = pages
    assert paper.records == 3 and page.gaps == [Gap(1.0, 2.0, 3)]
    assert [m.text for m in page.marks] == ["3 records without a time are left out"]


def test_marks_are_on_the_page_of_their_time_and_too_many_are_counted() -> None:
    paper, pages = paper_of()
    paper.mark("writer", "before everything")
    for k in range(MOST_MARKS + 50):
        paper.mark("note", str(k), 26 + k / 1000)
    paper.add(np.arange(0, 30, 0.1), np.ones((300, 1)))
    paper.cut()
    first, second = pages
    assert first.marks == [Mark(0.0, "writer", "before everything")]
    assert len(second.marks) == MOST_MARKS and second.more == 50


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=60),
    st.floats(0.25, 1e4),
)
def test_any_times_and_values_are_survived(times: list[float], seconds: float) -> None:
    """All records with a time are counted, and every page has one at least."""
    t = np.array(times)
    pages = drawn(t, np.stack([t, np.full(len(t), np.inf)], axis=1), seconds=seconds)
    assert all(p.seen.any() for p in pages)
    assert bool(pages) == bool((np.abs(t) < 1e11).any())
    assert not math.isnan(sum(p.start for p in pages))
