"""Friction along a measured motion by the actuators' own law, with its derivatives by the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.actuators.friction import friction_step
from motionbase.arrays import Array, Flags
from motionbase.compile import Kernel, Port, Program, Scan, for_each, scan
from motionbase.identify.signals import Stretch
from motionbase.identify.smoothing import Smoother
from motionbase.multibody.elements.friction_law import Friction

LEGS = 6
NAMES = ("coulomb", "static", "stribeck", "sigma2")
STEP_S = 0.002  # [s] of the law's steps: at a reversal the speed changes by a few mm/s in that time
LIGHT_S, LIGHT_SAMPLES = 0.003, 0.5  # [s] of the light filter of lengths, and at least so many samples: more blurs
# reversals, less lets noise bend the bristles
BEGUN = 10.0  # times the steady deflection: a leg that moved so far has forgotten how its bristle began
STANDING = 1e-3  # [m/s] mean of the speed: below, friction is what the motion before has left
SLIDING = 0.95  # of the steady deflection: from there on a bristle counts as sliding
P = Port("p", len(NAMES), "N, N, m/s, N s/m", "coulomb, static - coulomb, stribeck, sigma2")
STATE = (Port("z", (), "m", "bristle"), Port("z_p", len(NAMES), "-", "its derivatives by p"))
GIVEN = (Port("dl", (), "m"), Port("v", (), "m/s", "mean"), Port("v_next", (), "m/s", "at the end"))
FORCE = (Port("force", (), "N"), Port("force_p", len(NAMES), "-", "its derivatives by p"))


def vector(friction: Friction) -> Array:
    """The parameters that are identified: coulomb, static - coulomb, stribeck, sigma2."""
    return np.array([friction.coulomb, friction.static - friction.coulomb, friction.stribeck, friction.sigma2])


def steady(p: Array, v: Array) -> Array:
    """Friction force of steady sliding at speeds v [N]."""
    coulomb, excess, stribeck, sigma2 = p
    return np.asarray(np.sign(v) * (coulomb + excess * np.exp(-((v / stribeck) ** 2))) + sigma2 * v)


@final
@dataclass(frozen=True, eq=False)
class Path:
    """Lightly filtered motion of the legs in a stretch, in steps short enough for the law.

    Attributes:
        dl, v, v_next: (n per, 6) rows of `GIVEN`
        per: steps from sample to sample; the last one ends at the sample
        margin: samples that the filter takes from either end
    """

    dl: Array
    v: Array
    v_next: Array
    per: int
    margin: int

    @property
    def speed(self) -> Array:
        """(n, 6) at the samples [m/s]."""
        return self.v_next[self.per - 1 :: self.per]


def light_smoother(dt: float) -> Smoother:
    """The filter of a bristle's path: as light as possible."""
    return Smoother(dt, max(LIGHT_S, LIGHT_SAMPLES * dt))


def path_of(stretch: Stretch, dt: float) -> Path:
    """The motion that drives the bristles."""
    light = light_smoother(dt)
    l, v = light.value(stretch["l_meas"]), light.rate(stretch["l_meas"])
    per = max(1, round(dt / STEP_S))
    s = np.arange(1, per + 1)[:, None] / per
    rise = np.diff(l, axis=0, prepend=l[:1])[:, None] / dt  # mean speed to each sample; before the first it stands
    first, last = np.concatenate([v[:1], v[:-1]])[:, None], v[:, None]
    # cubics with these lengths and speeds at both ends
    way = dt * ((s - 2 * s**2 + s**3) * first + (s**3 - s**2) * last + (3 * s**2 - 2 * s**3) * rise)
    speed = (1 - 4 * s + 3 * s**2) * first + (3 * s**2 - 2 * s) * last + 6 * (s - s**2) * rise
    dl = np.diff(way, axis=1, prepend=0.0).reshape(-1, LEGS)
    before = np.concatenate([first, speed[:, :-1]], axis=1).reshape(-1, LEGS)
    after = speed.reshape(-1, LEGS)
    return Path(dl, 0.5 * (after + before), after, per, light.reach)


@final
@dataclass(frozen=True, eq=False)
class Bristles:
    """The law with its small-scale constants, which ordinary motion does not show: sigma0, sigma1, kappa."""

    nominal: Friction

    @cached_property
    def _loop(self) -> Scan:
        fixed = self.nominal

        def one(p: ca.SX, z: ca.SX, z_p: ca.SX, dl: ca.SX, v: ca.SX, v_next: ca.SX) -> Any:
            law = Friction.of([p[0], p[0] + p[1], p[2], fixed.sigma0, fixed.sigma1, p[3], fixed.kappa])
            step = friction_step(law, z, dl, v, v_next)
            z_next, force = (ca.vertcat(x) for x in step)
            changes = [ca.jacobian(x, p) + ca.jacobian(x, z) * z_p.T for x in (z_next, force)]
            return z_next, changes[0].T, force, changes[1].T

        after = tuple(Port(f"{port.name}_next", port.dims, port.unit) for port in STATE)
        leg = Kernel("bristle", (P, *STATE, *GIVEN), (*after, *FORCE), one)

        def six(p: ca.SX, *rows: ca.SX) -> Any:
            return for_each(lambda *own: leg(p, *own), *rows)

        def of_legs(ports: Sequence[Port]) -> tuple[Port, ...]:
            return tuple(Port(port.name, (LEGS, *port.dims), port.unit, port.description) for port in ports)

        program = Program("bristles", (P, *of_legs((*STATE, *GIVEN))), of_legs((*after, *FORCE)), six)
        fed = {port.name: f"{port.name}_next" for port in STATE}
        return scan(program, fed, per_step=[port.name for port in GIVEN], record=[port.name for port in FORCE])

    def along(self, p: Array, path: Path) -> tuple[Array, Array]:
        """(n, 6) friction forces [N] and (n, 6, 4) their derivatives; bristles start as the first motion bends them."""
        n = len(path.dl)
        bent = np.sign(path.speed[min(len(path.speed) - 1, 1)]) * (p[0] + p[1]) / self.nominal.sigma0
        found = self._loop(n, p=p, z=bent, z_p=np.zeros((LEGS, len(NAMES))), dl=path.dl, v=path.v, v_next=path.v_next)
        return found["force"][path.per - 1 :: path.per], found["force_p"][path.per - 1 :: path.per]

    def begun(self, p: Array, path: Path) -> Flags:
        """(n, 6) whether the leg has moved far enough for its bristle not to matter as it began."""
        far = np.maximum.accumulate(np.abs(np.cumsum(path.dl, axis=0)), axis=0)[path.per - 1 :: path.per]
        return np.asarray(far > BEGUN * (p[0] + p[1]) / self.nominal.sigma0)

    def sliding(self, force: Array, p: Array, path: Path) -> Flags:
        """(n, 6) whether the bristles are at their steady deflection, where the small-scale constants do not matter."""
        without = np.abs(force - p[3] * path.speed)
        least = p[0] + p[1] * np.exp(-((path.speed / p[2]) ** 2))
        same = np.sign(force) == np.sign(path.speed)
        steady = same & (without > SLIDING * least) & (without < least / SLIDING)
        return np.asarray(steady & self.begun(p, path))
