"""Parameters, state and ports of a sphere's control law."""

from __future__ import annotations

from typing import NamedTuple

from motionbase.compile import Port, Struct, q
from motionbase.spatial.rotations import Expr

Q_MEAS = Port("Q_WS", 4, "-", "measured orientation of the sphere, unit quaternion")
OMEGA_MEAS = Port("omega_S", 3, "rad/s", "measured angular velocity, in S")
A_STAGE = Port("a_stage", 3, "m/s^2", "acceleration of the sphere's mount, in W")
FOLLOW = Port("follow", (), "-", "1: the target; 0: to rest where it is")
ON = Port("on", (), "-", "1 where the motors may give torque")
RESET = Port("reset", (), "-", "1 for one tick to clear a loss of traction")
LOST = Port("lost", (), "-", "1 since traction was lost, until a reset")
ERROR = Port("error", 3, "rad", "rotation vector from the sphere to its reference, in W")
Q_TARGET = Port("Q_target", 4, "-", "orientation that is wanted, unit quaternion")
OMEGA_TARGET = Port("omega_target", 3, "rad/s", "its angular velocity, in W")
ALPHA_TARGET = Port("alpha_target", 3, "rad/s^2", "its angular acceleration, in W")
Q_REF = Port("Q_ref", 4, "-", "orientation that is followed, unit quaternion")
OMEGA_REF = Port("omega_ref", 3, "rad/s", "its angular velocity, in W")
ALPHA_REF = Port("alpha_ref", 3, "rad/s^2", "its angular acceleration, in W")


class Target(NamedTuple):
    """Demanded orientation, angular velocity and acceleration in W."""

    Q: Expr
    omega: Expr
    alpha: Expr


class Reference(Struct):
    """The orientation that is followed, and its spin."""

    Q: Expr = q("-", 4, "orientation, unit quaternion", start=(1.0, 0.0, 0.0, 0.0))
    omega: Expr = q("rad/s", 3, "its angular velocity, in W")


class Slip(Struct):
    """Slip of one wheel."""

    speed: Expr = q("m/s", text="at which the roller slides over the sphere, filtered")
    lasted: Expr = q("s", text="how long it has been slip")


class SphereParameters(Struct):
    """Gains and thresholds that users may tune; the values are our choice."""

    sphere_velocity: Expr = q("rad/s", text="largest spin")
    sphere_acceleration: Expr = q("rad/s^2", text="largest angular acceleration")
    sphere_chase: Expr = q(
        "1/s", text="rate at which the reference approaches a target", start=6.0, tunable=True, least=0.5, most=20.0
    )
    sphere_bandwidth: Expr = q(
        "rad/s", text="of the orientation loop; all three gains follow from it", start=30.0, tunable=True, least=5.0,
        most=80.0,
    )  # fmt: skip
    slip_speed: Expr = q(
        "m/s", text="sliding speed of a roller above which it slips", start=0.15, tunable=True, least=0.01, most=1.0
    )
    slip_time: Expr = q("s", text="duration after which slip is reported", start=0.03)
    slip_lost: Expr = q("s", text="duration after which slip is a loss of traction", start=0.25)


def parameters_of(velocity: float, acceleration: float) -> type[SphereParameters]:
    """Parameters for a platform's largest spin [rad/s] and angular acceleration [rad/s^2]."""

    def up_to(unit: str, text: str, most: float) -> Expr:
        return q(unit, text=text, start=most, tunable=True, least=0.01, most=most)

    return SphereParameters.with_quantities(
        sphere_velocity=up_to("rad/s", "largest spin", velocity),
        sphere_acceleration=up_to("rad/s^2", "largest angular acceleration", acceleration),
    )


class SphereState(Struct):
    """State between ticks."""

    started: Expr = q("-", text="0 before the first tick")
    reference: Reference = q(of=Reference, text="after the last tick")
    integral: Expr = q("rad s", 3, "of the orientation's error, in W")
    slip: Slip = q(of=Slip, rows=3, text="of each wheel")
    lost: Expr = q("-", text="1 since traction was lost, until a reset")
