"""Motions that can be played to a base: of files, of rings, and of the library of manoeuvres."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.host.format import Kind, Rows
from motionbase.host.manoeuvres.library import FASTEST, SLOWEST, checked, manoeuvre, recipe_of
from motionbase.host.motions import Motion, Series
from motionbase.host.url import Played
from motionbase.platform.sizing.fitted import fitted
from motionbase.record.axes import DOFS
from motionbase.record.schema import Schema
from motionbase.record.vehicle import VEHICLE
from motionbase.recording.motions import ALPHA, WANTED, pose_names, pose_samples, vehicle_names, vehicle_samples
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.ring.reader import Reader, ReaderState

NOISY, SMOOTH = "pose_hat", 0.05  # [s] window of the fit to an estimate


def motion_of(url: Played) -> Motion:
    """The motion that a URL names; raises an error with one sentence if there is none."""
    if url.scheme == "manoeuvre":
        return _of_manoeuvre(url)
    if url.scheme == "ring":
        return RingMotion(url)
    return _of_file(url)


def kind_of_played(url: Played) -> Kind:
    """What a URL tells, without reading all of it."""
    if url.kind is not None:
        return url.kind
    if url.scheme == "manoeuvre":
        checked(recipe_of(url.name), dict(url.settings))
        return Kind.VEHICLE
    if url.scheme == "ring":
        with Reader(url.name) as reader:
            if reader.state in (ReaderState.NO_SEGMENT, ReaderState.NOT_INITIALISED):
                raise UsageError(f"{url.text!r}: there is no ring {url.name!r} yet; say kind=pose or kind=vehicle")
            return _kind(url, reader.schema)
    with open_recording(url.path) as recording:
        return _kind(url, recording.schema)


def _kind(url: Played, schema: Schema) -> Kind:
    """The kind of motion that channels hold; raises an error if they hold none that is wanted."""
    if url.kind is not Kind.POSE and vehicle_names(schema) is not None:
        return Kind.VEHICLE
    if url.kind is not Kind.VEHICLE and pose_names(schema, url.channels) is not None:
        return Kind.POSE
    names = {Kind.VEHICLE: WANTED, Kind.POSE: f"{url.channels}_surge to {url.channels}_yaw, or surge to yaw, of a pose"}
    wanted = names[url.kind] if url.kind is not None else f"{names[Kind.VEHICLE]}, and none {names[Kind.POSE]}"
    raise UsageError(f"{url.text!r} has no channels {wanted}")


# ---- manoeuvres and files ------------------------------------------------------------------------------------------


def _of_manoeuvre(url: Played) -> Series:
    made = manoeuvre(url.name, min(max(url.rate, SLOWEST), FASTEST), **dict(url.settings))
    return Series(Kind.VEHICLE, made.t, made.rows, loop=url.loop)


def _of_file(url: Played) -> Series:
    with open_recording(url.path) as recording:
        kind = _kind(url, recording.schema)
        t, rows = _vehicle_rows(url, recording) if kind is Kind.VEHICLE else _pose_rows(url, recording)
    return Series(kind, t, rows, loop=url.loop)


def _vehicle_rows(url: Played, recording: Recording) -> tuple[Array, Array]:
    """Angular acceleration is fitted to the rates if a file does not have it."""
    t, rows, has_alpha = vehicle_samples(recording, url.start, url.stop)
    if not has_alpha:
        rows[:, ALPHA] = fitted(t, rows[:, 3:6])[1]
    return t, rows


def _pose_rows(url: Played, recording: Recording) -> tuple[Array, Array]:
    """Missing velocities and accelerations are fitted to the positions."""
    names = pose_names(recording.schema, url.channels)
    assert names is not None
    t, values = pose_samples(recording, names, url.start, url.stop)
    if values.shape[1] < 18:
        values = np.concatenate(fitted(t, values[:, :6], SMOOTH if url.channels == NOISY else 0.0), axis=1)
    return t, values


# ---- rings ---------------------------------------------------------------------------------------------------------


@final
class RingMotion:
    """The newest record of another base's ring; nothing while that base does not write."""

    duration = math.inf

    def __init__(self, url: Played) -> None:
        self.kind = kind_of_played(url)
        self._url, self._reader = url, Reader(url.name)
        self._epoch = 0
        self._places: list[int] = []
        self._row: tuple[float, ...] | None = None

    def row(self, t: float) -> tuple[float, ...] | None:
        """The newest; the time is that of the ring."""
        while True:
            batch = self._reader.read()
            if batch.state is ReaderState.RESTARTED:
                self._row = None
            if len(batch.rows):
                self._row = self._picked(batch.rows[-1])
            if not len(batch.rows) or self._reader.behind == 0:
                break
        return self._row if self._reader.state in (ReaderState.LIVE, ReaderState.RESTARTED) else None

    def _picked(self, record: Array) -> tuple[float, ...] | None:
        if (header := self._reader.header).epoch != self._epoch:
            self._epoch, self._places = header.epoch, self._found(self._reader.schema)
        found = tuple(record[self._places].tolist())
        return found + (0.0,) * (self._size - len(found)) if found and all(map(math.isfinite, found)) else None

    def _found(self, schema: Schema) -> list[int]:
        """Places of the channels in a record; none if it does not have them."""
        if self.kind is Kind.VEHICLE:
            names = vehicle_names(schema) or ()
            names = names if all(name in schema.index for name in names) else ()
        else:
            names = pose_names(schema, self._url.channels) or ()
        return schema.places(names)

    @property
    def _size(self) -> int:
        return len(VEHICLE) if self.kind is Kind.VEHICLE else 3 * len(DOFS)

    def ahead(self, t: float) -> Rows:
        """Nobody knows what another base will do."""
        return ()

    def is_over(self, t: float) -> bool:
        """Another run may follow."""
        return False

    def close(self) -> None:
        """Let go of the ring."""
        self._reader.close()
