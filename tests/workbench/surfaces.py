"""Distances of parts in another way: whole surfaces, each pair by itself."""

import coal
import numpy as np

from motionbase.workbench.distance import surface_tree, transforms
from motionbase.workbench.geometry import FRAME, Geometry

Array = np.ndarray


def whole_surfaces(geometry: Geometry, p_W: Array, Q_WP: Array) -> Array:
    """(n, pairs) distances of whole parts as surfaces: no pieces, no bounds."""
    trees, where = [surface_tree(part.mesh) for part in geometry.parts], geometry.placed(p_W, Q_WP)
    frames = [FRAME[part.frame] for part in geometry.parts]
    request, found = coal.DistanceRequest(), np.empty((len(where), len(geometry.pairs)))
    for n in range(len(where)):
        T = transforms(where.R[n], where.p[n])
        for k, (i, j) in enumerate(geometry.pairs):
            found[n, k] = coal.distance(trees[i], T[frames[i]], trees[j], T[frames[j]], request, coal.DistanceResult())
    return found
