"""A page as a picture: lines, breaks, marks and edges are where the records are."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from motionbase.errors import RecordingError, SchemaError
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.strip.chart import INKS, MOST_PENS, PAPER_MM, Chart, Pen, default_chart
from motionbase.recording.strip.draw import LEFT, RIGHT, WIDE, Heading, figure, rendered, scales_for
from motionbase.recording.strip.lane import SIGNAL
from motionbase.recording.strip.paper import Break, Gap, Mark, Page, Paper, Spoilt
from tests.recording.files import schema_of

HEADING = Heading("SIMONA", "MCAP run.mcap", 1_700_000_000_000_000_000)
SCHEMA = schema_of(20)


def page_of(values: np.ndarray, breaks: tuple[Break, ...] = (), rate: float = 100.0) -> Page:
    pages: list[Page] = []
    paper = Paper(values.shape[1], 25.0, pages.append)
    paper.add(np.arange(len(values)) / rate, values, breaks)
    paper.cut()
    return pages[0]


def picture(page: Page, *pens: Pen, heading: Heading = HEADING) -> Figure:
    chart = Chart(pens).fitted(SCHEMA)
    return figure(page, chart, heading, scales_for(chart, page, ()))


def line_of(drawn: Figure, colour: str) -> tuple[np.ndarray, np.ndarray]:
    (line,) = [l for l in drawn.axes[0].lines if l.get_color() == colour]
    return np.asarray(line.get_xdata()), np.asarray(line.get_ydata())


def texts(drawn: Figure) -> list[str]:
    return [t.get_text() for t in drawn.findobj(Text) if isinstance(t, Text) and t.get_text()]


def test_a_line_is_where_its_values_are() -> None:
    """A ramp from the lower to the upper edge: from corner to corner of the lane, to a column."""
    x, y = line_of(picture(page_of(np.linspace(0, 1, 2500)[:, None]), Pen("x1", range=(0, 1))), INKS["blue"])
    known = np.isfinite(x)
    part = (x[known] - LEFT) / PAPER_MM
    low, high = y[known].min(), y[known].max()
    np.testing.assert_allclose((y[known] - low) / (high - low), part, atol=1 / 2500)


def test_values_off_the_scale_stay_on_the_lane_and_are_marked_with_their_peak() -> None:
    values = np.sin(np.arange(2500) / 100)[:, None]
    values[1200] = 12.5
    drawn = picture(page_of(values), Pen("x1", range=(-1, 1), colour="green"))
    y = line_of(drawn, INKS["green"])[1]
    edge = np.nanmax(y)
    bars = [l for l in drawn.axes[0].lines if l.get_color() == SIGNAL]
    assert len(bars) == 1 and np.all(np.asarray(bars[0].get_ydata()) == edge)
    assert np.asarray(bars[0].get_xdata()).mean() == pytest.approx(LEFT + PAPER_MM * 1200.5 / 2500, abs=0.1)
    assert "▲ 12.5" in texts(drawn) and not any("▼" in t for t in texts(drawn))


def test_a_gap_is_open_and_counted() -> None:
    pages: list[Page] = []
    paper = Paper(1, 25.0, pages.append)
    t = np.concatenate([np.arange(0, 10, 0.01), np.arange(12, 20, 0.01)])
    paper.add(t, np.ones((len(t), 1)), [Break(1000, 200)])
    paper.cut()
    drawn = picture(pages[0], Pen("x1"))
    x, y = line_of(drawn, INKS["blue"])
    hole = np.flatnonzero(np.isnan(y))
    assert x[hole[-1] - 1] < LEFT + 100.1 and x[hole[-1] + 1] > LEFT + 119.9  # 10 mm a second
    assert "200 lost" in texts(drawn)


def test_damaged_records_are_a_band_with_a_label() -> None:
    """From 5 to 7 s, and a stretch that goes on beyond the page; the state is open there, and no number."""
    values = np.ones((2500, 2))
    values[500:700] = np.nan
    page = page_of(values)
    page.damaged += [Spoilt(5.0, 6.99), Spoilt(24.0, 30.0)]
    drawn = picture(page, Pen("x1"), Pen("x2", names=("off", "drive")))
    bands = [p for p in drawn.axes[0].patches if isinstance(p, Rectangle) and p.get_alpha()]
    found = [(b.get_x() - LEFT, b.get_x() + b.get_width() - LEFT) for b in bands]
    np.testing.assert_allclose(found, [(50, 69.9), (240, 250)], atol=1e-9)  # 10 mm a second
    assert texts(drawn).count("damaged") == 2 and texts(drawn).count("drive") == 2 and "-1" not in texts(drawn)


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("first", [0, 100, 2000])
def test_the_peak_of_a_long_excursion_stays_on_the_paper(first: int, up: bool) -> None:
    """Off the scale from record 0, 100 or 2000 to the end of the page: no room after it."""
    values = np.zeros((2500, 1))
    values[first:] = 9.0 if up else -9.0
    drawn = picture(page_of(values), Pen("x1", range=(-1, 1)))
    drawn.draw_without_rendering()
    (tag,) = [t for t in drawn.findobj(Text) if isinstance(t, Text) and t.get_text() in ("▲ 9", "▼ -9")]
    box = tag.get_window_extent().transformed(drawn.axes[0].transData.inverted())
    assert LEFT < box.x0 and box.x1 < RIGHT


def test_nan_and_infinity_are_drawn_as_what_they_are() -> None:
    values = np.zeros((2500, 1))
    values[100:200], values[300] = np.nan, np.inf
    drawn = picture(page_of(values), Pen("x1"))
    x, y = line_of(drawn, INKS["blue"])
    inside = (x > LEFT + 10.1) & (x < LEFT + 19.9)
    assert np.isnan(y[inside]).all() and inside.sum() > 100
    assert "▲ inf" in texts(drawn)


def test_the_page_says_where_when_and_what() -> None:
    page = page_of(np.zeros((2500, 1)))
    page.marks += [Mark(3.0, "note", "pilot feels $a bump$"), Mark(3.0, "writer", "stopped")]
    drawn = picture(page, Pen("x2", label="force", unit="kN", scale=1e-3))
    shown = texts(drawn)
    for text in ("SIMONA", "MCAP run.mcap", "page 1", "2023-11-14  22:13:20 UTC    10 mm/s", "force", "22:13:25"):
        assert text in shown
    assert any(t.startswith("[kN]") for t in shown)
    assert "note: pilot feels $a bump$" in shown and "writer: stopped" in shown and {"0", "24", "25"} <= set(shown)


def test_a_recording_without_an_epoch_has_no_utc() -> None:
    assert "UTC" not in " ".join(texts(picture(page_of(np.zeros((10, 1))), Pen("x1"), heading=Heading("a", "b", None))))


def test_many_marks_and_gaps_stay_on_the_page_and_the_rest_is_counted() -> None:
    page = page_of(np.zeros((2500, 1)))
    page.marks += [Mark(k / 8, "note", "a rather long text of somebody who notes a lot " * 3) for k in range(200)]
    page.gaps += [Gap(k / 8, k / 8 + 0.01, 7) for k in range(200)]
    page.more = 5
    drawn = picture(page, Pen("x1"))
    counted = next(t for t in texts(drawn) if t.endswith("more marks"))
    assert int(counted.split()[1]) > 150
    drawn.draw_without_rendering()
    for text in (t for t in drawn.findobj(Text) if isinstance(t, Text) and t.get_text()):
        box = text.get_window_extent()
        assert box.x1 <= drawn.bbox.width and box.x0 >= 0, text.get_text()


def test_states_are_a_band_with_names() -> None:
    values = np.repeat([0.0, 1.0, 5.0], [1000, 1000, 500])[:, None]
    shown = texts(picture(page_of(values), Pen("x1", names=("off", "drive"))))
    assert "off" in shown and "drive" in shown and shown.count("5") == 2  # of the axis of time, and the unnamed one


def test_a_scale_that_follows_never_shrinks_from_page_to_page() -> None:
    chart = Chart((Pen("x1"),)).fitted(SCHEMA)
    small, large = page_of(np.full((100, 1), 0.5)), page_of(np.linspace(-3, 8, 100)[:, None])
    (first,) = scales_for(chart, small, ())
    (second,) = scales_for(chart, large, (first,))
    (third,) = scales_for(chart, small, (second,))
    assert first is not None and second is not None and second == third
    assert second.low <= min(first.low, -3) and second.high >= max(first.high, 8)


@pytest.mark.parametrize("form", ["pdf", "png"])
def test_sixteen_pens_are_drawn(form: str) -> None:
    chart = Chart(tuple(Pen(f"x{k + 1}") for k in range(MOST_PENS))).fitted(SCHEMA)
    page = page_of(np.random.default_rng(0).standard_normal((25_000, MOST_PENS)), rate=1000)
    raw = rendered(page, chart, HEADING, scales_for(chart, page, ()), form)  # type: ignore[arg-type]
    assert raw.startswith(b"%PDF" if form == "pdf" else b"\x89PNG") and RIGHT < WIDE
    if form == "png":
        assert int.from_bytes(raw[16:20]) == pytest.approx(297 / 25.4 * 150, abs=2)


def test_the_chart_of_a_hexapod_and_of_anything_else() -> None:
    names = ("off", "down")
    chart = default_chart(hexapod_schema(), names)
    assert len(chart.pens) == 8 and chart.pens[0].names == names and chart.fitted(hexapod_schema())
    assert {p.unit for p in chart.pens if p.scale != 1} == {"deg", "kN"}
    assert [p.channel for p in default_chart(SCHEMA).pens] == [f"x{k}" for k in range(1, 9)]
    assert [p.channel for p in default_chart(schema_of(1)).pens] == ["t"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"range": (1.0, 1.0)}, "pen 'x1': range is 1 to 1"),
        ({"range": (0.0, float("nan"))}, "two numbers that rise"),
        ({"scale": 0.0}, "scale is 0"),
        ({"colour": "mauve"}, "colour is 'mauve', #rrggbb or one of blue"),
        ({"width": 0.0}, "width is 0 mm"),
        ({"grid": 51}, "grid is 51"),
        ({"label": "a\nb"}, "label is"),
        ({"unit": "m" * 13}, "at most 12 letters"),
        ({"span": -1.0}, "span is -1"),
    ],
)
def test_pens_that_cannot_be_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(RecordingError, match=said):
        Pen("x1", **given)  # type: ignore[arg-type]


def test_charts_that_cannot_be_are_refused() -> None:
    pen = Pen("x1")
    for given, said in (
        ({"pens": ()}, "the chart has 0 pens, 1 to 16"),
        ({"pens": (pen,) * 17}, "17 pens"),
        ({"pens": (pen,), "speed": 0.0}, "0 mm/s"),
        ({"pens": (pen,), "paper": "pink"}, "one of green, orange"),
        ({"pens": (pen,), "title": "\x00"}, "title"),
    ):
        with pytest.raises(RecordingError, match=said):
            Chart(**given)
    with pytest.raises(SchemaError, match="no channel 'y'"):
        Chart((Pen("y"),)).fitted(SCHEMA)
