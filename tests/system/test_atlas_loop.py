"""Sphere and stage together: generators and host in two, states, stops, slip; and the record."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.load import load_platform
from motionbase.platform.ready_sets import ready_sets
from motionbase.record.faults import SPHERE_WARNINGS, WARNINGS
from motionbase.record.sphere import sphere_schema
from motionbase.record.states import Request, State
from motionbase.system.atlas_loop import AtlasLoop
from motionbase.system.runs import Run, Runner, Scenario

ATLAS = load_atlas("atlas")
STAGE = load_platform(ATLAS.stage)
CHANNELS = tuple(c.name for c in sphere_schema(3).channels)


@cache
def runner() -> Runner:
    return Runner(AtlasLoop.of(ATLAS, STAGE, CHANNELS), ("l",))


@cache
def standing() -> dict[str, Any]:
    """In standby, sphere upright."""
    run = runner().run(Scenario(automatic=True, automatic_until=8.0), 12.0, every=100)
    assert run["state"][-1] == State.STANDBY and set(run["fault"]) == {0.0}
    return run.end


def driven(name: str, seconds: float, **options: Any) -> Run:
    values = np.array(ready_sets(STAGE, ATLAS)[name].values)
    return runner().run(Scenario(settings=values, **options), seconds, standing(), every=10)


def hosted(pose: list[float], seconds: float, *, point: str = "centre") -> Run:
    """A host that stands at a pose from neutral."""
    frame = np.zeros((3, 6))
    frame[0] = pose
    loop = AtlasLoop.of(ATLAS, STAGE, CHANNELS, point=point) if point != "centre" else None
    used = runner() if loop is None else Runner(loop, ("l",))
    return used.run(Scenario(host=lambda t: frame), seconds, standing(), every=10)


def test_turning_generators_turn_the_sphere_and_leave_the_stage_level() -> None:
    run = driven("tumble", 12.0)
    assert run["state"][-1] == State.DRIVE and set(run["fault"]) == {0.0}
    turned = np.ptp(run["sphere_yaw"]), np.ptp(run["sphere_roll"]), np.ptp(run["sphere_pitch"])
    assert min(turned) > 0.3
    for tilt in ("roll", "pitch", "yaw"):
        assert np.abs(run[f"pose_meas_{tilt}"]).max() < 1e-3
        np.testing.assert_array_equal(run[f"gen_{tilt}"], 0.0)
    assert np.ptp(run["pose_meas_heave"]) > 0.02
    drives = run["state"] == State.DRIVE
    assert run["sphere_error"][drives][200:].max() < 1e-3


def test_settling_brings_the_sphere_upright_again() -> None:
    run = driven("tumble", 26.0, automatic=False, requests={12.5: Request.DRIVE, 18.0: Request.SETTLE})
    assert run["state"][-1] == State.STANDBY
    assert abs(run["sphere_q_w"][-1]) > 1 - 1e-9
    assert np.abs(run["sphere_q_w"]).min() < 0.99


def test_an_emergency_stop_brings_the_sphere_to_rest_where_it_is() -> None:
    run = driven("tumble", 12.0, estop_at=18.0)
    omega = np.column_stack([run[f"sphere_omega_{a}"] for a in "xyz"])
    before = np.linalg.norm(omega[run.t < 18.0], axis=1)[-1]
    assert before > 0.1
    after = np.linalg.norm(omega[run.t > 18.5], axis=1)  # braking takes a tenth of a second, the rest is settling
    assert after.max() < 1e-3
    assert abs(run["sphere_q_w"][-1]) < 1 - 1e-4


def test_a_host_gets_its_turn_from_the_sphere_and_its_place_from_the_stage() -> None:
    run = hosted([0.05, -0.03, 0.02, 0.2, -0.1, 0.3], 8.0)
    for axis, wanted in (("surge", 0.05), ("sway", -0.03), ("heave", 0.02), ("roll", 0), ("pitch", 0), ("yaw", 0)):
        assert run[f"pose_meas_{axis}"][-1] == pytest.approx(wanted, abs=1e-4)
    for axis, wanted in (("roll", 0.2), ("pitch", -0.1), ("yaw", 0.3)):
        assert run[f"sphere_{axis}"][-1] == pytest.approx(wanted, abs=1e-4)


def test_a_hosts_head_stays_where_the_host_wants_it() -> None:
    """The stage takes back what the turning carries the head along: p_stage = p_host - (R - 1) r."""
    yaw = 0.3
    run = hosted([0, 0, 0, 0, 0, yaw], 8.0, point="head")
    r = np.asarray(ATLAS.points["head"])
    R = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    moved = -(R - np.eye(3)) @ r
    found = [run[f"pose_meas_{axis}"][-1] for axis in ("surge", "sway", "heave")]
    np.testing.assert_allclose(found, moved, atol=2e-4)
    assert np.linalg.norm(moved) > 0.05


def test_lost_traction_freezes_the_stage_and_is_told() -> None:
    oil = {"friction_scale": np.full(3, 0.02)}
    run = driven("tumble", 8.0, inputs=oil)
    assert run["state"][-1] == State.FREEZE
    bits = {name: 1 << (len(WARNINGS) + k) for k, name in enumerate(SPHERE_WARNINGS)}
    last = int(run["warning"][-1])
    assert last & bits["sphere has lost traction"]
    assert any(int(w) & bits["sphere slips"] for w in run["warning"])


def test_the_sphere_presses_on_its_stage() -> None:
    """Legs carry the same weight whatever the sphere does at rest: it is in the stage's payload already."""
    run = runner().run(Scenario(automatic=False), 0.5, standing(), every=10)
    up = np.sum([run[f"leg{k}_f_meas"] for k in range(1, 7)], axis=0)
    assert np.ptp(up) < 0.02 * abs(up.mean())
    normals = sum(run[f"wheel{k}_normal"][-1] for k in (1, 2, 3))
    assert normals == pytest.approx(3 * 8210, rel=0.02)  # 1,845 lb each at rest, docs/atlas.md


def test_the_record_has_a_channel_for_everything() -> None:
    schema = sphere_schema(3)
    assert len(set(CHANNELS)) == len(CHANNELS) == 178 + 23 + 3 * 7
    assert schema.channels[schema.index["warning"]].bits == (*WARNINGS, *SPHERE_WARNINGS)
    assert isinstance(ATLAS, Atlas) and sphere_schema(4).index["wheel4_grip"] == len(CHANNELS) + 6
