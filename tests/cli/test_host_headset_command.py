"""`motionbase host headset`: wrong calls."""

from pathlib import Path

import pytest

from motionbase.cli.main import main

TARGET = "udp://127.0.0.1:9?format=flypt"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([TARGET, "--ahead", "1"], "--ahead is 1 s, it must be 0 to 0.2"),
        ([TARGET, "--duration", "0"], "--duration is 0 s, it must be above 0"),
        ([TARGET, "--rate", "nan"], "--rate is nan Hz, it must be 10 to 1000"),
        ([TARGET, "--share", "yaw=2"], "--share has 'yaw=2', it must be a number from 0 to 1, or AXIS=NUMBER"),
        ([TARGET, "--share", "yw=0.5"], "no axis 'yw'; did you mean 'yaw'?"),
        ([TARGET, "--point", "1,2"], "--point is '1,2', it must be x,y,z in metres"),
        ([TARGET, "--point", "1,2,300"], "it must be a name or x,y,z in metres"),
        ([TARGET, "--pose", "host"], "no pose 'host'"),
        (["udp://127.0.0.1:9?format=motionbase-vehicle"], "format motionbase-vehicle is not one of poses"),
        (["udp://127.0.0.1:9?format=forza"], "format forza is not one of poses"),
        ([TARGET], "there is no ring 'nobody'; start the platform first"),
    ],
)
def test_wrong_calls(
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    assert main(["host", "headset", "nobody", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1
