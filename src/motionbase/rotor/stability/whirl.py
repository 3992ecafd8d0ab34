"""Whirl flutter: modes of a proprotor on its wing against airspeed, from disturbed flights of the model itself.

At every airspeed the collective is set to where the air just keeps the rotor turning, and a snubber holds the wing
until the flight is steady. The wing is then released and pushed: by a shaker on each of its modes, by a moment on the
gimbal. Four blades that are alike stand in each other's places after a quarter of a revolution. Seen from the pylon the
flight has that period, and what happens in it to small disturbances is Floquet's matrix, fitted to what they did.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, SimulationError
from motionbase.rotor.elements.wing import Wing
from motionbase.rotor.flight.flying import Flown, Flying
from motionbase.rotor.models.proprotor import HUB, MAST, PYLON, WING
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.stability.against_speed import SpeedModes, Stability, checked_speeds
from motionbase.rotor.stability.floquet import Exponents, exponents
from motionbase.rotor.stability.monodromy import Monodromy
from motionbase.spatial.equals import first_largest

PER_QUARTER = 24  # steps while the blades turn to each other's places
SETTLING = 12.0  # revolutions with the snubber
SNUBBER = 2.0
PUSH = 4  # steps
QUIET = 12  # steps after a push that are not listened to: the step's own memory dies out
PUSHED = 1e-4  # amplitude that a push gives, about [m, rad]
STEADY = 0.01  # largest miss of a fit
LISTENED = 12  # quarters of a revolution
SEARCH, FINE = math.radians(1.5), math.radians(0.01)  # steps of the search for the collective, and its accuracy
GIMBAL = "gimbal"


@final
@dataclass(frozen=True)
class Whirl:
    """Modes against airspeed.

    Attributes:
        stability: modes at each airspeed [m/s]
        collective: (n,) with which the rotor is driven by the air [rad]
        torque: (n,) of the air about the shaft that is left [N m]
        apart: (n,) largest miss of the matrices that were fitted, over the motion
    """

    stability: Stability
    collective: Array
    torque: Array
    apart: Array


def whirl(rotor: RotorModel, airspeeds: Sequence[float], *, progress: Callable[[float], None] | None = None) -> Whirl:
    """Modes of a proprotor on a wing, windmilling.

    Args:
        airspeeds: [m/s], ascending
        progress: called with the fraction done
    """
    wanted = checked_speeds("whirl flutter: airspeeds", airspeeds)
    tunnel = Tunnel.of(rotor)
    points, found = [], []
    for k, airspeed in enumerate(wanted):
        try:
            collective, torque = tunnel.windmill(airspeed)
            modes, apart = tunnel.modes()
        except SimulationError as e:
            raise SimulationError(f"whirl flutter at {airspeed:g} m/s, where a lower airspeed may do: {e}") from None
        if apart > STEADY:
            raise SimulationError(
                f"rotor {rotor.name!r}: at {airspeed:g} m/s its flight is not steady even with the snubber (a linear "
                f"motion misses it by {100 * apart:.2g} %); end at a lower airspeed"
            )
        points.append(SpeedModes(airspeed, modes.exponents, tunnel.kinds(modes), 0.0))
        found.append((collective, torque, apart))
        if progress:
            progress((k + 1) / len(wanted))
    return Whirl(Stability("floquet", tuple(points)), *np.array(found).T)


@final
@dataclass(eq=False)
class Tunnel:
    """A proprotor on a wing under way in a wind tunnel.

    Attributes:
        settings: of the flight now
    """

    flying: Flying
    wing: Wing
    settings: dict[str, float]

    @classmethod
    def of(cls, rotor: RotorModel) -> Tunnel:
        """At the settings of the start; steps divide a quarter of a revolution."""
        wings = [element for element in rotor.model.elements if isinstance(element, Wing)]
        if not wings:
            raise ModelError(f"rotor {rotor.name!r} has no wing, so it cannot whirl; take tiltrotor_wing")
        flying = Flying.of(rotor, math.tau / rotor.speed / len(rotor.blades) / PER_QUARTER)
        return cls(flying, wings[0], rotor.start_settings())

    # ---- steady flight ---------------------------------------------------------------------------------------------

    def windmill(self, airspeed: float) -> tuple[float, float]:
        """Fly there with the snubber, and find the collective [rad] without torque; what is left of it [N m].

        The search comes from above, where the rotor absorbs power. Where the air is too slow to drive it at all, it
        ends at the least power.
        """
        rotor = self.flying.rotor
        least = rotor.controls[0].least
        theta = math.atan2(airspeed, 0.75 * rotor.planform.tip_speed) + 2 * SEARCH
        torque = self.torque(airspeed, theta)
        while torque < 0:
            lower = theta - SEARCH
            now = self.torque(airspeed, lower) if lower > least else -math.inf
            if now < torque:  # slower air than drives it: power rises again
                return self._settled(airspeed, theta)
            (above, theta), torque = (theta, lower), now
            if torque >= 0:
                return self._settled(airspeed, self._between(airspeed, theta, above))
        raise SimulationError(
            f"rotor {rotor.name!r}: at {airspeed:g} m/s the air drives it at a collective of {math.degrees(theta):.1f} "
            "deg, where it should absorb power"
        )

    def _between(self, airspeed: float, low: float, high: float) -> float:
        while high - low > FINE:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.torque(airspeed, middle) >= 0 else (low, middle)
        return 0.5 * (low + high)

    def _settled(self, airspeed: float, collective: float) -> tuple[float, float]:
        return collective, self.torque(airspeed, collective, SETTLING)

    def torque(self, airspeed: float, collective: float, revolutions: float = 1.0) -> float:
        """Of the air about the shaft [N m], after a revolution to get there and some more."""
        rev, before, begin = len(self.flying.rotor.blades) * PER_QUARTER, dict(self.settings), self.flying.t
        after = {**before, "airspeed": airspeed, "collective": collective}
        h = self.flying.network.step_size

        def ramp(t: float) -> Mapping[str, float]:
            part = min(1.0, (t - begin) / (rev * h))
            return {name: (1 - part) * before[name] + part * value for name, value in after.items()}

        self.flying.fly(rev, ramp, inputs=self._held)
        self.settings = after
        flown = self.flying.fly(int(revolutions * rev), after, inputs=self._held)
        return float(flown.loads[-PER_QUARTER:, 5].mean())

    @property
    def _held(self) -> dict[str, Array]:
        return {f"{WING}_snubber": np.array(SNUBBER)}

    # ---- modes -----------------------------------------------------------------------------------------------------

    def modes(self) -> tuple[Exponents, float]:
        """Of the flight now, without the snubber, and how far the fitted matrix misses the motion; see `fitted`."""
        begin = self.flying.state, self.flying.t
        steady = self._after({})
        moved = [(self._after(push) - steady)[PUSH + QUIET :] for push in self.pushes()]
        self.flying.state, self.flying.t = begin
        period = PER_QUARTER * self.flying.network.step_size
        found, apart = fitted(moved, PER_QUARTER, period)
        return exponents(found, gone=GONE), apart

    def pushes(self) -> list[dict[str, Array]]:
        """Inputs: a force on each mode of the wing, a moment about each axis on which the hub tilts."""
        model, h = self.flying.rotor.model, self.flying.network.step_size
        mass, stiffness = np.diag(self.wing.modes.mass), np.diag(self.wing.modes.stiffness)
        found = [{f"{WING}_force": row} for row in np.diag(PUSHED * np.sqrt(mass * stiffness) / (PUSH * h))]
        for axis in range(2 * self.tilts):
            tau = np.zeros(model.nv)
            tau[model.v_slices[model.index[HUB]][0].start + axis] = (
                PUSHED * self.tilt_inertia * self.flying.rotor.speed / (PUSH * h)
            )
            found.append({"tau": tau})
        return found

    def _after(self, push: Mapping[str, Array]) -> Array:
        """(steps, n) states in a flight with a push, from now on."""
        begin = self.flying.state, self.flying.t
        parts = [self.flying.fly(PUSH, self.settings, inputs=push)]
        parts.append(self.flying.fly(LISTENED * PER_QUARTER, self.settings))
        self.flying.state, self.flying.t = begin
        return np.concatenate([self.states(part) for part in parts])

    def states(self, flown: Flown) -> Array:
        """(steps, n) amplitudes and tilts, then their rates: of the wing, and of the hub in the axes of the pylon."""
        assembly, n = self.flying.network.network.assembly, self.wing.n
        start = assembly.own_starts[[part.name for part in assembly.parts].index(self.wing.name)]
        eta, p = flown.own[:, start : start + n], flown.own[:, start + n : start + 2 * n]
        rates = np.linalg.solve(self.wing.modes.mass, p.T).T
        if not self.tilts:
            return np.concatenate([eta, rates], axis=1)
        index = self.flying.rotor.model.index
        tilt, tilt_dot = _tilt(flown.nodes[:, index[PYLON]], flown.nodes[:, index[HUB]])
        return np.concatenate([eta, tilt, rates, tilt_dot], axis=1)

    @property
    def tilts(self) -> bool:
        """Whether the hub is on a gimbal."""
        model = self.flying.rotor.model
        return model.joints[model.index[HUB]].motion.nv == 3

    @property
    def tilt_inertia(self) -> float:
        """Of the rotor about a diameter [kg m^2]."""
        rotor, model = self.flying.rotor, self.flying.rotor.model
        hub, blade = (model.bodies[model.index[name]] for name in (HUB, rotor.blades[0].bodies[0]))
        reach = float(np.linalg.norm(model.joints[model.index[blade.name]].position)) + float(blade.com[0])
        flap = float(np.asarray(blade.inertia)[1, 1]) + blade.mass * reach**2
        return float(np.asarray(hub.inertia)[0, 0]) + len(rotor.blades) / 2 * flap

    def kinds(self, modes: Exponents) -> tuple[str, ...]:
        """What has most of the kinetic energy in each mode; that of the gimbal is of the rotor's tilt in the world."""
        names, n = [*self.wing.modes.names, *((GIMBAL, GIMBAL) if self.tilts else ())], self.wing.n
        R0, mast = self.wing_axes()
        tip, inertia = self.wing.modes.tip, np.diag(self.wing.modes.mass).copy()
        hub = tip[:3] + np.cross(tip[3:].T, R0[:, 2] * mast).T  # displacement of the hub by each mode
        inertia += self.rotor_mass * np.sum(hub**2, axis=0)
        labels = []
        for vector in modes.vectors.T:
            rates = vector[len(names) :]
            energy = list(inertia * np.abs(rates[:n]) ** 2)
            if self.tilts:
                omega = R0.T @ tip[3:] @ rates[:n]
                energy += list(self.tilt_inertia * np.abs(rates[n:] + [omega[1], -omega[0]]) ** 2)
            shares: dict[str, float] = {}
            for name, share in zip(names, energy, strict=True):
                shares[name] = shares.get(name, 0.0) + float(share)
            labels.append(list(shares)[first_largest(list(shares.values()))])
        return tuple(labels)

    def wing_axes(self) -> tuple[Array, float]:
        """(3, 3) axes of the pylon on the straight wing, and how far ahead the hub is [m]."""
        model = self.flying.rotor.model
        pylon, mast = (model.joints[model.index[name]] for name in (PYLON, MAST))
        return np.asarray(pylon.orientation, np.float64), float(mast.position[2])

    @property
    def rotor_mass(self) -> float:
        """Of hub and blades [kg]."""
        names = [HUB, *(blade.bodies[0] for blade in self.flying.rotor.blades)]
        return sum(body.mass for body in self.flying.rotor.model.bodies if body.name in names)


GONE = 1e-6  # multipliers below this fraction of the largest: motions that die within a quarter of a revolution


def fitted(moved: Sequence[Array], steps: int, period: float) -> tuple[Monodromy, float]:
    """The monodromy matrix that carries disturbances over a period, by least squares, and its path.

    Args:
        moved: (samples, n) disturbances of the states in free motions
        steps: in a period
        period: [s]

    Returns:
        The matrix, and its largest miss over the largest of each state.
    """
    periods = min(len(x) for x in moved) // steps
    size = np.max([np.abs(x).max(axis=0) for x in moved], axis=0)
    starts = np.concatenate([x[: (periods - 1) * steps : steps] for x in moved]).T / size[:, None]
    inverse = np.linalg.pinv(starts)
    path = []
    for k in range(steps + 1):
        after = np.concatenate([x[k : k + (periods - 1) * steps : steps] for x in moved]).T / size[:, None]
        path.append(after @ inverse)
    apart = float(np.abs(path[-1] @ starts - after).max())
    scaled = np.array(path) * size[:, None] / size
    return Monodromy(scaled[-1], period, scaled), apart


def _tilt(pylon: Array, hub: Array) -> tuple[Array, Array]:
    """(steps, 2) x and y of the hub's axis in the axes of the pylon, and their rates; nodes as the step has them."""
    R_p, R_h = _matrices(pylon[:, 3:7]), _matrices(hub[:, 3:7])
    axis = R_h[:, :, 2]
    rate = np.cross(hub[:, 10:13] - pylon[:, 10:13], axis)
    seen = [np.asarray(np.einsum("nji,nj->ni", R_p, x)[:, :2]) for x in (axis, rate)]
    return seen[0], seen[1]


def _matrices(Q: Array) -> Array:
    """(n, 3, 3) of unit quaternions."""
    w, x, y, z = Q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)
