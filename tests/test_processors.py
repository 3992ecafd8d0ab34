"""`scripts/processors`: settings reach the tests, failures are counted; on demand, all numbers under all settings."""

import ctypes
import os
import platform
import runpy
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FAILS_ONCE = """import os


def test_core() -> None:
    assert os.environ.get("OPENBLAS_CORETYPE") != "Prescott"


def test_numpy() -> None:
    import numpy

    assert numpy.linalg.norm([3.0, 4.0]) == 5.0
"""


def processors(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "scripts" / "processors", *args], capture_output=True, text=True)


def test_help_has_an_example() -> None:
    done = processors("--help")
    assert done.returncode == 0 and "scripts/processors tests/platform -k atlas" in done.stdout


@pytest.mark.skipif(platform.machine() != "x86_64", reason="settings are those of x86-64")
def test_each_setting_is_a_row_and_a_failure_is_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of the settings, in this process: each is a start of pytest."""
    (tmp_path / "test_some.py").write_text(FAILS_ONCE)
    script = runpy.run_path(str(ROOT / "scripts" / "processors"))
    main = script["main"]
    found = script["settings"]()
    assert {"OPENBLAS_CORETYPE": "Prescott"} in found.values() and {"OPENBLAS_NUM_THREADS": "2"} in found.values()
    some = {name: found[name] for name in ("OpenBLAS Prescott", list(found)[-1])}
    monkeypatch.setitem(main.__globals__, "settings", lambda: some)
    monkeypatch.setattr("sys.argv", ["processors", str(tmp_path / "test_some.py"), "-n", "0"])  # no workers: quicker
    before = signal.getsignal(signal.SIGINT)
    try:
        assert main() == 1
    finally:
        signal.signal(signal.SIGINT, before)
    table = capsys.readouterr().out.rpartition("\n\n")[2].splitlines()
    assert table[0].split() == ["setting", "passed", "failed", "seconds"]
    counts = {line.rsplit(maxsplit=3)[0]: line.split()[-3:-1] for line in table[1:]}
    assert counts.pop("OpenBLAS Prescott") == ["1", "1"]
    assert list(counts.values()) == [["2", "0"]]


def test_linear_algebra_has_as_many_threads_as_the_setting_says() -> None:
    """One unless a setting says otherwise; the variable acts if it is set before NumPy is imported."""
    import numpy  # noqa: F401

    maps = Path("/proc/self/maps")
    paths = {line.split()[-1] for line in maps.read_text().splitlines() if "openblas" in line} if maps.exists() else ()
    if not paths:
        pytest.skip("NumPy's OpenBLAS is not a library of its own here")
    wanted = int(os.environ["OPENBLAS_NUM_THREADS"])
    for library in map(ctypes.CDLL, paths):
        names = ("scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads")
        assert [getattr(library, name)() for name in names if hasattr(library, name)] == [wanted]


@pytest.mark.long("half an hour")
def test_all_numbers_under_all_settings() -> None:
    done = processors()
    assert done.returncode == 0, done.stdout[-5000:]
