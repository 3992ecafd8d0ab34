"""A ring for the console: 1 kHz of sensor-like readings of a platform, every record with the time of its writing.

As a program it writes until it is terminated: python -m benchmarks.peers.console_ring NAME
"""

import sys
import threading
import time

from benchmarks.peers.recording_files import readings
from motionbase.platform.load import platform_text
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.ring.pace import Pace
from motionbase.ring.writer import Writer

RATE = 1000  # [Hz]
PLATFORM = "simona"
LEGS = range(1, 7)
DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
# the default view of a hexapod: six plots of six
SHOWN = (
    *(f"leg{leg}_l_meas" for leg in LEGS),
    *(f"pose_meas_{dof}" for dof in DOFS),
    *(f"leg{leg}_{what}" for what in ("l_dot_meas", "f_meas", "valve_cmd", "p_cap") for leg in LEGS),
)
QUIET = ("status", "host_link")  # groups that would raise alarms


def schema() -> Schema:
    """The schema of a hexapod, plus the time stamp."""
    stamp = Channel("stamp", "s", "UTC at which the record was written", "timing")
    return Schema("console_bench", (*hexapod_schema().channels, stamp))


def places() -> list[int]:
    """Indices of the 36 channels that are shown."""
    index = schema().index
    return [index[name] for name in SHOWN]


def write(name: str) -> None:
    """Write until a signal ends it."""
    channels = schema()
    rows = readings(channels)
    for k, channel in enumerate(channels.channels):
        if channel.group in QUIET:
            rows[:, k] = 0.0
    tick, stamp = channels.index["tick"], channels.index["stamp"]
    pace, never = Pace(RATE), threading.Event()
    with Writer(channels, name=name, dt=1 / RATE, platform=platform_text(PLATFORM), program="bench") as ring:
        print("ready", flush=True)
        while True:
            done = pace.done
            for k in range(done, done + pace.due()):
                row = rows[k % len(rows)]
                row[0], row[tick], row[stamp] = k / RATE, k, time.time()
                ring.write(row)
            pace.rest(never)


if __name__ == "__main__":
    write(sys.argv[1])
