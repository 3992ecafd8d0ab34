"""The motion cueing test of the classical washout, against the transfer functions of its set; report and commands."""

import csv
import io
import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import AnyArray, Array
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.omct import report as report_module
from motionbase.cueing.omct.algorithm import Algorithm, omct_point, samples
from motionbase.cueing.omct.bounds import Bound, Bounds
from motionbase.cueing.omct.measure import Course, Curve, Measured, measured
from motionbase.cueing.omct.motions import TESTS, Amplitudes, Excitation
from motionbase.cueing.omct.report import ALONE, COLUMNS, Report, page
from motionbase.cueing.run import cue
from motionbase.platform.load import load_platform
from motionbase.record.vehicle import G
from motionbase.report.document import Document
from tests.cueing.rig import DT, cueing
from tests.report.closed import Closed

SMALL = Amplitudes(0.05, math.radians(0.3), math.radians(0.3), math.radians(2.0))
FEW = (0.251, 1.0, 3.981)
HEAD = 1.2075  # [m] above P


@cache
def small_signals() -> dict[int, Curve]:
    """At the head, so that the vehicle has no lever."""
    alone = Algorithm(cueing(), point=(0.0, 0.0, HEAD))
    return {curve.test.number: curve for curve in measured(alone, SMALL, omegas=FEW)}


def high(s: AnyArray, omega: float) -> AnyArray:
    return np.asarray(s**2 / (s + omega) ** 2)  # damping ratio 1


def truth(number: int, w: Array) -> AnyArray:
    """From SIMONA's published gains and frequencies; filters move the centroid, HEAD below the head.

    The specific force at the head is a - g pitch + HEAD pitch'' along surge, a + g roll - HEAD roll'' along sway. The
    acceleration wanted is the scaled force without the share of gravity that the tilt brings. The acceleration of
    angles is a difference to the tick before.
    """
    s, K, low = 1j * w, 0.6, (2.0 / (1j * w + 2.0)) ** 2
    back = (1 - np.exp(-s * DT)) / (s * DT)
    quick = {"pitch": K * high(s, 0.8), "roll": K * high(s, 1.0), "yaw": K * high(s, 1.0)}
    push = {"surge": high(s, 0.8), "sway": high(s, 1.0)}
    test = TESTS[number - 1]
    # g times the angle of the platform, and what the head gets of its angular acceleration
    turns, tilts = (quick[test.moved], K * low) if test.moved in quick else (0.0, K * low)
    swung = -HEAD * s**2 / G * back * (turns + tilts)
    if test.seen == "heave":
        found = 0.5 * high(s, 1.0) * s / (s + 0.2)
    elif test.moved == "yaw":
        found = turns
    elif test.seen in push:
        found = push[test.seen] * (K - turns - tilts) + turns + tilts + swung
    else:
        found = turns + tilts
    return np.asarray(found * (1 + np.exp(-s * DT)) / 2)  # the reconstruction with a sample in every tick


@pytest.mark.parametrize("number", [test.number for test in TESTS])
def test_small_signals_are_those_of_the_transfer_functions(number: int) -> None:
    """To 1e-3: trapezoidal filters shift frequencies by (w dt)^2 / 12 = 3e-5, and what turns with the platform's angles
    takes those a tick ahead; angles of 0.3 degrees are small to 1e-5."""
    curve = small_signals()[number]
    wanted = truth(number, curve.omega)
    np.testing.assert_allclose(np.abs(curve.response - wanted), 0, atol=1e-3 * np.abs(wanted).max() + 1e-9)
    assert curve.residual.max() < 2e-3


def test_limits_of_the_tilt_show_as_harmonics() -> None:
    """At 1.58 rad/s and 2 m/s^2 the tilt would have to turn by 6.8 degrees a second; its limit is 3."""
    alone = Algorithm(cueing())
    (curve,) = measured(alone, Amplitudes(acceleration=2.0), tests=TESTS[6:7], omegas=(0.158, 1.585))
    assert curve.doubtful.tolist() == [False, True]


def test_the_point_is_the_platforms_own() -> None:
    simona = load_platform("simona")
    assert Algorithm(cueing()).point_P == simona.points["omct"] == (0.0, 0.0, 0.8575)
    assert Algorithm(cueing()).lever == pytest.approx((0, 0, 0.35))
    assert omct_point(load_platform("odu"), (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


def test_a_host_samples_what_the_vehicle_does() -> None:
    """60 a second at 2 kHz: the newest sample, held; a count that grows by one with each."""
    sine = Excitation("surge", 2.0, 1.0, 1.0)
    rows, count = samples(np.arange(4000.0), 5e-4, sine.rows, 60.0)
    assert count[0] == 1 and count[-1] == 120 and np.all(np.diff(count) <= 1)
    np.testing.assert_array_equal(rows[:, 0], sine.rows((count - 1) / 60)[:, 0])
    rows, count = samples(np.arange(5.0), 5e-4, sine.rows, None)
    np.testing.assert_array_equal(count, np.arange(1, 6))


@cache
def report(bounded: bool) -> Report:
    curves, table = tuple(small_signals().values()), Bounds("mine.csv", "", (Bound(6, 1.0, (0.9, 1.1)), Bound(10, 1.0)))
    return Report(
        cueing(), (Measured(ALONE, curves), Measured("another", curves)), SMALL, Course(), (0.0, 0.0, HEAD), "eye",
        None, table if bounded else None, Document("2026-05-31", author="A. <Smith>"),
    )  # fmt: skip


def test_the_report_has_all_tests_and_what_they_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # the pictures are drawn, but not rendered, which takes seconds
    monkeypatch.setattr(report_module, "as_data", lambda figure: "data:image/png;base64,")
    text = page(report(True))
    for test in TESTS:
        assert f"<h3>{test.number} {test.name}</h3>" in text
    for shown in ("outside: gain", "mine.csv: the file does not say", "A. &lt;Smith&gt;", "cue_tilt_rate", "Gouverneur",
                  "Nothing here is man-rated", "eye, (0, 0, 1.2075) m in P", "air.saturation"):  # fmt: skip
        assert shown in text
    assert text.count('src="data:image/png;base64,') == 5
    parser = Closed()
    parser.feed(text)
    assert parser.open == []


def test_the_report_as_data() -> None:
    made = report(True)
    facts = json.loads(made.json())
    assert facts["counts"] == {"tones": 30, "bounded": 1, "outside": 1, "doubtful": 0}
    assert [row["test"] for row in facts["outside"]] == [6]
    assert facts["parameters"]["cue_gain"] == [0.6, 0.6, 0.5, 0.6, 0.6, 0.6]
    assert [curve["test"] for curve in facts["results"][ALONE]] == list(range(1, 11))
    rows = list(csv.DictReader(io.StringIO(made.csv())))
    assert tuple(rows[0]) == COLUMNS and len(rows) == 60
    row = next(row for row in rows if row["test"] == "7" and row["omega_rad_s"] == "1")
    assert float(row["output"]) / float(row["input"]) == pytest.approx(float(row["gain"]), rel=1e-6)


def test_template_of_bounds_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from motionbase.cli.main import main

    out = tmp_path / "mine.csv"
    assert main(["cue", "bounds", str(out)]) == 0 and "15.849" in out.read_text()
    assert main(["cue", "bounds", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["cue", "bounds", str(tmp_path / "mine.txt")]) == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["nothing"], "no platform 'nothing'"),
        (["simona", "--cueing", "simnoa"], "no cueing set 'simnoa'; did you mean 'simona'?"),
        (["simona", "--algorithm", "clasical"], "no cueing algorithm 'clasical'; did you mean 'classical'?"),
        (["simona", "--tests", "1,11"], "--tests is '1,11': there is no test '11', they are 1 to 10"),
        (["simona", "--point", "nose"], "no point 'nose'"),
        (["simona", "--host-rate", "0"], "--host-rate is 0 Hz, it must be 1 to 1000"),
        (["simona", "--angle", "60"], "amplitudes: angle is"),
        (["simona", "--bounds", "none.csv"], "none.csv: cannot be read"),
        (["simona", "--report", "omct.doc"], "'omct.doc': the name must end in .html, .pdf"),
        (["simona", "--date", "today"], "--date is 'today'"),
    ],
)
def test_what_cannot_work_is_refused(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    from motionbase.cli.main import main

    assert main(["cue", "omct", *options]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1


def test_the_command_measures_judges_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from motionbase.cli.main import main

    table, out, plot = tmp_path / "mine.csv", tmp_path / "omct.csv", tmp_path / "omct.png"
    table.write_text("test,omega,gain_min,gain_max,phase_min,phase_max\n10,1,0.2,0.3,90,120\n10,10,0.9,1.1,,\n")
    options = ["--tests", "10", "--bounds", str(table), "--csv", str(out), "--plot", str(plot)]
    assert main(["cue", "omct", "simona", *options]) == 1
    assert "1 of 2 tones with a bound are outside it" in capsys.readouterr().out
    assert len(out.read_text().splitlines()) == 13 and plot.stat().st_size > 10_000


@pytest.mark.long("the predictive tick is compiled for eight lanes and for one")
def test_predictive_cueing_on_lanes_is_that_of_a_single_series() -> None:
    """A sample in every tick of 5 ms, half a second: the plans of each lane are those of its own vehicle."""
    predictive = Cueing.of(load_platform("simona"), dt=DT, algorithm="predictive")
    alone = Algorithm(predictive, point=predictive.head_P)
    vehicles = [Excitation(axis, 3.0, 0.5, 0.3) for axis in ("surge", "heave", "pitch")]
    seen = np.concatenate([piece.y for piece in alone.observed(vehicles, 0.5)])
    t = DT * np.arange(100, dtype=np.float64)
    for lane, vehicle in enumerate(vehicles):
        single = cue(predictive, t, vehicle.rows(t))
        assert single["cue_follows"][-1] == 1
        np.testing.assert_allclose(seen[:, :, lane], single["cue"], atol=1e-9)


@pytest.mark.long("all tests of the whole system")
def test_the_command_measures_the_whole_system(tmp_path: Path) -> None:
    from motionbase.cli.main import main

    out, table = tmp_path / "omct.html", tmp_path / "omct.csv"
    assert main(["cue", "omct", "simona", "--system", "--report", str(out), "--csv", str(table)]) == 0
    text = out.read_text()
    assert "No bounds were given, so nothing is judged" in text and "60 a second" in text
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 240 and {row["system"] for row in rows} == {"whole system", "algorithm alone"}
