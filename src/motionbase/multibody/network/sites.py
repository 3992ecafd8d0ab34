"""Where points of bodies are in a network: a node, and the place relative to it.

A rigid body is one node, at its centre of mass. A flexible body's node is its floating frame; each point that moves
with the deformation and to which something is attached is a node of its own, without mass, which the body holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.body import GROUND
from motionbase.multibody.lookup import Point
from motionbase.multibody.model import Model
from motionbase.multibody.network.bodies import NodeBody


class Site(NamedTuple):
    """A point of a body: its node (None for the ground) and its place relative to that, in the node's axes [m]."""

    node: int | None
    r: Array


@final
class Sites:
    """The nodes of a model; those of points of flexible bodies appear as something is attached to them.

    Attributes:
        model: whose bodies they are
        nodes: a node for each body, one for the ground if asked for, then points of flexible bodies as BODY.POINT
        ground: the ground's node, if it has one
    """

    def __init__(self, model: Model, ground_node: bool = False, massless: Sequence[str] = ()) -> None:
        left_out = {model.body(name).name for name in massless}
        self.model = model
        self.nodes = [
            NodeBody(body.name, 0.0, np.zeros(6), np.zeros(3)) if body.modes is not None
            else NodeBody(body.name, 0.0, np.zeros(6), np.asarray(body.com)) if body.name in left_out
            else NodeBody.of(body)
            for body in model.bodies
        ]  # fmt: skip
        self.ground: int | None = None
        if ground_node:
            self.ground = self._added(GROUND)

    def at(self, body: str, point: Point = (0.0, 0.0, 0.0)) -> Site:
        """A point of a body by its name or its coordinates in the body's frame, which deformation does not move."""
        if body == GROUND:
            return Site(self.ground, np.asarray(point, dtype=np.float64))
        own = self.model.body(body)
        if own.modes is not None and isinstance(point, str) and own.modes.points[point].moves:
            name = f"{body}.{point}"
            names = [node.name for node in self.nodes]
            return Site(names.index(name) if name in names else self._added(name), np.zeros(3))
        where = np.asarray(own.points[point] if isinstance(point, str) else point, dtype=np.float64)
        n = self.model.index[body]
        return Site(n, where - self.nodes[n].com)

    def points_of(self, body: str) -> dict[str, int]:
        """Points of a flexible body that are nodes, by name."""
        return {point: k for k, node in enumerate(self.nodes) for of, point in [point_of(node)] if of == body and point}

    def _added(self, name: str) -> int:
        self.nodes.append(NodeBody(name, 0.0, np.zeros(6), np.zeros(3)))
        return len(self.nodes) - 1


def point_of(node: NodeBody) -> tuple[str, str]:
    """Body and point of a node; no point for the node of the body itself."""
    body, _, point = node.name.partition(".")
    return body, point
