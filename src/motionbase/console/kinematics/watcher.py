"""Watches the newest records: the clearance of the measured pose always, the other kinematics only for watching pages.

It has its own thread of low priority. It reads the records kept by a follower, so it never touches the ring, and limits
its load: after a slow turn it rests for as long as that took.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, final

import numpy as np

from motionbase.console.api.sentences import NotThere
from motionbase.console.kinematics import shown
from motionbase.console.kinematics.alarm import GapAlarm, Nearest
from motionbase.console.kinematics.bench import Bench
from motionbase.console.kinematics.benches import Benches
from motionbase.console.kinematics.thresholds import KeptThresholds
from motionbase.console.live.runs import Run
from motionbase.console.models import ClearanceAlarm, Kinematics, PoseName, SourceName
from motionbase.console.polite import give_way
from motionbase.errors import MotionBaseError
from motionbase.record.axes import DOFS

if TYPE_CHECKING:
    from motionbase.console.console import Console
    from motionbase.workbench.clearance import Thresholds

TURN_S = 0.2  # between turns for pages
ALARM_S = 0.5  # between turns for the alarm
SOURCES: tuple[SourceName, ...] = ("live", "replay")
PREFIX: Mapping[PoseName, str] = {
    "measured": "pose_meas", "estimated": "pose_hat", "command": "cmd", "host": "host",
}  # fmt: skip
Watched: TypeAlias = tuple[SourceName, PoseName]
Told: TypeAlias = Callable[[Kinematics | ClearanceAlarm], object]


class Moment(NamedTuple):
    """A pose in the newest record: six degrees of freedom from neutral [m, rad], at t [s]."""

    t: float | None
    dof: tuple[float, ...]


@final
class Watcher:
    """Watcher of both rings of a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self.benches = Benches(console)
        self.thresholds = KeptThresholds(console.settings.data / "clearances")
        self.wanted: frozenset[Watched] = frozenset()  # poses watched by pages; replaced as a whole
        self.tell: Told | None = None  # called in the watcher's thread; must not block
        self.alarms: dict[SourceName, ClearanceAlarm] = {}  # as last sent
        self.found: dict[Watched, Kinematics] = {}
        self._gap_alarms = {source: GapAlarm(source, console.events) for source in SOURCES}
        self._seen: dict[Watched | SourceName, tuple[object, ...]] = {}
        self._asked = 0  # number of requests to send again what has not changed
        self._complaint = ""  # last error in the log
        self._alarm_at = {source: -ALARM_S for source in SOURCES}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="motionbase kinematics", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def again(self) -> None:
        """Evaluate again without a new record, after a change of thresholds or for a new page. For the event loop."""
        self._asked += 1

    def _watch(self) -> None:
        give_way()
        while not self._stop.is_set():
            begun = time.monotonic()
            try:
                for source in SOURCES:
                    self.look(source, begun)
            except Exception as error:  # a bug must not end the alarm
                self._complain(f"{type(error).__name__}: {error}")
            took = time.monotonic() - begun
            self._stop.wait(max(TURN_S - took, took))

    def _complain(self, text: str) -> None:
        """Log an error once, not five times a second."""
        if text != self._complaint:
            logging.getLogger(__name__).error("kinematics: %s", text)
        self._complaint = text

    def look(self, source: SourceName, now: float) -> None:
        """Evaluate one ring, at a time of the monotonic clock [s]."""
        follower = self._console.source(source)
        run, wanted = follower.run, [pose for one, pose in self.wanted if one == source]
        if run is None:
            return
        asked = self._asked
        stamp = (run.generation, run.history.count, asked)
        is_due = now - self._alarm_at[source] >= ALARM_S and self._seen.get(source) != stamp
        poses = [pose for pose in wanted if self._seen.get((source, pose)) != stamp]
        if not is_due and not poses:
            return
        try:
            bench = self.benches.of(run.header)
        except NotThere as error:
            self._tell_nothing(source, run, poses, "none", str(error), asked)
            return
        if not bench.is_ready:
            text = f"the kinematics of {bench.platform.name} are being prepared"
            self._tell_nothing(source, run, poses, "preparing", text, asked)
            return
        if is_due:
            self._seen[source], self._alarm_at[source] = stamp, now
            self._alarm(source, run, bench)
        for pose in poses:
            self._seen[source, pose] = stamp
            self._say(self._at(source, run, bench, pose))

    # ---- for pages that watch ----

    def _at(self, source: SourceName, run: Run, bench: Bench, pose: PoseName) -> Kinematics:
        moment = moment_of(run, pose)
        try:
            if bench.trouble:
                raise MotionBaseError(bench.trouble)
            if moment is None:
                raise MotionBaseError(_why_no_pose(run, pose))
            found, gaps = bench.at_dof(moment.dof)
        except MotionBaseError as error:
            return _nothing(source, run, pose, "none", str(error))
        limits = self.limits(bench.platform.name)
        made = shown.posture(bench.platform, found, 0, gaps, limits, bench.clearance_text)
        return Kinematics(source=source, generation=run.generation, pose=pose, t=moment.t, state="ready", text="",
                          found=made)  # fmt: skip

    def limits(self, platform: str) -> Thresholds:
        """Thresholds set by the operator."""
        from motionbase.workbench.clearance import Thresholds

        kept = self.thresholds.of(platform)
        return Thresholds(kept.warn, kept.stop)

    def _tell_nothing(
        self, source: SourceName, run: Run, poses: list[PoseName], state: str, text: str, asked: int
    ) -> None:
        """Report missing kinematics once for each run and page, not with every record."""
        for pose in poses:
            if self._seen.get((source, pose)) != (stamp := (run.generation, state, asked)):
                self._seen[source, pose] = stamp
                self._say(_nothing(source, run, pose, state, text))

    # ---- for the alarm ----

    def _alarm(self, source: SourceName, run: Run, bench: Bench) -> None:
        moment, alarm, text = moment_of(run, "measured"), self._gap_alarms[source], bench.trouble
        before = self.alarms.get(source)
        if before is not None and before.generation != run.generation:
            alarm.forget()
        nearest: Nearest | None = None
        thresholds = self.thresholds.of(bench.platform.name)
        if moment is None:
            text = text or _why_no_pose(run, "measured")
        elif not text:
            try:
                gaps = bench.at_dof(moment.dof, nearest=1)[1]
                nearest = Nearest(gaps[0].first, gaps[0].second, gaps[0].distance, moment.t) if gaps else None
                text = bench.clearance_text
            except MotionBaseError as error:
                text = str(error)
        is_raised = alarm.judge(nearest, thresholds, run.generation) if nearest else alarm.is_raised
        least = nearest.distance if nearest else None
        self._say(
            ClearanceAlarm(
                source=source, generation=run.generation, t=moment.t if moment else None,
                verdict=self.limits(bench.platform.name).verdict(least) if nearest else None,
                least=None if least is None else round(least, shown.DECIMALS), first=nearest.first if nearest else "",
                second=nearest.second if nearest else "", is_alarm=is_raised, thresholds=thresholds, text=text,
            )
        )  # fmt: skip

    def _say(self, message: Kinematics | ClearanceAlarm) -> None:
        if isinstance(message, ClearanceAlarm):
            self.alarms[message.source] = message
        else:
            self.found[message.source, message.pose] = message
        if self.tell is not None:
            self.tell(message)


def moment_of(run: Run, pose: PoseName) -> Moment | None:
    """The pose in the newest record; None if one of its six numbers is missing or not finite."""
    names, newest = [f"{PREFIX[pose]}_{dof}" for dof in DOFS], run.history.newest()
    if newest is None or any(name not in run.schema.index for name in names):
        return None
    dof = newest[run.schema.places(names)]
    t = float(newest[0])
    return Moment(t if np.isfinite(t) else None, tuple(dof.tolist())) if np.all(np.isfinite(dof)) else None


def _why_no_pose(run: Run, pose: PoseName) -> str:
    missing = [name for dof in DOFS if (name := f"{PREFIX[pose]}_{dof}") not in run.schema.index]
    if missing:
        return f"schema {run.schema.name!r} has no {pose} pose: there is no channel {missing[0]}"
    return f"the newest record has no {pose} pose: one of its six numbers is none"


def _nothing(source: SourceName, run: Run, pose: PoseName, state: str, text: str) -> Kinematics:
    return Kinematics.model_validate(
        {"source": source, "generation": run.generation, "pose": pose, "t": None, "state": state, "text": text,
         "found": None}
    )  # fmt: skip
