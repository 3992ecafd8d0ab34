"""The console: frames per second compared with uPlot alone, latency, first paint, cost of the server, fifty viewers."""

import functools
import gzip
import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from benchmarks.peers.browser import chromium, executable
from benchmarks.peers.console_crowd import VIEWERS, Crowd, crowd
from benchmarks.peers.console_page import Drawn, Side, first_paints, measure
from benchmarks.peers.console_server import built_page, load, pages, program, served
from benchmarks.peers.recorders import folders, process, unpinned

RING = "bench-console"
SIDES: tuple[Side, ...] = ("plots", "uplot", "plots_3d", "uplot_decimated")

# ---- the page -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pages:
    """Measured pages; entry i of all sides comes from the same round."""

    drawn: dict[Side, tuple[Drawn, ...]]
    paints_s: tuple[float, ...]
    load: str

    def of(self, side: Side) -> tuple[Drawn, ...]:
        """The entries of a side; raises `Skip` if a quick run has omitted it."""
        if side not in self.drawn:
            raise Skip("not in a quick run")
        return self.drawn[side]


@functools.cache
def looked_at(settings: Settings) -> Pages:
    """Every side in turn, in one browser, with one console of one ring."""
    executable()
    built_page()
    sides, rounds = (SIDES[:3], 1) if settings.quick else (SIDES, 3)
    warm_s, seconds = (1.5, 3.0) if settings.quick else (3.0, 10.0)
    writer = program("benchmarks.peers.console_ring", RING)
    drawn: dict[Side, list[Drawn]] = {side: [] for side in sides}
    with unpinned(), folders() as disk, process(*writer) as ring:
        assert ring.stdout is not None
        if ring.stdout.readline().strip() != "ready":
            raise RuntimeError("the writer of the ring did not start")
        with served(RING, disk, pages(disk / "pages")) as console, chromium() as browser:
            paints = first_paints(browser, console, 1 if settings.quick else 7)
            for turn in range(rounds):
                for side in sides[turn % len(sides) :] + sides[: turn % len(sides)]:
                    drawn[side].append(measure(browser, console, side, warm_s, seconds))
    return Pages({side: tuple(found) for side, found in drawn.items()}, paints, load())


def fps(side: Side) -> Callable[[Settings], Samples]:
    """Frames per second of one page."""

    def found(settings: Settings) -> Samples:
        seen = looked_at(settings)
        return Samples(tuple(one.fps for one in seen.of(side)), seen.load)

    return found


def fps_ratio(side: Side, other: Side) -> Callable[[Settings], Samples]:
    """Ratio of two pages, round by round."""

    def found(settings: Settings) -> Samples:
        seen = looked_at(settings)
        pairs = zip(seen.of(side), seen.of(other), strict=True)
        return Samples(tuple(a.fps / b.fps for a, b in pairs), seen.load)

    return found


def core_share(settings: Settings) -> Samples:
    """Processor share of the server while the page with everything is open."""
    seen = looked_at(settings)
    return Samples(tuple(one.core_share for one in seen.of("plots_3d")), seen.load)


def latency(settings: Settings) -> Samples:
    """Medians of the rounds."""
    seen = looked_at(settings)
    worst = statistics.median(float(np.percentile(one.delays_ms, 95)) for one in seen.of("plots"))
    beside = statistics.median(one.delay_ms for one in seen.of("plots_3d"))
    note = f"95 % within {worst:.0f} ms; {beside:.0f} ms with the 3D view; {seen.load}"
    return Samples(tuple(one.delay_ms for one in seen.of("plots")), note)


def first_paint(settings: Settings) -> Samples:
    """Time to first paint of the second and later visits."""
    seen = looked_at(settings)
    return Samples(seen.paints_s, seen.load)


def bundle(_: Settings) -> Samples:
    """Size of all scripts and styles of the build."""
    folder = built_page()
    files = [path for path in folder.rglob("*") if path.suffix in (".js", ".css")]
    names = re.findall(r'(?:src|href)="\./([^"]+\.(?:js|css))"', (folder / "index.html").read_text())
    first = [folder / name for name in names]
    if not files or not first:
        raise RuntimeError(f"{folder}: no scripts in the page")
    sizes = f"packed {_packed_kb(files):.0f} kB; first come {_kb(first):.0f} kB, packed {_packed_kb(first):.0f} kB"
    return Samples((_kb(files),), f"{len(files)} files; {sizes}; the rest when the 3D view is shown")


def _kb(files: list[Path]) -> float:
    return sum(path.stat().st_size for path in files) / 1e3


def _packed_kb(files: list[Path]) -> float:
    return sum(len(gzip.compress(path.read_bytes())) for path in files) / 1e3


# ---- viewers and the base -------------------------------------------------------------------------------------------


def crowded(values: Callable[[Crowd], tuple[float, ...]]) -> Callable[[Settings], Samples]:
    """A metric of the rounds with and without viewers."""

    def found(settings: Settings) -> Samples:
        seen = crowd(settings)
        return Samples(values(seen), seen.note)

    return found


BENCHMARKS = [
    Benchmark("console.bundle_kb", "kB", "<= 900", "all scripts and styles, not packed", bundle),
    Benchmark("console.fps_plots", "1/s", ">= 45", "36 channels of 1 kHz in 6 plots, 10 s: frames with new data",
              fps("plots")),
    Benchmark("console.fps_plots_bare", "1/s", None, "the same with uPlot alone, which draws every record",
              fps("uplot")),
    Benchmark("console.fps_vs_uplot", "x", None, "ours / uPlot alone", fps_ratio("plots", "uplot")),
    Benchmark("console.fps_plots_bare_decimated", "1/s", None, "uPlot alone, with what our server decimated",
              fps("uplot_decimated")),
    Benchmark("console.fps_vs_uplot_decimated", "x", None, "ours / that", fps_ratio("plots", "uplot_decimated")),
    Benchmark("console.fps_plots_3d", "1/s", ">= 28", "frames of the plots with the 3D view beside", fps("plots_3d")),
    Benchmark("console.server_core_share", "-", "<= 0.15", "processor time of the server / time, that page open",
              core_share),
    Benchmark("console.latency_ms_p50", "ms", "<= 60", "a record written to the end of the frame that drew it",
              latency),
    Benchmark("console.first_paint_s", "s", "<= 1", "navigation to plots with data, warm cache", first_paint),
    Benchmark("console.writer_late_share_alone", "-", None, "ticks of a 2 kHz base later than half a period, no viewer",
              crowded(lambda c: c.shares(c.alone))),
    Benchmark("console.writer_late_share_viewers", "-", None, f"the same with {VIEWERS} viewers of 36 channels",
              crowded(lambda c: c.shares(c.beside))),
    Benchmark(f"console.viewers_{VIEWERS}_writer_late_share", "x", "<= 1.1", "with viewers / without, by medians",
              crowded(lambda c: (c.ratio,))),
    Benchmark("console.silent_viewer_dropped_s", "s", "<= 7", "until a viewer that reads nothing is let go",
              crowded(lambda c: (c.dropped_s,))),
]  # fmt: skip
