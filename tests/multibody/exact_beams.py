"""Chains of geometrically exact beams with known answers, shared by the tests of beams."""

from functools import cache
from typing import Literal

import numpy as np

from motionbase.multibody import Model
from motionbase.multibody.beams import Chain, Line, Profile, beam_chain, straight
from motionbase.multibody.elements import PointForce
from motionbase.multibody.network.static import Rest, static

Nodes = Literal[2, 3]


def slender(stiff: float = 1e8, rotary: float = 1e-6) -> Profile:
    """EI = GJ = 1 N m^2, 1 kg/m; stretch and shear are `stiff` [N], so that a metre of it is all but inextensible."""
    return Profile((stiff, stiff, stiff, 1.0, 1.0, 1.0), 1.0, (2 * rotary, rotary, rotary))


def loaded(line: Line, profile: Profile, nodes: Nodes) -> tuple[Chain, Model]:
    """A cantilever with a force and a moment at its tip as inputs."""
    chain = beam_chain("b", line, profile, nodes=nodes)
    elements = (*chain.beams, PointForce("load", chain.tip, moment=True))
    return chain, Model("cantilever", chain.bodies, chain.joints, (0.0, 0.0, 0.0), elements)


@cache
def elastica(beams: int, nodes: Nodes, load: float) -> Rest:
    """A metre of slender beam along x under a force along z at its tip."""
    count = beams * (nodes - 1) + 1
    _, model = loaded(straight((0, 0, 0), (1, 0, 0), count), slender(), nodes)
    return static(model, {"load_force": (0.0, 0.0, load)})


def tip(rest: Rest) -> np.ndarray:
    """(3,) where the last body of a model is."""
    return rest.position(rest.model.bodies[-1].name)
