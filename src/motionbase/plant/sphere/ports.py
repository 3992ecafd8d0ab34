"""Ports of a sphere on wheels. W has the axes of the world, S those of the sphere; C is the sphere's centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.compile import Port, Struct, q
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr

A_STAGE = Port("a_stage", 3, "m/s^2", "acceleration of the support, in W")
MOMENT = Port("M_sphere", 3, "N m", "all moments on the sphere about its centre, in W: I alpha + omega x I omega")
LOAD_STAGE = Port(
    "load_stage", 6, "-", "moment [N m] and force [N] on the stage at the mount, in W, besides a mass that rests there"
)


class Sphere(Struct):
    """State of the sphere."""

    Q_WS: Expr = q("-", 4, "orientation of the sphere, unit quaternion")
    omega_S: Expr = q("rad/s", 3, "angular velocity of the sphere, in S")
    d_C: Expr = q("m", 3, "displacement of the sphere's centre from its place in the support, in W")
    v_C: Expr = q("m/s", 3, "velocity of the sphere's centre against the support, in W")


@final
@dataclass(frozen=True)
class SpherePorts:
    """State, inputs and results of a tick, for a number of wheels and rings.

    Attributes:
        wheels: number of driven wheels
        passive: number of wheels of all rings, ring by ring
        rings: number of rings of passive wheels
    """

    wheels: int
    passive: int
    rings: int

    @staticmethod
    def of(atlas: Atlas) -> SpherePorts:
        """The ports for a platform."""
        return SpherePorts(len(atlas.wheels), sum(ring.count for ring in atlas.rings), len(atlas.rings))

    @property
    def state(self) -> tuple[Port, ...]:
        """Sphere, then wheels."""
        psi = Port("psi", self.wheels, "rad", "angles of the driven wheels, 0 to 2 pi")
        return *Sphere.layout.ports, psi, Port("omega_wheel", self.wheels, "rad/s", "speeds of the driven wheels")

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Commands, motion of the support, and disturbances."""
        return (
            Port("tau_motor", self.wheels, "N m", "torque asked of each motor, at its own shaft"),
            A_STAGE,
            Port("friction_scale", self.wheels, "-", "friction of each driven contact over its nominal one"),
            Port("preload_scale", self.rings, "-", "preload of each ring over its nominal one"),
        )

    @property
    def results(self) -> tuple[Port, ...]:
        """Mean forces of the tick, or of its last substep; the sliding speed is that at its end."""
        return (
            Port("N_wheel", self.wheels, "N", "normal forces at the driven wheels"),
            Port("N_passive", self.passive, "N", "normal forces at the passive wheels, ring after ring"),
            Port("f_contact", self.wheels, "N", "force on the sphere along the axis of the roller that touches"),
            Port("slip", self.wheels, "m/s", "sliding speed of the sphere over the wheel along that axis"),
            MOMENT,
            LOAD_STAGE,
        )
