"""Ports that the parts of a sphere's control law share."""

from __future__ import annotations

from motionbase.compile import Port
from motionbase.control.fields import MIXED, Field, Fields

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # at rest
DT = Port("dt", (), "s", "period of a tick")
Q_MEAS = Port("Q_WS", 4, "-", "measured orientation of the sphere, unit quaternion")
OMEGA_MEAS = Port("omega_S", 3, "rad/s", "measured angular velocity, in S")
A_STAGE = Port("a_stage", 3, "m/s^2", "acceleration of the sphere's mount, in W")
FOLLOW = Port("follow", (), "-", "1: the target; 0: to rest where it is")
ON = Port("on", (), "-", "1 where the motors may give torque")
RESET = Port("reset", (), "-", "1 for one tick to clear a loss of traction")
LOST = Port("lost", (), "-", "1 since traction was lost, until a reset")
GENTLY = Port("gently", (), "-", "part of the largest acceleration that may be used")
INTEGRAL = Port("integral", 3, "rad s", "of the error, in W")
ERROR = Port("error", 3, "rad", "rotation vector from the sphere to its reference, in W")
Q_TARGET = Port("Q_target", 4, "-", "orientation that is wanted, unit quaternion")
OMEGA_TARGET = Port("omega_target", 3, "rad/s", "its angular velocity, in W")
ALPHA_TARGET = Port("alpha_target", 3, "rad/s^2", "its angular acceleration, in W")
Q_REF = Port("Q_ref", 4, "-", "orientation that is followed, unit quaternion")
OMEGA_REF = Port("omega_ref", 3, "rad/s", "its angular velocity, in W")
ALPHA_REF = Port("alpha_ref", 3, "rad/s^2", "its angular acceleration, in W")


def parameters(velocity: float, acceleration: float) -> Fields:
    """Gains and thresholds, which people may tune; the numbers are choices of ours.

    Args:
        velocity, acceleration: the largest spin of the platform [rad/s], [rad/s^2]
    """
    return Fields(
        (
            Field("sphere_velocity", 1, "rad/s", "largest spin", velocity, tunable=True, least=0.01, most=velocity),
            Field(
                "sphere_acceleration", 1, "rad/s^2", "largest angular acceleration", acceleration, tunable=True,
                least=0.01, most=acceleration,
            ),
            Field("sphere_chase", 1, "1/s", "how fast a target is caught up with", 6.0, tunable=True, least=0.5,
                  most=20.0),
            Field(
                "sphere_bandwidth", 1, "rad/s", "of the orientation loop; all three gains follow from it", 30.0,
                tunable=True, least=5.0, most=80.0,
            ),
            Field("slip_speed", 1, "m/s", "of a roller over the sphere: more is slip", 0.15, tunable=True, least=0.01,
                  most=1.0),
            Field("slip_time", 1, "s", "slip for so long is told", 0.03),
            Field("slip_lost", 1, "s", "slip for so long is a loss of traction: the sphere is brought to rest", 0.25),
        )
    )  # fmt: skip


def state(wheels: int) -> Fields:
    """What goes from tick to tick."""
    return Fields(
        (
            Field("started", 1, "-", "0 before the first tick"),
            Field("reference", 7, MIXED, "orientation that is followed, and its angular velocity in W", UPRIGHT),
            Field("integral", 3, "rad s", "of the orientation's error, in W"),
            Field("slip", 2 * wheels, MIXED, "filtered slip [m/s] of each wheel, how long it has lasted [s]", 0.0, 2),
            Field("lost", 1, "-", "1 since traction was lost, until a reset"),
        )
    )  # fmt: skip
