"""Runs the benchmarks of one module and reports them: a table, `metric value` lines, or JSON."""

import importlib.metadata
import importlib.util
import math
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from benchmarks.harness import Benchmark, Samples, Settings, Skip, meets, pinned
from motionbase.errors import TargetUnavailable

QUICK_REPEATS = 9
HELPERS = {"__init__", "harness", "runner", "table"}
PACKAGES = ("casadi", "llvmlite", "numpy")


@dataclass(frozen=True)
class Result:
    """One metric's outcome; `samples` is set if and only if it was measured."""

    benchmark: Benchmark
    status: Literal["measured", "skipped", "failed"]
    samples: Samples | None = None
    reason: str = ""

    @property
    def met(self) -> bool | None:
        return meets(self.benchmark.bar, self.samples.median) if self.samples else None

    @property
    def note(self) -> str:
        """Conditions, description, and the reason or remark of this run."""
        remark = self.samples.note if self.samples else f"{self.status}: {self.reason}"
        return "; ".join(part for part in (self.benchmark.conditions, self.benchmark.description, remark) if part)


class TimeUp(Skip):
    """The time of a quick run is used up."""


def available(folder: Path) -> dict[str, str]:
    """The benchmark modules of a folder: name -> first line of the docstring, read without importing them."""
    names = sorted(p.stem for p in folder.glob("*.py") if p.stem not in HELPERS)
    return {name: _first_line(folder / f"{name}.py") for name in names}


def load(folder: Path, name: str) -> list[Benchmark]:
    """The list `BENCHMARKS` of `folder/name.py`, checked for doubled metric names."""
    module_name = f"benchmarks.{name}"
    spec = importlib.util.spec_from_file_location(module_name, folder / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses defined in the module look themselves up there
    spec.loader.exec_module(module)
    benchmarks: list[Benchmark] = list(module.BENCHMARKS)
    metrics = [b.metric for b in benchmarks]
    if doubled := sorted({m for m in metrics if metrics.count(m) > 1}):
        raise ValueError(f"benchmarks/{name}.py: metric {doubled[0]!r} appears more than once")
    return benchmarks


def run(
    benchmarks: Sequence[Benchmark], *, quick: bool, progress: Callable[[Benchmark], None] = lambda _: None
) -> list[Result]:
    """Measure every benchmark on one pinned CPU; a quick run divides its time evenly and always ends in time.

    A quick run measures first what has a bar: what it has no time for is then what only informs.
    """
    longest = max((b.quick_s for b in benchmarks), default=0.0)
    share = longest / max(len(benchmarks), 1)
    settings = Settings(quick=True, repeats=QUICK_REPEATS, seconds=0.8 * share) if quick else Settings()
    end = time.monotonic() + (longest if quick else math.inf)
    results: dict[str, Result] = {}
    with pinned():
        for benchmark in sorted(benchmarks, key=lambda b: quick and b.bar is None):
            progress(benchmark)
            results[benchmark.metric] = _measure(benchmark, settings, end)
    return [results[benchmark.metric] for benchmark in benchmarks]


def _measure(benchmark: Benchmark, settings: Settings, end: float) -> Result:
    """One benchmark; an error in it is its own result and does not stop the others."""
    try:
        with _deadline(end):
            return Result(benchmark, "measured", benchmark.measure(settings))
    except (Skip, TargetUnavailable) as e:
        return Result(benchmark, "skipped", reason=str(e))
    except Exception as e:
        if os.environ.get("MOTIONBASE_DEBUG"):
            raise
        return Result(benchmark, "failed", reason=f"{type(e).__name__}: {e}")


@contextmanager
def _deadline(end: float) -> Iterator[None]:
    """Raise `TimeUp` in the block at the monotonic time `end`, as soon as Python regains control."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeUp("no time left in the quick run")
    if math.isinf(left) or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeUp("stopped: took too long for the quick run")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, left)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def as_json(name: str, results: Sequence[Result], *, quick: bool, root: Path) -> dict[str, Any]:
    """A run as plain data for scripts."""
    metrics = {}
    for r in results:
        b = r.benchmark
        entry: dict[str, Any] = {"status": r.status, "unit": b.unit, "bar": b.bar, "met": r.met}
        entry |= {"mode": b.mode, "lanes": b.lanes, "description": b.description}
        if r.samples:
            entry |= {"value": r.samples.median, "quartiles": r.samples.quartiles, "samples": r.samples.values}
            entry["note"] = r.samples.note
        else:
            entry["reason"] = r.reason
        metrics[b.metric] = entry
    return {"benchmark": name, "quick": quick, "machine": machine(root), "metrics": metrics}


def machine(root: Path) -> dict[str, Any]:
    """The machine and the versions used for a measurement."""
    return {
        "cpu": _cpu_model(),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {p: importlib.metadata.version(p) for p in PACKAGES},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": _revision(root),
    }


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return _output("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor() or platform.machine()


def _revision(root: Path) -> str | None:
    """Git revision of the checkout, with `+` for uncommitted changes; None without git or history."""
    commit = _output("git", "-C", str(root), "rev-parse", "--short=12", "HEAD")
    return f"{commit}{'+' if _output('git', '-C', str(root), 'status', '--porcelain') else ''}" if commit else None


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _first_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").lstrip().splitlines()
    return lines[0].strip('"').strip() if lines and lines[0].startswith('"""') else ""
