"""`loads`, `step-response`, `frequency-response`, `control margins`: tables, JSON, files, one-sentence complaints."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.cli.main import main as call
from motionbase.plant.fault_plan import FaultKind
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.fault_cases import Moment, Outcome, Swing
from motionbase.system.loads import Loads
from motionbase.system.responses import FrequencyResponse, Responses, StepResponse, Turnaround

Capture = pytest.CaptureFixture[str]


def output(capsys: Capture, *args: str) -> str:
    assert call(args) == 0
    return capsys.readouterr().out


def test_loads_as_json_and_csv(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three quick ones of the faults; all of them take half a minute."""
    few = [(None, None), (FaultKind.SENSOR_LOST, 1), (FaultKind.RATE_LOST, 1)]
    monkeypatch.setattr(Loads, "faults", few)
    monkeypatch.setattr("motionbase.system.loads.SEARCH", (1 / 32,))
    path = tmp_path / "loads.csv"
    text = output(capsys, "loads", "simona", "--axis", "heave", "--legs", "1", "--out", str(path), "--json")
    found = json.loads(text)
    cases = found["cases"]
    assert [c["fault"] for c in cases[:27]] == 9 * ["estop", "sensor_lost", "rate_lost"]
    assert len(cases) == 27 + 3 * 8  # the search
    assert {c["motion"] for c in cases} == {"rest", "slow heave", "fast heave"}
    assert {c["phase"] for c in cases[:27]} == {0.0, 0.25, 0.5, 0.75}
    assert found["allowables"] == {"force": 80e3, "joint": 80e3, "illustrative": True}
    for c in cases:
        assert c["force_factor"] == pytest.approx(80e3 / c["force"])
        assert c["contact_is_soft"] == (c["contact"] is None or c["contact"] <= 0.05)
        assert c["end"] == ("drive" if c["found"] == "none" else "off")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["fault"] for row in rows] == [c["fault"] for c in cases]
    assert float(rows[0]["joint"]) == cases[0]["joint"]


def made(leg: int, joint: float, contact: float | None) -> Outcome:
    after = None if contact is None else 2.0
    moment = Moment(FaultKind.VALVE_STUCK, leg, Swing("fast heave", "heave", 0.0, 0.1), 0.0)
    return Outcome(moment, 20e3, joint, 12.0, 3.0, contact, after, 0.01, Fault.VALVE, 0.03, State.HELD, None)


def test_table_has_the_worst_case_and_what_exceeds(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = (made(1, 30e3, 0.05), made(2, 50e3, None), made(3, 40e3, 0.04))
    monkeypatch.setattr(Loads, "predict", lambda self, progress: cases)
    text = output(capsys, "loads", "simona", "--allowable-force", "1e5", "--allowable-joint", "45e3")
    row = next(line for line in text.splitlines() if "valve_stuck" in line)
    assert row.split() == "valve_stuck 2 fast heave at 0.00 s 20.0 5.00 50.0 0.90 12.0 0.050 valve 20 held -".split()
    assert "0 of 3 cases exceed the allowable leg force" in text
    assert "1 of 3 cases exceed the allowable joint load" in text
    assert "0 of 3 cases meet a hard end faster than 0.05 m/s" in text
    assert "a multiple of the stall force" not in text  # both were given


def test_step_response(capsys: Capture, tmp_path: Path) -> None:
    picture = tmp_path / "step.png"
    found = json.loads(output(capsys, "step-response", "simona", "--size", "0.02", "--json", "--plot", str(picture)))
    assert 0 < found["rise"] < found["settling"] < 1.0 and found["overshoot"] >= 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert found["illustrative"] == list(load_platform("simona").illustrative)


@pytest.mark.parametrize(("overshoot", "said"), [(0.03, "3.0%, within 5%"), (0.08, "8.0%, above 5%")])
def test_step_table(overshoot: float, said: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def step(self: Responses, axis: str, size: float) -> StepResponse:
        nothing = np.zeros(1)
        return StepResponse(axis, size, nothing, nothing, nothing, overshoot, None, 0.06, (1e-3, 2e-3))

    monkeypatch.setattr(Responses, "step", step)
    text = output(capsys, "step-response", "simona", "--axis", "roll", "--size", "0.02")
    for wanted in ("Step of 0.02 rad in roll, simona", said, "never", "0.060 s", "1.000 mm", "2.000 mrad"):
        assert wanted in text
    assert "Illustrative numbers of this platform: payload" in text


def test_frequency_response(capsys: Capture, tmp_path: Path) -> None:
    picture = tmp_path / "response.svg"
    args = ("frequency-response", "simona", "--from", "1", "--to", "25", "--tones", "3")
    found = json.loads(output(capsys, *args, "--json", "--plot", str(picture)))
    assert found["f"] == pytest.approx([1.0, 5.0, 25.0])
    assert found["gain"][:2] == pytest.approx([1.0, 1.0], abs=0.02) and abs(found["phase"][1]) < 2
    assert found["bandwidth_hz"] is None and found["turnaround"]["bump"] > 0  # no tone lags a quarter
    assert "<svg" in picture.read_text()
    assert found["illustrative"] == list(load_platform("simona").illustrative)
    assert found["distorted"] == [d > 0.1 for d in found["distortion"]]
    outside = [f for f, g in zip(found["f"], found["gain"], strict=True) if abs(20 * math.log10(g)) > 3]
    assert (found["flat_to_hz"] is None) == (not outside)


def test_frequency_table_marks_what_flatters(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gain that leaves the 3 dB band far below the bandwidth, and tones with large distortion."""

    def frequency(self: Responses, axis: str, f: Array, progress: object, amplitude: None) -> FrequencyResponse:
        gain, phase, distortion = (np.array(x) for x in ((1.0, 1.0, 4.0), (0.0, -5.0, -80.0), (0.001, 0.1, 0.28)))
        travel, halved = np.array([99.0, 20.0, 0.5]), np.array([math.nan, 0.09, 0.0])
        return FrequencyResponse(axis, f, 0.01 * np.ones(3), gain, phase, distortion, travel, halved)

    monkeypatch.setattr(Responses, "frequency", frequency)
    monkeypatch.setattr(Responses, "turnaround", lambda self, axis, amplitude: Turnaround(axis, 0.1, 0.1, 0.2, 0.1, 1))
    args = ("frequency-response", "simona", "--from", "1", "--to", "16", "--tones", "3")
    text = output(capsys, *args)
    assert "Bandwidth at -90 degrees: none of the tones lags 90 degrees." in text
    assert (
        "Gain within 3 dB up to: 5.7 Hz (among tones that friction shapes)." in text
    )  # a quarter of 12 dB, between 4 and 16 Hz
    rows = [line.split()[-2:] for line in text.splitlines() if "%" in line][:3]
    assert rows == [["0.1%", "-"], ["10.0%", "9%"], ["28.0%!", "0%f"]]
    assert "Friction, not the loop, shapes 1 of 3 tones" in text and "less than the 0.04 mm that its friction" in text
    assert "! More than 10% of the motion is not the tone" in text
    assert "Illustrative numbers of this platform: payload" in text


def test_margins(capsys: Capture) -> None:
    found = json.loads(output(capsys, "control", "margins", "simona", "--json"))
    assert found["worst"]["stable"] and found["worst"]["phase"] >= math.radians(45)
    lines = output(capsys, "control", "margins", "simona").splitlines()
    row = next(line.split() for line in lines if line.strip().startswith("worst"))
    assert row[1:4] == ["yes", f"{math.degrees(found['worst']['phase']):.1f}", f"{found['worst']['gain']:.2f}"]
    assert any(line.split()[:1] == ["k_dp"] for line in lines)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("loads", "simon"), "no platform 'simon'; did you mean 'simona'?"),
        (
            ("loads", "simona", "--legs", "0"),
            "--legs is '0', it must be some of 1 to 6, each once, separated by commas",
        ),
        (("loads", "simona", "--legs", "1,1"), "--legs is '1,1'"),
        (("loads", "simona", "--out", "loads.xlsx"), "'loads.xlsx': the name must end in .csv"),
        (("loads", "simona", "--allowable-force", "0"), "allowable force is 0.0 N, it must be above 0"),
        (("step-response", "simona", "--size", "-2"), "size is -2 m, in heave it must not be 0 and at most 0.61 m"),
        (("step-response", "simona", "--size", "nan"), "--size is nan, it must be a finite number"),
        (("step-response", "simona", "--axis", "heavy"), "--axis: no axis 'heavy'; did you mean 'heave'?"),
        (("step-response", "simona", "--plot", "no/where.png"), "the folder 'no' does not exist"),
        (("frequency-response", "simona", "--from", "9", "--to", "3"), "frequencies: 20 from 9 to 3 Hz; at least 2"),
        (("control", "margins", "absent.toml"), "absent.toml: cannot be read"),
    ],
)
def test_complaints_are_one_sentence(args: tuple[str, ...], message: str, capsys: Capture) -> None:
    assert call(args) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err and captured.err.count("\n") == 1
