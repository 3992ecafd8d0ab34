"""The benches of this checkout: every metric carries the name of its bench, and none is listed that has no metrics."""

from pathlib import Path

import pytest

from benchmarks import faults, runner

FOLDER = Path(runner.__file__).parent


ALSO = {"kinematics": ("atlas.",)}  # families that are measured along with another bench


@pytest.mark.parametrize("name", runner.available(FOLDER))
def test_metrics_carry_the_name_of_their_bench(name: str) -> None:
    metrics = [b.metric for b in runner.load(FOLDER, name)]
    families = (f"{name}.", *ALSO.get(name, ()))
    assert metrics and all(metric.startswith(families) for metric in metrics)


def test_the_multibody_bench_has_every_closed_chain() -> None:
    bars = {b.metric: b.bar for b in runner.load(FOLDER, "multibody")}
    assert bars["multibody.fourbar_closure_m"] == bars["multibody.handoff_closure_m"] == "<= 1e-6"


@pytest.mark.long("compiles a loop; the benchmark itself")
def test_a_lively_tour_without_a_fault_raises_none() -> None:
    """Four minutes on eight lanes: legs of `cmf` that are late together are not taken for seized ones."""
    assert faults.false_alarms("cmf", seconds=240.0) == 0
