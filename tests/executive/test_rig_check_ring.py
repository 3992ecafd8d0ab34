"""What a check of a rig publishes: every cycle in a ring, the pose of its legs, and stops that come back."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.executive.rig_check import Published
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.load import load_platform, platform_text
from motionbase.record.rig_check import STATES, STOPPING, check_schema
from motionbase.rig.check import check as checks
from motionbase.rig.check.hand import Seen
from motionbase.rig.check.rehearsal import Rehearsal
from motionbase.rig.check.report import Verdict
from motionbase.rig.check.session import Options
from motionbase.rig.files import load_rig
from motionbase.ring.backend import find
from motionbase.ring.glance import Glance
from motionbase.ring.reader import Reader

QUICK = Options(legs=(2,), speed=0.03, rest=0.2)


def test_every_cycle_is_in_the_ring(ring: str) -> None:
    platform = load_platform("odu")
    rig = load_rig("smc3", platform)
    published = Published(ring, rig.period, platform, platform_text("odu"))
    reader, rehearsal, seen = Reader(ring, start="first", batch=100_000), Rehearsal(rig), list[Seen]()

    def watch(one: Seen) -> None:
        seen.append(one)
        published.watch(one)

    report = checks.check(rig, rehearsal, rehearsal.person(), QUICK, watch=watch)
    assert report.verdict is Verdict.PASSED
    rows, schema = reader.read().rows.copy(), check_schema()
    published.close()
    assert len(rows) == len(seen)
    at = schema.place
    np.testing.assert_array_equal(rows[:, at("leg1_l_meas") : at("leg6_l_meas") + 1], [one.answer.l for one in seen])
    np.testing.assert_array_equal(rows[:, at("leg1_l_cmd") : at("leg6_l_cmd") + 1], [one.l for one in seen])
    assert (np.diff(rows[:, at("t")]) > 0).all()
    steps = [STATES[int(code)] for code in rows[:, at("state")]]
    assert steps == [STATES[STOPPING] if one.stop else one.step for one in seen]
    assert {"slow movement", "stopping", "silence"} <= set(steps)
    middle = rows[steps.index("slow movement") + 100]
    pose = middle[at("pose_meas_surge") : at("pose_meas_yaw") + 1]
    p, Q = compile(kinematics_of(platform).pose_of_dof)(pose)
    l, _ = compile(kinematics_of(platform).inverse)(p, Q)
    np.testing.assert_allclose(l, middle[at("leg1_l_meas") : at("leg6_l_meas") + 1], atol=1e-9)


def test_an_emergency_stop_on_the_page_ends_the_check(ring: str) -> None:
    platform = load_platform("odu")
    rig = load_rig("smc3", platform)
    published = Published(ring, rig.period, platform, "")
    rehearsal, glance = Rehearsal(rig), list[Glance]()

    def watch(one: Seen) -> None:
        published.watch(one)
        if one.go and not glance and one.l[1] > 0.96:
            glance.append(Glance(ring, find(ring)))
            assert glance[0].takes_commands
            glance[0].stop("somebody")

    report = checks.check(rig, rehearsal, rehearsal.person(), QUICK, watch=watch, asked=lambda: published.stopped)
    assert report.verdict is Verdict.UNFINISHED and report.steps[-1].said == "stopped by the person"
    assert glance[0].shows_stop()
    assert rehearsal.lengths[1] < 0.97
    published.close()


def test_an_emergency_stop_acts_before_the_first_cycle(ring: str) -> None:
    """Valves are checked one by one before there are cycles, and legs move then, too."""
    rig = load_rig("odu-onoff", load_platform("odu"))
    published = Published(ring, rig.period, load_platform("odu"), "")
    rehearsal = Rehearsal(rig)
    Glance(ring, find(ring)).stop("somebody")
    report = checks.check(
        rig, rehearsal, rehearsal.person(), QUICK, watch=published.watch, asked=lambda: published.stopped
    )
    assert report.verdict is Verdict.UNFINISHED and not report.device  # the backend was never opened
    assert report.steps[-1].said == "stopped by the person"
    published.close()


@pytest.fixture
def ring(request: pytest.FixtureRequest) -> str:
    return f"check_{abs(hash(request.node.name)) % 10**8}"
