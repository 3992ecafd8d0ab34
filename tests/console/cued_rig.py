"""Records of a base with cueing, made up: a lane change over and over, with curves that look as cueing makes them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.cueing import Cueing
from motionbase.platform.load import load_platform, platform_text
from motionbase.record.cueing import ROWS, SIX, cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.states import STATES
from motionbase.record.vehicle import G
from motionbase.ring.writer import Writer
from tests.background import in_background

SCHEMA = cued_schema(hexapod_schema())
DT = 5e-3
PERIOD_S = 8.0  # of the lane changes
HOST_HZ = 60.0
DEMAND = (1.2, 2.5, 0.4, 0.06, 0.03, 0.12)  # amplitudes, in the order of SIX
LAGS = {
    "demand": (1.0, 0.0),
    "felt_vehicle": (0.85, 0.2),
    "cue": (0.6, 0.1),
    "felt_cue": (0.5, 0.35),
}  # gain, delay [s]


def table() -> ParameterTable:
    """Parameters of cueing as a ring has them."""
    ports = Cueing.of(load_platform("simona"), "simona", algorithm="adaptive").parameters.ports
    listed = []
    for p in ports:
        least, most = (tuple(bound.tolist()) for bound in p.bounds)
        listed.append(Parameter(p.name, p.unit, "of cueing", tuple(p.start_values.tolist()), least, most))
    return ParameterTable("law", (Parameter("k_p", "1/s", "of the law", (4.0,)), *listed))


def cued_writer(name: str, parameters: str = "") -> Writer:
    """The writer of such a ring, of the platform simona."""
    text = platform_text("simona")
    return Writer(SCHEMA, name=name, dt=DT, capacity=20_000, program="test", platform=text, parameters=parameters)


def cued_rows(first: int, count: int, silent_from: float = np.inf) -> Array:
    """Records first, first + 1 ... of a drive; from a time [s] on the host is silent."""
    k = np.arange(first, first + count, dtype=np.float64)
    t: Array = k * DT
    columns: dict[str, Array | float] = {"t": t, "tick": k, "state": STATES.index("drive")}
    for row in ROWS:
        gain, lag = LAGS[row]
        for (name, axis), amplitude in zip(SIX, DEMAND, strict=True):
            rest = G if (name, axis) == ("f", "z") else 0.0
            columns[f"{row}_{name}_{axis}"] = rest + gain * amplitude * _swing(t - lag)
            if row == "demand":
                columns[f"vehicle_{name}_{axis}"] = columns[f"demand_{name}_{axis}"]
    stroke = load_platform("simona").stroke
    span = stroke.l_max - stroke.l_min
    legs = [(stroke.l_min + span / 2) + 0.42 * span * np.sin(2 * np.pi * t / PERIOD_S + leg) for leg in range(6)]
    columns |= {f"leg{leg + 1}_l_cmd": l for leg, l in enumerate(legs)}
    columns["stroke_left"] = np.min([np.minimum(l - stroke.l_min, stroke.l_max - l) for l in legs], axis=0)
    columns["cue_error"] = 0.6 + 1.6 * np.abs(_swing(t - 0.5))
    columns["cue_set"] = np.clip(np.sin(2 * np.pi * t / 60.0), 0.0, 1.0)
    heard = np.minimum(t, silent_from)
    columns["link_frames"] = columns["host_frames"] = np.floor(heard * HOST_HZ)
    columns["host_age"] = np.where(t > silent_from, t - silent_from, t % (1 / HOST_HZ))
    columns |= {"link_lost": np.floor(heard / 7), "link_late": np.floor(heard / 19), "host_lost": np.floor(heard / 7)}
    rows = np.zeros((count, len(SCHEMA.channels)))
    for name, values in columns.items():
        rows[:, SCHEMA.index[name]] = values
    return rows


def _swing(t: Array) -> Array:
    """One whole sine in the middle of every period, smooth at its ends."""
    share = np.clip((t % PERIOD_S) / PERIOD_S * 2 - 0.5, 0.0, 1.0)
    return np.sin(2 * np.pi * share) * np.sin(np.pi * share)


@contextmanager
def cued_run(name: str, silent_from: float = np.inf, parameters: str = "") -> Iterator[Writer]:
    """A writer of such records in real time, in a thread; its ring has ten seconds already."""
    with cued_writer(name, parameters) as made:
        begun, ahead = time.monotonic(), 10.0

        def write(stop: threading.Event) -> None:
            while not stop.wait(0.01):
                due = int((time.monotonic() - begun + ahead) / DT)
                made.write(cued_rows(made.head, due - made.head, silent_from))

        with in_background(write):
            yield made
