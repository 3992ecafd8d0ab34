"""Small models with known answers: pendulums and a spinning top."""

import math

from motionbase.multibody.joints import Spherical
from motionbase.multibody.model import Model
from motionbase.multibody.models.example import Example, Link, X, Y, chain

G = (0.0, 0.0, -9.80665)  # standard gravity [m/s^2]


def pendulum(length: float = 0.75, mass: float = 1.0) -> Model:
    """A point mass on a rod without mass, hanging down at zero and swinging about y."""
    return chain("pendulum", [Link("pivot", "bob", (0, 0, 0), Y, mass, (0, 0, -length), (0, 0, 0))], G)


def two_link(l1: float = 1.0, l2: float = 0.8, m1: float = 4.0, m2: float = 3.0) -> Model:
    """Craig's two-link arm: point masses at the far ends of both links, in the x-z plane with gravity along -z.

    The axes are -y, so positive angles lift the arm from the horizontal, as in the book's figure.
    """
    down = (0.0, -1.0, 0.0)
    links = [
        Link("shoulder", "upper", (0, 0, 0), down, m1, (l1, 0, 0), (0, 0, 0), {"tip": (l1, 0, 0)}),
        Link("elbow", "fore", (l1, 0, 0), down, m2, (l2, 0, 0), (0, 0, 0), {"tip": (l2, 0, 0)}),
    ]
    return chain("two_link", links, G)


def top(mass: float = 0.5, height: float = 0.1, axial: float = 5e-4, transverse: float = 8e-4) -> Model:
    """A symmetric top on a fixed point; its axis is z, its inertia [kg m^2] about the centre of mass."""
    inertia = (transverse, transverse, axial)
    return chain("top", [Link("tip", "top", (0, 0, 0), Spherical(), mass, (0, 0, height), inertia)], G)


TILT = math.radians(20.0)

EXAMPLES = (
    Example(
        "pendulum",
        "point mass on a rod, released from 2 rad",
        "textbook; the period is an elliptic integral",
        pendulum,
        q0={"pivot": 2.0},
    ),
    Example(
        "two_link",
        "double pendulum: an arm of two links with point masses",
        "equations: Craig, Introduction to Robotics; masses and lengths are ours",
        two_link,
        q0={"shoulder": 0.3, "elbow": 0.5},
        illustrative=True,
    ),
    Example(
        "top",
        "symmetric spinning top on a fixed point",
        "textbook (Goldstein, Classical Mechanics); mass and inertia are ours",
        top,
        q0={"tip": (math.cos(TILT / 2), X[0] * math.sin(TILT / 2), 0.0, 0.0)},
        v0={"tip.wz": 250.0},
        illustrative=True,
    ),
)
