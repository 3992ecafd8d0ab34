"""Recordings: write one, read a few columns, view all of it at once, export and split it.

The records are those of `motionbase dcu`, with a different waveform in every channel; `motionbase record` writes such
files from a running ring. The pages are docs/recordings.md and docs/record.md.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.export import export
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.split import split
from motionbase.recording.statistics import statistics
from motionbase.ring.waveforms import records

RATE = 1000  # [Hz]
SECONDS = 60


def write(path: Path) -> None:
    """A minute of 178 channels, in chunks of 100 ms, and a note of the operator."""
    schema, epoch = hexapod_schema(), time.time_ns()
    with McapWriter(path, schema, {"epoch_utc_ns": str(epoch), "writer": "example"}) as file:
        for first in range(0, RATE * SECONDS, RATE // 10):
            rows = records(schema, first, RATE // 10, 1 / RATE)
            file.write_rows(rows, first, log_times(epoch, rows[:, 0]))
        file.write_events([Event(12.5, "note", "hatch closed")], [epoch + 12_500_000_000])


def main() -> None:
    """Work in a folder that is deleted afterwards."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "run.mcap"
        write(path)
        with open_recording(path) as run:
            print(f"{run.count} records of {len(run.schema.channels)} channels, {run.start:g} to {run.end:g} s")
            print("events:", [(event.t, event.kind, event.text) for event in run.events])

            some = run.columns(["leg1_f_meas", "acc_x"], start=10.0, stop=20.0)  # reads only these ten seconds
            print("columns:", {column: values.shape for column, values in some.items()})

            whole = run.envelope("leg1_f_meas", pixels=800)  # smallest and largest value of every pixel, at any zoom
            print(f"envelope: {len(whole.t)} pixels, {whole.least.min():.3f} to {whole.most.max():.3f} N")

            found = statistics(run)
            print(f"rate {1 / found.period:.0f} Hz, {found.gap_count} gaps, mean of t {found.mean[0]:.4f} s")

            forces = run.select(groups=["leg_force"], legs=[1, 3])
            done = export(run, Path(name) / "forces.csv", forces, start=10.0, stop=10.004)
            print(f"forces.csv: {done.count} records of {done.channels} channels")
            print(done.path.read_text().splitlines()[0])

            export(run, Path(name) / "run.parquet")
            pieces = split(run, Path(name) / "pieces", seconds=25.0)
            print("pieces:", [(piece.path.name, piece.count) for piece in pieces])
        with open_recording(path) as one, open_recording(Path(name) / "run.parquet") as other:
            pairs = zip(one.columns().values(), other.columns().values(), strict=True)
            print("Parquet holds the same numbers:", all(np.array_equal(a, b) for a, b in pairs))


if __name__ == "__main__":
    main()
