"""Rig files: presets load, keys do what they say, and whatever is wrong with a file is one sentence with a line."""

from __future__ import annotations

import hashlib
import random
import re
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MotionBaseError, UsageError
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.rig.files import FOLDER, PRESETS, RigFile, heading, load_rig
from motionbase.rig.files.drives import DriveLegs, EtherCatLegs
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.files.serial import SerialRig
from tests.tier import often

REAL = {"odu-onoff": 'device = "ni:Dev1"', "drives": 'bus = "socketcan:can0"', "smc3": 'ports = ["/dev/a", "/dev/b"]'}


def platform_of(preset: str) -> Hexapod:
    return load_platform(heading(preset).platform)


def changed(tmp_path: Path, preset: str, *changes: tuple[str, str]) -> RigFile:
    """The rig of a preset's text with changes."""
    text = (FOLDER / f"{preset}.toml").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return load_rig(path, platform_of(preset))


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_load(preset: str) -> None:
    rig, platform = load_rig(preset, platform_of(preset)), platform_of(preset)
    assert rig.name == preset and rig.simulated and rig.summary and rig.illustrative
    assert rig.digest == hashlib.sha256((FOLDER / f"{preset}.toml").read_bytes()).hexdigest()
    assert 0.001 <= rig.period <= 0.02 and rig.platform == platform.name
    assert isinstance(rig.legs, OnOffLegs | DriveLegs | SerialRig)
    assert (rig.legs.start == platform.l_down).all()  # a simulated machine stands where the platform lies


def test_one_value_is_for_all_legs_and_six_are_each_leg_s_own(tmp_path: Path) -> None:
    rig = changed(tmp_path, "drives", ("lead = 0.02 ", "lead = [0.02, 0.021, 0.022, 0.023, 0.024, 0.025] ")).legs
    assert isinstance(rig, DriveLegs)
    assert [axis.lead for axis in rig.setup.axes] == [0.02, 0.021, 0.022, 0.023, 0.024, 0.025]
    assert {axis.counts for axis in rig.setup.axes} == {8192}
    assert [axis.node for axis in rig.setup.axes] == [1, 2, 3, 4, 5, 6]


def test_lengths_are_the_platform_s_hard_ends_unless_the_file_says_less(tmp_path: Path) -> None:
    ends = platform_of("drives").stroke
    usual = changed(tmp_path, "drives").legs
    assert isinstance(usual, DriveLegs)
    np.testing.assert_allclose(usual.setup.least, ends.hard_min, atol=0.0021)
    np.testing.assert_allclose(usual.setup.most, ends.hard_max, atol=0.0021)
    less = changed(tmp_path, "drives", ("[limits]", "[limits]\nmost = 2.0")).legs
    assert isinstance(less, DriveLegs) and (less.setup.most == 2.0).all()


@pytest.mark.parametrize("preset", REAL)
def test_a_real_machine_is_named(tmp_path: Path, preset: str) -> None:
    rig = changed(
        tmp_path, preset, ('machine = "simulated"', REAL[preset]), *[("[witness]", "")] * (preset == "odu-onoff")
    )
    assert not rig.simulated
    with pytest.raises(UsageError, match="real machine"):
        rig.machine(tmp_path)


ETHERCAT = ('kind = "drives"', 'kind = "ethercat"'), ('machine = "simulated"', 'interface = "eth1"')
WITHOUT_BUS = ("bitrate = 1e6    # of the bus [1/s]\n", "")


def test_drives_on_ethercat_have_positions_for_nodes_and_no_bit_rate(tmp_path: Path) -> None:
    found = changed(tmp_path, "drives", *ETHERCAT, WITHOUT_BUS, ("period = 0.002", "period = 0.001"))
    assert isinstance(found.legs, EtherCatLegs) and not found.simulated and found.witness(tmp_path) is None
    assert found.legs.setup.bitrate is None and found.legs.setup.nodes == (1, 2, 3, 4, 5, 6)
    assert found.legs.interface == "eth1" and found.period == 0.001


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (ETHERCAT, "line 2\\d: times.bitrate is for a CAN bus; EtherCAT has none"),
        ((ETHERCAT[0], WITHOUT_BUS), 'EtherCAT are not simulated; kind = "drives" is'),
        ((*ETHERCAT, WITHOUT_BUS, ('"eth1"', '" "')), "interface is ' ', a network interface such as 'eth1'"),
    ],
)
def test_what_ethercat_cannot_do(tmp_path: Path, changes: tuple[tuple[str, str], ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        changed(tmp_path, "drives", *changes)


def test_calibration_and_wiring_reach_the_legs(tmp_path: Path) -> None:
    rig = changed(
        tmp_path,
        "odu-onoff",
        ("input = [0, 1, 2, 3, 4, 5]", "input = [1, 0, 2, 3, 4, 5]"),
        ("scale = 1.0", "scale = [1.0, 1.1, 1.0, 1.0, 1.0, 1.0]"),
        ("shortest = 0.95", "shortest = [0.95, 0.95, 0.951, 0.95, 0.95, 0.95]"),
    ).legs
    assert isinstance(rig, OnOffLegs)
    assert rig.wiring.inputs == (1, 0, 2, 3, 4, 5)
    assert rig.potentiometers[1].extension(5.0) == pytest.approx(1.1 * 0.3048)
    assert rig.shortest[2] == 0.951


WRONG = [
    ("drives", 'kind = "drives"', 'kind = "drivs"', "kind =", "no kind of rig 'drivs'; did you mean 'drives'?"),
    ("drives", 'kind = "drives"', "", None, "needs the key 'kind', one of onoff, drives, ethercat, serial"),
    ("drives", "[axes]", "[axis]", "[axis]", "did you mean 'axes'?"),
    ("drives", "lead = 0.02 ", "laed = 0.02 ", "laed =", "did you mean 'lead'?"),
    ("drives", "lead = 0.02 ", "lead = -0.02 ", "lead =", "leg 1: drive 1: lead is -0.02"),
    ("drives", "lead = 0.02 ", "lead = [0.02, 0.02] ", "lead =", "a number, or a list of six, one for each leg,"),
    ("drives", "lead = 0.02 ", "lead = nan ", "lead =", "a number, or a list of six"),
    ("drives", "lead = 0.02 ", "lead = 1e-300 ", "counts =", "cannot hold|cannot convert|infinity"),
    ("drives", "counts = 8192", "counts = 8192.5", "counts =", "axes.counts is 8192.5, a whole number"),
    ("drives", "counts = 8192", "counts = 99999999999999", "counts =", "leg 1: .*refuse|cannot hold|number"),
    ("drives", "sign = 1 ", "sign = [1, 1, 0, 1, 1, 1] ", "sign =", "leg 3: drive 3: sign is 0, it must be 1 or -1"),
    ("drives", "[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 4, 5, 5]", None, "six different ones are needed"),
    ("drives", "home = 1.4542", "home = 2.5", "home =", "leg 1: home is 2.5 m"),
    ("drives", "period = 0.002", "period = 0.001", None, "2 ms would do"),
    ("drives", "watchdog = ", "watchdog = 0.3 # ", "watchdog =", "at most silence"),
    ("drives", 'machine = "simulated"', "", None, 'names no machine; .* or a device such as bus = "socketcan:can0"'),
    ("drives", 'machine = "simulated"', 'bus = "can0"', "bus =", "an interface and a channel"),
    ("drives", 'machine = "simulated"', 'machine = "real"', "machine =", "machine is 'real'"),
    ("drives", 'platform = "emotion-1500"', 'platform = "odu"', "platform =", "cannot move the legs of 'emotion-1500'"),
    ("drives", "[limits]", "[limits]\nmost = 2.5", "most =", "limits.most of leg 1 is 2.5 m; legs of"),
    ("drives", "[limits]", "[simulated]\nstart = 0.3\n[limits]", "start =", "outside the lengths"),
    ("drives", 'illustrative = ["axes"', 'illustrative = ["axis"', "illustrative =", "names 'axis'"),
    ("drives", "[homing]", "[witness]\n[homing]", "[witness]", "has no key 'witness'"),
    ("drives", "method = 17", "method = 1000", "counts =", "cannot hold"),
    ("smc3", 'controller = "smc3"', 'controller = "smc4"', "controller =", "did you mean 'smc3'?"),
    ("smc3", "scale = 2600.0", "scale = 5000.0", "scale =", "leg 1: lengths .* check scale, offset and sign"),
    ("smc3", "sign = 1 ", "sign = -1 ", None, "check scale, offset and sign"),
    ("smc3", "baud = 500000", "baud = 9600", "period =", "at 9600 baud smc3 needs"),
    ("smc3", 'machine = "simulated"', 'ports = ["/dev/a"]', "ports =", "1 ports are given; smc3 needs 2"),
    ("smc3", 'machine = "simulated"', 'ports = ["/dev/a", "/dev/a"]', "ports =", "different devices"),
    ("esp32", "home = 0.955", "", "[axes]", "needs the key 'home'"),
    ("esp32", "home = 0.955", "home = 1.955", "home =", "outside the lengths"),
    ("odu-onoff", 'law = "predictive"', 'law = "predictve"', "law =", "did you mean 'predictive'?"),
    ("odu-onoff", "extend = [0, 2,", "extend = [1, 2,", "extend =", "digital outputs are"),
    ("odu-onoff", "input = [0, 1,", "input = [0, 0,", "input =", "analogue inputs are"),
    ("odu-onoff", "supply = 5.0", "supply = 0.0", "supply =", "leg 1: potentiometer: supply is 0"),
    ("odu-onoff", "delay = 0.010", "delay = 3", "delay =", "a time of at most 0.5 s"),
    ("odu-onoff", "stroke = 0.3048", "stroke = 0.5", "stroke =", "legs of the platform have 0.3048 m"),
    ("odu-onoff", "error = 0.02", "error = -1", "error =", "a number above 0"),
    ("odu-onoff", 'machine = "simulated"', 'device = "Dev1"', "device =", "a device such as 'ni:Dev1'"),
    ("odu-onoff", 'machine = "simulated"', 'device = "ni:Dev1"', "[witness]", "needs the key 'device'"),
]  # fmt: skip


@pytest.mark.parametrize(("preset", "before", "after", "line", "sentence"), WRONG)
def test_a_wrong_file_is_a_sentence_with_a_line(
    tmp_path: Path, preset: str, before: str, after: str, line: str | None, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        changed(tmp_path, preset, (before, after))
    assert "\n" not in str(caught.value)
    if line is not None:
        rows = (tmp_path / "mine.toml").read_text().splitlines()
        number = next(k for k, row in enumerate(rows, 1) if row.startswith(line))
        assert f"mine.toml, line {number}: " in str(caught.value)


def test_unknown_rigs_are_named() -> None:
    with pytest.raises(UsageError, match="no rig 'drivs'; did you mean 'drives'"):
        load_rig("drivs", platform_of("drives"))
    with pytest.raises(UsageError, match=r"gone\.toml: cannot be read: No such file"):
        load_rig("gone.toml", platform_of("drives"))


JUNK = (
    "nan", "inf", "-1", "0", "1e400", "1e-320", "9" * 400, "true",
    '""', '"x"', "[]", "[[]]", "{}", "[1, 2, 3, 4, 5, 6]",
    "[1.0, nan, 2, 3, 4, 5]", "2024-01-01", "[true, 1, 2, 3, 4, 5]", '["a", "b", "c", "d", "e", "f"]', "1e12", "-1e12",
)  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS)
def test_mutated_files_load_or_are_refused_in_a_sentence(tmp_path: Path, preset: str) -> None:
    text, platform = (FOLDER / f"{preset}.toml").read_text(), platform_of(preset)
    values = [m for m in re.finditer(r"^(\w+) = (.*?)(?=\s+#|$)", text, re.MULTILINE)]
    dice, path, refused = random.Random(7), tmp_path / "mine.toml", 0
    cases = [text[: m.start(2)] + junk + text[m.end(2) :] for m in values for junk in JUNK]
    for _ in range(often(600)):
        at, width = dice.randrange(len(text)), dice.choice((0, 1, 1, 5, 40))
        cases.append(text[:at] + dice.choice(("", "[", "=", '"', "#", "\n", "9", "-", "é", "\0")) + text[at + width :])
    for case in cases:
        path.write_text(case)
        try:
            rig = load_rig(path, platform)
        except MotionBaseError as e:
            refused += 1
            assert "\n" not in str(e) and "mine.toml" in str(e), case
        else:
            assert rig.period > 0
    assert len(cases) // 4 < refused < len(cases)
