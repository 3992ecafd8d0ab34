"""Whether six legs can hold a platform at all: architectures that are singular in every pose.

If base and platform joints are similar hexagons, with leg k at corner k of both, the six leg lines are dependent in
every pose, so there is a motion that no leg resists (Ma and Angeles, Architecture Singularities of Platform
Manipulators, 1991). No pose avoids that; only another geometry does.
"""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.sizing.forces import LegMotion, Motion
from motionbase.platform.sizing.plausible import Finding

SINGULAR = 1e9  # condition number from which a pose counts as singular; rounding yields larger ones
USELESS = 1e3  # similar hexagons with joints rounded to the millimetre have at least this
POOR = 30.0  # condition numbers of built platforms are 2 to 10 over their workspaces
ALIKE = 0.02  # of the radius: tolerance for similar hexagons
SOMEWHERE = np.array([
    [0.3, -0.2, 0.1, 0.4, -0.3, 0.5], [-0.4, 0.3, 0.2, -0.2, 0.5, -0.3], [0.1, 0.5, -0.3, 0.3, 0.2, 0.4],
    [-0.2, -0.4, -0.2, -0.5, -0.1, 0.2],
])  # fmt: skip
"""Generic poses, as fractions of the position limits."""


def conditions_of(platform: Hexapod, J: Array) -> Array:
    """(n,) largest over smallest singular value of (n, 6, 6) leg Jacobians, scaled by the joints' rms radius."""
    return np.asarray(np.linalg.cond(J * platform.twist_scale))


def condition_words(condition: float, digits: int = 3) -> str:
    """A condition number for users; 1e17 is not a property of a platform, but a singular pose plus rounding."""
    return f"{condition:.{digits}f}" if condition < SINGULAR else "infinite (singular)"


def architecture_findings(platform: Hexapod) -> list[Finding]:
    """Whether the legs can hold the platform, in general and at neutral."""
    dof = np.vstack([np.zeros(6), SOMEWHERE * np.asarray(platform.limits.position)])
    conditions = conditions_of(platform, LegMotion(platform, Motion.of_dof(platform, dof)).J)
    neutral, everywhere = float(conditions[0]), float(conditions.min())
    if everywhere > USELESS:
        why = (
            "base and platform joints are similar hexagons"
            if are_similar(platform)
            else f"the condition number of its leg Jacobian is {_size(everywhere)} or more wherever it goes"
        )
        return [Finding("joints", True, (
            f"platform {platform.name!r} is architecturally singular: {why}, so at every pose it can move while no "
            "leg does; turn one of the hexagons by 60 degrees, so that the pairs of the platform stand between those "
            "of the base (as pairs: at_deg 0 for joints, 60 for base)"
        ))]  # fmt: skip
    if neutral > USELESS:
        return [Finding("p_neutral", True, (
            f"platform {platform.name!r} is singular at neutral: the condition number of its leg Jacobian is "
            f"{_size(neutral)} there, so it can move while no leg does; below {POOR:g} is wanted, by another "
            "p_neutral or other joints"
        ))]  # fmt: skip
    if neutral > POOR:
        return [Finding("joints", False, (
            f"the condition number of the leg Jacobian is {neutral:.0f} at neutral, built platforms have 2 to 10; "
            "is each leg at the right corner, and do the pairs of the platform stand between those of the base?"
        ))]  # fmt: skip
    return []


def are_similar(platform: Hexapod) -> bool:
    """Whether the platform's joints, seen from above, are the base's rotated, shifted and scaled; both flat."""
    base, joints = (np.asarray(points) - np.mean(points, axis=0) for points in (platform.base, platform.joints))
    if any(np.abs(one[:, 2]).max() > ALIKE * np.abs(one).max() for one in (base, joints)):
        return False
    b, j = (one[:, 0] + 1j * one[:, 1] for one in (base, joints))
    turned = np.vdot(b, j) / np.vdot(b, b) * b
    return bool(np.linalg.norm(turned - j) < ALIKE * np.linalg.norm(j))


def check_architecture(platform: Hexapod) -> None:
    """Raise `PlatformError` for a platform that its legs cannot hold."""
    for one in architecture_findings(platform):
        if one.fatal:
            raise PlatformError(one.sentence)


def _size(condition: float) -> str:
    return "infinite" if condition > SINGULAR else f"{condition:.0f}"
