"""The moving load from the forces of all six legs: mass, centre of mass and inertia are linear in them.

    J' f = sum over the payload's ten numbers + legs' own masses,   theta = m, m c, I about P's origin

Hydraulic legs measure the force at the rod. Electric legs report their motor's force, which also overcomes friction
and accelerates the rotor; both are fitted together with the load, because only together they make up the force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.arrays import Array, Flags, Ints
from motionbase.identify.bristle import LEGS, NAMES, STANDING, Bristles, Path, path_of, vector
from motionbase.identify.friction import LEAST_SLOW, SLOW, bounds
from motionbase.identify.motion import motion_of
from motionbase.identify.regression import Fit, blocks_of, gauss_newton, least_squares
from motionbase.identify.signals import Signals
from motionbase.identify.smoothing import Smoother
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.parts import Payload
from motionbase.platform.sizing.forces import G_W, LegMotion

TEN = 10
WINDOW_S, WINDOW_SAMPLES = 0.02, 3  # standard deviation of the filter: [s], and at least so many samples
PER_WINDOW = 2  # values kept per standard deviation
FASTER = 0.97  # of the force limit: a motor there is not described by its force alone


def usual_smoother(dt: float, window: float = WINDOW_S) -> Smoother:
    """The filter of all balances."""
    sigma = max(window, WINDOW_SAMPLES * dt)
    return Smoother(dt, sigma, max(1, int(sigma / dt) // PER_WINDOW))


def ten_of(payload: Payload) -> Array:
    """m, m c, and the inertia about P's origin: xx, yy, zz, xy, xz, yz."""
    m, c = payload.mass, np.asarray(payload.com)
    about = payload.inertia_matrix + m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.concatenate([[m], m * c, _six(about)])


def inertia_about_centre(ten: Array) -> Array:
    """xx, yy, zz, xy, xz, yz about the centre of mass."""
    m, c = ten[0], ten[1:4] / ten[0]
    return _six(_matrix(ten[4:TEN]) - m * (c @ c * np.eye(3) - np.outer(c, c)))


def _six(I: Array) -> Array:
    return np.array([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])


def _matrix(six: Array) -> Array:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def load_regressor(at: LegMotion) -> Array:
    """(n, 6, 10) leg forces per unit of the payload's ten numbers."""
    m, R = at.motion, np.swapaxes(at.motion.R, 1, 2)
    a, omega, alpha = (np.einsum("nij,nj->ni", R, x) for x in (m.a - G_W, m.omega, m.alpha))  # in P
    wrench = np.zeros((len(m), 6, TEN))
    wrench[:, 3:, 0] = a
    spin = _skew(omega)
    wrench[:, 3:, 1:4] = _skew(alpha) + spin @ spin
    wrench[:, :3, 1:4] = -_skew(a)
    wrench[:, :3, 4:] = _inertial(alpha) + spin @ _inertial(omega)
    in_W = np.concatenate([m.R @ wrench[:, :3], m.R @ wrench[:, 3:]], axis=1)
    scale = at.platform.twist_scale
    return np.asarray(np.linalg.solve(np.swapaxes(at.J, 1, 2) * scale[:, None], in_W * scale[:, None]))


def _skew(v: Array) -> Array:
    x, y, z = v.T
    zero = np.zeros(len(v))
    return np.moveaxis(np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]), 2, 0)


def _inertial(v: Array) -> Array:
    """(n, 3, 6): an inertia's six numbers -> its product with v."""
    x, y, z = v.T
    o = np.zeros(len(v))
    return np.moveaxis(np.array([[x, o, o, y, z, o], [o, y, o, x, o, z], [o, o, z, o, x, y]]), 2, 0)


@final
@dataclass(frozen=True, eq=False)
class LoadFit:
    """The payload, and for electric legs reflected mass and friction.

    Attributes:
        fit: ten numbers of the payload; with electric legs reflected mass; how much later than lengths forces are read
            [s]; with electric legs friction in the order of `NAMES`
        slow: whether speeds were low enough to show static friction
        t: (n,) times; measured, given: (n, 6) filtered leg forces and those of the model [N]
        v, used: (n, 6) leg speeds, and which values served the fit
        friction: (n, 6) with electric legs the measured force less that of all masses
    """

    fit: Fit
    slow: bool
    t: Array
    measured: Array
    given: Array
    v: Array
    used: Flags
    friction: Array | None = None


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """Filtered forces and regressors at the same instants, of all stretches."""

    smoother: Smoother
    t: Array
    f: Array  # (n, 6)
    X: Array  # (n, 6, columns)
    known: Array  # (n, 6) force of the legs' own masses
    v: Array  # (n, 6)
    good: Flags  # (n,) instants without a motor at its limit

    @staticmethod
    def of(signals: Signals, platform: Hexapod) -> Rows:
        """From lengths and forces."""
        smoother, parts = usual_smoother(signals.dt), []
        usual = ten_of(platform.payload)
        for stretch in signals.stretches:
            at = motion_of(platform, stretch["l_meas"], smoother)
            X = load_regressor(at)
            known = at.forces() - X @ usual  # forces are linear in the payload's numbers: the rest is the legs' own
            if platform.electric:
                X = np.concatenate([X, at.l_ddot[..., None]], axis=2)  # the rotors' mass
            free = _within_limits(platform, stretch["f_meas"], smoother)
            f = smoother.value(stretch["f_meas"])
            X = np.concatenate([X, -smoother.rate(stretch["f_meas"])[..., None]], axis=2)  # read late: f - delay f'
            parts.append((smoother.times(stretch.t), f, X, known, at.l_dot, free))
        return Rows(smoother, *(np.concatenate(x) for x in zip(*parts, strict=True)))

    @property
    def blocks(self) -> Ints:
        """(n,) blocks of time."""
        return blocks_of(self.t)


def _within_limits(platform: Hexapod, f: Array, smoother: Smoother) -> Flags:
    if not isinstance(platform.actuator, ElectricActuator):
        return np.ones(len(smoother.times(f)), dtype=np.bool_)
    over: Array = np.where((np.abs(f) > FASTER * platform.actuator.force_max).any(axis=1), 1.0, 0.0)
    return np.asarray(smoother.value(over) < 1e-6)


def fit_load(signals: Signals, platform: Hexapod) -> LoadFit:
    """The payload from leg forces measured at the rods."""
    rows = Rows.of(signals, platform)
    y = rows.f - rows.known
    fit = least_squares(rows.X.reshape(-1, rows.X.shape[2]), y.ravel(), np.repeat(rows.blocks, LEGS))
    every = np.ones_like(rows.f, dtype=np.bool_)
    return LoadFit(fit, False, rows.t, rows.f, rows.known + rows.X @ fit.theta, rows.v, every)


def fit_load_with_friction(signals: Signals, platform: Hexapod) -> LoadFit:
    """Payload, reflected mass and friction from motor forces."""
    actuator = platform.actuator
    assert isinstance(actuator, ElectricActuator)
    rows = Rows.of(signals, platform)
    bristles, paths = Bristles(actuator.friction), [path_of(s, signals.dt) for s in signals.stretches]
    friction = vector(bristles.nominal)
    speeds = np.concatenate([path.speed for path in paths])
    slow = bool(np.count_nonzero((np.abs(speeds) < SLOW * friction[2]) & (np.abs(speeds) > 1e-3)) >= LEAST_SLOW)
    low, high = bounds(friction, friction, slow)
    masses = rows.X.shape[2]
    start = np.concatenate([ten_of(platform.payload), [actuator.reflected_mass, 0.0], friction])
    far = np.full(masses, np.inf)
    used = rows.good[:, None] & _moving(bristles, friction, paths, rows.smoother)
    y = (rows.f - rows.known)[used]

    def model(theta: Array) -> tuple[Array, Array]:
        force, by = _smoothed(bristles, theta[masses:], paths, rows.smoother)
        return (rows.X @ theta[:masses] + force)[used], np.concatenate([rows.X, by], axis=2)[used]

    block = np.tile(rows.blocks[:, None], (1, LEGS))[used]
    fit = gauss_newton(model, y, start, block, np.concatenate([-far, low]), np.concatenate([far, high]))
    carried = rows.known + rows.X @ fit.theta[:masses]
    force, _ = _smoothed(bristles, fit.theta[masses:], paths, rows.smoother)
    return LoadFit(fit, slow, rows.t, rows.f, carried + force, rows.v, used, rows.f - carried)


def fit_leg_friction(signals: Signals, platform: Hexapod, load: LoadFit, leg: int) -> Fit:
    """Friction of one electric leg, in the order of `NAMES`, with all masses as they were found."""
    assert load.friction is not None
    smoother, paths = usual_smoother(signals.dt), [path_of(s, signals.dt) for s in signals.stretches]
    bristles, start = Bristles(platform.actuator.friction), load.fit.theta[-len(NAMES) :]
    low, high = bounds(start, vector(bristles.nominal), load.slow)
    used = load.used[:, leg]

    def model(p: Array) -> tuple[Array, Array]:
        force, by = _smoothed(bristles, p, paths, smoother)
        return force[used, leg], by[used, leg]

    return gauss_newton(model, load.friction[used, leg], start, blocks_of(load.t)[used], low, high)


def _moving(bristles: Bristles, p: Array, paths: Sequence[Path], smoother: Smoother) -> Flags:
    """(n, 6) instants at which a leg moves and its bristle has forgotten how it began."""
    found = []
    for path in paths:
        speed = smoother.value(_padded(np.abs(path.speed), path.margin))
        waiting = smoother.value(_padded(np.where(bristles.begun(p, path), 0.0, 1.0), path.margin))
        found.append((speed > STANDING) & (waiting < 1e-6))
    return np.concatenate(found)


def _padded(x: Array, margin: int) -> Array:
    """With as many more samples at either end as the light filter took, so that the same instants come out."""
    return np.concatenate([x[:1].repeat(margin, axis=0), x, x[-1:].repeat(margin, axis=0)])


def _smoothed(bristles: Bristles, p: Array, paths: Sequence[Path], smoother: Smoother) -> tuple[Array, Array]:
    """Friction and its derivatives, filtered, at the instants of `Rows`."""
    found = []
    for path in paths:
        force, by = bristles.along(p, path)
        found.append([smoother.value(_padded(x, path.margin)) for x in (force, by)])
    force, by = (np.concatenate(x) for x in zip(*found, strict=True))
    return force, by
