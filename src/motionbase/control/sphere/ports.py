"""Ports that the parts of a sphere's control law share."""

from __future__ import annotations

from motionbase.compile import Layout, Port
from motionbase.compile.struct import MIXED

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


def parameters(velocity: float, acceleration: float) -> Layout:
    """Gains and thresholds, which people may tune; the numbers are choices of ours.

    Args:
        velocity, acceleration: the largest spin of the platform [rad/s], [rad/s^2]
    """
    return Layout(
        (
            Port("sphere_velocity", (), "rad/s", "largest spin", start=velocity, tunable=True, least=0.01,
                 most=velocity),
            Port(
                "sphere_acceleration", (), "rad/s^2", "largest angular acceleration", start=acceleration, tunable=True,
                least=0.01, most=acceleration,
            ),
            Port("sphere_chase", (), "1/s", "how fast a target is caught up with", start=6.0, tunable=True, least=0.5,
                  most=20.0),
            Port(
                "sphere_bandwidth", (), "rad/s", "of the orientation loop; all three gains follow from it", start=30.0,
                tunable=True, least=5.0, most=80.0,
            ),
            Port("slip_speed", (), "m/s", "of a roller over the sphere: more is slip", start=0.15, tunable=True,
                 least=0.01, most=1.0),
            Port("slip_time", (), "s", "slip for so long is told", start=0.03),
            Port("slip_lost", (), "s", "slip for so long is a loss of traction: the sphere is brought to rest",
                 start=0.25),
        )
    )  # fmt: skip


def state(wheels: int) -> Layout:
    """What goes from tick to tick."""
    return Layout(
        (
            Port("started", (), "-", "0 before the first tick"),
            Port("reference", 7, MIXED, "orientation that is followed, and its angular velocity in W", start=UPRIGHT),
            Port("integral", 3, "rad s", "of the orientation's error, in W"),
            Port("slip", (wheels, 2), MIXED, "filtered slip [m/s] of each wheel, how long it has lasted [s]"),
            Port("lost", (), "-", "1 since traction was lost, until a reset"),
        )
    )  # fmt: skip
