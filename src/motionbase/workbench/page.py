"""The report as one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment

from motionbase.actuators.electric import ElectricActuator
from motionbase.multibody.elements.friction_law import Friction
from motionbase.platform.hexapod import LEGS, Actuator, Hexapod
from motionbase.platform.shape import shape_of
from motionbase.platform.sizing.architecture import condition_words
from motionbase.platform.tables import meaning_of, unit_of
from motionbase.record.axes import DOFS
from motionbase.report.document import Document, fingerprint, versions
from motionbase.report.figures import as_data
from motionbase.report.page import browser, environment, print_pdf, write_text
from motionbase.workbench.clearance import Thresholds
from motionbase.workbench.maps import MEANING
from motionbase.workbench.plot_space import scene_figure, surface_figure, turns_figure
from motionbase.workbench.plots import maps_figure, moments_figure
from motionbase.workbench.posture import DEXTERITIES
from motionbase.workbench.report import Report, made_report
from motionbase.workbench.requirements import Row, legs_out
from motionbase.workbench.surface import END_MEANING
from motionbase.workbench.trajectory import read_trajectory
from motionbase.workbench.workspace import Progress

PAIRS = 16  # rows of the table of clearances


def page(report: Report) -> str:
    """The HTML of a report."""
    h, document, clearances = report.hexapod, report.document, report.clearance_rows()
    gimbals = {"base": h.gimbals.base, "platform": h.gimbals.platform}

    def is_illustrative(key: str) -> bool:
        return any(key == one or key.startswith(f"{one}.") for one in h.illustrative)

    return _environment().get_template("report.html").render(
        report=report,
        h=h,
        shape=shape_of(h),
        is_illustrative=is_illustrative,
        foot=f"{h.name}, kinematics, revision {document.revision}, {document.date}",
        document=document.head(f"{h.name}, fingerprint {fingerprint(h)}"),
        actuator="electric" if isinstance(h.actuator, ElectricActuator) else "hydraulic",
        actuator_numbers=_numbers(h.actuator),
        single_axes=_single_axes(report),
        bearing_ranges={
            f"{end}, {which} bearing": limit
            for end, limits in gimbals.items() for which, limit in zip(("first", "second"), limits, strict=True)
        },
        clearances=clearances,
        pairs=_by_kinds(clearances)[:PAIRS],
        recording=report.moment_facts(report.moments) if report.moments else None,
        pictures=pictures(report),
        dofs=DOFS, quantities=MEANING, dexterity=DEXTERITIES["characteristic"], end_meaning=END_MEANING,
        versions=versions(),
    )  # fmt: skip


def _environment() -> Environment:
    made = environment("motionbase.workbench")
    made.filters |= {
        "mm": lambda distance: "interference" if distance is None else f"{1000 * distance:.1f} mm",
        "deg": np.degrees,
        "legs": lambda number: " ".join(str(k + 1) for k in range(LEGS) if number >> k & 1) or "none",
        "legs_out": legs_out,
        "condition": condition_words,
    }
    return made


def _numbers(actuator: Actuator) -> Iterator[tuple[str, str, str, str]]:
    """Key, value, unit and meaning of all data of the legs' actuators."""
    for part, prefix in ((actuator, ""), (actuator.friction, "friction.")):
        cls: type[Any] = type(part)
        for f in fields(cls):
            value = getattr(part, f.name)
            if not isinstance(value, Friction):
                meaning = meaning_of(cls, f.name).replace("`", "")
                yield f"{prefix}{f.name}", f"{value:.6g}", unit_of(cls, f.name), meaning


def _single_axes(report: Report) -> Iterator[tuple[str, ...]]:
    """For each axis: range alone, range over the extremes, command limit, unit."""
    corners = report.extremes.extremes
    reached = corners.dof[corners.converged]
    for k, name in enumerate(DOFS):
        scale, unit, digits = (1.0, "m", 3) if k < 3 else (float(np.degrees(1)), "deg", 1)
        pairs = report.limits[k], (reached[:, k].min(), reached[:, k].max())
        shown = (" to ".join(f"{scale * x:+.{digits}f}" for x in pair) for pair in pairs)
        yield name, *shown, f"±{scale * report.hexapod.limits.position[k]:.{digits}f}", unit


def _by_kinds(rows: Iterable[Row]) -> list[tuple[Row, int]]:
    """The nearest pair of each two kinds of parts, and the number of near pairs."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        kinds = sorted(str(row[which]).rstrip("0123456789 ") for which in ("first", "second"))  # "rod" of "rod 3"
        found.setdefault(tuple(kinds), []).append(row)
    return [(near[0], len(near)) for near in found.values()]


def pictures(report: Report) -> dict[str, str]:
    """Pictures by name: reach, turns, map0, map1, worst, and recording if there is one."""
    h = report.hexapod
    made = {
        "reach": surface_figure(h, report.reach, report.space, report.any_attitude),
        "turns": turns_figure(h, report.turns),
        **{f"map{k}": maps_figure(h, list(plane)) for k, plane in enumerate(report.planes)},
    }
    worst = report.extremes.clearances.least
    if worst is not None:
        number = int(report.extremes.numbers[worst.pose])
        poses = report.extremes.extremes
        title = f"{h.name}: {legs_out(number)}"
        geometry = report.clearance.geometry
        verdict = report.verdict(worst.gap.first, worst.gap.second, worst.gap.distance)
        made["worst"] = scene_figure(geometry, poses.p_W[number], poses.Q_WP[number], worst.gap, title, verdict)
    if report.moments is not None:
        made["recording"] = moments_figure(report, report.moments)
    return {name: as_data(figure) for name, figure in made.items()}


def write_report(
    platform: Hexapod,
    out: Path,
    limits: Thresholds,
    document: Document,
    *,
    recording: tuple[Path, str] | None = None,
    rows: int = 24,
    progress: Progress | None = None,
) -> Report:
    """Compute a report and write its page: HTML, or a PDF where the name ends so.

    Args:
        recording: a recording or CSV to look at as well, and which of its channels say where the platform is
        rows: of directions
    """
    done, printer = progress or (lambda part: None), browser() if out.suffix == ".pdf" else ""
    moments = None
    if recording is not None:
        t, found, _ = read_trajectory(platform, *recording, "characteristic")
        moments = recording[0].name, t, found
    made = made_report(
        platform, limits, document, recording=moments, rows=rows, progress=lambda part: done(0.85 * part)
    )
    if printer:
        print_pdf(page(made), out, printer)
    else:
        write_text(out, page(made))
    done(1.0)
    return made
