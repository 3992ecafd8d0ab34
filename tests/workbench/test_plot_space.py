"""The picture of the worst pose."""

import numpy as np
from mpl_toolkits.mplot3d import Axes3D, proj3d  # type: ignore[import-untyped]

from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.plot_space import _triangles, scene_figure
from motionbase.workbench.requirements import swept_extremes


def test_the_worst_pose_is_whole_and_its_detail_framed() -> None:
    """Every corner of every part is inside the picture, and the detail has a frame, which cuts it."""
    simona = load_platform("simona")
    clearance = Clearance(geometry_of(simona))
    found = swept_extremes(simona, clearance)
    worst = found.clearances.least
    assert worst is not None
    number = int(found.numbers[worst.pose])
    pose = found.extremes.p_W[number], found.extremes.Q_WP[number]
    figure = scene_figure(clearance.geometry, *pose, worst.gap, "", "derived")
    figure.canvas.draw()
    whole = figure.axes[0]
    assert isinstance(whole, Axes3D)
    corners = _triangles(clearance.geometry, *pose, worst.gap, "derived")[0].reshape(-1, 3)
    x, y, _ = proj3d.proj_transform(*corners.T, whole.get_proj())
    pixels = whole.transData.transform(np.column_stack([x, y]))
    box = whole.get_window_extent()
    assert box.x0 < pixels[:, 0].min() and pixels[:, 0].max() < box.x1
    assert box.y0 < pixels[:, 1].min() and pixels[:, 1].max() < box.y1
    assert len(figure.patches) == 1
