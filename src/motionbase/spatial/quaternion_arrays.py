"""Operations on arrays of quaternions in NumPy: the last axis is the quaternion wxyz."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array


def quaternion_products(p: Array, q: Array) -> Array:
    """Q_ac = Q_ab * Q_bc, element by element; leading axes broadcast."""
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    w = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([w, pw * qv + qw * pv + np.cross(pv, qv)], axis=-1)
