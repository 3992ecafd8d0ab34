"""Status of a ring, sent twice a second: writer, timing and host."""

from __future__ import annotations

import math

import numpy as np

from motionbase.console.api.host import host_demand
from motionbase.console.api.world import world_name
from motionbase.console.live.follower import HEALTH_S, Follower
from motionbase.console.live.life import base_life
from motionbase.console.live.runs import Run
from motionbase.console.live.stopped_by import stopped_by
from motionbase.console.models import Ring, Timing
from motionbase.recording.recorder.files import platform_name
from motionbase.ring.backend import Device
from motionbase.ring.living import unnamed
from motionbase.ring.reader import ReaderState

BEHIND_S = 1.0  # a longer delay is reported
LATE, OVERRUNS, LOAD = "lateness", "overruns", "load"


def ring_status(follower: Follower) -> Ring:
    """Status of a follower's present or last ring."""
    run, backend = follower.run, follower.backend
    header = run.header if run else None
    layout = header.layout if header else None
    epoch_utc = header.epoch_utc_ns / 1e9 if header else 0.0
    estop, behind_s = follower.value("estop"), follower.behind_s
    estop_acts = estop is not None and estop != 0 and math.isfinite(estop)
    return Ring(
        source=follower.source,
        name=follower.ring,
        backend=str(backend),
        is_hardware=isinstance(backend, Device),
        state=follower.state,
        state_text=_state_text(follower, behind_s),
        behind_s=behind_s,
        generation=follower.generation,
        writer=header.writer if header else "",
        writer_pid=header.writer_pid if header else 0,
        platform=platform_name(layout.platform) if layout else "",
        world=world_name(layout.world) if layout else "",
        schema_name=layout.schema.name if layout else "",
        schema_hash=layout.schema.hash.hex() if layout else "",
        channels=len(layout.schema.channels) if layout else 0,
        rate_hz=run.rate_hz if run else 0.0,
        dt=layout.dt if layout else 0.0,
        epoch_utc=epoch_utc,
        takes_commands=bool(layout and "command_ack" in layout.schema.index) and follower.state == "live",
        has_parameters=bool(layout and layout.parameters),
        estop_acts=estop_acts,
        estop_by=stopped_by(follower.ring, backend) if estop_acts and follower.source == "live" else None,
        t=_finite(math.nan if (t := follower.value("t")) is None else t),
        life=base_life(backend, epoch_utc) if follower.source == "live" and follower.state != "live" else None,
        base_state=_word(follower, "state"),
        base_mode=_word(follower, "mode"),
        base_fault=_word(follower, "fault"),
        timing=_timing(follower, run) if run and follower.pulses else None,
        host=host_demand(header, layout.schema if layout else None, follower.newest),
    )


def _word(follower: Follower, name: str) -> str | None:
    """The word of a coded channel in the newest record; None if there is no such channel or the number is unknown."""
    schema, value = follower.schema, follower.value(name)
    if schema is None or value is None or name not in schema.index:
        return None
    return schema.channels[schema.index[name]].meaning(value) or None


def _state_text(follower: Follower, behind_s: float) -> str:
    """The reader's state; for a ring whose name is gone, the processes that still serve it."""
    text = follower.state_text
    if text == ReaderState.NO_SEGMENT.value and (why := unnamed(follower.backend)):
        return f"{text}: {why}"
    return text + (f", shown {behind_s:.1f} s late" if behind_s > BEHIND_S else "")


def _timing(follower: Follower, run: Run) -> Timing:
    """Timing over the last second or slightly more, because a busy console reads late."""
    pulses = list(follower.pulses)
    newest = pulses[-1]
    before = next((p for p in reversed(pulses) if p.at <= newest.at - HEALTH_S), pulses[0])
    records, seconds = newest.records - before.records, newest.at - before.at
    names = [name for name in (LATE, OVERRUNS, LOAD) if name in run.schema.index]
    places = np.asarray(run.schema.places(names), np.intp)
    rows = dict(zip(names, run.history.rows(run.history.count - records, run.history.count, places), strict=True))
    over = rows[OVERRUNS][[0, -1]] if OVERRUNS in rows and records else None
    return Timing(
        rate_hz=(newest.published - before.published) / seconds if seconds > 0 else 0.0,
        late_max_s=_largest(rows.get(LATE)),
        overruns=_finite(over[1] - over[0]) if over is not None else None,
        load_max=_largest(rows.get(LOAD)),
        lost=newest.lost - before.lost,
    )


def _largest(values: np.ndarray | None) -> float | None:
    return None if values is None or not len(values) else _finite(np.fmax.reduce(values))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
