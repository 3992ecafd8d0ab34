"""Which reports beside a rig file say that the rig may be run."""

from __future__ import annotations

from pathlib import Path

from motionbase.rig.check import reports
from motionbase.rig.check.report import Report, Step, Verdict
from tests.rig.check.test_rig_check import rig


def test_a_check_that_failed_takes_back_one_that_passed_before(tmp_path: Path) -> None:
    """The file is the same, so the machine is not what it was."""
    ours = rig(tmp_path, "esp32")

    def saved(second: int, verdict: Verdict, legs: tuple[int, ...] = (1, 2, 3, 4, 5, 6)) -> Path:
        begun = f"2030-01-01T00:00:{second:02d}+00:00"
        step = Step("slow movement", verdict=verdict)
        report = Report(
            ours.name, ours.kind, ours.simulated, ours.platform, ours.ends, ours.digest, "me", begun, legs,
            steps=[step], finished=verdict is Verdict.PASSED,
        )  # fmt: skip
        return reports.save(report, ours.path)

    saved(1, Verdict.FAILED)
    assert reports.passed(ours) is None
    good = saved(2, Verdict.PASSED)
    saved(3, Verdict.UNFINISHED)
    saved(4, Verdict.PASSED, legs=(2,))
    assert reports.passed(ours) == good
    saved(5, Verdict.FAILED, legs=(2,))
    assert reports.passed(ours) is None
    again = saved(6, Verdict.PASSED)
    assert reports.passed(ours) == again
