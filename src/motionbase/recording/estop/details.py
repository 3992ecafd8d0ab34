"""What an ESTOP file says of the stop for which it was saved, and how such files are named."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, final, get_type_hints

from motionbase.errors import RecordingError
from motionbase.recording.mapping import mapped
from motionbase.recording.mcap.read import described
from motionbase.recording.mcap.records import MAGIC

KIND = "estop"  # of the event for which the file was saved
EXTENSION = ".estop.mcap"
OLD_EXTENSION = ".estop"  # of a format that is read, but no longer written
NAME = re.compile(r"\d{8}T\d{6}\.\d{3}Z_(.+?)(?:\.estop|\.estop\.mcap)")  # the ring; it may have a Z_ in it, too


@final
@dataclass(frozen=True)
class Details:
    """What the records are and where they come from; every field is an entry of the recording's metadata.

    Attributes:
        ring: name; backend: as the tools call it; writer, writer_pid: who wrote it; status: the writer's last one
        dt: period of a tick [s]; every: ticks between records
        capacity: records that the ring held
        epoch: number of the run; epoch_utc_ns: the UTC from which t counts [ns since 1970]
        cause: why it was saved, a sentence
        event: number of the record of the stop, since the epoch; None for a file without a stop
        event_t: its t [s], None if that record is not in the file
        event_utc_ns, saved_utc_ns: when it happened and when it was saved [ns since 1970]
        first: number of the first record; count: records
        overwritten: records that were in the ring when saving began, and were overwritten before they were copied
        before_s, after_s: what the file has before and after the stop [s]
    """

    ring: str
    backend: str
    writer: str
    writer_pid: int
    status: str
    dt: float
    every: int
    capacity: int
    epoch: int
    epoch_utc_ns: int
    cause: str
    event: int | None
    event_t: float | None
    event_utc_ns: int | None
    saved_utc_ns: int
    first: int
    count: int
    overwritten: int
    before_s: float | None
    after_s: float | None

    @property
    def rate(self) -> float:
        """Nominal records per second [Hz]."""
        return 1 / (self.dt * self.every)

    def about(self) -> dict[str, str]:
        """As metadata of a recording: what is None is left out."""
        return {k: v if isinstance(v, str) else json.dumps(v) for k, v in asdict(self).items() if v is not None}

    @staticmethod
    def from_about(about: Mapping[str, str], where: str) -> Details:
        """From the metadata of a recording; `RecordingError` if it is no ESTOP file."""
        if "cause" not in about:
            raise RecordingError(f"{where} is no ESTOP file, but another recording; `motionbase info` describes it")
        given: dict[str, Any] = {}
        for name, kind in get_type_hints(Details).items():
            text = about.get(name)
            try:
                given[name] = text if kind is str or text is None else json.loads(text)
            except ValueError:
                given[name] = text
        return Details.checked(given, where)

    @staticmethod
    def checked(given: Mapping[str, Any], where: str) -> Details:
        """From values of any origin; `RecordingError` names the first wrong one."""
        for name, kind in get_type_hints(Details).items():
            value = given.get(name)
            if isinstance(value, bool) or not isinstance(value, kind if kind is not float else int | float):
                raise RecordingError(f"{where}: {name} of the stop is {value!r:.60}")
        values: dict[str, Any] = {f.name: given.get(f.name) for f in fields(Details)}
        found = Details(**values)
        if not (found.dt > 0 and found.every > 0) or min(found.count, found.first) < 0:
            raise RecordingError(f"{where}: the stop is described by counts that cannot be")
        return found


def details_of(path: Path) -> Details:
    """What a file says of its stop; its records are not read."""
    from motionbase.recording.sources.snapshot import old_details

    raw = mapped(path)
    if raw[: len(MAGIC)] != MAGIC:
        raw.close()
        return old_details(path)
    with raw:
        about = described(raw)[0]
    if about is None:
        raise RecordingError(f"{path} was not written by motionbase, or its beginning and its end are damaged")
    return Details.from_about(about, str(path))


def file_name(ring: str, utc_ns: int) -> str:
    """UTC to the millisecond, then the ring: names sort by time."""
    second, rest = divmod(utc_ns, 10**9)
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(second))}.{rest // 10**6:03d}Z_{ring}{EXTENSION}"


def ring_of(path: Path) -> str | None:
    """The ring in the name of an ESTOP file; None for any other name."""
    found = NAME.fullmatch(path.name)
    return None if found is None else found[1]
