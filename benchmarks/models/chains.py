"""Chains of revolute joints that every engine is given: a seven-joint arm, the same on a free base, thirty joints."""

from dataclasses import dataclass

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.joints import Free, revolute

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Link:
    """A link and its joint; frames align with the parent's at q = 0."""

    position: Vector
    axis: Vector
    mass: float
    com: Vector
    inertia: Vector


@dataclass(frozen=True)
class Chain:
    """Links from the base on; a free base is a link without a joint axis."""

    name: str
    links: tuple[Link, ...]
    free_base: Link | None = None

    def model(self) -> Model:
        """The chain as one of our models."""
        bodies, joints, parent = [], [], GROUND
        if self.free_base:
            bodies.append(Body("base", self.free_base.mass, self.free_base.com, self.free_base.inertia))
            joints.append(Joint("base_joint", GROUND, "base", Free()))
            parent = "base"
        for k, link in enumerate(self.links, start=1):
            bodies.append(Body(f"link{k}", link.mass, link.com, link.inertia))
            joints.append(Joint(f"joint{k}", parent, f"link{k}", revolute(link.axis), link.position))
            parent = f"link{k}"
        return Model(self.name, tuple(bodies), tuple(joints))


_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# proportions of the space station's arm; the numbers are those all engines were measured with
ARM7 = Chain(
    "arm7",
    (
        Link((0.0, 0.0, 0.0), _X, 106.0, (0.19, 0.0, 0.0), (12.2, 12.1, 12.1)),
        Link((0.38, 0.0, 0.0), _Z, 106.0, (0.32, 0.0, 0.0), (12.1, 12.2, 12.1)),
        Link((0.635, 0.0, 0.0), _Y, 315.0, (3.55, 0.25, 0.0), (15.4, 2095.0, 2103.0)),
        Link((7.11, 0.504, 0.0), _Y, 279.0, (3.55, -0.25, 0.0), (9.5, 1966.0, 1966.0)),
        Link((7.11, -0.504, 0.0), _Y, 106.0, (0.32, 0.0, 0.0), (8.3, 3.1, 8.0)),
        Link((0.635, 0.0, 0.0), _Z, 106.0, (0.19, 0.0, 0.0), (12.1, 12.2, 12.1)),
        Link((0.38, 0.0, 0.0), _X, 316.0, (0.6, 0.0, 0.0), (19.3, 54.4, 54.4)),
    ),
)
ARM7_FREE = Chain("arm7_free", ARM7.links, Link((0.0, 0.0, 0.0), _Z, 1e4, (0.0, 0.0, 0.0), (2e4, 2.5e4, 3e4)))
CHAIN30 = Chain(
    "chain30",
    tuple(
        Link((0.5 if k else 0.0, 0.0, 0.0), _Y if k % 2 else _Z, 2.0, (0.25, 0.0, 0.0), (0.01, 0.05, 0.05))
        for k in range(30)
    ),
)
