"""Check of a rig, from the first reading to a stop: every step must pass before the next one moves more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, final

from motionbase.errors import MotionBaseError
from motionbase.rig.border import Actuators, PowerUnit, Witness
from motionbase.rig.check import moving, standing
from motionbase.rig.check.advice import advice_for
from motionbase.rig.check.checkouts import bench_of, potentiometers, valves
from motionbase.rig.check.hand import Clock, Hand, RealClock, Seen
from motionbase.rig.check.person import Person
from motionbase.rig.check.pressure import powered
from motionbase.rig.check.report import Failed, Report, Step, StopAsked, Verdict
from motionbase.rig.check.session import Declined, Options, Session
from motionbase.rig.files import RigFile
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.onoff.acquisition import Acquisition

NUMBERING = "Legs are numbered counter-clockwise from above, starting at the front left."


class Stand(Protocol):
    """Where the machine of a check is."""

    @property
    def clock(self) -> Clock:
        """On which it runs."""
        ...

    def acquisition(self) -> Acquisition | None:
        """The data acquisition alone, for a rig that has one."""
        ...

    def actuators(self) -> Actuators:
        """The backend."""
        ...

    def witness(self) -> Witness | None:
        """A second reading, if there is one."""
        ...

    def power(self) -> PowerUnit | None:
        """The source of pressure, if it can be asked."""
        ...


@final
class RealStand:
    """A machine that is there, or a simulated one that another process plays."""

    def __init__(self, rig: RigFile, place: Path) -> None:
        self._rig, self._place, self.clock = rig, place, RealClock()

    def acquisition(self) -> Acquisition | None:
        """Of on/off legs."""
        return self._rig.legs.acquisition(self._place) if isinstance(self._rig.legs, OnOffLegs) else None

    def actuators(self) -> Actuators:
        """The backend."""
        return self._rig.open(self._place)

    def witness(self) -> Witness | None:
        """As the file says."""
        return self._rig.witness(self._place)

    def power(self) -> PowerUnit | None:
        """As the file says."""
        return self._rig.power(self._place)


def check(
    rig: RigFile, stand: Stand, person: Person, options: Options | None = None, by: str = "",
    watch: Callable[[Seen], None] = lambda seen: None, asked: Callable[[], bool] = lambda: False,
) -> Report:  # fmt: skip
    """Walk a person through the check of a rig; whatever happens, the legs are stopped and switched off at the end.

    Args:
        rig: the file
        stand: its machine
        person: beside it
        options: how far and fast
        by: name of the person, for the report
        watch: is shown every cycle
        asked: whether somebody wants the check to end, asked again and again
    """
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    chosen = options or Options()
    report = Report(
        rig.name, rig.kind, rig.simulated, rig.platform, rig.ends, rig.digest, by or person.name, begun, chosen.legs
    )
    session = Session(report, person, chosen, advice_for(rig), stand.clock, asked=asked)
    actuators: Actuators | None = None
    witness: Witness | None = None
    try:
        person.tell(NUMBERING)
        session.power = stand.power()
        _begin(session, rig, stand)
        actuators = stand.actuators()
        report.device = actuators.promise.name
        session.hand = Hand(actuators, stand.clock, watch, asked)
        session.hand.power = session.power
        witness = session.hand.witness = stand.witness()
        _work(session)
        report.finished = True
    except (Failed, Declined, StopAsked, KeyboardInterrupt) as end:
        _end(session, end)
    except MotionBaseError as error:
        _note(report, str(error))
    finally:
        with ExitStack() as closing:  # one after the other, legs first, whatever goes wrong in one of them
            if session.power is not None:
                closing.callback(session.power.close)
                closing.callback(session.power.run, False)
            if witness is not None:
                closing.callback(witness.close)
            if actuators is not None:
                closing.callback(_close, actuators)
    return report


def _begin(session: Session, rig: RigFile, stand: Stand) -> None:
    """What comes before the backend is opened: potentiometers, pressure, valves."""
    device = stand.acquisition()
    if device is None or not isinstance(rig.legs, OnOffLegs):
        powered(session)
        return
    try:
        bench = bench_of(session, rig.legs, device)
        potentiometers(session, bench)
        powered(session)
        valves(session, bench)
    finally:
        device.close()


def _work(session: Session) -> None:
    hand, legs = session.at, session.options.legs
    standing.rest(session)
    if not hand.promise.homes:
        standing.measured_by_tape(session)
    standing.switched_on(session)
    if hand.promise.homes:
        standing.measured_by_tape(session)
    for leg in legs:
        moving.moved_alone(session, leg)
    moving.to_the_ends(session)
    moving.refused(session, legs[0])
    moving.stopped(session, legs[0])
    moving.silent(session, legs[0])
    moving.stopped_by_witness(session, legs[0])
    standing.switched_off(session)


def _end(session: Session, end: BaseException) -> None:
    """Stop; what the person stopped or did not want is not finished."""
    if not isinstance(end, Failed) and session.report.steps:
        said = "no leave" if isinstance(end, Declined) else "stopped by the person"
        session.report.steps[-1].said = said
        session.report.steps[-1].verdict = Verdict.UNFINISHED
    if session.hand is not None:
        session.hand.stop()


def _note(report: Report, why: str) -> None:
    """What ended the check between its steps, or in one."""
    if not report.steps or report.steps[-1].verdict is not Verdict.UNFINISHED:
        report.steps.append(Step("connection"))
    report.steps[-1].verdict, report.steps[-1].fault = Verdict.FAILED, why


def _close(actuators: Actuators) -> None:
    with suppress(MotionBaseError):  # a device that is gone cannot be switched off
        actuators.close()
