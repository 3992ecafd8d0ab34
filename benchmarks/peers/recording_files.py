"""A long recording for measurements, created once and kept in the user's cache: sensor-like waveforms."""

import os
import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Skip
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Schema
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.whole import whole_or_not

RATE = 1000  # [Hz]
CHUNK = 100  # records, as the recorder writes them
REPEAT = 20 * RATE  # records; whole periods of all waveforms. Chunks are compressed separately: no gain by repetition
EPOCH_UTC_NS = 1_750_000_000_000_000_000
BYTES = 2_000  # of a record in the file, at most
SPARE_BYTES = 5_000_000_000  # free space to keep
VERSION = 1  # of the code below; another version creates a new file

# amplitude, noise and quantum by unit: travel of a large base, sensors as a platform has them by default
MEASURED = {
    "m": (0.5, 5e-6, 2e-5),
    "m/s": (0.4, 1e-4, 0.0),
    "m/s^2": (2.0, 2e-2, 0.0),
    "rad": (0.2, 1e-5, 0.0),
    "rad/s": (0.2, 2e-4, 0.0),
    "rad/s^2": (1.0, 2e-2, 0.0),
    "N": (4e4, 10.0, 0.0),
    "Pa": (5e6, 5e3, 500.0),
    "s": (5e-5, 1e-5, 1e-9),
    "-": (0.3, 1e-4, 0.0),
}
COMPUTED = ("host", "command", "leg_command", "compensator", "generators")  # groups without noise
CONSTANT = ("status", "host_link")


def cache_folder() -> Path:
    """`motionbase/bench` in $XDG_CACHE_HOME, or else in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "motionbase" / "bench"


def recording_file(seconds: int) -> Path:
    """A recording of 178 channels at 1 kHz, with its pyramid; raises `Skip` if the disk is too full."""
    path = cache_folder() / f"recording{VERSION}_{seconds}s.mcap"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        wanted, free = seconds * RATE * BYTES + SPARE_BYTES, shutil.disk_usage(path.parent).free
        if free < wanted:
            raise Skip(f"{path.parent} has {free / 1e9:.1f} GB free, the recording needs {wanted / 1e9:.1f} GB")
        with whole_or_not(path) as part:
            _write(part, seconds * RATE)
    with open_recording(path) as recording:
        recording.pyramid()
    return path


def _write(path: Path, count: int) -> None:
    schema = hexapod_schema()
    waves = readings(schema)
    about = {"epoch_utc_ns": str(EPOCH_UTC_NS), "writer": "bench", "dt": repr(1 / RATE)}
    with McapWriter(path, schema, about) as writer:
        for first in range(0, count, CHUNK):
            rows = waves[first % REPEAT : first % REPEAT + CHUNK]
            tick = np.arange(first, first + CHUNK)
            rows[:, schema.index["t"]], rows[:, schema.index["tick"]] = tick / RATE, tick
            writer.write_rows(rows, first, log_times(EPOCH_UTC_NS, rows[:, 0]))


def readings(schema: Schema) -> NDArray[np.float64]:
    """(REPEAT, channels): a sine in each, from 0.1 Hz, with the noise and the resolution of its kind of sensor."""
    t, rng = np.arange(REPEAT) / RATE, np.random.default_rng(1)
    out = np.empty((REPEAT, len(schema.channels)))
    for k, channel in enumerate(schema.channels):
        amplitude, noise, quantum = MEASURED[channel.unit]
        out[:, k] = k % 7 if channel.group in CONSTANT else amplitude * np.sin(2 * np.pi * 0.05 * (2 + k % 60) * t)
        if channel.group not in COMPUTED + CONSTANT:
            out[:, k] += noise * rng.standard_normal(REPEAT)
            out[:, k] = quantum * np.rint(out[:, k] / quantum) if quantum else out[:, k]
    return out
