"""The console's bench: what it counts, what it says without a browser or a page, and that late ticks are compared."""

import gzip
from pathlib import Path

import pytest

from benchmarks import console
from benchmarks.harness import Settings, Skip
from benchmarks.peers import console_server
from benchmarks.peers.console_crowd import Crowd, Ticks
from benchmarks.peers.console_page import Drawn, Side
from benchmarks.peers.console_ring import SHOWN, places, schema

QUICK = Settings(quick=True)


def test_without_a_browser_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.cli.checkout.chromium", lambda: None)
    with pytest.raises(Skip, match="no Chromium on this machine; looked for chromium"):
        console.looked_at.__wrapped__(QUICK)


def test_without_a_built_page_it_says_what_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(console_server.STATIC_VARIABLE, str(tmp_path))
    with pytest.raises(Skip, match="`npm run build` in web/"):
        console.bundle(QUICK)


def test_the_bundle_is_all_scripts_and_styles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text('<script type="module" src="./assets/a.js"></script>')
    (tmp_path / "assets" / "a.js").write_bytes(b"a" * 1500)
    (tmp_path / "assets" / "later.js").write_bytes(b"b" * 2000)
    (tmp_path / "assets" / "a.css").write_bytes(b"c" * 500)
    (tmp_path / "assets" / "picture.png").write_bytes(b"d" * 9000)
    monkeypatch.setenv(console_server.STATIC_VARIABLE, str(tmp_path))
    found = console.bundle(QUICK)
    assert found.values == (4.0,)
    packed = len(gzip.compress(b"a" * 1500)) / 1e3
    assert f"first come 2 kB, packed {packed:.0f} kB" in found.note


def test_the_page_and_uplot_alone_are_served_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built, uplot = tmp_path / "built", tmp_path / "uplot"
    for folder in (built, uplot):
        folder.mkdir()
    (built / "index.html").write_text("ours")
    for name in ("uPlot.iife.min.js", "uPlot.min.css"):
        (uplot / name).write_text(name)
    monkeypatch.setenv(console_server.STATIC_VARIABLE, str(built))
    monkeypatch.setattr(console_server, "UPLOT", uplot)
    made = console_server.pages(tmp_path / "pages")
    assert (made / "index.html").read_text() == "ours"
    assert {p.name for p in (made / "bare").iterdir()} == {
        "index.html",
        "page.js",
        "uPlot.iife.min.js",
        "uPlot.min.css",
    }
    (uplot / "uPlot.min.css").unlink()
    with pytest.raises(Skip, match="uPlot is not in web/node_modules"):
        console_server.pages(tmp_path / "again")


def test_ratios_are_of_the_same_round(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: dict[Side, tuple[Drawn, ...]] = {
        "plots": (Drawn(60.0, (20.0, 30.0, 40.0), 0.1), Drawn(30.0, (25.0,), 0.1)),
        "uplot": (Drawn(20.0, (50.0,), 0.1), Drawn(10.0, (50.0,), 0.1)),
        "plots_3d": (Drawn(40.0, (35.0,), 0.12), Drawn(40.0, (35.0,), 0.14)),
    }
    monkeypatch.setattr(console, "looked_at", lambda _: console.Pages(drawn, (0.5,), "load average 1.0 on 2 cores"))
    assert console.fps_ratio("plots", "uplot")(QUICK).values == (3.0, 3.0)
    assert console.latency(QUICK).values == (30.0, 25.0)
    assert console.core_share(QUICK).values == (0.12, 0.14)
    with pytest.raises(Skip, match="not in a quick run"):
        console.fps("uplot_decimated")(QUICK)


def test_late_ticks_are_compared_by_medians_and_none_is_no_division_by_zero() -> None:
    quiet = Crowd((Ticks(0, 1000),) * 3, (Ticks(0, 1000),) * 3, 5.5, "")
    assert quiet.ratio == 1.0
    one_bad_round = Crowd((Ticks(9, 1000),) * 3, (Ticks(9, 1000), Ticks(19, 1000), Ticks(900, 1000)), 5.5, "")
    assert one_bad_round.ratio == 2.0
    assert one_bad_round.shares(one_bad_round.beside) == (0.009, 0.019, 0.9)


def test_the_ring_has_the_36_channels_and_a_stamp() -> None:
    names = [channel.name for channel in schema().channels]
    assert [names[place] for place in places()] == list(SHOWN)
    assert len(set(SHOWN)) == 36
    assert names[-1] == "stamp"
