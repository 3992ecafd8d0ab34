"""The picture of a motion: what stands in which panel, and what is said when it cannot be kept."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.plot import _by_kind, write_plot
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory


@pytest.fixture(scope="module")
def run() -> Trajectory:
    """A hub that flies, with a boom that bends."""
    boom = Body("boom", modes=beam(length=5.0, mass_per_length=4.0, EI_y=2e4, EI_z=2e4, bending=(1, 1)))
    hub = Body("hub", 50.0, inertia=(5.0, 5.0, 5.0))
    joints = Joint("fly", GROUND, "hub", Free()), Joint("root", "hub", "boom", revolute())
    return simulate(Model("m", (hub, boom), joints), 0.05, q0={"boom.mode1": 1e-3})


def test_modes_and_quaternions_have_panels_of_their_own(run: Trajectory) -> None:
    """Both have no unit, but a quaternion would flatten the modes."""
    found = {kind: [c.name for c in lines] for kind, lines in _by_kind(run, "q.").items()}
    assert found == {
        "m": ["fly.x", "fly.y", "fly.z"],
        "quaternion": ["fly.qw", "fly.qx", "fly.qy", "fly.qz"],
        "rad": ["root"],
        "mode": ["boom.mode1", "boom.mode2"],
    }
    assert np.ptp(_by_kind(run, "q.")["mode"][0].values) > 0


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_pictures(run: Trajectory, tmp_path: Path, ending: str) -> None:
    write_plot(run, tmp_path / f"run.{ending}")
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[ending]
    assert (tmp_path / f"run.{ending}").read_bytes().startswith(start)


def test_places_that_cannot_be_written(run: Trajectory, tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    with pytest.raises(UsageError, match=r"cannot draw '.*a.png': Is a directory"):
        write_plot(run, tmp_path / "a.png")
    with pytest.raises(UsageError, match=r"cannot write '.*b/a.csv': No such file or directory"):
        run.write(tmp_path / "b" / "a.csv")
    with pytest.raises(UsageError, match="must end in .png, .pdf or .svg"):
        write_plot(run, tmp_path / "a.gif")
