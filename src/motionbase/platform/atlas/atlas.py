"""An Atlas platform: a sphere on driven wheels between rings of passive ones, carried by a translation stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.multibody.body import Vector, shown
from motionbase.platform.atlas.conditioning import singular_axes
from motionbase.platform.atlas.jacobians import contact, force_jacobian, velocity_jacobian
from motionbase.platform.atlas.sphere import Sphere, SpinLimits
from motionbase.platform.atlas.wheels import DrivenWheel, PassiveRing
from motionbase.platform.parts import checked_number, checked_point

LEAST_WHEELS = 3
SINGULAR = 1e-9  # smallest over largest singular value; sines and cosines round to 1e-16


@final
@dataclass(frozen=True)
class Atlas:
    """A sphere S that turns about its centre G, on a stage whose platform P stays level.

    Axes are x forward, y left, z up. At neutral S has the axes of the world W.

    Attributes:
        name: letters, digits, dashes and underscores
        summary: one line for users
        sources: references of the published numbers
        illustrative: dotted keys of unpublished numbers
        sphere: the sphere
        wheels: three or more driven wheels
        rings: rings of passive wheels
        limits: the largest spin
        stage: the hexapod below, a preset or a .toml file
        mount: (3,) centre G of the sphere in the stage's frame P [m]
        structure_mass: mass of the stage's load besides the sphere [kg]
        mass_limit: largest mass of sphere and structure [kg]
        stage_capacity: payload for which the stage is designed [kg]
        points: further points in S by name, such as the pilot's head [m]
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    illustrative: tuple[str, ...]
    sphere: Sphere
    wheels: tuple[DrivenWheel, ...]
    rings: tuple[PassiveRing, ...]
    limits: SpinLimits
    stage: str
    mount: Vector
    structure_mass: float
    mass_limit: float
    stage_capacity: float
    points: Mapping[str, Vector] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        owner = f"platform {shown(self.name)}"
        self._check_kinds(owner)
        object.__setattr__(self, "mount", checked_point(owner, "mount", self.mount))
        for name in ("structure_mass", "mass_limit", "stage_capacity"):
            object.__setattr__(self, name, checked_number(owner, name, getattr(self, name), "kg"))
        points = {name: checked_point(owner, f"point {name!r}", p) for name, p in self.points.items()}
        object.__setattr__(self, "points", points)
        self._check_masses(owner)
        self._check_layout(owner)

    def _check_kinds(self, owner: str) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", self.name):
            raise PlatformError(f"{owner}: a name is letters, digits, dashes and underscores, and starts with a letter")
        lists = {"sources": str, "illustrative": str, "wheels": DrivenWheel, "rings": PassiveRing}
        for key, kind in lists.items():
            values = getattr(self, key)
            if not isinstance(values, tuple) or not all(isinstance(one, kind) for one in values):
                raise PlatformError(f"{owner}: {key} are {shown(values)}, a tuple of {kind.__name__} is wanted")
        kinds: dict[str, Any] = {"sphere": Sphere, "limits": SpinLimits, "stage": str, "points": Mapping}
        for key, kind in kinds.items():
            if not isinstance(value := getattr(self, key), kind):
                raise PlatformError(f"{owner}: {key} is {shown(value)}, {kind.__name__} is wanted")

    def _check_masses(self, owner: str) -> None:
        if self.mass_limit > self.stage_capacity:
            raise PlatformError(
                f"{owner}: mass_limit is {self.mass_limit:g} kg, it must be at most the stage_capacity of "
                f"{self.stage_capacity:g} kg"
            )
        if self.carried_mass >= self.mass_limit:
            raise PlatformError(
                f"{owner}: sphere and structure_mass weigh {self.sphere.mass:g} + {self.structure_mass:g} = "
                f"{self.carried_mass:g} kg, it must be less than the mass_limit of {self.mass_limit:g} kg"
            )

    def _check_layout(self, owner: str) -> None:
        """Check that the wheels can turn the sphere about every axis."""
        if len(self.wheels) < LEAST_WHEELS:
            raise PlatformError(
                f"{owner}: wheels are {len(self.wheels)}, at least {LEAST_WHEELS} are needed to turn a sphere about "
                "every axis"
            )
        sigma, axes = singular_axes(self.J_tau)
        if sigma[2] < SINGULAR * sigma[0]:
            axis = ", ".join(f"{round(float(x), 3) + 0.0:.3f}" for x in axes[2])
            raise PlatformError(
                f"{owner}: the wheels are singular, none can turn the sphere about the axis ({axis}); their azimuth, "
                "elevation or roller_angle must differ so that their moments do not lie in one plane"
            )

    @property
    def carried_mass(self) -> float:
        """Load of the stage: sphere and structure [kg]."""
        return self.sphere.mass + self.structure_mass

    @property
    def layout(self) -> tuple[Any, ...]:
        """Inputs of the Jacobians: R, r, phi, theta, gamma."""
        columns = (
            ca.DM([getattr(w, key) for w in self.wheels]) for key in ("radius", "azimuth", "elevation", "roller_angle")
        )
        return ca.DM(self.sphere.radius), *columns

    @cached_property
    def J_tau(self) -> Array:
        """(3, n) moment on the sphere = J_tau torques of the wheels."""
        return np.array(force_jacobian(*self.layout))

    @cached_property
    def J_omega(self) -> Array:
        """(n, 3) speeds of the wheels = J_omega angular velocity of the sphere."""
        return np.array(velocity_jacobian(*self.layout))

    @cached_property
    def axles(self) -> Array:
        """(n, 3) unit vectors along the axles of the driven wheels."""
        each = (contact(w.azimuth, w.elevation, w.roller_angle).axle for w in self.wheels)
        return np.array([np.array(ca.DM(axle)).ravel() for axle in each])

    @cached_property
    def contacts(self) -> Array:
        """(n, 3) unit vectors from the sphere's centre to the driven wheels' contacts."""
        turn = np.array([(w.azimuth, w.elevation) for w in self.wheels])
        phi, theta = turn.T
        return np.stack([np.cos(phi) * np.cos(theta), np.sin(phi) * np.cos(theta), np.sin(theta)], axis=1)
