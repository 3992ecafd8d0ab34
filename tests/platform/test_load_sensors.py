"""[sensors] in a platform's file: kinds and keys that are left out stay, mistakes are named with their line."""

from dataclasses import replace
from pathlib import Path

import pytest

from motionbase.errors import PlatformError
from motionbase.platform.load import FOLDER, load_file, load_platform
from motionbase.platform.sensors import Sensors

PRESET = (FOLDER / "simona.toml").read_text()


def loaded(folder: Path, text: str) -> Sensors:
    path = folder / "mine.toml"
    path.write_text(f"{PRESET}\n{text}")
    return load_file(path).sensors


def test_what_is_left_out_stays(tmp_path: Path) -> None:
    usual = Sensors()
    assert load_platform("simona").sensors == usual
    text = "[sensors.position]\ndelay = 0.001\n[sensors.force]\nnoise = 5\nbias = -2.5\n"
    text += "[sensors]\nrate = {quantum = 1e-3}\n"
    wanted = replace(
        usual,
        position=replace(usual.position, delay=1e-3),
        force=replace(usual.force, noise=5.0, bias=-2.5),
        rate=replace(usual.rate, quantum=1e-3),
    )
    assert loaded(tmp_path, text) == wanted


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[sensors.positon]\nnoise = 1", 1, "[sensors] has no key 'positon'; keys: position, velocity"),
        ("[sensors.position]\nnois = 1", 2, "[sensors.position] has no key 'nois'; keys: noise, bias, quantum, delay"),
        ("[sensors.position]\nnoise = 1e-6\ndelay = 'late'", 3, "sensors.position.delay is 'late', a finite number"),
        ("[sensors.force]\ndelay = 0.5", 2, "[sensors.force] sensor: delay is 0.5 s, it must be at most 0.1 s"),
        (
            "[sensors.force]\nbias = 1\nnoise = -1",
            3,
            "[sensors.force] sensor: noise is -1.0, a finite number, 0 or above",
        ),
        ("[sensors]\nforce = 3", 2, "sensors.force is 3, a table, [sensors.force], is wanted"),
    ],
)
def test_mistakes(text: str, line: int, said: str, tmp_path: Path) -> None:
    with pytest.raises(PlatformError) as caught:
        loaded(tmp_path, text)
    assert str(caught.value).endswith(said) or said in str(caught.value)
    assert f"mine.toml, line {PRESET.count(chr(10)) + 1 + line}: " in str(caught.value)
