"""Trim of a rotor in a wind tunnel: the pitch controls that give a thrust and first harmonics of flapping.

Exactly, by Newton's method on the periodic motion; or by a pilot in the loop, as on board. Eight flight conditions are
trimmed at once on the lanes of one native loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, SimulationError
from motionbase.rotor.flight.march import LANES, SAMPLES, March, Seen, joined
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.trim.newton import Problem
from motionbase.rotor.trim.pilot import CONTROLS, Pilot, held_law

MOVE = math.radians(0.2)  # of a control, for differences
LARGEST = math.radians(4.0)  # that a control may change in an iteration
SETTLED = 1e-8  # change from one revolution to the next that counts as none, see `March.wave_change`
EXACT = 1e-7  # of flapping [rad], and of the thrust over that of `thrust_scale`


@final
@dataclass(frozen=True)
class Target:
    """What is wanted, and where.

    Attributes:
        thrust: mean force of the air along the shaft [N]
        flap_cos, flap_sin: first harmonics of flapping, up positive [rad]
        airspeed, shaft_angle: [m/s, rad], see `flight_settings`
    """

    thrust: float
    flap_cos: float = 0.0
    flap_sin: float = 0.0
    airspeed: float = 0.0
    shaft_angle: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not np.isfinite(value):
                raise ModelError(f"trim: {name} is {value:g}, a finite number is wanted")
        if self.airspeed < 0:
            raise ModelError(f"trim: airspeed is {self.airspeed:g} m/s, must not be negative")

    @property
    def measured(self) -> Array:
        """(3,) [N, rad, rad]."""
        return np.array([self.thrust, self.flap_cos, self.flap_sin])

    @property
    def flight(self) -> Array:
        """(2,) [m/s, rad]."""
        return np.array([self.airspeed, self.shaft_angle])


@final
@dataclass(frozen=True, eq=False)
class Trim:
    """A steady flight.

    Attributes:
        controls: (3,) collective, cosine and sine part of cyclic pitch [rad]
        measured: (3,) thrust [N] and first harmonics of flapping [rad], means over the last revolution
        jacobian: (3, 3) derivative of these by the controls
        revolution: the last one, on one lane
        periodicity: how far it is from the one before, see `March.wave_change`
        iterations: of Newton's method; of a pilot, none
    """

    rotor: RotorModel
    target: Target
    controls: Array
    measured: Array
    jacobian: Array
    revolution: Seen
    periodicity: float
    iterations: int = 0

    @property
    def settings(self) -> dict[str, float]:
        """For `Flying.fly`."""
        controls = dict(zip(CONTROLS, self.controls.tolist(), strict=True))
        return controls | {"airspeed": self.target.airspeed, "shaft_angle": self.target.shaft_angle}

    @property
    def mean_loads(self) -> Array:
        """(6,) of the air about the hub, in shaft axes [N, N m]."""
        return mean_loads(self.revolution)


def mean_loads(revolution: Seen) -> Array:
    """(6,) of the first lane [N, N m]."""
    return np.asarray(revolution.loads[..., 0].mean(axis=0))


def thrust_scale(rotor: RotorModel) -> float:
    """A hundredth of density times disk area times squared tip speed [N]: about what a rotor lifts."""
    at = rotor.planform
    return 0.01 * at.density * math.pi * at.radius**2 * at.tip_speed**2


def trim(rotor: RotorModel, target: Target, march: March | None = None, start: Sequence[float] | None = None) -> Trim:
    """Controls for a target by Newton's method.

    Args:
        march: of this rotor on one lane, to go on from; else a new one
        start: controls to begin with [rad]
    """
    march = march or March.of(rotor)
    return _trimmed(march, [target], None if start is None else np.array([start]))[0]


def trims(
    rotor: RotorModel, targets: Sequence[Target], march: March | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> list[Trim]:  # fmt: skip
    """Controls for many targets, eight at once on lanes; neighbours should be alike."""
    march, found = march or March.of(rotor, LANES), list[Trim]()
    for first in range(0, len(targets), march.lanes):
        own = list(targets[first : first + march.lanes])
        filled = [*own, *[own[-1]] * (march.lanes - len(own))]
        found += _trimmed(march, filled)[: len(own)]
        progress(len(found) / len(targets))
    return found


def first_guess(rotor: RotorModel, target: Target) -> Array:
    """(3,) controls by blade element theory with uniform inflow and a straight lift curve [rad]."""
    at = rotor.planform
    mu = target.airspeed * math.cos(target.shaft_angle) / at.tip_speed
    C_T = target.thrust / (at.density * math.pi * at.radius**2 * at.tip_speed**2)
    hover = math.sqrt(abs(C_T) / 2)
    induced = hover / math.sqrt(1 + (mu / max(hover, 1e-6)) ** 2)
    lam = math.copysign(induced, C_T) - target.airspeed * math.sin(target.shaft_angle) / at.tip_speed
    at_75 = (6 * C_T / (at.solidity * 5.73) + 1.5 * lam) / (1 + 1.5 * mu**2)
    collective = at_75 - float(at.twist_at(0.75 * at.radius))
    backwards = 8 / 3 * mu * (at_75 - 0.75 * lam)  # flapping of the disk without cyclic pitch
    return np.array([collective, target.flap_sin, -backwards - target.flap_cos])


def _trimmed(march: March, targets: Sequence[Target], start: Array | None = None) -> list[Trim]:
    """A target for each lane."""
    rotor = march.rotor
    scale = np.array([thrust_scale(rotor), 1.0, 1.0])
    wanted = np.array([target.measured for target in targets])
    bounds = [next(s for s in rotor.controls if s.name == name) for name in CONTROLS]
    least, most = (np.array([getattr(s, what) for s in bounds]) for what in ("least", "most"))
    x = np.array([first_guess(rotor, target) for target in targets]) if start is None else start
    march.fly_by([held_law(rotor)] * march.lanes)
    march.set_controls(np.clip(x, least, most))
    march.reach(np.array([target.flight for target in targets]))

    def residual(x: Array) -> Array:
        return np.asarray((steady(march, x)[0].measured - wanted) / scale)

    n = np.ones(3)
    root = Problem(residual, MOVE * n, LARGEST * n, least, most, EXACT).solve(x)
    last, changed = steady(march, root.x)
    found = []
    for k, target in enumerate(targets):
        own = last.of(slice(None), slice(k, k + 1))
        if not root.found[k]:
            raise SimulationError(_unreached(rotor, target, root.x[k], root.residual[k] * scale + wanted[k]))
        if not changed[k] < 100 * SETTLED:
            raise SimulationError(
                f"rotor {rotor.name!r}: the flight at {target.airspeed:.4g} m/s does not become periodic, it still "
                f"changes by {changed[k]:.2g} a revolution; it may be unstable there"
            )
        jacobian = root.jacobian[k] * scale[:, None]
        found.append(Trim(rotor, target, root.x[k], own.measured[0], jacobian, own, float(changed[k]), root.iterations))
    return found


def steady(march: March, controls: Array) -> tuple[Seen, Array]:
    """The last revolution with these controls, and how far from periodic; where that fails, the march is as before."""
    kept = dict(march.state), march.t
    try:
        march.set_controls(controls)
        return march.settle(SETTLED)
    except SimulationError:
        march.state, march.t = kept
        raise


def _unreached(rotor: RotorModel, target: Target, controls: Array, nearest: Array) -> str:
    """One sentence."""
    flap, pitch = np.degrees(nearest[1:]), np.degrees(controls)
    return (
        f"rotor {rotor.name!r}: thrust {target.thrust:,.0f} N with flapping {math.degrees(target.flap_cos):.2f} cos "
        f"{math.degrees(target.flap_sin):+.2f} sin deg at {target.airspeed:.4g} m/s was not reached; the nearest found "
        f"was {nearest[0]:,.0f} N with {flap[0]:.2f} cos {flap[1]:+.2f} sin deg at collective {pitch[0]:.2f}, cyclic "
        f"{pitch[1]:.2f} cos {pitch[2]:+.2f} sin deg; want less thrust or another angle of the shaft"
    )


# ---- a pilot in the loop -------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, eq=False)
class PilotedTrim:
    """What a pilot did.

    Attributes:
        trims: the last revolution of each lane
        history: all samples
    """

    trims: list[Trim]
    history: Seen


def control_jacobian(march: March, controls: Array) -> tuple[Array, Array]:
    """(lanes, 3) measured at controls, (lanes, 3, 3) its derivative by them, by differences in steady flight."""
    at = steady(march, controls)[0].measured
    columns = [(steady(march, controls + MOVE * one)[0].measured - at) / MOVE for one in np.eye(3)]
    steady(march, controls)
    return at, np.stack(columns, axis=-1)


def fly_to_trim(
    march: March, targets: Sequence[Target], duration: float, pilot: Pilot | None = None,
    jacobians: Array | None = None, start: Array | None = None,
) -> PilotedTrim:  # fmt: skip
    """A pilot for each lane; unless given, the derivatives by the controls are found at the start by differences.

    Args:
        duration: [s], rounded up to whole revolutions
        jacobians: (lanes, 3, 3) of the measured by the controls
        start: (lanes, 3) controls [rad]; those of `first_guess` unless given
    """
    rotor, pilot = march.rotor, pilot or Pilot()
    if not 0 < duration < math.inf:
        raise ModelError(f"pilot: duration is {duration:g} s, it must be positive and finite")
    if len(targets) != march.lanes:
        raise ModelError(f"pilot: {len(targets)} targets for {march.lanes} lanes, one for each is wanted")
    x = np.array([first_guess(rotor, target) for target in targets]) if start is None else np.asarray(start)
    march.fly_by([held_law(rotor)] * march.lanes)
    march.set_controls(x)
    march.reach(np.array([target.flight for target in targets]))
    if jacobians is None:
        jacobians = control_jacobian(march, x)[1]
    count = max(2, math.ceil(duration / (SAMPLES * march.step)))
    march.fly_by([pilot.law(rotor, of.measured, J) for of, J in zip(targets, jacobians, strict=True)])
    parts = [march.revolutions() for _ in range(count)]
    march.fly_by([held_law(rotor)] * march.lanes)
    changed = march.wave_change(parts[-2], parts[-1])
    found = []
    for k, target in enumerate(targets):
        last = parts[-1].of(slice(None), slice(k, k + 1))
        found.append(Trim(rotor, target, last.controls.mean(axis=0)[:, 0], last.measured[0], jacobians[k], last,
                          float(changed[k])))  # fmt: skip
    return PilotedTrim(found, joined(parts))
