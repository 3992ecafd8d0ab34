"""The check of a rig on simulated machines: good files pass, wrong ones are caught while one leg moves at most."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.platform.load import FOLDER as PLATFORMS
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, RigFault
from motionbase.rig.border import PowerState
from motionbase.rig.check import reports
from motionbase.rig.check.check import check
from motionbase.rig.check.hand import Seen
from motionbase.rig.check.person import Idle
from motionbase.rig.check.rehearsal import Rehearsal
from motionbase.rig.check.report import Report, Step, Verdict
from motionbase.rig.check.session import Options
from motionbase.rig.check.simulated import SimulatedPerson
from motionbase.rig.drives.witness import DrivesWitness
from motionbase.rig.files import FOLDER, PRESETS, RigFile, heading, load_rig
from motionbase.rig.serial import smc3
from motionbase.rig.serial.simulated import SimulatedSmc3

QUICK = Options(speed=0.03, rest=0.2)
MOVED = 0.005  # [m] of a leg that has moved
ORDER = [0, 4, 2, 3, 1, 5]  # legs 2 and 5 exchanged
Change = tuple[str, str]


def rig(folder: Path, preset: str, *changes: Change, name: str = "mine") -> RigFile:
    text = (FOLDER / f"{preset}.toml").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    path = folder / f"{name}.toml"
    path.write_text(text)
    return load_rig(path, load_platform(heading(preset).platform))


@final
class Track:
    """How far each leg of a simulated machine has been from where it stood, homing apart."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._machine: Any = rehearsal._made.machine
        self._advance: Callable[[float], None] = self._machine.advance
        self._machine.advance = self._advanced  # type: ignore[method-assign]
        self.begin()

    def begin(self) -> None:
        self.least = self.most = self._machine.lengths.copy()

    def watch(self, seen: Seen) -> None:
        if {LegState.HOMING, LegState.UNHOMED} & set(seen.answer.states):
            self.begin()

    @property
    def moved(self) -> list[int]:
        """Legs that have moved, from 1."""
        return [int(leg) + 1 for leg in np.flatnonzero(self.most - self.least > MOVED)]

    def _advanced(self, now: float) -> None:
        self._advance(now)
        self.least = np.minimum(self.least, self._machine.lengths)
        self.most = np.maximum(self.most, self._machine.lengths)


class Beside:
    """A simulated person with habits of their own."""

    def __init__(self, rehearsal: Rehearsal, order: list[int] | None = None, slides: bool = False) -> None:
        seen: Callable[[], Array] = lambda: rehearsal.lengths[order or list(range(6))]  # noqa: E731
        self.person = SimulatedPerson(seen, rehearsal.person()._rig)
        self.slides, self.asked = slides, list[str]()

    def agrees(self, question: str, idle: Idle) -> bool:
        self.asked.append(question)
        return self.slides or "sliders" not in question

    def __getattr__(self, name: str) -> Any:
        return getattr(self.person, name)


def checked(
    good: RigFile, wrong: RigFile, order: list[int] | None = None, slides: bool = False
) -> tuple[Report, Track]:
    """A check of a file on the machine of another one."""
    rehearsal = Rehearsal(wrong, good)
    track = Track(rehearsal)
    try:
        report = check(wrong, rehearsal, Beside(rehearsal, order, slides), QUICK, "tester", track.watch)
    finally:
        rehearsal.close()
    return report, track


@pytest.mark.parametrize(
    "preset", [pytest.param(p, marks=pytest.mark.long("10 s") if p == "drives" else ()) for p in PRESETS]
)
def test_a_good_file_passes(tmp_path: Path, preset: str) -> None:
    good = rig(tmp_path, preset)
    report, track = checked(good, good, slides=True)
    assert report.verdict is Verdict.PASSED and report.counts, report.markdown()
    assert track.moved == [1, 2, 3, 4, 5, 6]
    names = [step.what for step in report.steps]
    assert names.count("slow movement") == 6
    for needed in ("lengths by tape", "demand outside the limits", "demand that jumps", "stop", "silence"):
        assert needed in names
    assert all(step.done or step.verdict is Verdict.SKIPPED for step in report.steps)


def test_one_leg_of_drives_passes_and_does_not_count(tmp_path: Path) -> None:
    good = rig(tmp_path, "drives")
    rehearsal = Rehearsal(good)
    track = Track(rehearsal)
    report = check(good, rehearsal, rehearsal.person(), Options(legs=(3,), speed=0.03, rest=0.2), watch=track.watch)
    rehearsal.close()
    assert report.verdict is Verdict.PASSED and not report.counts, report.markdown()
    assert track.moved == [3]
    assert "stop by the witness" in [step.what for step in report.steps]


def test_a_witness_that_cannot_stop_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DrivesWitness, "stop", lambda witness: None)
    good = rig(tmp_path, "drives")
    rehearsal = Rehearsal(good)
    report = check(good, rehearsal, rehearsal.person(), Options(legs=(3,), speed=0.03, rest=0.2))
    rehearsal.close()
    assert report.steps[-1].what == "stop by the witness"
    assert report.fault.startswith("leg 3: the witness was to stop it, it went on with its demand")


WRONG: list[tuple[str, str, list[Change], str, str]] = [
    # preset, name, changes, step, sentence
    ("drives", "lead", [("lead = 0.02 ", "lead = [0.01, 0.02, 0.02, 0.02, 0.02, 0.02] ")], "slow movement",
     r"leg 1: by its reading it went \+30.0 mm, by your tape \+60 mm: .* a lead of 0.02 m would fit"),
    ("drives", "gear", [("gear = 1.0 ", "gear = [1.25, 1, 1, 1, 1, 1] ")], "slow movement", "leg 1: by its reading"),
    ("drives", "sign", [("sign = 1 ", "sign = [-1, 1, 1, 1, 1, 1] ")], "slow movement",
     "leg 1: .* limit switch .* set axes.sign of leg 1 to 1"),
    ("drives", "sign of another leg", [("sign = 1 ", "sign = [1, 1, -1, 1, 1, 1] ")], "slow movement",
     "leg 1: .* but leg 3, which was only to stand, .* set axes.sign of leg 3 to 1"),
    ("drives", "swapped", [("node = [1, 2,", "node = [2, 1,")], "slow movement",
     "leg 1: .* you saw leg 2 move: .* swap their node numbers, 2 and 1"),
    ("drives", "home", [("home = 1.4542", "home = [1.4542, 1.4542, 1.4542, 1.4742, 1.4542, 1.4542]")],
     "lengths by tape", "leg 4: your tape says 1454 mm, the reading is 1474 mm.* set axes.home of leg 4 to 1.45"),
    ("smc3", "scale", [("scale = 2600.0", "scale = 2200.0"), ("offset = 0.908", "offset = 0.9")], "slow movement",
     r"leg 1: by its reading .* set axes.scale of leg 1 to 2\d\d\d"),
    ("smc3", "sign", [("sign = 1 ", "sign = -1 "), ("offset = 0.908", "offset = 1.297")], "lengths by tape",
     "leg 1: your tape says 950 mm"),
    ("smc3", "offset", [("scale = 2600.0", "scale = 2500.0"), ("offset = 0.908", "offset = 0.895")], "lengths by tape",
     r"leg 1: your tape says 950 mm, the reading is 93\d mm, \+1\d mm apart \(so are"),
    ("esp32", "scale", [("scale = 10000.0", "scale = 8000.0"), ("offset = 0.9 ", "offset = 0.88625 ")], "slow movement",
     "leg 1: by its reading .* set axes.scale of leg 1 to 10000"),
    ("esp32", "sign", [("sign = 1 ", "sign = -1 "), ("offset = 0.9 ", "offset = 1.3 ")], "lengths by tape", "leg 1: "),
    ("esp32", "offset", [("offset = 0.9 ", "offset = [0.9, 0.9, 0.91, 0.9, 0.9, 0.9] ")], "lengths by tape",
     "leg 3: your tape says 945 mm, the reading is 955 mm, -10 mm apart: .* axes.offset to 0.9"),
    ("odu-onoff", "inputs", [("input = [0, 1,", "input = [1, 0,")], "valves, one by one",
     "leg 1: extending .* leg 2 moved instead"),
    ("odu-onoff", "valves", [("extend = [0, 2,", "extend = [2, 0,"), ("retract = [1, 3,", "retract = [3, 1,")],
     "valves, one by one", "leg 1: extending .* leg 2 moved instead"),
    ("odu-onoff", "directions", [("extend = [0, 2,", "extend = [1, 2,"), ("retract = [1, 3,", "retract = [0, 3,")],
     "valves, one by one", "leg 1: .* did not move|leg 1: .* moved the wrong way"),
    ("odu-onoff", "scale", [("scale = 1.0", "scale = [1.13, 1, 1, 1, 1, 1]")], "slow movement",
     r"leg 1: by its reading .* set axes.scale of leg 1 to (0.9|1.0)"),
    ("odu-onoff", "far scale", [("scale = 1.0", "scale = 1.6")], "valves, one by one", "leg 1: speed, extending"),
    ("odu-onoff", "shortest", [("shortest = 0.95", "shortest = [0.95, 0.97, 0.95, 0.95, 0.95, 0.95]")],
     "lengths by tape", "leg 2: your tape says 950 mm, the reading is 970 mm"),
    ("odu-onoff", "offset", [("offset = 0.0 ", "offset = [0, 0, 0, 0, 0, 0.012] ")], "lengths by tape",
     "leg 6: your tape says 950 mm, the reading is 962 mm"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("preset", "name", "changes", "step", "sentence"), WRONG, ids=[f"{w[0]} {w[1]}" for w in WRONG]
)
def test_a_wrong_file_is_caught(
    tmp_path: Path, preset: str, name: str, changes: list[Change], step: str, sentence: str
) -> None:
    good = rig(tmp_path, preset, ("[axes]", "[simulated]\nstart = 0.95\n[axes]") if preset != "drives" else ("", ""))
    wrong = rig(tmp_path, preset, *changes, name="wrong")
    report, track = checked(good, wrong)
    assert report.verdict is Verdict.FAILED and not report.counts, report.markdown()
    assert report.steps[-1].what == step and report.steps[-1].verdict is Verdict.FAILED
    assert re.search(sentence, report.fault), report.fault
    valves = [1, 2, 3, 4, 5, 6] if preset == "odu-onoff" and not step.startswith("valves") else []
    assert track.moved == valves or len(track.moved) <= 1, (name, track.moved)  # each in turn, if valves came before


@pytest.mark.parametrize("preset", ["drives", "smc3", "esp32", "odu-onoff"])
def test_exchanged_plugs_are_seen(tmp_path: Path, preset: str) -> None:
    """The file fits, but what it calls leg 2 is leg 5 of the machine."""
    good = rig(tmp_path, preset)
    rehearsal = Rehearsal(good)
    options = Options(legs=(2,), speed=0.03, rest=0.2)
    report = check(good, rehearsal, Beside(rehearsal, ORDER), options)
    rehearsal.close()
    assert report.fault.startswith("leg 2: it was to become 30 mm longer, you saw leg 5 move: "), report.fault
    assert "swap" in report.fault


def test_exchanged_readings_are_seen_by_tape(tmp_path: Path) -> None:
    start = ("[axes]", "[simulated]\nstart = [0.95, 1.0, 1.0, 1.0, 1.05, 1.0]\n[axes]")
    good = rig(tmp_path, "smc3", start)
    report, track = checked(good, good, ORDER)
    assert report.fault.startswith(
        "legs 2 and 5: your tape says 1050 and 1000 mm, the readings are 999 and 1050 mm: they are exchanged; swap"
    )
    assert track.moved == []


def test_a_broken_potentiometer_is_found_by_its_slider(tmp_path: Path) -> None:
    good, wrong = rig(tmp_path, "odu-onoff", ("scale = 1.0", "scale = 1.1")), rig(tmp_path, "odu-onoff", name="wrong")
    report, _ = checked(good, wrong, slides=True)
    assert report.steps[-1].what == "potentiometers"
    fix = "use this calibration: axes.scale and axes.offset of the rig file"
    assert report.fault == f"leg 1: scale: 1.100 of nominal, +0.0 mm at 0 V; {fix}"


class Leaves(Beside):
    """Presses Ctrl-C, or says no, at a question."""

    def __init__(self, rehearsal: Rehearsal, at: int, says_no: bool) -> None:
        super().__init__(rehearsal)
        self.left, self.says_no = at, says_no

    def __getattr__(self, name: str) -> Any:
        if name in ("attend", "which_moved", "grew", "length"):
            self.left -= 1
            if self.left == 0 and not self.says_no:
                raise KeyboardInterrupt
        return super().__getattr__(name)

    def agrees(self, question: str, idle: Idle) -> bool:
        return super().agrees(question, idle) and not self.says_no


@pytest.mark.parametrize(
    ("at", "says_no"), [(1, False), (7, False), (8, False), (9, False), (11, False), (13, False), (1, True)]
)
def test_who_leaves_ends_the_check_with_all_legs_at_rest(tmp_path: Path, at: int, says_no: bool) -> None:
    good = rig(tmp_path, "smc3")
    rehearsal = Rehearsal(good)
    report = check(good, rehearsal, Leaves(rehearsal, at, says_no), QUICK)
    assert report.verdict is Verdict.UNFINISHED and not report.counts
    assert report.steps[-1].verdict is Verdict.UNFINISHED
    assert "not finished" in report.markdown()
    before = rehearsal.lengths.copy()
    rehearsal._made.machine.advance(rehearsal.clock.now + 1.0)
    np.testing.assert_allclose(rehearsal.lengths, before, atol=2e-3)


def test_ctrl_c_during_a_movement_stops_it(tmp_path: Path) -> None:
    good = rig(tmp_path, "smc3")
    rehearsal = Rehearsal(good)
    seen: list[Seen] = []

    def watch(one: Seen) -> None:
        seen.append(one)
        if one.go and one.l[0] > 0.96 and not any(s.answer.fault for s in seen):
            raise KeyboardInterrupt

    report = check(good, rehearsal, rehearsal.person(), QUICK, watch=watch)
    assert report.verdict is Verdict.UNFINISHED and report.steps[-1].said == "stopped by the person"
    assert rehearsal.lengths[0] < 0.97
    assert {s.answer.fault.name for s in seen} == {"NONE", "EMERGENCY_STOP"}


def test_a_lost_machine_is_a_sentence(tmp_path: Path) -> None:
    good = rig(tmp_path, "drives")
    rehearsal = Rehearsal(good)
    machine: Any = rehearsal._made.machine
    machine.simulated.drives[3].plugged = False
    report = check(good, rehearsal, rehearsal.person(), QUICK)
    rehearsal.close()
    assert report.steps[-1].what == "connection and readings at rest" and report.verdict is Verdict.FAILED
    assert "leg 4 SILENT_LEG" in report.fault and "drive 4" in report.fault


def test_only_a_report_of_this_very_text_that_passed_counts(tmp_path: Path) -> None:
    good = rig(tmp_path, "esp32")
    assert reports.passed(good) is None
    (tmp_path / "mine.check-0.json").write_text("[1, 2")
    (tmp_path / "mine.check-1.json").write_text('{"counts": true}')
    (tmp_path / "mine.check-2.json").write_bytes(b"\xff\xfe")
    report, _ = checked(good, good)
    path = reports.save(report, good.path)
    assert path.parent == tmp_path and path.with_suffix(".md").read_text().startswith("# Check of rig mine: passed")
    assert reports.passed(good) == path
    again = reports.save(report, good.path)
    assert again != path and reports.passed(good) in (path, again)
    changed = rig(tmp_path, "esp32", ("speed = 0.2", "speed = 0.21"))
    assert reports.passed(changed) is None
    longer = tmp_path / "longer.toml"
    text = (PLATFORMS / "odu.toml").read_text().replace("hard_max = 1.2548", "hard_max = 1.2600")
    longer.write_text('name = "odu"\n' + text)
    assert reports.passed(load_rig(rig(tmp_path, "esp32").path, load_platform(longer))) is None
    assert reports.passed(rig(tmp_path, "esp32")) is not None
    failed, _ = checked(good, rig(tmp_path, "esp32", ("offset = 0.9 ", "offset = 0.91 "), name="other"))
    reports.save(failed, tmp_path / "other.toml")
    assert reports.passed(rig(tmp_path, "esp32", ("offset = 0.9 ", "offset = 0.91 "), name="other")) is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"legs": (7,)}, "legs have the numbers 1 to 6"),
        ({"legs": (1, 1)}, "legs have the numbers"),
        ({"way": 0.5}, "way is 0.5 m, it must be 0.01 to 0.1 m"),
        ({"speed": float("nan")}, "speed is nan m/s"),
        ({"change": 0.02, "way": 0.03}, "at most half of way"),
    ],
)
def test_impossible_options_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Options(**changes)


def test_legs_near_an_end_go_there_if_the_person_likes(tmp_path: Path) -> None:
    good = rig(tmp_path, "smc3", ("[axes]", "[simulated]\nstart = 0.975\n[axes]"))
    rehearsal = Rehearsal(good)
    track = Track(rehearsal)
    report = check(good, rehearsal, rehearsal.person(), Options(legs=(2,), speed=0.03, rest=0.2), watch=track.watch)
    assert report.verdict is Verdict.PASSED, report.markdown()
    ends = [step for step in report.steps if step.what == "almost to its end"]
    assert [step.leg for step in ends] == [2] and "and back" in ends[0].done
    assert track.least[1] == pytest.approx(0.948 + 0.002, abs=2e-3) and track.moved == [2]


def test_a_limit_switch_within_the_accepted_lengths_is_found(tmp_path: Path) -> None:
    """The simulated switches are at the reference, 15 mm above the least length of this file."""
    good = rig(tmp_path, "drives", ("home = 1.4542", "home = 1.4692"), ("[axes]", "[simulated]\nstart = 1.47\n[axes]"))
    rehearsal = Rehearsal(good)
    track = Track(rehearsal)
    report = check(good, rehearsal, rehearsal.person(), Options(legs=(2,), speed=0.03, rest=0.2), watch=track.watch)
    rehearsal.close()
    assert report.steps[-1].what == "almost to its end"
    assert re.search(r"of limits.least, it got to 1469 mm \(.*LIMIT_SWITCH.*: move limits.least", report.fault), (
        report.fault
    )
    assert track.moved == [2]


def test_readings_that_go_together_stop_the_movement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sensor of leg 2 is on leg 1: it tells what leg 1 does."""

    def tell(board: SimulatedSmc3, motor: int) -> None:
        read, target = int(board.motors.p[0 if motor == 1 else motor]), int(board.targets[motor])
        board._out += smc3.written(smc3.Position(motor, read // smc3.STEP, target // smc3.STEP))

    monkeypatch.setattr(SimulatedSmc3, "_tell", tell)
    good = rig(tmp_path, "smc3")
    report, track = checked(good, good)
    assert report.fault.startswith("leg 1: it alone was to move, but leg 2 is read to have moved by "), report.fault
    assert track.moved in ([], [1]) and (track.most - track.least).max() < 0.012


def test_numbers_that_json_does_not_have() -> None:
    report = Report("a", "drives", True, "odu", (0.9, 1.2), "0", "Ann", "2026-01-01T00:00:00+00:00", (1,))
    report.steps.append(Step("power unit", values={"temperature": float("nan"), "lengths": [1.0, float("inf")]}))
    assert json.loads(report.json())["steps"][0]["values"] == {"temperature": None, "lengths": [1.0, None]}


class Pump:
    """A power unit that does what it is told, until it has a fault."""

    def __init__(self, fault_after: float = np.inf, starts: bool = True) -> None:
        self.on, self.closed, self.starts, self.fault_after = False, False, starts, fault_after
        self.begun: float | None = None
        self.told: list[bool] = []
        self.why = "the oil boils"

    def look(self, now: float) -> PowerState:
        self.begun = now if self.on and self.begun is None else self.begun
        bad = self.begun is not None and now - self.begun > self.fault_after
        running, fault = self.on and self.starts and not bad, RigFault.TEMPERATURE if bad else RigFault.NONE
        return PowerState(now, running, 7e6 if running else 0.0, 2e5, 313.15, fault)

    def run(self, on: bool) -> None:
        self.on = on
        self.told.append(on)

    def close(self) -> None:
        self.closed = True


class Pumped:
    """A rehearsal with a pump."""

    def __init__(self, rehearsal: Rehearsal, pump: Pump) -> None:
        self.rehearsal, self.pump = rehearsal, pump

    def power(self) -> Pump:
        return self.pump

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rehearsal, name)


@pytest.mark.parametrize(
    ("pump", "step", "fault"),
    [
        (Pump(), "", ""),
        (Pump(starts=False), "power unit", "it was to run within 120 s, it has no fault, but does not run"),
        (Pump(fault_after=1.0), "power unit", "it has the fault TEMPERATURE: the oil boils"),
        (Pump(fault_after=7.5), "slow movement", "the power unit has the fault TEMPERATURE: the oil boils"),
    ],
    ids=["good", "does not start", "fault while it starts", "fault later"],
)
def test_pressure_comes_before_the_valves(tmp_path: Path, pump: Pump, step: str, fault: str) -> None:
    good = rig(tmp_path, "odu-onoff")
    rehearsal = Rehearsal(good)
    track = Track(rehearsal)
    report = check(good, Pumped(rehearsal, pump), Beside(rehearsal), Options(legs=(4,), speed=0.02, rest=0.2))
    assert (pump.told[0], pump.told[-1], pump.closed) == (True, False, True)
    names = [one.what for one in report.steps]
    assert names[:2] == ["potentiometers", "power unit"]
    if not step:
        assert report.verdict is Verdict.PASSED and "70 bar supply, 2 bar return, oil 40 degC" in report.markdown()
        return
    assert names[-1] == step and fault in report.fault, report.fault
    assert track.moved == ([] if step == "power unit" else [4])


def test_legs_are_switched_off_even_if_the_witness_cannot_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, closed = rig(tmp_path, "drives"), list[str]()
    rehearsal = Rehearsal(ours)
    witness: Any = rehearsal.witness()
    actuators: Any = rehearsal.actuators()

    def torn() -> None:
        closed.append("witness")
        raise OSError

    monkeypatch.setattr(witness, "close", torn)
    monkeypatch.setattr(type(actuators), "close", lambda self: closed.append("legs"))
    monkeypatch.setattr(rehearsal, "witness", lambda: witness)
    with pytest.raises(OSError):
        check(ours, rehearsal, rehearsal.person(), QUICK, asked=lambda: True)
    assert closed == ["legs", "witness"]
