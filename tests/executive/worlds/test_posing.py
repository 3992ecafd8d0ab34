"""A boat's pose as frames: heave from its start, roll and pitch in part."""

from types import SimpleNamespace
from typing import Any

import pytest

from motionbase.cli.main import main as call
from motionbase.executive.worlds.posing import HEIGHT, PITCH, ROLL, Posing
from motionbase.executive.worlds.running import Running
from motionbase.host.format import Frame, Options
from motionbase.host.protocol.text import TextEncoder
from motionbase.record.vehicle import VEHICLE
from motionbase.record.world import WORLD
from motionbase.worlds.seed.world import SeedWorld


def at(height: float, roll: float, pitch: float, waits: bool = False) -> Any:
    row, vehicle = [0.0] * len(WORLD), [0.0] * len(VEHICLE)
    row[HEIGHT], vehicle[ROLL], vehicle[PITCH] = height, roll, pitch
    return SimpleNamespace(row=row, vehicle=vehicle, is_waiting=waits)


def test_heave_counts_from_the_start_and_only_a_part_is_sent() -> None:
    posing = Posing(0.5)
    assert posing(at(3.0, 0.0, 0.0))[:6] == (0.0,) * 6
    assert posing(at(3.4, 0.2, -0.1))[:6] == pytest.approx((0.0, 0.0, 0.2, 0.1, -0.05, 0.0))
    posing(at(5.0, 0.0, 0.0, waits=True))  # back at its start
    assert posing(at(5.2, 0.0, 0.0))[2] == pytest.approx(0.1)


def test_a_boat_on_the_wave_moves_in_heave_roll_and_pitch_alone() -> None:
    running, posing, encoder = Running(SeedWorld(), ""), Posing(1.0), TextEncoder(Options())
    rows = []
    for k in range(800):
        running.step(0.005 * k, drives=True)
        row = posing(running)
        assert encoder.encode(Frame(row))  # the text format takes it
        rows.append(row)
    assert {k for k in range(18) if any(row[k] for row in rows)} == {2, 3, 4}
    assert max(row[2] for row in rows) - min(row[2] for row in rows) > 0.05


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["boat", "seed", "--scale", "0.3"], "--scale 0.3: it is for a boat with --to a format of poses"),
        (
            ["boat", "seed", "--scale", "0", "--to", "udp://127.0.0.1:8731?format=text"],
            "--scale is 0, it must be above",
        ),
        (
            ["drive", "--to", "udp://127.0.0.1:8731?format=text"],
            "a world tells a vehicle, and format text takes a pose",
        ),
    ],
)
def test_what_is_no_pose_gets_a_sentence(given: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["host", *given, "--no-console"]) == 2
    assert sentence in capsys.readouterr().err
