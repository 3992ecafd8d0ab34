"""The union over all attitudes holds that of every single one."""

import numpy as np

from motionbase.platform.load import load_platform
from motionbase.workbench.any_attitude import reachable_surface
from motionbase.workbench.surface import surface_at_attitude
from motionbase.workbench.workspace import Workspace

SIMONA = load_platform("simona")
SPACE = Workspace(SIMONA)


def test_any_attitude_holds_every_attitude() -> None:
    """Every end is reachable, nothing is beyond the longest leg, and no single attitude gets further."""
    found, level = reachable_surface(SPACE, rows=6), surface_at_attitude(SPACE, rows=6)
    p = found.centre + found.reach[:, None] * found.grid.directions
    assert SPACE.margins(p, found.Q_WP).reachable.all()
    assert np.all(np.linalg.norm(p, axis=1) <= SIMONA.stroke.l_max)  # p is the mean of the legs' vectors
    step = SIMONA.stroke.l_max / 60 / 2**10  # what the last halving leaves
    assert np.all(found.reach >= level.reach - step) and found.volume > 1.5 * level.volume
    for Q in ([np.cos(0.1), np.sin(0.1), 0, 0], [np.cos(0.2), 0, 0, np.sin(0.2)]):
        assert np.all(found.reach >= surface_at_attitude(SPACE, Q, rows=6).reach - 5e-3)  # a local search
    assert "interpolated" in found.notes[0]
