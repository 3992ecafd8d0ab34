"""Natural frequencies of a rotating blade over the rotor's speed, from its geometrically exact beams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, ZERO, Body
from motionbase.multibody.elements import JointSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import revolute
from motionbase.multibody.model import Model
from motionbase.multibody.network.static import Rest, static
from motionbase.multibody.network.vibration import vibration
from motionbase.rotor.blades.blade import Blade
from motionbase.rotor.blades.elastic import blade_parts

KINDS = ("flap", "lag", "torsion", "stretch")
SHAFT = 1e6  # times EI_lag / length: stiffness that holds the hub's azimuth, so that its rotation is imposed
SLOWEST = 1e-2  # [rad/s] in place of rest, where free hinges have no stiffness and the frequency zero


@final
@dataclass(frozen=True, eq=False)
class BladeModes:
    """Undamped modes of a blade on a hub that turns steadily, in ascending frequency.

    Attributes:
        speed: of the rotor [rad/s]
        frequencies: (n,) [rad/s]
        shares: (n, 4) of kinetic energy, in the order of KINDS
        r: (nodes,) radii, from the outermost hinge to the tip [m]
        shapes: (n, nodes, 6) displacement outward, to the leading edge and up, then rotation about these axes
    """

    speed: float
    frequencies: Array
    shares: Array
    r: Array
    shapes: Complex

    @property
    def per_rev(self) -> Array:
        """(n,) frequencies over the rotor's speed; infinite at rest."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.frequencies / self.speed)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of each mode: where most of its kinetic energy is."""
        return tuple(KINDS[k] for k in np.argmax(self.shares, axis=1))

    @property
    def labels(self) -> tuple[str, ...]:
        """Kind and number within it, such as "flap 2"."""
        kinds = self.kinds
        return tuple(f"{kind} {kinds[: k + 1].count(kind)}" for k, kind in enumerate(kinds))

    def of(self, kind: str) -> Array:
        """Frequencies of the modes of a kind [rad/s]."""
        return np.asarray(self.frequencies[[own == kind for own in self.kinds]])


def blade_modes(blade: Blade, speed: float, *, count: int = 8, beams: int = 12, collective: float = 0.0) -> BladeModes:
    """Modes at one speed of the rotor [rad/s], without air, gravity and dampers.

    Args:
        count: of modes
        beams: of three nodes each
        collective: pitch [rad]
    """
    return fan(blade, [speed], count=count, beams=beams, collective=collective)[0]


def fan(
    blade: Blade,
    speeds: Sequence[float] | Array,
    *,
    count: int = 8,
    beams: int = 12,
    collective: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[BladeModes, ...]:
    """Modes at each speed of the rotor [rad/s]; arguments as of `blade_modes`.

    The blade's steady state is found in the frame of the hub, each from that of the speed before, and linearised.
    """
    for speed in speeds:
        if not 0 <= speed < np.inf:
            raise ModelError(f"blade {blade.name!r}: speed is {speed:g} rad/s, must be zero or positive")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ModelError(f"blade {blade.name!r}: count is {count!r}, a whole number of modes from 1 is wanted")
    if not abs(collective) <= np.pi / 2:
        raise ModelError(f"blade {blade.name!r}: collective is {collective:g} rad, must be within a right angle")
    model = rotating_blade(blade, beams, collective)
    found, q = list[BladeModes](), None
    for k, speed in enumerate(speeds):
        rest = static(model, q0=q, spin=(0.0, 0.0, max(float(speed), SLOWEST)))
        q = rest.q
        found.append(_modes(blade, rest, float(speed), count, beams))
        if progress is not None:
            progress(k + 1, len(speeds))
    return tuple(found)


def rotating_blade(blade: Blade, beams: int = 12, collective: float = 0.0) -> Model:
    """One blade along x on a hub that turns about z, held at its azimuth by a stiff spring."""
    hub = Body("hub", 1.0, ZERO, (1.0, 1.0, 1.0))
    parts = blade_parts(blade, "b", "hub", beams=beams, collective=collective, damped=False)
    joints = Joint("shaft", GROUND, "hub", revolute((0.0, 0.0, 1.0))), *parts.joints
    stiffness = SHAFT * float(blade.EI_lag[:, 1].max()) / (blade.radius - blade.root)
    elements = JointSpring("azimuth", "shaft", stiffness), *parts.elements
    return Model("blade", (hub, *parts.bodies), joints, ZERO, elements)


def _modes(blade: Blade, rest: Rest, speed: float, count: int, beams: int) -> BladeModes:
    found = vibration(rest)
    lowest = np.argsort(found.frequencies, kind="stable")[:count]
    shapes = np.moveaxis(found.shapes[:, :, lowest], 2, 0)  # (n, bodies, 6)
    energy = np.zeros((len(lowest), len(KINDS)))
    for n, name in enumerate(found.bodies):
        body, R = rest.model.body(name), rest.orientation(name)
        x, y, z = (body.mass * np.abs(shapes[:, n, k]) ** 2 for k in range(3))
        J = np.diag(R @ np.asarray(body.inertia) @ R.T)
        about_x, about_y, about_z = (J[k] * np.abs(shapes[:, n, 3 + k]) ** 2 for k in range(3))
        energy += np.stack([z + about_y, y + about_z, about_x, x], axis=1)
    nodes = [found.bodies.index(f"b{k}") for k in range(2 * beams + 1)]
    return BladeModes(
        speed,
        found.frequencies[lowest],
        energy / energy.sum(axis=1, keepdims=True),
        np.linspace(blade.clamp, blade.radius, 2 * beams + 1),
        shapes[:, nodes],
    )
