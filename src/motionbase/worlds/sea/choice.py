"""A sea chosen by the options of a URL or a command, and its waves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from motionbase.errors import WorldError
from motionbase.worlds.option import Value
from motionbase.worlds.sea.options import NAMES, OPTIONS, REGULAR
from motionbase.worlds.sea.realise import realised
from motionbase.worlds.sea.spectra import Spectrum, fully_developed_period, peak_period
from motionbase.worlds.sea.states import STATES, sea_state, state_of
from motionbase.worlds.sea.waves import COMPONENTS, G, Waves, regular, still

SWELL_GAMMA = 6.0  # illustrative: swell is narrower than a wind sea
SWELL_SPREAD = math.radians(10)  # illustrative; s = 65
SWELL_WAVES = COMPONENTS // 4
STEEPEST = 0.1  # height over length; regular waves break at 0.142 (Stokes), linear theory ends long before
SEED_OF_SWELL = 7919  # added to the seed of the wind sea, so that the swell is independent of it


@final
@dataclass(frozen=True)
class ChosenSea:
    """A sea as chosen.

    Attributes:
        wind: the wind sea, or the height and period of the regular wave
        direction, swell_direction: into which they travel [rad]
        spread: of the wind sea, standard deviation [rad]
        swell: beside it, or None
        seed: of phases and frequencies
        is_regular: one wave, no spectrum
    """

    wind: Spectrum
    direction: float = math.pi
    spread: float = 0.0
    swell: Spectrum | None = None
    swell_direction: float = 0.0
    seed: int = 1
    is_regular: bool = False

    def waves(self, shortest: float = 0.0) -> Waves:
        """Its waves; `shortest` as in `realised`: about half the vessel's length."""
        if self.wind.height == 0:
            own = still()
        elif self.is_regular:
            own = regular(self.wind.height, self.wind.period, self.direction)
        else:
            count = COMPONENTS - (SWELL_WAVES if self.swell else 0)
            own = realised(self.wind, self.direction, self.spread, self.seed, count, shortest)
        if self.swell is None:
            return own
        more = realised(self.swell, self.swell_direction, SWELL_SPREAD, self.seed + SEED_OF_SWELL, SWELL_WAVES)
        return own.and_also(more)

    @property
    def height(self) -> float:
        """Significant height of wind sea and swell; of a regular wave, its height from trough to crest [m]."""
        swell = self.swell.height if self.swell else 0.0
        return math.hypot(self.wind.height, swell)

    @property
    def period(self) -> float:
        """Tp of the higher of wind sea and swell [s]."""
        higher = self.swell if self.swell and self.swell.height > self.wind.height else self.wind
        return higher.period

    @property
    def text(self) -> str:
        """For people, in a few words."""
        if self.height == 0:
            return "still water"
        if self.is_regular and self.swell is None:
            return f"regular waves of {self.wind.height:.3g} m, {self.wind.period:.3g} s"
        parts = [f"{self.wind.name}, Hs {self.wind.height:.3g} m, Tp {self.wind.period:.3g} s"]
        parts += [f"swell of {self.swell.height:.3g} m, {self.swell.period:.3g} s"] if self.swell else []
        return f"sea state {state_of(self.height).code}: {', '.join(parts)}"


def chosen_sea(values: Mapping[str, Value]) -> ChosenSea:
    """The sea given by options that `read_options` has checked; other options are ignored."""
    usual: dict[str, Any] = {option.name: option.usual for option in OPTIONS}
    given = usual | {name: value for name, value in values.items() if name in usual}
    if (code := given["sea"]) != int(code):
        raise WorldError(f"sea: the sea state is {code:g}, it must be a whole number from 0 to {len(STATES) - 1}")
    if (seed := given["random"]) != int(seed):
        raise WorldError(f"sea: random is {seed:g}, it must be a whole number")
    height = given["height"] or sea_state(int(code)).height
    kind = given["spectrum"]
    gamma = given["gamma"] if kind == "jonswap" else 1.0
    if kind == "pm" and given["period"]:
        raise WorldError("sea: the period of a pm sea follows from its height; leave out period, or use spectrum=ittc")
    period = fully_developed_period(height) if height else 1.0
    if given["period"]:
        period = peak_period(given["period"], "tp" if kind == REGULAR else given["period_is"], gamma)
    check_steepness(height, period)
    check_steepness(given["swell"], given["swell_period"], "swell")
    swell = Spectrum(given["swell"], given["swell_period"], SWELL_GAMMA, "swell") if given["swell"] else None
    return ChosenSea(
        Spectrum(height, period, gamma, NAMES[kind]),
        math.radians(given["direction"]),
        math.radians(given["spread"]),
        swell,
        math.radians(given["swell_direction"]),
        int(seed),
        kind == REGULAR,
    )


def check_steepness(height: float, period: float, what: str = "waves") -> None:
    """Refuse waves that would break."""
    if height > STEEPEST * G * period**2 / (2 * math.pi):
        least = math.sqrt(2 * math.pi * height / (G * STEEPEST))
        raise WorldError(
            f"sea: {what} of {height:g} m and {period:.3g} s would break; the period must be {least:.2g} s or more"
        )


def sea_scene(sea: ChosenSea, waves: Waves) -> dict[str, Any]:
    """`sea` of a world's scene: z = sum a cos(kx x + ky y - omega t + phase), the largest first."""
    order = sorted(range(len(waves)), key=lambda k: -waves.amplitude[k])
    rows = zip(waves.amplitude, waves.kx, waves.ky, waves.omega, waves.phase, strict=True)
    shown = [[float(x) for x in row] for row in rows]
    return {
        "waves": [shown[k] for k in order],
        "significant_height": sea.height,
        "peak_period": sea.period,
        "text": sea.text,
    }
