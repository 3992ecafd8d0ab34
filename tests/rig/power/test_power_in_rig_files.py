"""The table [power] of rig files: in the docs, beside simulated legs and real ones, and on the command line."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.errors import UsageError
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.load import load_platform
from motionbase.platform.table import Table
from motionbase.record.rig import RigFault
from motionbase.rig.files import FOLDER, RigFile, load_rig
from motionbase.rig.power.line import HOST
from motionbase.rig.power.machine import LegsAndPower, PowerMachine
from motionbase.rig.power.setup import RtuLine, TcpLine, setup_from
from tests.rig.power.bench import TEXT, changed, wait_for

DOCS = Path(__file__).resolve().parents[3] / "docs"
ODU = load_platform("odu")
SIMULATED = (FOLDER / "odu-onoff.toml").read_text()
REAL = SIMULATED.replace('machine = "simulated"', 'device = "ni:Dev1"')
REAL = REAL.replace("[witness]", '[witness]\ndevice = "ni:Dev2"')
UNIT = TEXT.replace("least_pressure = 120e5", "least_pressure = 50e5")  # of the 70 bar of this platform
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A simulated rig with its unit."""
    path = tmp_path / "mine.toml"
    path.write_text(SIMULATED + UNIT)
    return path


def rig_of(text: str, folder: Path) -> RigFile:
    path = folder / "rig.toml"
    path.write_text(text)
    return load_rig(path, ODU)


def test_the_example_of_the_docs_is_right() -> None:
    blocks = re.findall(r"```toml\n(\[power\].*?)```", (DOCS / "rigs_power.md").read_text(), re.S)
    assert len(blocks) == 1
    source = TomlSource.of("docs", blocks[0])
    setup = setup_from(Table(source, (), source.data).table("power"))
    assert isinstance(setup.line, TcpLine | RtuLine) and {"supply", "run", "heartbeat"} <= setup.registers.keys()


def test_simulated_legs_wait_for_the_oil(place: Path) -> None:
    # time runs ahead of the thread that feeds the unit's watchdog, so here the unit has none
    rig = rig_of(re.sub(r"(?m)^heartbeat.*\n", "", SIMULATED + UNIT), place)
    with closing(rig.machine(place)) as machine:
        assert isinstance(machine, LegsAndPower) and machine.period == machine.legs.period
        unit = rig.power(place)
        assert unit is not None
        with closing(unit):
            wait_for(lambda: unit.look(0.0).measured_at > 0)
            assert unit.look(0.0).p_supply == 0.0
            unit.run(True)
            wait_for(lambda: machine.power.unit.commanded)
            for k in range(7001):
                machine.advance(1e-3 * k)
            assert machine.power.unit.share > 0.99
            assert machine.legs.rig.supply == machine.power.unit.share  # type: ignore[attr-defined]
            wait_for(lambda: unit.look(0.0).p_supply > 68e5)
    assert not list(place.glob("power*"))


def test_a_rig_without_a_unit_has_none(place: Path) -> None:
    rig = rig_of(SIMULATED, place)
    assert rig.power(place) is None and rig.unit is None


@pytest.mark.parametrize(
    ("legs", "line", "says"),
    [
        (
            SIMULATED,
            "tcp:10.0.0.5",
            "is 'tcp:10.0.0.5:502'; the legs are simulated, so 'simulated' is wanted",
        ),
        (REAL, "simulated", "power.line is 'simulated'; the legs are real, so that of a real unit is wanted"),
    ],
)
def test_legs_and_unit_are_both_simulated_or_neither(legs: str, line: str, says: str, place: Path) -> None:
    with pytest.raises(UsageError, match=says):
        rig_of(legs + UNIT.replace('line = "simulated"', f'line = "{line}"'), place)


def test_a_pressure_that_the_platform_does_not_have(place: Path) -> None:
    with pytest.raises(UsageError, match="least_pressure is 1.2e.07 Pa; the supply of platform 'odu' has 7e.06 Pa"):
        rig_of(SIMULATED + TEXT, place)
    drives = (FOLDER / "drives.toml").read_text() + UNIT
    (place / "drives.toml").write_text(drives)
    with pytest.raises(UsageError, match="the supply of platform 'emotion-1500' has"):
        load_rig(place / "drives.toml", load_platform("emotion-1500"))


def test_what_is_wrong_has_its_line(place: Path) -> None:
    text = SIMULATED + UNIT.replace("hot = 338.15", "hot = 65")
    number = text[: text.index("hot = 65")].count("\n") + 1
    with pytest.raises(UsageError, match=f"rig.toml, line {number}: .*hot is 65 K, it must be 273.15 to 423.15 K"):
        rig_of(text, place)


# The command


def test_the_command_shows_a_reading(mine: Path, capsys: Capture) -> None:
    assert call(["rig", "power", str(mine), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answers"] and found["fault"] == "NONE" and found["values"]["level"] == 0.8 and not found["running"]
    assert call(["rig", "power", str(mine), "--duration", "2"]) == 0
    assert "oil level 80.0 % of full, pump stands" in capsys.readouterr().out


def test_the_command_starts_a_pump(mine: Path, capsys: Capture) -> None:
    """Whose pressure never rises enough in this time."""
    mine.write_text(SIMULATED + UNIT.replace("least_pressure = 50e5", "least_pressure = 1e4"))
    assert call(["rig", "power", str(mine), "--run", "--duration", "2.2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["running"] and found["values"]["supply"] > 1e5


def real(text: str, port: int, folder: Path) -> Path:
    path = folder / "real.toml"
    path.write_text(REAL + text.replace('"simulated"', f'"tcp:{HOST}:{port}"'))
    return path


def test_a_real_pump_starts_only_with_leave(tmp_path: Path, capsys: Capture) -> None:
    machine = PowerMachine(None, changed(line=TcpLine(HOST, 0)))
    path = real(UNIT, machine.port, tmp_path)
    assert call(["rig", "power", str(path), "--run"]) == 2
    assert "without a terminal it needs --yes" in capsys.readouterr().err and not machine.unit.commanded
    machine.unit.alarms = 1
    assert call(["rig", "power", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["fault"] == RigFault.DEVICE.name and found["code"] == 1 and found["why"] == "alarm: motor overload"
    machine.close()


def test_a_unit_that_is_not_there(tmp_path: Path, capsys: Capture) -> None:
    machine = PowerMachine(None, changed(line=TcpLine(HOST, 0)))
    machine.close()
    path = real(UNIT, machine.port, tmp_path)
    assert call(["rig", "power", str(path), "--json", "--duration", "1"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["answers"] and found["fault"] == "SILENT_LEG" and "cannot be reached" in found["why"]


def test_a_rig_without_a_unit_has_nothing_to_show(capsys: Capture) -> None:
    assert call(["rig", "power", "odu-onoff"]) == 2
    assert "rig 'odu-onoff' has no hydraulic power unit; its file has no table [power]" in capsys.readouterr().err


def test_a_duration_that_cannot_be(mine: Path, capsys: Capture) -> None:
    assert call(["rig", "power", str(mine), "--duration", "0"]) == 2
    assert "--duration is 0 s, it must be above 0" in capsys.readouterr().err
