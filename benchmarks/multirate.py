"""Multi-rate schedules: savings relative to the ordinary single-rate run, and the loss of accuracy.

Arms follow a smooth reference under joint servos. Every schedule and the ordinary run, whose step calls the fused
forward dynamics, are measured in turn in one process; errors are the end effector's against RK4 at a tenth of the step.

    python -m benchmarks.multirate docs/pictures/multirate.png    # measures and draws
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Benchmark, Samples, Settings
from benchmarks.mechanics.rates import SCHEDULES, SINGLE, cost, costs, error
from benchmarks.models.manoeuvres import MANOEUVRES

SLOWER = (2, 4, 10)  # times the base step: the alternative way to save, for comparison
Point = tuple[float, float, str]  # cost, error, name


def _error(name: str, schedule: str) -> Callable[[Settings], Samples]:
    def measure(settings: Settings) -> Samples:
        others = f"{error(name, schedule, 'ab2', centred=False):.1e} m not centred"
        note = f"{others}; semi-implicit Euler {error(name, schedule, 'euler'):.1e} m"
        return Samples((error(name, schedule, "ab2"),), note)

    return measure


def _rows(name: str) -> list[Benchmark]:
    m, rows = MANOEUVRES[name], []
    for schedule in SCHEDULES:
        what = f"{m.title}, mass/nonlinear/external every {schedule.replace('_', '/')} steps of {1e3 * m.h:g} ms"
        metric = f"multirate.{name}_{schedule}"
        text = f"{what}: time over the single-rate run's"
        rows.append(Benchmark(f"{metric}_cost", "x", None, text, cost(name, schedule), "strict", 1))
        text = f"{what}: largest error of the end effector over {m.duration:g} s, AB2"
        rows.append(Benchmark(f"{metric}_error_m", "m", None, text, _error(name, schedule), "strict", 1))
    return rows


BENCHMARKS = [row for name in MANOEUVRES for row in _rows(name)]


def points(settings: Settings, name: str) -> tuple[list[Point], list[Point]]:
    """Points of the schedules, and of single-rate runs with longer steps; AB2."""
    rounds = costs(settings, name)
    schedules = [
        (rounds.ratio(key, SINGLE).median, error(name, key, "ab2"), key.replace("_", "/")) for key in SCHEDULES
    ]
    longer = [(1 / n, error(name, "1_1_1", "ab2", n), f"{n} h" if n > 1 else "h") for n in (1, *SLOWER)]
    return schedules, longer


def table(settings: Settings) -> str:
    """The figures as Markdown: schedule, then cost and error of each manoeuvre."""
    columns = [points(settings, name) for name in MANOEUVRES]
    lines = []
    for kind in range(2):
        for rows in zip(*(column[kind] for column in columns), strict=True):
            cells = " | ".join(f"{share:.2f} | {distance:.1e}" for share, distance, _ in rows)
            if kind == 0:
                key = rows[0][2].replace("/", "_")
                plain = (error(name, key, "ab2", centred=False) for name in MANOEUVRES)
                cells += " | not centred: " + ", ".join(f"{distance:.1e}" for distance in plain)
            lines.append(f"| {rows[0][2]} | {cells} |")
    singles = (f"{name} {costs(settings, name).side(SINGLE, 1e6).median:.0f} us" for name in MANOEUVRES)
    return "\n".join([*lines, f"single-rate, a simulated second: {', '.join(singles)}"])


def draw(path: Path, settings: Settings) -> None:
    """Plot cost against error, one panel per manoeuvre."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.4), layout="constrained")
    panels = figure.subplots(1, len(MANOEUVRES), sharey=True)
    for axes, (name, m) in zip(panels, MANOEUVRES.items(), strict=True):
        schedules, longer = points(settings, name)
        stable = [p for p in longer if math.isfinite(p[1])]
        for found, style, colour, what, shift, side in (
            (stable, "o--", "0.55", "single rate, longer step", (-7, -3), "right"),
            (schedules, "s", "C0", "schedule", (7, -3), "left"),
        ):
            axes.plot([p[1] for p in found], [p[0] for p in found], style, color=colour, label=what)
            for share, distance, label in found:
                where = {"xytext": shift, "textcoords": "offset points", "ha": side}
                axes.annotate(label, (distance, share), **where, color=colour, size=8)
        axes.set_xscale("log")
        axes.set_title(f"{m.title}, h = {1e3 * m.h:g} ms", fontsize="medium")
        axes.set_xlabel("largest error of the end effector in 10 s [m]")
        low, high = min(p[1] for p in schedules), max(p[1] for p in schedules)
        axes.set_xlim(low / 20, high * 100)  # room for the names
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("time / that of the single-rate run [-]")
    panels[0].set_ylim(0.0, 1.25)
    panels[0].legend(fontsize="small", loc="upper right", frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    print(table(Settings()))
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]), Settings())
