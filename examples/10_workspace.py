"""Reach of a platform, what limits it, and which of its parts come close to each other.

The platform is the preset `simona`; `motionbase kinematics report simona --out report.html` shows everything at once.
The page is docs/kinematics.md.
"""

import numpy as np

from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.requirements import swept_extremes
from motionbase.workbench.singular import worst_pose
from motionbase.workbench.surface import surface_at_attitude, surface_at_place
from motionbase.workbench.workspace import Workspace

SIMONA = load_platform("simona")


def main() -> None:
    """Workspace without rotation, rotation without translation, the 64 extremes, and the worst pose."""
    space = Workspace(SIMONA, thickness=0.07)
    reach, turns = surface_at_attitude(space, rows=16), surface_at_place(space, rows=16)
    ends = ", ".join(f"{name} {share:.0%}" for name, share in reach.shares.items())
    print(f"without turning: {reach.volume:.2f} m^3; rays end by: {ends}")
    least, most = np.degrees([turns.extreme(False)[0], turns.extreme(True)[0]])
    print(f"at neutral it turns {least:.1f} to {most:.1f} degrees, as the axis is")

    found = swept_extremes(SIMONA, Clearance(geometry_of(SIMONA)))
    for joint, need in found.largest.items():
        print(f"{joint}: {np.degrees(need.largest):.1f} degrees over the 64 extremes")
    near = found.clearance_rows(Thresholds())[0]
    print(f"nearest parts: {near['first']} and {near['second']}, {near['at']}: {near['verdict']}")
    print(worst_pose(SIMONA, samples=500).sentence)


if __name__ == "__main__":
    main()
