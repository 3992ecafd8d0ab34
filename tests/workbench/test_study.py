"""Answers to single questions, against what the rest of the workbench computes in other ways."""

import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.posture import DEFINITIONS, at_dof
from motionbase.workbench.requirements import SweptExtremes, legs_out
from motionbase.workbench.study import ClearanceStudy, ExtremesStudy, PoseStudy, TrajectoryStudy, WorkspaceStudy
from motionbase.workbench.surface import surface_at_attitude, surface_at_place
from motionbase.workbench.workspace import Workspace

SIMONA = load_platform("simona")
LIMITS = Thresholds()
PLACE = [0.1, 0.0, 0.2, 0.1, 0.0, 0.2]


def test_a_pose_has_the_rates_of_its_jacobian() -> None:
    """Pure translation, so that rates of Euler angles and angular velocity cannot be confused."""
    found = at_dof(SIMONA, PLACE)
    study = PoseStudy.of(SIMONA, found, "characteristic", [0.3, -0.2, 0.1, 0, 0, 0])
    J = compile(Kinematics(SIMONA).jacobian)(p_W=found.p_W[0], Q_WP=found.Q_WP[0])
    assert study.leg_rates is not None
    np.testing.assert_allclose(study.leg_rates, J @ [0, 0, 0, 0.3, -0.2, 0.1], rtol=1e-12)
    assert study.dexterities == {one: float(at_dof(SIMONA, PLACE, one).dexterity[0]) for one in DEFINITIONS}
    facts = json.loads(json.dumps(study.facts()))
    assert facts["l_dot"] == [study.leg_rates.tolist()] and facts["condition"] == [study.condition]
    assert PoseStudy.of(SIMONA, found, "raw").facts()["l_dot"] == [None]


def test_the_extremes_are_those_that_were_swept(extremes: SweptExtremes) -> None:
    study = ExtremesStudy.of(SIMONA, "characteristic", limits=LIMITS)
    assert study.clearances == extremes.clearance_rows(LIMITS)
    np.testing.assert_array_equal(study.reached, extremes.numbers)
    least, where = study.least_dexterity
    worst = int(np.argmin(extremes.postures.dexterity))
    assert least == pytest.approx(extremes.postures.dexterity[worst], abs=1e-12)
    assert where in {legs_out(int(n)) for n in extremes.numbers} and least < study.neutral_dexterity
    rod = study.needs["rod rotation"]
    assert np.radians(rod["degrees"]) == pytest.approx(np.abs(extremes.postures.rotation).max())
    assert study.facts(LIMITS)["warn_m"] == LIMITS.warn
    assert "warn_m" not in ExtremesStudy.of(SIMONA, "characteristic").facts(LIMITS)


def test_clearances_at_a_pose(simona: Clearance) -> None:
    at = at_dof(SIMONA, PLACE)
    study = ClearanceStudy.of(SIMONA, at, LIMITS, 3)
    assert [gap.distance for gap in study.gaps] == [gap.distance for gap in simona.at(at.p_W, at.Q_WP, 3)]
    assert study.verdict == LIMITS.verdict(study.gaps[0].distance) and len(study.facts()["pairs"]) == 3
    (one,) = ClearanceStudy.of(SIMONA, at, LIMITS, 3, ("rod 1", "cylinder 2")).gaps
    assert one.distance == simona.between("rod 1", "cylinder 2", at.p_W, at.Q_WP).distance


def test_a_trajectory_and_its_worst_moment(tmp_path: Path, simona: Clearance) -> None:
    """Each moment measured by itself."""
    t = np.linspace(0, 1, 5)
    rows = np.column_stack([t, np.outer(t, [0.3, 0, -0.3, 0, 0.1, 0.2])])
    demand = tmp_path / "demand.csv"
    lines = ["t,surge,sway,heave,roll,pitch,yaw", *(",".join(f"{x:.17g}" for x in row) for row in rows)]
    demand.write_text("\n".join(lines) + "\n")
    out, given = tmp_path / "out.csv", (SIMONA, demand)
    study = TrajectoryStudy.written(
        *given, out, "legs", "characteristic", LIMITS, clearances=True, force=False
    )  # fmt: skip
    found = at_dof(SIMONA, rows[:, 1:])
    assert study.least_dexterity == pytest.approx(found.dexterity.min(), abs=1e-12) and out.exists()
    each = [simona.at(found.p_W[k], found.Q_WP[k], 1)[0].distance for k in range(5)]
    assert study.worst is not None
    gap, when = study.worst
    assert gap.distance == pytest.approx(min(x for x in each if x is not None), abs=1e-9)
    assert when == t[int(np.argmin(np.array(each, dtype=np.float64)))]
    near = study.facts()["clearance"]["worst"]
    assert (near["t"], near["distance_m"]) == (when, gap.distance)
    plain = TrajectoryStudy.written(
        *given, tmp_path / "plain.csv", "legs", "characteristic", LIMITS, clearances=False, force=False
    )  # fmt: skip
    assert plain.worst is None and "clearance" not in plain.facts()


def test_a_workspace_with_its_progress() -> None:
    space, done = Workspace.of(SIMONA), list[float]()
    level = WorkspaceStudy.at_attitude(space, (0, 0, 0), rows=4, union=True, progress=done.append)
    np.testing.assert_array_equal(level.found.reach, surface_at_attitude(space, rows=4).reach)
    assert level.union is not None and level.union.volume > level.found.volume
    assert done == sorted(done) and 0 < done[0] < done[-1] <= 1
    turns = WorkspaceStudy.at_place(space, (0, 0, 0.1), rows=4, progress=lambda part: None)
    p = np.asarray(SIMONA.p_neutral) + (0, 0, 0.1)
    np.testing.assert_array_equal(turns.found.reach, surface_at_place(space, p, rows=4).reach)
    short, whole = level.facts(), level.facts(whole=True)
    assert short["stop_m"] is None and turns.facts()["any_attitude"] is None
    assert whole["surface"] == level.found.facts() and short["surface"] == level.found.summary()
