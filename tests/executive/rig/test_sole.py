"""One program at a time moves the legs of a machine."""

from pathlib import Path

import pytest

from motionbase.errors import UsageError
from motionbase.executive.rig.sole import sole_user
from motionbase.platform.load import load_platform
from motionbase.rig.files import FOLDER, load_rig

REAL = 'kind = "onoff"\nplatform = "odu"\ndevice = "ni:Dev1"\n'


def test_a_second_program_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    rigs = []
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(REAL)
        rigs.append(load_rig(tmp_path / f"{name}.toml", load_platform("odu")))
    assert rigs[0].devices == ("ni:Dev1",)
    with sole_user(rigs[0]):
        with pytest.raises(UsageError, match=r"ni:Dev1 of rig 'two' is used by process \d+: a run or a check of a rig"):
            with sole_user(rigs[1]):
                pass
    with sole_user(rigs[1]):
        pass


def test_simulated_machines_are_as_many_as_one_likes() -> None:
    rig = load_rig("odu-onoff", load_platform("odu"))
    assert rig.devices == ()
    with sole_user(rig), sole_user(rig):
        pass


def test_a_port_is_the_same_by_all_of_its_names(tmp_path: Path) -> None:
    """Such as /dev/ttyUSB0 and its link in /dev/serial/by-id."""
    ports = tmp_path / "port", tmp_path / "link"
    ports[1].symlink_to(ports[0])
    text = (FOLDER / "esp32.toml").read_text()
    rigs = []
    for port in ports:
        path = tmp_path / f"{port.name}.toml"
        path.write_text(text.replace('machine = "simulated"', f'ports = ["{port}"]'))
        rigs.append(load_rig(path, load_platform("odu")))
    with sole_user(rigs[0]), pytest.raises(UsageError, match="link of rig 'link' is used by process"):
        with sole_user(rigs[1]):
            pass
