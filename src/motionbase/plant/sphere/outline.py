"""Outlines of rollers, and where a roller of a turning wheel touches the sphere: closed forms, without small angles.

An outline is given by its support function H(alpha): in the plane through the roller's axis, its largest extent from
the roller's middle in the direction (sin alpha along the axis, cos alpha across it). The point with that normal is at
s = H sin alpha + H' cos alpha along the axis, at the radius H cos alpha - H' sin alpha.

Turned by beta out of the contact, a roller whose axis lies rho from the axle reaches rho cos beta + H beyond the axle,
and sin alpha = -cos gamma sin beta. A wheel that rolls smoothly on a plane reaches r at every beta: the ideal outline
is
    H(alpha) = r - rho sqrt(1 - sin^2 alpha / cos^2 gamma)

For thin rollers, rho -> r, this is the ellipse x^2 cos^2 gamma + y^2 = r^2 about the axle, a section of the wheel's
cylinder; with gamma = 0 it is a circle of radius r for rollers of any thickness.

A sphere of radius R touches the outline where its centre is R further out along the normal: at x, y = s + R sin alpha,
radius + R cos alpha. That point is at the distance D straight out from the axle if

    D cos beta = rho + sqrt(y^2 - x^2 tan^2 gamma),    D sin beta = -x / cos gamma
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.atlas.wheels import DrivenWheel

NORMALS = 4001  # normals of an outline, from its middle to along the axis; linear interpolation between them: 1e-8 m


class Touch(NamedTuple):
    """Contact of a roller with the sphere over wheel angles; directions: outward, along the rim, along the axle.

    Attributes:
        beta: angle of the wheel from the roller's middle [rad], ascending
        D: distance of the sphere's centre from the axle [m]
        roll: distance of the contact from the axle, outward: the rolling radius of the wheel [m]
        lever: arm of a force along the roller (its direction at the middle) about the normal there [m]
    """

    beta: Array
    D: Array
    roll: Array
    lever: Array


@final
@dataclass(frozen=True)
class Outline:
    """Outline of the rollers of a wheel.

    Attributes:
        rho: distance of the rollers' axes from the axle [m]
        end: radius of the ideal outline at the roller's end [m]
    """

    wheel: DrivenWheel
    rho: float
    end: float

    @staticmethod
    def of(wheel: DrivenWheel) -> Outline:
        """The outline of a wheel's rollers; checks that a roller fits and its outline does not close too early."""
        rollers, rho = wheel.rollers, wheel.radius - wheel.rollers.radius
        if rho <= 0:
            raise PlatformError(
                f"rollers: radius is {rollers.radius:g} m, it must be less than the wheel's of {wheel.radius:g} m"
            )
        # sine of the wheel's angle, up to where the radius vanishes: cos beta = rho / r
        u = np.linspace(0, math.sqrt(1 - (rho / wheel.radius) ** 2), NORMALS)
        s, radius = _ideal(wheel, rho, math.cos(wheel.roller_angle) * u)[1:]
        if rollers.length / 2 >= s[-1]:
            raise PlatformError(
                f"rollers: length is {rollers.length:g} m, the outline of the wheel comes to a point at "
                f"{2 * s[-1]:.4g} m; it must be shorter"
            )
        return Outline(wheel, rho, float(np.interp(rollers.length / 2, s, radius)))

    def points(self) -> tuple[Array, Array, Array]:
        """Normals alpha from 0 to along the axis, and s and radius there; the corner is the last part."""
        rollers, half = self.wheel.rollers, self.wheel.rollers.length / 2
        if rollers.profile == "cylindrical":
            alpha, s, radius = np.zeros(NORMALS), np.linspace(0, half, NORMALS), np.full(NORMALS, rollers.radius)
        elif rollers.profile == "barrel":
            sag = rollers.radius - self.end
            a = (half**2 + sag**2) / (2 * sag)
            alpha = np.linspace(0, math.asin(half / a), NORMALS)
            s, radius = a * np.sin(alpha), a * np.cos(alpha) - (a - rollers.radius)
        else:
            most = 1 - 1e-12  # the ideal outline ends where its normal is along the rim
            sine = math.cos(self.wheel.roller_angle) * np.linspace(0, most, NORMALS)
            alpha, s, radius = _ideal(self.wheel, self.rho, sine)
            alpha = np.append(alpha[s < half], np.interp(half, s, alpha))
            s, radius = np.append(s[s < half], half), np.append(radius[s < half], self.end)
        corner = np.linspace(alpha[-1], math.pi / 2, NORMALS)
        ends = np.full(NORMALS, s[-1]), np.full(NORMALS, radius[-1])
        return np.append(alpha, corner), np.append(s, ends[0]), np.append(radius, ends[1])

    def touch(self, R: float) -> Touch:
        """Contact of one roller with a sphere of radius R [m], over all angles at which it can reach the sphere."""
        alpha, s, radius = self.points()
        C, S = math.cos(self.wheel.roller_angle), math.sin(self.wheel.roller_angle)
        x, y = s + R * np.sin(alpha), radius + R * np.cos(alpha)
        reachable = y >= x * (S / C)
        x, y, alpha = x[reachable], y[reachable], alpha[reachable]
        outward, along = self.rho + np.sqrt(y**2 - (x * S / C) ** 2), -x / C
        D, beta = np.hypot(outward, along), np.arctan2(along, outward)
        # the normal there: along the roller's axis, and from the axis to the sphere's centre
        axis = np.stack([-C * np.sin(beta), C * np.cos(beta), np.full_like(beta, S)])
        middle = self.rho * np.stack([np.cos(beta), np.sin(beta), np.zeros_like(beta)])
        centre = np.stack([D, np.zeros_like(D), np.zeros_like(D)])
        across = (centre - middle - x * axis) / y
        contact = centre - R * (np.sin(alpha) * axis + np.cos(alpha) * across)
        lever = contact[1] * S - contact[2] * C
        mirrored = [np.concatenate([part[::-1], sign * part[1:]]) for part, sign in
                    ((beta, -1), (D, 1), (contact[0], 1), (lever, -1))]  # fmt: skip
        return Touch(*mirrored)


def _ideal(wheel: DrivenWheel, rho: float, sine: Array) -> tuple[Array, Array, Array]:
    """Normal, position along the axis and radius of the ideal outline, by the sine of its normal."""
    C, cosine = math.cos(wheel.roller_angle), np.sqrt(1 - sine**2)
    root = np.sqrt(1 - (sine / C) ** 2)
    H, slope = wheel.radius - rho * root, rho * sine * cosine / (C**2 * root)
    return np.arcsin(sine), H * sine + slope * cosine, H * cosine - slope * sine
