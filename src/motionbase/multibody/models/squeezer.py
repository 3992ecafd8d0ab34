"""Andrews' squeezer: seven bodies with three loops that share a point, driven by a constant torque within 30 ms.

The body numbers K1 to K7, the angles and all constants are those of Schiehlen 1990 and of Hairer & Wanner, Solving
Ordinary Differential Equations II, VII.7; as in the test set of initial value problems there is no gravity.
"""

from motionbase.multibody.body import ZERO, Body, Vector
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.elements import Custom, PointSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example

A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)  # fixed points [m]
TORQUE = 0.033  # on the crank K1 [N m]
STIFFNESS, RELAXED = 4530.0, 0.07785  # of the spring from C to D on K3 [N/m], [m]

# name: mass [kg], moment of inertia about the centre of mass [kg m^2], centre of mass, far end [m]; all in the frame of
# the joint that carries the body
BODIES: dict[str, tuple[float, float, Vector, Vector]] = {
    "K1": (0.04325, 2.194e-6, (0.00092, 0.0, 0.0), (0.007, 0.0, 0.0)),
    "K2": (0.00365, 4.410e-7, (-0.0115, 0.0, 0.0), (-0.028, 0.0, 0.0)),
    "K3": (0.02373, 5.255e-6, (0.01874, -0.01043, 0.0), (0.0, -0.035, 0.0)),
    "K4": (0.00706, 5.667e-7, (0.0, -(0.02 - 0.01421), 0.0), (0.0, -0.02, 0.0)),
    "K5": (0.07050, 1.169e-5, (0.02308, 0.00916, 0.0), (0.04, 0.0, 0.0)),
    "K6": (0.00706, 5.667e-7, (0.02 - 0.01421, 0.0, 0.0), (0.02, 0.0, 0.0)),
    "K7": (0.05498, 1.912e-5, (0.00449, -0.01228, 0.0), (0.0, -0.04, 0.0)),
}
D = (0.02, -0.018, 0.0)  # of the spring, in K3 [m]

START = {
    "beta": -0.0617138900142764496358948458001, "theta": 0.0, "gamma": 0.455279819163070380255912382449,
    "delta": 0.487364979543842550225598953530, "phi": 0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568, "omega": -0.222668390165885884674473185609,
}  # fmt: skip
# At t = 0.03 s, from the test set of initial value problems (Mazzia & Magherini); there computed to about 14 digits.
REFERENCE = {
    "beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101,
    "phi": -0.5347301163226948, "delta": 0.5244099658805304, "omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}  # fmt: skip


def andrews() -> Model:
    """The crank K1 carries K2; K3, K4 on K5, and K6 on K7 all end at the far end of K2."""
    bodies = tuple(
        Body(name, mass, com, (J / 2, J / 2, J), {"end": end}) for name, (mass, J, com, end) in BODIES.items()
    )
    joints = (
        Joint("beta", GROUND, "K1", revolute()),
        Joint("theta", "K1", "K2", revolute(), "end"),
        Joint("gamma", GROUND, "K3", revolute(), B),
        Joint("phi", "K5", "K4", revolute(), "end"),
        Joint("delta", GROUND, "K5", revolute(), A),
        Joint("omega", "K7", "K6", revolute(), "end"),
        Joint("epsilon", GROUND, "K7", revolute(), A),
    )
    drive = Custom("drive", lambda _: [0, 0, TORQUE, 0, 0, 0], "K1")
    spring = PointSpring("spring", "K3", D, GROUND, C, STIFFNESS, length=RELAXED)
    loops = tuple(PointClosure(f"loop{name}", "K2", "end", name, "end") for name in ("K3", "K4", "K6"))
    return Model("andrews", bodies, joints, ZERO, (drive, spring), loops)


EXAMPLES = (
    Example(
        "andrews",
        "Andrews' squeezer: seven bodies, three loops, 15 rad of the crank in 30 ms",
        "Schiehlen 1990; Hairer & Wanner, Solving Ordinary Differential Equations II, VII.7; IVP test set",
        andrews,
        ("moments of inertia out of the plane, which no motion feels",),
        q0=START,
    ),
)
