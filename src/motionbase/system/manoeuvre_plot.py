"""Plot of a sphere's manoeuvre: spin, error, traction of each wheel, true slip and slip estimated by the law."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionbase.platform.plot import COLOURS
from motionbase.system.manoeuvre import Manoeuvre

TOLD, LOST = "#b36b00", "#b00020"
MOST_ROWS = 4000


def write_manoeuvre(found: Manoeuvre, path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    rows, t = found.rows, found.t
    thin = slice(None, None, max(1, len(t) // MOST_ROWS))
    figure = Figure(figsize=(10, 9), layout="constrained")
    spin, error, force, slip = figure.subplots(4, 1, sharex=True)
    command = np.degrees(np.linalg.norm(found.spin.omega, axis=1))
    spin.plot(found.loop.dt * np.arange(len(command)), command, color="#888888", label="commanded")
    turned = np.degrees(np.linalg.norm(rows["omega_S_next"], axis=1))
    spin.plot(t[thin], turned[thin], color=COLOURS[0], label="sphere")
    spin.set_ylabel("spin [deg/s]")
    spin.legend(loc="upper right")
    at = t[: len(found.drift)]
    error.plot(at[thin], np.degrees(found.drift)[thin], color=COLOURS[0])
    error.set_ylabel("from the command [deg]")
    wheels = found.loop.atlas.wheels
    for k in range(len(wheels)):
        colour = COLOURS[k % len(COLOURS)]
        limit = found.friction[k] * rows["N_wheel"][:, k]
        force.plot(t[thin], np.abs(rows["f_contact"][thin, k]), color=colour, label=f"wheel {k + 1}")
        force.plot(t[thin], limit[thin], color=colour, linestyle=":")
        slip.plot(t[thin], rows["slip"][thin, k], color=colour)
        slip.plot(t[thin], rows["slip_hat"][thin, k], color=colour, linestyle="--", linewidth=0.8)
    force.set_ylabel("roller force [N]\n(dotted: most)")
    force.legend(loc="upper right", ncols=len(wheels))
    slip.set_ylabel("slip [m/s]\n(dashed: as the law sees it)")
    slip.set_xlabel("time [s]")
    for when, colour, text in ((found.tally.told_at, TOLD, "slip told"), (found.tally.lost_at, LOST, "traction lost")):
        if when is not None:
            for axes in (spin, error, force, slip):
                axes.axvline(when, color=colour, linewidth=1)
            spin.annotate(f" {text}", (when, spin.get_ylim()[1]), va="top", color=colour)
    for axes in (spin, error, force, slip):
        axes.grid(alpha=0.3)
    figure.suptitle(f"{found.loop.atlas.name}: the sphere under its law")
    figure.savefig(path, dpi=110)
