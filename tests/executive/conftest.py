from collections.abc import Iterator
from pathlib import Path

import casadi as ca
import pytest

from motionbase.compile import Compiled, Kernel, Port, compile
from motionbase.record.schema import Channel, Schema


@pytest.fixture(autouse=True)
def ring_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Rings of a test live in its own folder and go with it."""
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    yield tmp_path


@pytest.fixture(scope="session")
def oscillator() -> Compiled:
    """A step of a rotation by the clock's tick, so that a missed or doubled tick shows in every digit."""

    def step(x: ca.SX, tick: ca.SX) -> tuple[ca.SX]:
        return (ca.vertcat(x[0] - 0.01 * x[1], x[1] + 0.01 * x[0] + 1e-6 * tick),)

    return compile(Kernel("oscillator", (Port("x", 2, "-"), Port("tick", 1, "-")), (Port("x_next", 2, "-"),), step))


@pytest.fixture
def schema() -> Schema:
    """Time, the loop's own channels, and room for a state."""
    timing = (("tick", "-"), ("lateness", "s"), ("compute", "s"), ("overruns", "-"), ("load", "-"), ("warning", "-"))
    return Schema(
        "small",
        (
            Channel("t", "s", "time", "time"),
            *(Channel(name, unit, name, "timing") for name, unit in timing),
            *(Channel(f"x{k}", "-", "state", "state") for k in range(2)),
            Channel("valve", "-", "1 open", "valve"),
        ),
    )
