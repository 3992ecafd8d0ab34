"""Motion of a vehicle and of a pose in recordings: channels, samples, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MotionBaseError
from motionbase.recording.motions import pose_names, pose_samples, vehicle_names, vehicle_samples
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording

NEEDED = "f_x,f_y,f_z,omega_x,omega_y,omega_z"
POSE = "surge,sway,heave,roll,pitch,yaw"


def recording(tmp_path: Path, *lines: str, end: str = "\n") -> Recording:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + end)
    return open_recording(path)


def rows(count: int, columns: int) -> list[str]:
    return [",".join(str(x) for x in (0.05 * k, *range(10 * k, 10 * k + columns))) for k in range(count)]


def poses(found: Recording, start: float | None = None, stop: float | None = None) -> object:
    names = pose_names(found.schema)
    assert names is not None
    return pose_samples(found, names, start, stop)


@pytest.mark.parametrize("prefix", ["vehicle_", ""])
def test_what_a_vehicle_lacks_is_zero(tmp_path: Path, prefix: str) -> None:
    header = ",".join(["t", *(prefix + name for name in NEEDED.split(",")), prefix + "roll"])
    with recording(tmp_path, header, *rows(3, 7)) as found:
        t, samples, has_alpha = vehicle_samples(found)
    assert t.tolist() == [0.0, 0.05, 0.1] and not has_alpha
    wanted = np.zeros((3, 13))
    wanted[:, :6], wanted[:, 9] = np.arange(6) + 10 * np.arange(3)[:, None], 6 + 10 * np.arange(3)
    np.testing.assert_array_equal(samples, wanted)


def test_a_pose_has_the_derivatives_of_all_axes(tmp_path: Path) -> None:
    dots = ",".join(f"host_{name}_dot" for name in POSE.split(","))
    host = ",".join(f"host_{name}" for name in POSE.split(","))
    with recording(tmp_path, f"t,{host},{dots},host_surge_ddot", *rows(2, 13)) as found:
        assert pose_names(found.schema) == tuple(f"{host},{dots}".split(","))
        assert pose_names(found.schema, "cmd") is None and vehicle_names(found.schema) is None


@pytest.mark.parametrize(("names", "samples"), [(NEEDED, vehicle_samples), (POSE, poses)])
def test_no_reader_plays_less_than_a_file_has(tmp_path: Path, names: str, samples: Callable[..., object]) -> None:
    """A CSV whose last line has no end was played without its last sample: 2.00 s as 1.95 s."""
    lines = [f"t,{names}", *rows(41, 6)]
    with recording(tmp_path, *lines) as found:
        samples(found)
        assert found.end == 2.0
    with recording(tmp_path, *lines, end="") as found:
        with pytest.raises(MotionBaseError, match="the last line has no end.*; add a line end, or choose a part of it"):
            samples(found)
        samples(found, 0.5, 1.0)


def test_what_is_no_motion_is_refused(tmp_path: Path) -> None:
    for lines, sentence in (
        (["t,vehicle_f_x", "0,1", "1,2"], "missing: vehicle_f_y, vehicle_f_z, vehicle_omega_x"),
        ([f"t,{NEEDED}"], "'a.csv' has fewer than two samples in the chosen time; it is empty"),
        ([f"t,{NEEDED}", *rows(1, 6)], "fewer than two samples in the chosen time; it goes from 0 to 0 s"),
        ([f"t,{NEEDED}", "0,1,1,1,1,1,1", "1,1,1,inf,1,1,1"], "at 1 s: f_z is inf, a finite number is wanted"),
    ):
        with recording(tmp_path, *lines) as found, pytest.raises(MotionBaseError, match=sentence):
            vehicle_samples(found)
