"""Static analysis of an Atlas platform: moments on the sphere, torques, speeds and normal forces of the wheels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.platform.atlas.allocation import ALLOCATIONS, WheelDemand, facets_of, wheel_demand
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.conditioning import Conditioning, conditioning
from motionbase.platform.atlas.moment import LargestMoment, Turning, largest_moment

G = 9.80665  # [m/s^2]


@final
@dataclass(frozen=True, eq=False)
class Traction:
    """Demand of one allocation on the wheels, over all directions of the largest moment.

    Over all orientations of the sphere this is exact, not only a bound: some orientation turns the worst moment of the
    sphere into the worst direction of the wheels. That holds without weight; with weight it is an upper bound, because
    gravity changes with the orientation.

    Attributes:
        demand: torques for a moment of 1 N m
        torque: the largest of any wheel [N m]
        least_torque: the largest of any wheel for the most favourable direction of the moment [N m]
        normal: normal force that the largest torque needs for traction, N = tau / (r mu cos gamma) [N]
        pressure: that force over the contact area [N/m^2]
        torque_with_weight, normal_with_weight: including the moment of the weight [N m], [N]
        upright: largest torque with the axes of the sphere along those of the wheels [N m]; exact, without weight
        limit: the smallest torque limit of a wheel [N m]
    """

    demand: WheelDemand
    torque: float
    least_torque: float
    normal: float
    pressure: float
    torque_with_weight: float
    normal_with_weight: float
    upright: float
    limit: float


@final
@dataclass(frozen=True, eq=False)
class Analysis:
    """All results that follow from the platform's data without dynamics.

    Attributes:
        atlas: the platform
        conditioning: how evenly the wheels turn the sphere
        moment: the largest on the sphere, without weight as in the paper
        moment_with_weight: the same with the weight of an eccentric mass, in any orientation
        gyroscopic: largest contribution of the spin [N m]
        traction: by allocation
        speed: the largest of any wheel [rad/s]
        speed_limit: the smallest limit of a wheel [rad/s]
        spin_up: largest torque that accelerates a wheel and its rotor alone [N m]
        rest: (n,) normal forces of the driven wheels at rest, from weight and preload [N]; None if the driven
            wheels cannot balance them
    """

    atlas: Atlas
    conditioning: Conditioning
    moment: LargestMoment
    moment_with_weight: LargestMoment
    gyroscopic: float
    traction: dict[str, Traction]
    speed: float
    speed_limit: float
    spin_up: float
    rest: Array | None

    @property
    def normal_is_enough(self) -> bool | None:
        """Whether each driven wheel is pressed enough at rest; None if that is not known."""
        worst = max(t.normal_with_weight for t in self.traction.values())
        return None if self.rest is None else bool(self.rest.min() >= worst)


def analyse(atlas: Atlas) -> Analysis:
    """The complete analysis; takes at most a second."""
    sphere, spin = atlas.sphere, atlas.limits
    arm = sphere.mass * G * np.asarray(sphere.com)
    bare = Turning(sphere.inertia_matrix, spin.acceleration, spin.velocity, np.zeros(3))
    moment = largest_moment(bare)
    loaded = Turning(bare.inertia, bare.acceleration, bare.velocity, arm)
    with_weight = largest_moment(loaded) if arm.any() else moment
    speeds = np.linalg.norm(atlas.J_omega, axis=1)
    return Analysis(
        atlas=atlas,
        conditioning=conditioning(atlas.J_tau),
        moment=moment,
        moment_with_weight=with_weight,
        gyroscopic=bare.gyroscopic_max,
        traction={name: _traction(atlas, name, bare, moment, with_weight) for name in ALLOCATIONS},
        speed=float(speeds.max()) * spin.velocity,
        speed_limit=min(w.speed_limit for w in atlas.wheels),
        spin_up=spin.acceleration * max(w.axle_inertia * s for w, s in zip(atlas.wheels, speeds, strict=True)),
        rest=rest_normals(atlas),
    )


def _traction(
    atlas: Atlas, allocation: str, turning: Turning, moment: LargestMoment, with_weight: LargestMoment
) -> Traction:
    demand = wheel_demand(atlas.J_tau, allocation)
    grip = normal_per_torque(atlas)
    normal = float(np.max(demand.each * grip))
    areas = np.array([w.contact_area for w in atlas.wheels])
    faces = np.linalg.pinv(atlas.J_tau) if allocation == "least_squares" else facets_of(atlas.J_tau)
    return Traction(
        demand=demand,
        torque=demand.worst * moment.value,
        least_torque=demand.best * moment.value,
        normal=normal * moment.value,
        pressure=float(np.max(demand.each * grip / areas)) * moment.value,
        torque_with_weight=demand.worst * with_weight.value,
        normal_with_weight=normal * with_weight.value,
        upright=float(turning.support(np.concatenate([faces, -faces])).max()),
        limit=min(w.torque_limit for w in atlas.wheels),
    )


def normal_per_torque(atlas: Atlas) -> Array:
    """(n,) normal force that each wheel needs for a torque of 1 N m, eq. 29 [1/m]."""
    return np.array([1 / (w.radius * w.friction * math.cos(w.roller_angle)) for w in atlas.wheels])


def rest_normals(atlas: Atlas) -> Array | None:
    """(n,) normal forces of the driven wheels at rest [N], of least 2-norm if there are more than three.

    Every wheel pushes towards the centre; weight, preload of the rings and driven wheels balance. None if they
    cannot, as with all driven wheels on the equator: then the rings carry the load, and their stiffness decides.
    """
    outside = np.array([0.0, 0.0, -atlas.sphere.mass * G])
    for ring in atlas.rings:
        outside -= ring.preload * ring.contacts.sum(axis=0)
    A = atlas.contacts.T
    found = np.linalg.lstsq(A, outside, rcond=None)[0]
    held = np.linalg.norm(A @ found - outside) <= 1e-9 * np.linalg.norm(outside)
    return np.asarray(found) if held and found.min() >= 0 else None
