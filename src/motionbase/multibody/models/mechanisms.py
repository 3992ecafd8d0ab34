"""Planar mechanisms with one loop; their numbers are round and not those of a real machine."""

from motionbase.multibody.body import Body
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, X

GRAVITY = (0.0, -9.81, 0.0)  # they lie in the x-y plane
CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.7  # lengths of the four-bar [m]: the crank turns full circles
RADIUS, ROD = 0.2, 0.7  # of the slider-crank [m]


def bar(name: str, length: float, mass: float) -> Body:
    """A slender bar along x, with a point `tip` at its end."""
    J = mass * length**2 / 12
    return Body(name, mass, (length / 2, 0.0, 0.0), (1e-3 * J, J, J), points={"tip": (length, 0.0, 0.0)})


def four_bar() -> Model:
    """Crank and rocker on the ground, coupler on the crank, closed at the rocker's tip."""
    joints = (
        Joint("j_crank", GROUND, "crank", revolute()),
        Joint("j_coupler", "crank", "coupler", revolute(), "tip"),
        Joint("j_rocker", GROUND, "rocker", revolute(), (BASE, 0.0, 0.0)),
    )
    bodies = bar("crank", CRANK, 1.0), bar("coupler", COUPLER, 2.0), bar("rocker", ROCKER, 1.5)
    return Model(
        "four_bar", bodies, joints, GRAVITY, closures=(PointClosure("loop", "coupler", "tip", "rocker", "tip"),)
    )


def slider_crank() -> Model:
    """Crank, rod on its tip, and a slider along x, closed by a pin."""
    joints = (
        Joint("j_crank", GROUND, "crank", revolute()),
        Joint("j_rod", "crank", "rod", revolute(), "tip"),
        Joint("j_slider", GROUND, "slider", prismatic(X)),
    )
    bodies = bar("crank", RADIUS, 1.0), bar("rod", ROD, 2.0), Body("slider", 3.0, inertia=(0.1, 0.1, 0.1))
    return Model("slider_crank", bodies, joints, GRAVITY, closures=(PointClosure("pin", "rod", "tip", "slider"),))


EXAMPLES = (
    Example(
        "four_bar",
        "a crank-rocker closed by a pin, turning freely",
        "a textbook mechanism with round numbers of this project",
        four_bar,
        illustrative=True,
        q0={"j_crank": 0.5, "j_coupler": 0.02117, "j_rocker": 1.12803},
        v0={"j_crank": 8.0},
    ),
    Example(
        "slider_crank",
        "a crank, a rod and a slider closed by a pin, turning freely",
        "a textbook mechanism with round numbers of this project",
        slider_crank,
        illustrative=True,
        q0={"j_crank": 0.5, "j_rod": -0.63741, "j_slider": 0.86892},
        v0={"j_crank": 10.0},
    ),
)
