"""Contacts of a sphere with its wheels: where they are, how hard they press, and what resists rolling and turning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.errors import PlatformError
from motionbase.platform.atlas.analysis import rest_normals
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.jacobians import contact
from motionbase.spatial.rotations import Expr

Array = NDArray[np.float64]
ROLLING_SPEED = 5e-3  # [m/s] below it rolling resistance fades to none: 0.2 degrees a second of a sphere of 1.45 m
DRILLING_SPEED = 0.02  # [rad/s] below it the friction of turning on the spot fades to none
HERTZ_PEAK = 1.5  # largest over mean pressure of an elliptical pressure distribution


class Pressure(NamedTuple):
    """Of a contact patch [Pa]."""

    mean: float
    peak: float


def contact_pressure(N: float, area: float) -> Pressure:
    """Of a normal force [N] on an area [m^2]; the peak is that of Hertz's distribution, 3/2 of the mean."""
    return Pressure(N / area, HERTZ_PEAK * N / area)


@final
@dataclass(frozen=True, eq=False)
class Contacts:
    """Places and numbers of all contacts; driven wheels first, then ring after ring. Directions are in W.

    The contacts stay where they are on the wheels: the sphere's centre moves by fractions of a millimetre.
    """

    atlas: Atlas

    def __post_init__(self) -> None:
        owner = f"platform {self.atlas.name!r}"
        if not self.atlas.rings:
            raise PlatformError(f"{owner}: rings are none, the dynamics need at least one ring of passive wheels")
        for k, wheel in enumerate(self.atlas.wheels):
            if wheel.axle_inertia == 0:
                raise PlatformError(
                    f"{owner}: wheel {k + 1} has inertia 0 and rotor_inertia 0, the dynamics need one above 0"
                )

    @cached_property
    def outward(self) -> Array:
        """(n + passive, 3) unit vectors from the sphere's centre."""
        return np.concatenate([self.atlas.contacts, *(ring.contacts for ring in self.atlas.rings)])

    @cached_property
    def roller(self) -> Array:
        """(n, 3) unit vectors along the axes of the rollers that touch."""
        at = [contact(ca.DM(w.azimuth), ca.DM(w.elevation), ca.DM(w.roller_angle)) for w in self.atlas.wheels]
        return np.array([np.array(a.roller).ravel() for a in at])

    @cached_property
    def arm(self) -> Array:
        """(n,) moment about the axle of a unit force along the roller [m]; also its speed at unit wheel speed."""
        return np.array([w.radius * math.cos(w.roller_angle) for w in self.atlas.wheels])

    def _each(self, name: str) -> Array:
        """(n + passive,) a number that wheels and rings have."""
        rings = [getattr(ring, name) for ring in self.atlas.rings for _ in range(ring.count)]
        return np.array([*(getattr(w, name) for w in self.atlas.wheels), *rings])

    @cached_property
    def stiffness(self) -> Array:
        """(n + passive,) along the normals [N/m]."""
        return self._each("stiffness")

    @cached_property
    def damping(self) -> Array:
        """(n + passive,) along the normals [N s/m]."""
        return self._each("damping")

    @cached_property
    def rolling(self) -> Array:
        """(passive,) resistance over normal force."""
        return np.array([ring.rolling for ring in self.atlas.rings for _ in range(ring.count)])

    @cached_property
    def patch_radius(self) -> Array:
        """(n,) of a disc as large as the contact [m]."""
        return np.array([math.sqrt(w.contact_area / math.pi) for w in self.atlas.wheels])

    @cached_property
    def at_rest(self) -> Array:
        """(n + passive,) normal forces with the centre in its place [N], in balance with the weight.

        Where the driven wheels cannot carry the weight they begin with none, and the centre finds its place.
        """
        driven = rest_normals(self.atlas)
        rings = [ring.preload for ring in self.atlas.rings for _ in range(ring.count)]
        return np.array([*(np.zeros(len(self.atlas.wheels)) if driven is None else driven), *rings])

    @cached_property
    def ring_of(self) -> list[int]:
        """(passive,) which ring each passive wheel is in."""
        return [k for k, ring in enumerate(self.atlas.rings) for _ in range(ring.count)]

    def normals(self, d: Expr, v: Expr, reach: Expr, rate: Expr, preload_scale: Expr) -> Expr:
        """(n + passive,) normal forces [N]; contacts only push.

        Args:
            d, v: displacement [m] and velocity [m/s] of the centre, in W
            reach, rate: (n,) how far each driven wheel reaches beyond its mean radius [m], and its rate [m/s]
            preload_scale: of each ring
        """
        n, along, k, c = len(self.atlas.wheels), ca.DM(self.outward), ca.DM(self.stiffness), ca.DM(self.damping)
        preload = [self.at_rest[n + j] * preload_scale[ring] for j, ring in enumerate(self.ring_of)]
        rollers = k[:n] * reach + c[:n] * rate
        held = ca.vertcat(ca.DM(self.at_rest[:n]) + rollers, *preload)
        return ca.fmax(held + k * (along @ d) + c * (along @ v), 0)

    def rolling_forces(self, N: Expr, Omega: Expr, v: Expr) -> Expr:
        """(passive, 3) forces of the passive wheels on the sphere against its surface's motion, in W [N].

        A sphere's surface moves alike at every point but for what turns about the normal there: u = v + Omega x R n,
        less its part along n.
        """
        forces = []
        for j, normal in enumerate(self.outward[len(self.atlas.wheels) :]):
            n = ca.DM(normal)
            u = v + ca.cross(Omega, self.atlas.sphere.radius * n)
            along = u - ca.dot(u, n) * n
            forces.append(-self.rolling[j] * N[j] / ca.sqrt(ca.sumsqr(along) + ROLLING_SPEED**2) * along.T)
        return ca.vertcat(*forces)

    def drilling(self, N: Expr, mu: Expr, Omega: Expr) -> Expr:
        """(n,) moments of the driven wheels on the sphere about the outward normals, against its turning there [N m].

        A disc of even pressure that only turns is held by 2/3 mu N a. Wheel and roller do not turn about the normal.
        """
        spin = ca.DM(self.outward[: len(self.atlas.wheels)]) @ Omega
        return -2 / 3 * mu * N * ca.DM(self.patch_radius) * spin / ca.sqrt(spin**2 + DRILLING_SPEED**2)
