"""`/api/kinematics`: legs, joints and clearances at a pose and at the 64 extremes, and clearance thresholds.

No pose is sent to a platform; poses are only computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, seated, viewer
from motionbase.console.api.rate_limit import RateLimit
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.kinematics import shown
from motionbase.console.kinematics.alarm import millimetres
from motionbase.console.kinematics.bench import Bench
from motionbase.console.models import AskPose, ClearanceThresholds, Extremes, Posture, SourceName

if TYPE_CHECKING:
    from motionbase.console.console import Console

Viewer = Annotated[Caller, Depends(viewer)]
POSES_A_SECOND, EXTREMES_A_SECOND = 15, 2


def bench_of(console: Console, source: SourceName) -> Bench:
    """The bench of a ring's platform, once it is ready."""
    bench = console.watcher.benches.of(console.source(source).header)
    bench.wait()
    return bench


def posture_at(console: Console, source: SourceName, asked: AskPose) -> Posture:
    """Posture at a requested pose."""
    bench = bench_of(console, source)
    found, gaps = bench.at_legs(asked.legs) if asked.legs is not None else bench.at_dof(asked.dof or [])
    limits = console.watcher.limits(bench.platform.name)
    return shown.posture(bench.platform, found, 0, gaps, limits, bench.clearance_text)


def extremes_of(console: Console, source: SourceName) -> Extremes:
    """The extremes of a ring's platform."""
    bench = bench_of(console, source)
    return shown.extremes(bench, console.watcher.limits(bench.platform.name))


def set_thresholds(console: Console, source: SourceName, wanted: ClearanceThresholds, who: str) -> ClearanceThresholds:
    """Set the thresholds of a ring's platform, reported by an event."""
    watcher = console.watcher
    platform = watcher.benches.of(console.source(source).header).platform.name
    kept = watcher.thresholds.keep(platform, wanted)
    said = (
        f"clearances of {platform}: a warning below {millimetres(kept.warn)}, an alarm below {millimetres(kept.stop)}"
    )
    if source == "live":
        console.happened("tuning", f"{said}, set by {who}", person=who, is_recorded=False)
    else:
        console.events.add("tuning", said, source=source, generation=console.source(source).generation)
    watcher.again()
    return kept


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/kinematics", route_class=SentenceRoute)
    turns = console.turns.kinematics
    poses, sweeps = RateLimit("poses", POSES_A_SECOND), RateLimit("extremes", EXTREMES_A_SECOND)

    @api.post("/pose")
    async def pose(caller: Viewer, asked: AskPose, source: SourceName = "live") -> Posture:
        """Lengths, angles, dexterity and clearances at a pose, which is only computed."""
        poses.check(caller.client)
        return await turns.take(lambda: posture_at(console, source, asked))

    @api.get("/extremes")
    async def extremes(caller: Viewer, source: SourceName = "live") -> Extremes:
        """The same at all combinations of legs fully in and out, and the ranges of the joints."""
        sweeps.check(caller.client)
        return await turns.take(lambda: extremes_of(console, source))

    @api.get("/thresholds", dependencies=[Depends(viewer)])
    async def thresholds(source: SourceName = "live") -> ClearanceThresholds:
        """Clearance thresholds of the ring's platform."""
        return await turns.take(
            lambda: console.watcher.thresholds.of(
                console.watcher.benches.of(console.source(source).header).platform.name
            )
        )

    @api.put("/thresholds")
    async def change(
        caller: Annotated[Caller, Depends(seated)], wanted: ClearanceThresholds, source: SourceName = "live"
    ) -> ClearanceThresholds:
        """Set the clearance thresholds of this platform; they survive a restart."""
        who = console.person(caller)
        return await console.turns.working.take(lambda: set_thresholds(console, source, wanted, who))

    return api
