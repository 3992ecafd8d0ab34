"""`motionbase identify`: table, JSON, platform file, picture, and one sentence for what cannot be."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.platform.load import load_platform
from tests.identify.synthetic import SIMONA, heavier, named, whole

Capture = pytest.CaptureFixture[str]
T = np.arange(0.0, 30.0, 0.01)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CSV of a simona with a heavier load; pressures, but no valves."""
    path = tmp_path_factory.mktemp("identify") / "run.csv"
    columns = {"t": T, **named(whole(heavier(SIMONA), T))}
    np.savetxt(
        path, np.stack(list(columns.values()), axis=1), fmt="%.9g", delimiter=",", header=",".join(columns), comments=""
    )
    return path


def test_table_file_and_picture(recording: Path, tmp_path: Path, capsys: Capture) -> None:
    out, picture = tmp_path / "mine.toml", tmp_path / "mine.png"
    options = ["--platform", "simona", "--out", str(out), "--plot", str(picture)]
    assert call(["identify", str(recording), *options]) == 0
    told = capsys.readouterr().out
    assert "simona, from recording 'run.csv': 30.0 s of drive at 100 Hz" in told
    row = next(line for line in told.splitlines() if line.strip().startswith("payload.mass"))
    assert row.split()[1].startswith("402") and row.split()[3:] == ["kg", "3500", "1.150"]
    assert "actuator.rated_flow: the recording has no pressures of the chambers or no spool positions" in told
    assert picture.read_bytes().startswith(b"\x89PNG")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = load_platform(out)
    assert made.payload.mass == pytest.approx(4025.0, rel=2e-3)
    assert made.actuator.friction.sigma0 == SIMONA.actuator.friction.sigma0
    assert call(["identify", str(recording), *options]) == 2, "files are not replaced unasked"
    assert "is there already" in capsys.readouterr().err


def test_json(recording: Path, capsys: Capture) -> None:
    options = ["--platform", "simona", "--parameters", "friction,mass", "--from", "2", "--to", "25", "--json"]
    assert call(["identify", str(recording), *options]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert data["platform"] == "simona" and data["seconds"] == pytest.approx(23.0, abs=0.02)
    by_name = {one["parameter"]: one for one in data["estimates"]}
    assert {one["group"] for one in data["estimates"]} == {"friction", "mass"}
    coulomb = by_name["actuator.friction.coulomb"]
    assert coulomb["value"] == pytest.approx(300.0, rel=0.02) and 0 < coulomb["half_width_95"] < 10.0
    assert len(coulomb["legs"]) == 6 and coulomb["in_file"] and coulomb["start"] == 300.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "recording 'run.csv' does not say of which platform it is; name one with --platform: "),
        (["--platform", "simona", "--parameters", "mas"], "no group of parameters 'mas'; did you mean 'mass'?"),
        (["--platform", "simona", "--parameters", ","], "--parameters ',' names nothing; leave it out for all"),
        (["--platform", "simona", "--leg", "7"], "leg 7 does not exist; legs are 1 to 6"),
        (["--platform", "simone"], "no platform 'simone'"),
        (["--platform", "simona", "--out", "mine.csv"], "'mine.csv': the name must end in .toml"),
        (["--platform", "simona", "--to", "3"], "has 3.0 s of undisturbed drive, at least 12 s are needed"),
        (["--platform", "odu"], "is it the platform of this recording?"),
    ],
)  # fmt: skip
def test_one_sentence_for_what_cannot_be(recording: Path, options: list[str], sentence: str, capsys: Capture) -> None:
    assert call(["identify", str(recording), *options]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("motionbase: ") and sentence in told.err
    assert len(told.err.strip().splitlines()) == 1
