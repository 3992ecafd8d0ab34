"""The same motion several times: runs with equal noise are equal, others differ by what their sensors do."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.cli.main import main
from motionbase.cueing.cueing import Cueing
from motionbase.errors import UsageError
from motionbase.platform.load import load_platform
from motionbase.record.vehicle import G
from motionbase.report.document import Document
from motionbase.system import repeatability
from motionbase.system.repeatability import Repeatability, Tolerances, repeated
from motionbase.system.repeatability_report import RepeatabilityReport, page, repeatability_figure
from tests.report.closed import Closed


@cache
def cueing() -> Cueing:
    return Cueing.of(load_platform("simona"))


def bump(t: Array) -> Array:
    """A second of heave."""
    rows = np.zeros((len(t), 13))
    rows[:, 2] = G + np.where((t > 0.2) & (t < 1.2), np.sin(2 * np.pi * (t - 0.2)), 0.0)
    return rows


@cache
def runs(equal: bool) -> Repeatability:
    return repeated(cueing(), "bump", bump, 1.0, seeds=np.ones(8) if equal else None)


def test_equal_noise_gives_equal_runs() -> None:
    """To the bit: the whole system is a function of its inputs."""
    found = runs(True)
    assert found.largest.tolist() == [0.0, 0.0, 0.0] and found.passed
    assert 0.5 < G * found.most[2] < 0.9  # half of the vehicle's 1 m/s^2, and what the washout brings back


def test_noise_of_the_sensors_makes_a_difference_that_is_far_below_the_limit() -> None:
    found = runs(False)
    assert np.all(found.largest > 0) and found.passed
    axis, worst, at = found.worst
    assert worst == found.largest["xyz".index(axis)] == found.largest.max() < 0.005
    assert found.spread[np.searchsorted(found.t, at - 1e-9), "xyz".index(axis)] == worst
    assert found.runs == tuple(f"noise {k}" for k in range(1, 9))
    rms = found.acceleration.std(axis=2).mean(axis=0) / G
    assert np.all(found.largest > 3 * rms) and np.all(found.largest < 20 * rms)  # of some thousand samples of 8 runs


def test_the_worst_is_found_where_it_is() -> None:
    """Two runs that differ by 0.06 g along y at one moment."""
    a = np.zeros((5, 3, 2))
    a[3, 1, 1] = 0.06 * G
    made = Repeatability(cueing(), "made up", np.arange(5.0), a, ("a", "b"), 60.0)
    axis, worst, at = made.worst
    assert (axis, at) == ("y", 3.0) and worst == pytest.approx(0.06) and not made.passed


def test_oil_is_cold_and_warm_around_its_nominal_state() -> None:
    plants = list(repeatability._plants(load_platform("simona"), 0.2))
    nominal, cold, warm = (plant.actuator for _, plant in plants)
    assert [name for name, _ in plants] == ["", ", cold oil", ", warm oil"]
    assert isinstance(nominal, HydraulicActuator)
    assert isinstance(cold, HydraulicActuator) and isinstance(warm, HydraulicActuator)
    assert cold.bulk_modulus == pytest.approx(1.2 * nominal.bulk_modulus)
    assert warm.friction.sigma2 == pytest.approx(0.8 * nominal.friction.sigma2)
    assert cold.leakage_internal < nominal.leakage_internal < warm.leakage_internal


@pytest.mark.long("three plants are compiled")
def test_tolerances_of_supply_and_oil_widen_the_differences() -> None:
    found = repeated(cueing(), "bump", bump, 1.0, Tolerances(supply=0.05, oil=0.1))
    assert found.acceleration.shape[2] == 24 and found.runs[23] == "noise 8, supply +5.0 %, warm oil"
    assert found.largest.max() > 2 * runs(False).largest.max()


def test_the_report_says_how_far_runs_differ_and_on_what_it_depends() -> None:
    report = RepeatabilityReport(runs(False), Tolerances(), Document("2026-05-31", author="A. <Smith>"))
    text, facts = page(report), json.loads(report.json())
    parser = Closed()
    parser.feed(text)
    assert parser.open == [] and text.count('src="data:image/png;base64,') == 1
    for shown in ("14 CFR part 60, table A2A, 3.d", "A. &lt;Smith&gt;", "Nothing here is man-rated", "bump, 60 samples",
                  f"{facts['worst']['difference_g']:.4f} g", '<span class="v clear">within</span>'):  # fmt: skip
        assert shown in text
    assert facts["passed"] and facts["worst"]["difference_g"] == max(facts["largest_g"].values())
    beyond = Repeatability(cueing(), "far", np.arange(3.0), np.arange(18.0).reshape(3, 3, 2), ("a", "b"), 60.0)
    axes = repeatability_figure(beyond).axes[1]
    assert [text.get_text() for text in axes.texts] == [f"{1 / G:.4f} g in x at 0.00 s"]
    assert "outside" in page(RepeatabilityReport(beyond, Tolerances(), Document("2026-05-31")))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "one.png"
    assert main(["cue", "repeatability", "simona", "--motion", "heave_step?duration=2", "--plot", str(out)]) == 0
    assert "within 0.05 g" in capsys.readouterr().out and out.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["simona", "--motion", "take_of"], "no manoeuvre or file 'take_of'; did you mean 'take_off'?"),
        (["simona", "--supply", "50"], "the tolerance of supply is 0.5, it must be 0 to 0.2"),
        (["simona", "--oil", "nan"], "the tolerance of oil is nan, it must be 0 to 0.5"),
        (["emotion-1500", "--oil", "5"], "'emotion-1500' has electric legs, so there is no tolerance of oil"),
        (["simona", "--host-rate", "0.1"], "--host-rate is 0.1 Hz, it must be 1 to 1000"),
        (["simona", "--report", "a.txt"], "must end in .html, .pdf"),
    ],
)
def test_a_wrong_call_is_refused(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cue", "repeatability", *options]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1


def test_what_cannot_differ_is_refused() -> None:
    with pytest.raises(UsageError, match="the tolerance of supply is 0.3, it must be 0 to 0.2"):
        Tolerances(supply=0.3)
    with pytest.raises(UsageError, match="'emotion-1500' has electric legs, so there is no tolerance of oil"):
        list(repeatability._plants(load_platform("emotion-1500"), 0.1))
