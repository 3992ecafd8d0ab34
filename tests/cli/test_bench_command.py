"""`motionbase bench` over a benchmark module made for the test."""

import json
import sys
from pathlib import Path

import pytest

from motionbase.cli import checkout
from motionbase.cli.main import main as call

MODULE = '''"""Numbers known in advance."""
from benchmarks.harness import Benchmark, Samples, Settings, Skip, interleaved

def no_gpu(settings: Settings) -> Samples:
    raise Skip("no GPU on this machine")

def both(settings):
    return interleaved({"ours": lambda: 1.12e-6, "peer": lambda: 5.6e-6}, settings)

BENCHMARKS = [
    Benchmark("known.call_us", "us", "<= 1.5", "one call", lambda s: both(s).side("ours", 1e6), mode="strict", lanes=1),
    Benchmark("known.gain", "x", ">= 6", "peer / ours", lambda s: both(s).ratio("peer", "ours")),
    Benchmark("known.gpu_rate", "1/s", None, "on a GPU", no_gpu, mode="fast"),
]
'''
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one benchmark; the harness still comes from the real one."""
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "known.py").write_text(MODULE)
    monkeypatch.setattr(checkout, "find", lambda: tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_without_a_name_they_are_listed(capsys: Capture) -> None:
    assert call(["bench"]) == 0
    assert "known  Numbers known in advance." in capsys.readouterr().out


def test_table_then_one_plain_line_for_each_measured_metric(capsys: Capture) -> None:
    assert call(["bench", "known", "--quick"]) == 0
    out = capsys.readouterr().out
    table, _, plain = out.rpartition("\n\n")
    assert plain.splitlines() == ["known.call_us 1.12", "known.gain 5"]
    rows = {line.split()[0]: line for line in table.splitlines() if line.strip().startswith("known.")}
    assert rows["known.call_us"].split()[1:6] == ["1.12", "us", "<=", "1.5", "yes"]
    assert "strict, 1 lane; one call" in rows["known.call_us"]
    assert "NO" in rows["known.gain"]
    assert "skipped: no GPU on this machine" in rows["known.gpu_rate"]


def test_json_is_all_of_stdout(capsys: Capture) -> None:
    assert call(["bench", "known", "--json", "--quick"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["benchmark"] == "known" and data["quick"] is True
    gain = data["metrics"]["known.gain"]
    assert (gain["unit"], gain["bar"], gain["met"], len(gain["quartiles"])) == ("x", ">= 6", False, 2)
    assert data["metrics"]["known.gpu_rate"]["status"] == "skipped"
    assert data["machine"]["revision"] is None  # the folder has no history


def test_broken_benchmark_is_reported_and_gives_exit_code_1(root: Path, capsys: Capture) -> None:
    (root / "benchmarks" / "bad.py").write_text(
        "from benchmarks.harness import Benchmark\nBENCHMARKS = [Benchmark('bad.x', 's', None, '', lambda s: 1 / 0)]\n"
    )
    assert call(["bench", "bad"]) == 1
    assert "failed: ZeroDivisionError" in capsys.readouterr().out


def test_near_name_is_suggested(capsys: Capture) -> None:
    assert call(["bench", "knwon"]) == 2
    assert "no benchmark 'knwon'; did you mean 'known'?" in capsys.readouterr().err
