"""Mechanisms of the IFToMM library of computational benchmark problems: singular, over-constrained, stiff."""

import math

from motionbase.errors import ModelError
from motionbase.multibody.body import Body, Vector
from motionbase.multibody.closures import PointClosure, RevoluteClosure
from motionbase.multibody.elements import PointSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, X, Y, Z
from motionbase.multibody.models.mechanisms import GRAVITY, bar

SOURCE = "IFToMM library of computational benchmark problems; Gonzalez et al. 2006"


def n_four_bar(loops: int = 2) -> Model:
    """Cranks of 1 m on the ground every metre, and couplers of 1 m between their tips; every bar has 1 kg.

    All cranks stay parallel, so it moves as one pendulum. When they lie flat it could fold in other ways: it has
    `loops` + 1 degrees of freedom there instead of one.
    """
    if not isinstance(loops, int) or isinstance(loops, bool) or loops < 1:
        raise ModelError(f"n_four_bar: loops is {loops!r}, a whole number from 1 is wanted")
    cranks = [bar(f"crank{k}", 1.0, 1.0) for k in range(loops + 1)]
    couplers = [bar(f"coupler{k}", 1.0, 1.0) for k in range(1, loops + 1)]
    joints = [Joint(f"j_crank{k}", GROUND, f"crank{k}", revolute(), (float(k), 0.0, 0.0)) for k in range(loops + 1)]
    joints += [Joint(f"j_coupler{k}", f"crank{k - 1}", f"coupler{k}", revolute(), "tip") for k in range(1, loops + 1)]
    closures = tuple(PointClosure(f"loop{k}", f"coupler{k}", "tip", f"crank{k}", "tip") for k in range(1, loops + 1))
    name = "double_four_bar" if loops == 2 else "n_four_bar"
    return Model(name, (*cranks, *couplers), tuple(joints), GRAVITY, closures=closures)


def upright(loops: int) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and speeds: cranks upright, their tips at 1 m/s along x."""
    q = {f"j_crank{k}": math.pi / 2 for k in range(loops + 1)}
    q |= {f"j_coupler{k}": -math.pi / 2 for k in range(1, loops + 1)}
    return q, {name: math.copysign(1.0, -angle) for name, angle in q.items()}


def five_four_bars() -> Model:
    """Five loops, eleven bars."""
    return n_four_bar(5)


# Six bars along the edges of a cube, the last being the ground; each hinge is square to both bars it joins.
CORNERS: tuple[Vector, ...] = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
HINGES = (Y, Z, X, Y, Z, X)
WIDTH = 0.1  # of the square bars [m]


def bricard() -> Model:
    """Bricard's mechanism: five bars of 1 m and 1 kg and six hinges; by counting it could not move, yet it does."""
    bodies, joints = [], []
    for k in range(5):
        along = tuple(b - a for a, b in zip(CORNERS[k], CORNERS[k + 1], strict=True))
        across, axial = (1 + WIDTH**2) / 12, WIDTH**2 / 6
        inertia = tuple(axial if part else across for part in along)
        end = (float(along[0]), float(along[1]), float(along[2]))
        middle = (end[0] / 2, end[1] / 2, end[2] / 2)
        bodies.append(Body(f"bar{k + 1}", 1.0, middle, (inertia[0], inertia[1], inertia[2]), {"end": end}))
        parent, at = (f"bar{k}", "end") if k else (GROUND, CORNERS[0])
        joints.append(Joint(f"hinge{k + 1}", parent, f"bar{k + 1}", revolute(HINGES[k]), at))
    close = RevoluteClosure("hinge6", "bar5", "end", GROUND, CORNERS[5], axis_a=HINGES[5], axis_b=HINGES[5])
    return Model("bricard", tuple(bodies), tuple(joints), GRAVITY, closures=(close,))


BALL, DENSITY, BREADTH, EDGE = 5.0, 3000.0, 0.01, 0.1  # [kg], [kg/m^3], of shaft and rods [m], of the slider [m]
COUPLER_STIFFNESS, COUPLER_DAMPING, COUPLER_LENGTH = 8e5, 4e4, 0.5  # [N/m], [N s/m], [m]


def flyball_governor() -> Model:
    """A shaft with two rods that carry balls, and a slider hung from the rods by stiff spring-dampers.

    Shaft and rods are 1 m long. The rods hang from pins 0.05 m beside the top of the shaft; at zero they stand out
    level, and positive angles lower them.
    """
    rod, side = DENSITY * BREADTH**2, EDGE / 2
    mass, com = rod + BALL, (0.5 * rod + BALL) / (rod + BALL)
    across = rod * (1 + BREADTH**2) / 12 + rod * (com - 0.5) ** 2 + BALL * (1 - com) ** 2
    axial = rod * BREADTH**2 / 6
    slider, shaft = DENSITY * EDGE**3, rod * (1 + BREADTH**2) / 12
    J = slider * EDGE**2 / 6
    bodies, joints, springs = [Body("shaft", rod, (0, 0, 0.5), (shaft, shaft, axial))], [], []
    bodies.append(Body("slider", slider, inertia=(J, J, J), points={"left": (side, 0, 0), "right": (-side, 0, 0)}))
    joints.append(Joint("spin", GROUND, "shaft", revolute(Z)))
    joints.append(Joint("height", "shaft", "slider", prismatic(Z)))
    for name, sign in (("left", 1.0), ("right", -1.0)):
        bodies.append(Body(f"{name}_rod", mass, (sign * com, 0, 0), (axial, across, across), {"mid": (sign / 2, 0, 0)}))
        joints.append(Joint(name, "shaft", f"{name}_rod", revolute((0.0, sign, 0.0)), (sign * side, 0.0, 1.0)))
        springs.append(
            PointSpring(
                f"{name}_coupler", "slider", name, f"{name}_rod", "mid",
                COUPLER_STIFFNESS, COUPLER_DAMPING, COUPLER_LENGTH,
            )
        )  # fmt: skip
    return Model("flyball_governor", tuple(bodies), tuple(joints), (0.0, 0.0, -9.81), tuple(springs))


EXAMPLES = (
    Example(
        "double_four_bar",
        "two four-bars side by side, passing singular positions when they lie flat",
        SOURCE,
        n_four_bar,
        ("bars are slender; moments of inertia out of the plane, which no motion feels",),
        q0=upright(2)[0],
        v0=upright(2)[1],
    ),
    Example(
        "n_four_bar",
        "five four-bars side by side; Python takes any number, n_four_bar(loops)",
        SOURCE,
        five_four_bars,
        ("bars are slender; moments of inertia out of the plane, which no motion feels",),
        q0=upright(5)[0],
        v0=upright(5)[1],
    ),
    Example(
        "bricard",
        "Bricard's mechanism: over-constrained, six hinges in one loop that moves",
        SOURCE,
        bricard,
        q0={"hinge1": 0.0},
    ),
    Example(
        "flyball_governor",
        "Watt's governor with couplers that are stiff spring-dampers",
        SOURCE,
        flyball_governor,
        ("it starts at 2 pi rad/s, as in the version for OpenSim; others start at 0.16 of that",),
        q0={"height": 0.5, "left": math.radians(30.0), "right": math.radians(30.0)},
        v0={"spin": 2 * math.pi},
    ),
)
