"""A measurement with all that it depends on, as data, rows of a file and a page."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, final

from motionbase.cueing.cueing import PREDICTIVE, Cueing
from motionbase.cueing.omct.bounds import Bounds, verdict
from motionbase.cueing.omct.measure import Course, Curve, Measured
from motionbase.cueing.omct.motions import TESTS, Amplitudes
from motionbase.cueing.omct.plot import PAIRS, pair_figure
from motionbase.report.document import Document, fingerprint, versions
from motionbase.report.figures import as_data
from motionbase.report.page import environment

ALONE, WHOLE = "algorithm alone", "whole system"
COLUMNS = (
    "system", "test", "name", "omega_rad_s", "gain", "phase_deg", "harmonics", "residual", "coherence", "input",
    "output", "verdict",
)  # fmt: skip
UNITS = {True: "rad/s", False: "m/s²"}


@final
@dataclass(frozen=True, eq=False)
class Report:
    """Result of a motion cueing test.

    Attributes:
        results: the first is judged, a second one is shown with it
        point: (3,) where the motion is taken, in P [m]; point_name: what the platform calls it
        host_rate: samples of the vehicle a second; None for one in each tick of the algorithm
        bounds: a user's table, if there is one
    """

    cueing: Cueing
    results: tuple[Measured, ...]
    amplitudes: Amplitudes
    course: Course
    point: tuple[float, float, float]
    point_name: str
    host_rate: float | None
    bounds: Bounds | None
    document: Document

    @property
    def judged(self) -> Measured:
        """What the report is about."""
        return self.results[0]

    @property
    def lever(self) -> tuple[float, ...]:
        """From the point to the head, in axes of vehicle and platform [m]."""
        return tuple(h - p for h, p in zip(self.cueing.head_P, self.point, strict=True))

    @property
    def whole(self) -> bool:
        """Whether the report is about the whole system."""
        return self.judged.label == WHOLE

    def verdicts(self, curve: Curve) -> list[str]:
        """For each tone: within, outside, or "" where there is no bound."""
        found = [None] * len(curve.omega) if self.bounds is None else self.bounds.broken(curve)
        return [verdict(one) for one in found]

    @property
    def counts(self) -> dict[str, int]:
        """Tones of the judged result: all, those with a bound, those outside it, doubtful ones."""
        verdicts = [one for curve in self.judged.curves for one in self.verdicts(curve)]
        return {
            "tones": len(verdicts),
            "bounded": sum(one != "" for one in verdicts),
            "outside": sum(one.startswith("outside") for one in verdicts),
            "doubtful": sum(int(curve.doubtful.sum()) for curve in self.judged.curves),
        }

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """What the measurement depends on, in words."""
        a, platform, cues = self.amplitudes, self.cueing.platform, self.cueing.cue_set
        deg, place = math.degrees(1.0), ", ".join(f"{x:g}" for x in self.point)
        planned = self.cueing.algorithm == PREDICTIVE
        sampled = "in every tick of the algorithm" if self.host_rate is None else f"{self.host_rate:g} a second"
        return [
            ("Platform", f"{platform.name}, fingerprint {fingerprint(platform)}"),
            ("Cueing", f"{self.cueing.algorithm}, set {cues.name}, in the air, {1 / self.cueing.dt:g} Hz"),
            ("Measured", self._system),
            ("Point", f"{self.point_name}, ({place}) m in P; the vehicle's motion is given at the same point"),
            ("Samples of the vehicle", sampled),
            ("Amplitude of translations", f"{a.acceleration:g} m/s²"),
            ("Amplitude of rotations (illustrative)",
             f"the least of {deg * a.angle:g}° of attitude, {deg * a.angular_rate:g} °/s and "
             f"{deg * a.angular_acceleration:g} °/s²"),
            ("Each sine", f"fades in for a period or {self.course.shortest_fade:g} s, settles for "
             f"{self.course.settle:g} s, and is measured over whole periods for at least {self.course.least:g} s"),
            *([("Plans", "one planner for each run, without a deadline")] if planned else []),
            ("Bounds", "none given" if self.bounds is None else f"{self.bounds.name}: "
             f"{self.bounds.source or 'the file does not say where they are from'}"),
        ]  # fmt: skip

    @property
    def _system(self) -> str:
        if not self.whole:
            return "the algorithm alone: the motion that it commands"
        return "the whole system: from the host's samples to the true motion of the simulated platform"

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per tone, all results; input and output are amplitudes in m/s^2 or rad/s."""
        for result in self.results:
            for curve in result.curves:
                facts, verdicts = curve.facts(), self.verdicts(curve)
                for k in range(len(curve.omega)):
                    tone = {name: facts[name][k] for name in COLUMNS[3:-1]}
                    judged = verdicts[k] if result is self.judged else ""
                    yield {"system": result.label, "test": curve.test.number, "name": curve.test.name, **tone,
                           "verdict": judged}  # fmt: skip

    def csv(self) -> str:
        """The rows as a file."""
        text = io.StringIO()
        table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        table.writeheader()
        for row in self.rows():
            table.writerow({name: f"{x:.9g}" if isinstance(x, float) else x for name, x in row.items()})
        return text.getvalue()

    def json(self) -> str:
        """Everything as JSON text."""
        cues = self.cueing.cue_set
        made = {
            "document": {**asdict(self.document), "fingerprint": fingerprint(self.cueing.platform)},
            "platform": self.cueing.platform.name, "cueing": cues.name, "algorithm": self.cueing.algorithm,
            "conditions": dict(self.conditions), "parameters": self.parameters,
            "amplitudes": asdict(self.amplitudes), "illustrative": [*cues.illustrative, "amplitudes of rotations"],
            "results": {one.label: [curve.facts() for curve in one.curves] for one in self.results},
            "counts": self.counts, "bounds": None if self.bounds is None else self.bounds.name,
            "outside": [row for row in self.rows() if row["verdict"].startswith("outside")], "versions": versions(),
        }  # fmt: skip
        return json.dumps(made, allow_nan=False)

    @property
    def parameters(self) -> dict[str, list[float]]:
        """Values in the air, by name."""
        layout, vector = self.cueing.parameters, self.cueing.parameter_vector()
        named = [port.name for port in layout.ports if not port.name.startswith("cue_ground_")]
        return {name: [float(x) for x in layout.part(vector, name).reshape(-1)] for name in named}


def page(report: Report) -> str:
    """The HTML of a report."""
    measured = {curve.test.number for curve in report.judged.curves}
    cues = report.cueing.cue_set
    pairs = [tuple(number for number in pair if number in measured) for pair in PAIRS]
    return environment("motionbase.cueing.omct").get_template("omct.html").render(
        report=report,
        name=report.cueing.platform.name,
        document=report.document.head(f"{cues.name}, fingerprint {fingerprint(cues)}"),
        foot=f"{report.cueing.platform.name}, motion cueing test, revision {report.document.revision}, "
             f"{report.document.date}",
        pairs=[
            (as_data(pair_figure(report.results, pair, report.bounds)), [report.judged.of(number) for number in pair])
            for pair in pairs if pair
        ],
        left_out=[test for test in TESTS if test.number not in measured],
        ports={port.name: port for port in report.cueing.parameters.ports},
        units=UNITS,
        counts=report.counts,
        versions=versions(),
    )  # fmt: skip
