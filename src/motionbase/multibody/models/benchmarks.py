"""Models for comparing this engine with others; their numbers are round and not those of a real machine."""

from collections.abc import Sequence

from motionbase.multibody.body import ZERO, Body, Vector
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, Link, X, Y, Z, chain

GRAVITY = (0.0, 0.0, -9.81)
SOURCE = "benchmark model of this project, shared by all engines compared"


def _chain(
    name: str,
    p: Sequence[Vector],
    axis: Sequence[Vector],
    m: Sequence[float],
    com: Sequence[Vector],
    I: Sequence[Vector],
) -> Model:
    """p: positions of the joints [m], m: masses [kg], com: centres of mass [m], I: principal moments [kg m^2]."""
    columns = enumerate(zip(p, axis, m, com, I, strict=True), start=1)
    return chain(name, [Link(f"j{k}", f"link{k}", *rest) for k, rest in columns], GRAVITY)


def arm7() -> Model:
    """A seven-joint arm of the Space Station arm's size."""
    return _chain(
        "arm7",
        ((0, 0, 0), (0.38, 0, 0), (0.635, 0, 0), (7.11, 0.504, 0), (7.11, -0.504, 0), (0.635, 0, 0), (0.38, 0, 0)),
        (X, Z, Y, Y, Y, Z, X),
        (106, 106, 315, 279, 106, 106, 316),
        ((0.19, 0, 0), (0.32, 0, 0), (3.55, 0.25, 0), (3.55, -0.25, 0), (0.32, 0, 0), (0.19, 0, 0), (0.6, 0, 0)),
        ((12.2, 12.1, 12.1), (12.1, 12.2, 12.1), (15.4, 2095, 2103), (9.5, 1966, 1966), (8.3, 3.1, 8),
         (12.1, 12.2, 12.1), (19.3, 54.4, 54.4)),
    )  # fmt: skip


def arm7_free() -> Model:
    """The same arm on a free-flying base of ten tonnes."""
    arm = arm7()
    base, fly = Body("base", 1e4, ZERO, (2e4, 2.5e4, 3e4)), Joint("flight", GROUND, "base", Free())
    joints = (Joint("j1", "base", "link1", arm.joints[0].motion), *arm.joints[1:])
    return Model("arm7_free", (base, *arm.bodies), (fly, *joints), GRAVITY)


def chain30() -> Model:
    """Thirty links with axes alternating between z and y."""
    return _chain(
        "chain30",
        ((0, 0, 0), *[(0.5, 0, 0)] * 29),
        (Z, Y) * 15,
        (2.0,) * 30,
        ((0.25, 0, 0),) * 30,
        ((0.01, 0.05, 0.05),) * 30,
    )


def robot6() -> Model:
    """A six-axis industrial robot; without its drives and friction."""
    return _chain(
        "robot6",
        ((0, 0, 0), (0.30, 0, 0.83), (0, 0, 0.70), (0.30, 0, 0.15), (0.70, 0, 0), (0.15, 0, 0)),
        (Z, Y, Y, X, Y, X),
        (220, 110, 130, 25, 12, 20),
        ((0.10, 0, 0.45), (0, 0, 0.33), (0.10, 0, 0.10), (0.30, 0, 0), (0.05, 0, 0), (0.10, 0, 0)),
        ((14, 15, 11), (8, 8.5, 1.6), (4, 6, 5), (0.15, 1.6, 1.6), (0.03, 0.05, 0.05), (0.20, 0.25, 0.25)),
    )


def _bent(joints: int) -> dict[str, float]:
    """A generic initial state, away from special configurations."""
    return {f"j{k}": 0.3 * (-1) ** k for k in range(1, joints + 1)}


EXAMPLES = (
    Example("arm7", "seven-joint arm under gravity", SOURCE, arm7, illustrative=True, q0=_bent(7)),
    Example("arm7_free", "seven-joint arm on a free base", SOURCE, arm7_free, illustrative=True, q0=_bent(7)),
    Example("chain30", "chain of thirty links", SOURCE, chain30, illustrative=True, q0=_bent(30)),
    Example("robot6", "six-axis industrial robot, passive", SOURCE, robot6, illustrative=True, q0=_bent(6)),
)
