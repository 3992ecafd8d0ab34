"""Sets of generators that come with each platform: they move it, and exceed none of its limits."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.console.api.judge import Judge
from motionbase.console.api.preview import preview
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.load import PRESETS, load_platform
from motionbase.platform.ready_sets import (
    GENTLE,
    GENTLE_HZ,
    IDENTIFY,
    IDENTIFY_SLOW_HZ,
    IDENTIFY_SLOW_SPEED,
    largest_sine,
    ready_sets,
)
from motionbase.record.axes import DOFS
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator, Shape, Space
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.sphere import sphere_schema
from motionbase.record.states import State
from motionbase.system.atlas_loop import AtlasLoop
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario
from tests.tier import some_of

SECONDS = 120.0  # the tour takes 78 s
KINDS = ("simona", "emotion-1500", "atlas")  # hydraulic, electric, with a sphere; the others with --all


@pytest.mark.parametrize("name", PRESETS)
def test_no_limit_of_any_preset_is_exceeded(name: str) -> None:
    judge = Judge(load_platform(name))
    for wanted in ready_sets(judge.platform).values():
        found = preview(wanted, SECONDS, judge)
        assert found.exceeded == [], wanted.name
        assert found.text == "within all limits in the first 120 s"


@pytest.mark.parametrize("name", PRESETS)
def test_they_move_what_they_say(name: str) -> None:
    platform = load_platform(name)
    ready = ready_sets(platform)
    assert list(ready) == [GENTLE, "tour", "swell", IDENTIFY]
    largest = {}
    for wanted in ready.values():
        dofs = np.array(preview(wanted, SECONDS, None, "not asked").dofs)
        largest[wanted.name] = np.abs(dofs[:, 0]).max(axis=1)
        moving = np.abs(dofs[:, 0]) > 0
        if wanted.name == "tour":
            assert moving.sum(axis=0).max() == 1, "one axis at a time"
        if wanted.name != "tour":
            assert moving[:, -1].any(), "it goes on"
    possible = [largest_sine(platform, k, 0.2) for k in range(6)]
    usual = [0.15 * largest_sine(platform, k, GENTLE_HZ[dof]) for k, dof in enumerate(DOFS)]
    np.testing.assert_allclose(largest[GENTLE], usual, rtol=0.1)  # two digits
    assert (largest["tour"] > 0.2 * np.array(possible)).all() and (largest["swell"] > 0).all()
    assert [ready["tour"].generators[k].axes for k in range(6)] == [(dof,) for dof in DOFS]


@pytest.mark.parametrize("name", PRESETS)
def test_the_one_for_identification_is_slow_at_first_and_then_moves_all_axes(name: str) -> None:
    platform = load_platform(name)
    found = preview(ready_sets(platform)[IDENTIFY], SECONDS, None, "not asked")
    t, position, velocity = np.array(found.t), *np.array(found.dofs)[:, :2].swapaxes(0, 1)
    slow, later = t < 1 / IDENTIFY_SLOW_HZ, t > 1 / IDENTIFY_SLOW_HZ + 10.0
    moving = np.ptp(position[:, slow], axis=1) > 0
    assert [dof for dof, moves in zip(DOFS, moving, strict=True) if moves] == ["heave"]
    assert np.abs(velocity[2, slow]).max() <= 2.0 * IDENTIFY_SLOW_SPEED  # a little faster while it fades in
    reversals = (np.diff(np.sign(velocity[:, later]), axis=1) != 0).sum(axis=1)
    assert (reversals > 0.5 * np.ptp(t[later])).all(), "at least one in two seconds of every axis"


def test_with_a_sphere_they_turn_it_without_end_and_keep_its_limits() -> None:
    atlas = load_atlas("atlas")
    judge = Judge(load_platform(atlas.stage), atlas)
    ready = ready_sets(judge.platform, atlas)
    assert list(ready) == [GENTLE, "tour", "tumble"]
    for wanted in ready.values():
        found = preview(wanted, SECONDS, judge)
        assert found.exceeded == [], wanted.name
        assert found.text == "within all limits in the first 120 s", "a turn without end does not jump"
    yaw = np.array(preview(ready[GENTLE], SECONDS, judge).dofs)[5]
    assert yaw[0].max() > 3.1 and yaw[0].min() < -3.1
    assert np.ptp(yaw[1]) == 0 and 0 < yaw[1, 0] <= 0.3 * atlas.limits.velocity


@pytest.mark.parametrize("name", some_of(sorted([*PRESETS, "atlas"], key=lambda name: name not in KINDS), len(KINDS)))
def test_the_gentle_one_moves_every_axis_without_a_warning(name: str) -> None:
    """Closed loop with plant, sensors and guard, as `motionbase run` begins: up, until all axes move."""
    atlas = load_atlas(name) if name == "atlas" else None
    platform = load_platform(atlas.stage if atlas else name)
    schema = sphere_schema(len(atlas.wheels)) if atlas else hexapod_schema()
    channels = tuple(c.name for c in schema.channels)
    loop = AtlasLoop.of(atlas, platform, channels) if atlas else ClosedLoop.of(platform, channels)
    settings = np.array(ready_sets(platform, atlas)[GENTLE].values)
    run = Runner(loop, ("l",)).run(Scenario(settings=settings), 55.0, every=10)
    driving = run["state"] == State.DRIVE
    assert driving[-1] and driving.mean() > 0.7
    assert set(run["fault"]) == {0.0} and set(run["warning"][driving]) == {0.0}
    stroke, l = platform.stroke, run["l"][driving]
    assert (l > stroke.l_min).all() and (l < stroke.l_max).all()
    moved = {dof: f"pose_meas_{dof}" for dof in DOFS} | ({a: f"sphere_{a}" for a in DOFS[3:]} if atlas else {})
    late = run.t > 45.0  # all of them have joined
    assert {dof for dof, channel in moved.items() if np.ptp(run[channel][late]) > 0.02} == set(DOFS)


def test_a_spin_that_is_too_fast_for_a_sphere_is_told() -> None:
    atlas = load_atlas("atlas")
    judge = Judge(load_platform(atlas.stage), atlas)
    fast = GeneratorSet((Generator(True, Space.DOF, ("yaw",), Shape.SAWTOOTH, np.pi, 0.2),), "fast")
    assert [one.what for one in preview(fast, 5.0, judge).exceeded] == ["yaw velocity"]
    assert "jumps" not in preview(fast, 5.0, judge).text
    for g in (Generator(True, Space.DOF, ("yaw",), Shape.SAWTOOTH, 1.0, 0.05),
              Generator(True, Space.DOF, ("heave",), Shape.SAWTOOTH, 0.1, 0.05)):  # fmt: skip
        assert "generator 1 jumps" in preview(GeneratorSet((g,)), 5.0, judge).text, "that is no whole turn"
