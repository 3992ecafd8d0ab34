"""A beam on a hub that spins (Simo & Vu-Quoc 1986): spun up it lags and swings, and ends stretched by its own mass."""

import math

from motionbase.multibody.beams import Profile, beam_chain, straight
from motionbase.multibody.body import ZERO, Body
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example

LENGTH, EA, GA, EI = 10.0, 2.8e7, 1e7, 1.4e4  # [m], [N], [N], [N m^2]
MASS, ROTARY = 1.2, 6e-4  # per length [kg/m], [kg m]
SPEED, RAMP = 6.0, 15.0  # [rad/s], reached within [s]
HUB = 1e8  # [kg m^2]: so heavy that a torque on it prescribes its angle


def rotating_beam(beams: int = 2) -> Model:
    """The hub turns about z and carries the beam along x; beams have three nodes each."""
    profile = Profile((EA, GA, GA, EI, EI, EI), MASS, (2 * ROTARY, ROTARY, ROTARY))
    line = straight((0.0, 0.0, 0.0), (LENGTH, 0.0, 0.0), 2 * beams + 1)
    chain = beam_chain("b", line, profile, nodes=3, parent="hub")
    hub = Body("hub", 1.0, ZERO, (HUB, HUB, HUB))
    joints = Joint("spin", GROUND, "hub", revolute()), *chain.joints
    return Model("rotating_beam", (hub, *chain.bodies), joints, ZERO, chain.beams)


def spin_up_torque(t: float) -> float:
    """On the hub [N m]: its angle is SPEED / RAMP (t^2 / 2 + (RAMP / 2 pi)^2 (cos(2 pi t / RAMP) - 1))."""
    return HUB * SPEED / RAMP * (1 - math.cos(2 * math.pi * t / RAMP)) if t < RAMP else 0.0


def steady_extension() -> float:
    """Of the tip at SPEED [m]: rho A Omega^2 L^3 / (3 EA), as long as it is small."""
    return MASS * SPEED**2 * LENGTH**3 / (3 * EA)


EXAMPLES = (
    Example(
        "rotating_beam",
        "a beam of exact elements on a hub at 6 rad/s, released without stretch",
        "Simo & Vu-Quoc 1986",
        rotating_beam,
        (
            "rotary inertia about the beam's axis is that of a round section",
            "a heavy hub takes the place of a prescribed angle, and the start is one without stretch",
        ),
        v0={"spin": SPEED},
    ),
)
