"""`motionbase cue`: sources, tables, files, errors."""

import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main
from motionbase.host.manoeuvres import manoeuvre
from motionbase.recording.open import open_recording

SOURCE = "heave_doublet?duration=3"


def test_a_manoeuvre_becomes_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written can be run again, and gives the same: it has the vehicle's samples too."""
    out = tmp_path / "cued.csv"
    assert main(["cue", f"manoeuvre://{SOURCE}", "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["source"] == SOURCE and told["files"] == [str(out)]
    run = told["runs"][0]
    assert run["axes"]["f_z"]["peak_demand"] == pytest.approx(1.0, abs=1e-3) and 0 < run["error_share"] < 1
    with open_recording(out) as recording:
        assert recording.count == run["ticks"] and recording.schema.channels[1].name == "vehicle_f_x"
    assert main(["cue", str(out), "--from", "0", "--to", "2.5"]) == 0
    shown = capsys.readouterr().out
    assert "cued.csv on simona, set simona, classical: 2.5 s" in shown and "stroke used by legs 1 to 6" in shown


def test_two_sets_over_a_file_of_a_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = manoeuvre("heave_doublet", 60.0, duration=2.0)
    path = tmp_path / "host.csv"
    header = "t,f_x,f_y,f_z,omega_x,omega_y,omega_z"
    np.savetxt(path, np.column_stack([made.t, made.rows[:, :6]]), delimiter=",", header=header, comments="")
    plot = tmp_path / "two.svg"
    assert main(["cue", "run", str(path), "--compare-algorithm", "adaptive", "--plot", str(plot)]) == 0
    shown = capsys.readouterr().out
    assert "<svg" in plot.read_text()
    assert "A: set simona, classical; B: set simona, adaptive: 2 s" in shown and "error B" in shown


def test_samples_of_a_base_are_counted_by_its_link(tmp_path: Path) -> None:
    """A recording of a base holds each sample for many ticks."""
    from motionbase.cli.cue_source import samples_of

    t = np.arange(0, 1, 0.002)
    frames = np.floor(t * 50 + 1e-9)
    path = tmp_path / "base.csv"
    header = "t,link_frames,vehicle_f_x,vehicle_f_y,vehicle_f_z,vehicle_omega_x,vehicle_omega_y,vehicle_omega_z"
    np.savetxt(path, np.column_stack([t, frames, *[frames] * 6]), delimiter=",", header=header, comments="")
    found = samples_of(str(path), 60.0)
    np.testing.assert_allclose(found.t, np.arange(50) / 50, atol=1e-9)
    np.testing.assert_array_equal(found.rows[:, 5], np.arange(50))


def test_sets_and_manoeuvres_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cue", "sets"]) == 0
    assert "illustrative: air.saturation" in capsys.readouterr().out
    assert main(["cue", "manoeuvres"]) == 0
    listed = capsys.readouterr().out
    assert "AXIS_doublet" in listed and "surge_doublet" not in listed and "AXIS is surge, sway," in listed
    assert main(["cue", "manoeuvres", "turbulence"]) == 0
    assert "MIL-F-8785C" in capsys.readouterr().out
    plot = tmp_path / "landing.svg"
    assert main(["cue", "manoeuvres", "landing", "--json", "--plot", str(plot)]) == 0
    assert "<svg" in plot.read_text()
    (landing,) = json.loads(capsys.readouterr().out)
    assert landing["options"]["sink"]["unit"] == "m/s"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ladning"], "no manoeuvre or file 'ladning'; did you mean 'landing'?"),
        (["manoeuvre://ladning"], "no manoeuvre 'ladning'; did you mean 'landing'?"),
        (["missing.csv"], "recording 'missing.csv' does not exist"),
        (["landing", "--cueing", "simnoa"], "did you mean 'simona'?"),
        (["landing", "--algorithm", "clasical"], "did you mean 'classical'?"),
        (["landing", "--platform", "simnoa"], "did you mean 'simona'?"),
        (["landing", "--rate", "1"], "--rate is 1 Hz, it must be 50 to 20000 Hz"),
        (["landing", "--host-rate", "nan"], "rate of manoeuvre 'landing' is nan Hz"),
        (["landing", "--plot", "a.bmp"], "the name must end in .png"),
        (["landing", "--from", "90"], "fewer than two samples in the chosen time"),
        (["landing?duration=1e9"], "duration is 1e+09 s"),
    ],
)
def test_wrong_input_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["cue", *arguments]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1


def test_a_file_without_specific_force_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.csv"
    path.write_text("t,f_x\n0,1\n1,2\n")
    assert main(["cue", str(path)]) == 2
    assert "missing: f_y, f_z, omega_x, omega_y, omega_z" in capsys.readouterr().err
    path.write_text("t,f_x,f_y,f_z,omega_x,omega_y,omega_z\n0,1,0,0,0,0,0\n1,2,0,nan,0,0,0\n")
    assert main(["cue", str(path)]) == 2
    assert "at 1 s: f_z is nan, a finite number is wanted" in capsys.readouterr().err


def test_samples_that_are_no_motion_are_told_of() -> None:
    from motionbase.cli.cue_source import notes_of

    rows = np.tile([0.0, 0.0, 9.8, *[0.0] * 10], (5, 1))
    assert notes_of(rows) == []
    rows[1, 0] = 1e300
    assert notes_of(rows) == ["1 of 5 samples have numbers of 10000 m/s^2 or rad/s and more, and are ignored"]
    rows[:, 2] = -9.8
    assert "the mean of f_z is -9.80 m/s^2" in notes_of(rows)[1]
