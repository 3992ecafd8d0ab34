"""The numbers of a washout: what they are, and how far they may be tuned."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Struct, q

SX = ca.SX
AXES6 = "surge, sway, heave, roll, pitch, yaw"


class Tuning(Struct):
    """One situation, in the air or on the ground. Axes are those of the vehicle before the filters, of W after them."""

    gain: SX = q("-", 6, f"of specific force and angular rate: {AXES6}", start=0.5, least=0, most=2, tunable=True)
    dead_band: SX = q(
        "m/s^2, rad/s", 6, "below which a signal counts as nothing", least=0, most=(*(2.0,) * 3, *(0.2,) * 3),
        tunable=True,
    )  # fmt: skip
    saturation: SX = q(
        "m/s^2, rad/s", 6, "largest scaled signal", start=(*(5.0,) * 3, *(0.6,) * 3), least=0.01,
        most=(*(50.0,) * 3, *(10.0,) * 3), tunable=True,
    )  # fmt: skip
    high_pass: SX = q(
        "rad/s", 6, "natural frequency of the second-order high-pass", start=1.0, least=(*(0.05,) * 3, *(0.0,) * 3),
        most=20, tunable=True,
    )  # fmt: skip
    damping: SX = q("-", 6, "its damping ratio", start=1.0, least=0.3, most=3, tunable=True)
    first_order: SX = q(
        "rad/s", 6, "corner of a further first-order high-pass, 0: none", least=0, most=20, tunable=True
    )
    tilt_gain: SX = q("-", 2, "of the tilt, on top of gain: along x, y", start=1.0, least=0, most=2, tunable=True)
    tilt_low_pass: SX = q(
        "rad/s", 2, "natural frequency of the tilt's low-pass", start=2.0, least=0.1, most=20, tunable=True
    )
    tilt_damping: SX = q("-", 2, "its damping ratio", start=1.0, least=0.3, most=3, tunable=True)
    tilt_most: SX = q("rad", text="largest tilt", start=0.3, least=0, most=0.7, tunable=True)
    tilt_rate: SX = q("rad/s", text="largest rate of the tilt", start=0.0523, least=0.001, most=1, tunable=True)
    tilt_acceleration: SX = q(
        "rad/s^2", text="largest acceleration of the tilt", start=0.2, least=0.01, most=10, tunable=True
    )
    pivot: SX = q(
        "-", text="point that the filters move: 0 centroid of the platform, 1 head", least=0, most=1, tunable=True,
        at_rest=True,
    )  # fmt: skip
    travel: SX = q(
        "-", 6, f"share of the platform's travel to each side that is used: {AXES6}", start=1.0, least=0.05, most=1,
        tunable=True,
    )  # fmt: skip
    braking: SX = q(
        "m/s^2, rad/s^2", 6, "deceleration at the end of the travel", start=(*(2.0,) * 3, *(1.5,) * 3), least=0.2,
        most=15, tunable=True,
    )  # fmt: skip
    leg_braking: SX = q("m/s^2", text="of a leg at the end of its stroke", start=3.0, least=0.2, most=15, tunable=True)
    margin: SX = q("m", text="of each stroke's ends that is never used", start=0.02, least=0, most=0.2, tunable=True)
    blend: SX = q(
        "s", text="time constant of the change to this situation", start=1.0, least=0.05, most=20, tunable=True
    )


class Adapting(Struct):
    """Weights of the adaptive washout's descent; thresholds are those of perception."""

    speed: SX = q("1/s", 6, f"of the descent: {AXES6}", start=1.0, least=0, most=20, tunable=True)
    way: SX = q(
        "1/m, 1/rad", 6, "cost of a displacement, in thresholds", start=(*(10.0,) * 3, *(20.0,) * 3), least=0, most=200,
        tunable=True,
    )  # fmt: skip
    rate: SX = q("s/m, s/rad", 6, "cost of its rate, in thresholds", start=5.0, least=0, most=200, tunable=True)
    keep: SX = q("-", 6, "cost of a gain that is not 1", start=5.0, least=0.01, most=100, tunable=True)


class Weighing(Struct):
    """Weights of the optimal washout's design, in thresholds of perception; fixed when a set is loaded.

    Three numbers are for surge and pitch, sway and roll, heave and yaw.
    """

    place: SX = q("1/m", 3, "of a displacement", start=(3.0, 3.0, 2.0), least=0, most=1e3)
    speed: SX = q("s/m", 3, "of its rate", start=(1.0, 1.0, 0.5), least=0, most=1e3)
    sum: SX = q("1/(m s)", 3, "of its integral", start=(1.0, 1.0, 0.5), least=1e-3, most=1e3)
    acceleration: SX = q("s^2/m", 3, "of the platform's acceleration", start=(0.5, 0.5, 0.3), least=1e-3, most=1e3)
    angle: SX = q("1/rad", 3, "of an angle", start=3.0, least=1e-3, most=1e3)
    rate: SX = q("s/rad", 3, "of its rate", start=8.0, least=1e-3, most=1e3)
    force_corner: SX = q(
        "rad/s", 3, "of the noise that stands for specific force", start=(1.5, 1.5, 3.0), least=0.01, most=100
    )
    rate_corner: SX = q("rad/s", 3, "of that for angular rate", start=3.0, least=0.01, most=100)


QUANTITIES = Tuning.layout.ports
