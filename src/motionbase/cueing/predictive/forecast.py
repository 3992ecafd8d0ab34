"""What the vehicle is expected to do during the horizon, from what it does now, or from what the host knows ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError, unknown
from motionbase.record.vehicle import G

KINDS = ("constant", "driver", "preview")
STALE = 0.25  # [s] a preview is used so long; hosts may tell it in some of their frames only
EARLY = 0.02  # [s] it may be newer than the present by so much
FADES, MEAN = (0.4, 0.6), (1.5, 3.0)  # [s] of specific force, of turning; illustrative
NOTICED = 0.1  # [s] over which a slope is taken
AT_REST: Array = np.array([0.0, 0.0, G, 0.0, 0.0, 0.0])


class Forecast(Protocol):
    """Specific force and angular rate of the vehicle at the head, ahead of the present."""

    def ahead(self, demand: Array, t: float, times: Array) -> Array:
        """(n, 6) at times after t [s], given what the vehicle does at t; called once for every plan, in order."""

    def reset(self) -> None:
        """Forget the past."""


@final
class Constant:
    """The vehicle goes on as it does now."""

    def ahead(self, demand: Array, t: float, times: Array) -> Array:
        """The same at all times."""
        return np.tile(demand, (times.size, 1))

    def reset(self) -> None:
        """There is nothing to forget."""


@final
class Driver:
    """A model of the driver: deviations from the slow mean go on with their slope, and fade.

    The deviation x follows x'' = -2 x' / T - x / T^2 from where it is, with its slope of a moment ago.

    Args:
        fades: time constant T of specific force, and of turning [s]
        mean: time constant of the slow mean of both [s]
    """

    def __init__(self, fades: tuple[float, float] = FADES, mean: tuple[float, float] = MEAN) -> None:
        if not min(*fades, *mean) > 0:
            raise UsageError(f"forecast: time constants are {fades} and {mean} s, they must be above 0")
        self._fades, self._slow = np.repeat(fades, 3), np.repeat(mean, 3)
        self._mean: Array = AT_REST
        self._before: Array = AT_REST
        self._slope: Array = np.zeros(6)
        self._t: float | None = None

    def ahead(self, demand: Array, t: float, times: Array) -> Array:
        """Critically damped, to the mean."""
        since = 0.0 if self._t is None else t - self._t
        if since > 0:
            self._mean = self._mean + (1 - np.exp(-since / self._slow)) * (demand - self._mean)
            rate = (demand - self._before) / since
            self._slope = self._slope + (1 - np.exp(-since / NOTICED)) * (rate - self._slope)
        self._t, self._before = t, np.array(demand)
        x = demand - self._mean
        left = np.exp(-np.outer(times, 1 / self._fades))
        return np.asarray(self._mean + left * (x + times[:, None] * (self._slope + x / self._fades)))

    def reset(self) -> None:
        """The mean is that of a vehicle at rest."""
        self._mean = self._before = AT_REST
        self._slope, self._t = np.zeros(6), None


@final
@dataclass
class Preview:
    """The host tells what comes.

    Attributes:
        known: (n, 6) specific force and rate at the head at times of the host [s]
    """

    known: Callable[[Array], Array]

    def ahead(self, demand: Array, t: float, times: Array) -> Array:
        """What comes; the present is as measured."""
        rows = np.array(self.known(t + times))
        rows[times <= 0] = demand
        return rows

    def reset(self) -> None:
        """There is nothing to forget."""


def sampled(t: Array, rows: Array) -> Preview:
    """A preview of samples, linear between them and constant beyond."""

    def known(times: Array) -> Array:
        return np.stack([np.interp(times, t, column) for column in rows.T], axis=1)

    return Preview(known)


class Ahead(NamedTuple):
    """A preview of a host.

    Attributes:
        t: when its sample came [s]
        times: (n,) ahead of that [s], ascending from 0
        rows: (n, 6) specific force and rate at the head then
    """

    t: float
    times: Array
    rows: Array


@final
class Newest:
    """The host tells now and then what comes: its newest preview, linear between rows and constant beyond the last.

    Args:
        look: for the newest preview; None if there is none
        otherwise: what is expected while there is none, or it is stale

    Attributes:
        is_told: whether the last forecast was a preview
    """

    def __init__(self, look: Callable[[], Ahead | None], otherwise: Forecast) -> None:
        self._look, self._otherwise = look, otherwise
        self.is_told = False

    def ahead(self, demand: Array, t: float, times: Array) -> Array:
        """What comes; the present is as measured."""
        expected = self._otherwise.ahead(demand, t, times)  # also if it is not used: it learns
        told = self._look()
        self.is_told = told is not None and -EARLY <= t - told.t <= STALE
        if told is None or not self.is_told:
            return expected
        return sampled(told.t + told.times, told.rows).ahead(demand, t, times)

    def reset(self) -> None:
        """Forget the past."""
        self._otherwise.reset()


def forecast_of(kind: str, preview: Forecast | None = None) -> Forecast:
    """By its name."""
    if kind == "constant":
        return Constant()
    if kind == "driver":
        return Driver()
    if kind != "preview":
        raise UsageError(unknown("forecast", kind, KINDS))
    if preview is None:
        raise UsageError("forecast 'preview' needs a source that knows what comes: a file or a manoeuvre")
    return preview
