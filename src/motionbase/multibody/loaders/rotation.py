"""Roll, pitch and yaw of file formats."""

import math

import numpy as np

from motionbase.arrays import Array


def R_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Rotation matrix of angles [rad]: yaw about z, then pitch about y, then roll about x; as in URDF."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
