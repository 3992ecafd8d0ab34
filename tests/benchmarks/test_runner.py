"""Running a module of benchmarks: what is measured, skipped and broken, and that a quick run always ends."""

import io
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import runner, table
from benchmarks.harness import Benchmark, Samples, Settings, Skip
from motionbase.errors import TargetUnavailable


def metric(name: str, measure: object, bar: str | None = None) -> Benchmark:
    return Benchmark(name, "us", bar, "a number", measure)  # type: ignore[arg-type]


def no_gpu(_: Settings) -> Samples:
    raise Skip("no GPU on this machine")


def no_compiler(_: Settings) -> Samples:
    raise TargetUnavailable("no C compiler")


def broken(_: Settings) -> Samples:
    raise ZeroDivisionError("oops")


def test_no_text_in_the_table_is_markup() -> None:
    odd = Benchmark("t.[bold]one", "[/m]", None, "a number", lambda _: Samples((1.0,)))
    results = runner.run([odd], quick=True)
    screen = Console(file=io.StringIO(), width=160)
    table.show(screen, "[/name]", results)
    assert isinstance(screen.file, io.StringIO)
    assert all(text in screen.file.getvalue() for text in ("t.[bold]one", "[/m]", "[/name]"))


def test_statuses_are_kept_apart() -> None:
    one = metric("t.one", lambda _: Samples((1.0, 2.0, 3.0)), "<= 1.5")
    results = runner.run(
        [one, metric("t.gpu", no_gpu), metric("t.c", no_compiler), metric("t.bad", broken)], quick=True
    )
    assert [r.status for r in results] == ["measured", "skipped", "skipped", "failed"]
    assert results[0].met is False
    assert "no GPU" in results[1].note and results[1].samples is None
    assert results[3].reason == "ZeroDivisionError: oops"


def test_json_has_values_only_for_what_was_measured() -> None:
    results = runner.run([metric("t.one", lambda _: Samples((2.0, 1.0))), metric("t.gpu", no_gpu)], quick=True)
    data = json.loads(json.dumps(runner.as_json("t", results, quick=True, root=Path(__file__).parent)))
    assert data["metrics"]["t.one"]["value"] == 1.5
    assert data["metrics"]["t.one"]["samples"] == [2.0, 1.0]
    assert "value" not in data["metrics"]["t.gpu"]
    assert data["metrics"]["t.gpu"]["reason"] == "no GPU on this machine"
    assert {"cpu", "cores", "python", "versions", "date", "revision"} <= data["machine"].keys()


def test_a_quick_run_measures_first_what_has_a_bar() -> None:
    order: list[str] = []

    def noting(name: str) -> Benchmark:
        def measure(_: Settings) -> Samples:
            order.append(name)
            return Samples((1.0,))

        return metric(name, measure, "<= 2" if "bar" in name else None)

    rows = [noting(name) for name in ("t.one", "t.bar_one", "t.two", "t.bar_two")]
    results = runner.run(rows, quick=True)
    assert order == ["t.bar_one", "t.bar_two", "t.one", "t.two"]
    assert [r.benchmark.metric for r in results] == [row.metric for row in rows]  # reported as they are listed
    order.clear()
    runner.run(rows, quick=False)
    assert order == [row.metric for row in rows]


def test_quick_run_cuts_off_what_takes_too_long() -> None:
    def slow(_: Settings) -> Samples:
        time.sleep(30)
        return Samples((1.0,))

    start = time.monotonic()
    both = metric("t.slow", slow), metric("t.late", lambda _: Samples((1.0,)))
    results = runner.run([replace(one, quick_s=0.3) for one in both], quick=True)
    assert time.monotonic() - start < 5
    assert [r.status for r in results] == ["skipped", "skipped"]
    assert "too long" in results[0].reason and "no time left" in results[1].reason


def test_doubled_metric_is_refused(tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "from benchmarks.harness import Benchmark, Samples\n"
        "BENCHMARKS = [Benchmark('t.a', 's', None, '', lambda s: Samples((1.0,)))] * 2\n"
    )
    with pytest.raises(ValueError, match=r"'t\.a' appears more than once"):
        runner.load(tmp_path, "twice")


def test_helpers_are_not_listed_as_benchmarks() -> None:
    names = runner.available(Path(runner.__file__).parent)
    assert not {"harness", "runner", "table", "__init__"} & names.keys()
