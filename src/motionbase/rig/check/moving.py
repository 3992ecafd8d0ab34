"""Steps in which one leg moves: which one, which way and how far; refused demands; stops."""

from __future__ import annotations

import math

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, RigFault
from motionbase.rig.check.hand import STRAY
from motionbase.rig.check.report import Failed, Step
from motionbase.rig.check.session import Session
from motionbase.rig.check.standing import expect_witness

RESTING = 0.6  # [s] after a movement
STARTING = 15.0  # [s] until legs are switched on again after a reset
SLOWEST_STOP = 1.0  # [s]
INSIDE = 2e-3  # [m] from an end, or from where it began, to which a leg is moved
BEYOND = 1e-3  # [m] outside the accepted lengths
NOT_WORTH, NEAR = 5e-3, 0.1  # [m] from an end: legs that go there if the person likes
GAP = 3.0  # silences without a cycle


def moved_alone(session: Session, leg: int) -> None:
    """A slow movement of one leg and back, while a person looks: is it this leg, this way, this far, and alone?"""
    hand, options = session.at, session.options
    way = _towards_the_middle(session, leg) * options.way
    with session.step("slow movement", leg) as step:
        session.attend(f"One leg will move by {1e3 * options.way:.0f} mm at {1e3 * options.speed:.0f} mm/s. Look which")
        hand.hold(0.1)
        hand.stay()
        before, trouble = float(hand.answer.l[leg - 1]), None
        try:
            hand.move(leg, way, options.speed)
            hand.hold(RESTING, go=True)
        except Failed as failed:
            trouble = failed
        gone = float(hand.answer.l[leg - 1]) - before
        step.done = f"demand {1e3 * way:+.0f} mm at {1e3 * options.speed:.0f} mm/s"
        step.measured = f"went {1e3 * gone:+.1f} mm"
        step.values = {"asked": way, "read": gone}
        _expect_this_leg(session, step, leg, way, trouble)
        _expect_so_far(session, step, leg, gone)
        expect_witness(session)
        hand.stay()
        back = before + math.copysign(INSIDE, way)  # not onto the switch where homing may have left it
        hand.move(leg, back - float(hand.l[leg - 1]), options.speed)
        hand.hold(RESTING, go=True)
        hand.expect_no_fault()
        if abs(left := float(hand.answer.l[leg - 1]) - back) > options.change:
            raise Failed(f"leg {leg}: it was to go back, it is read {1e3 * left:+.1f} mm from where it was to be")


def to_the_ends(session: Session) -> None:
    """With the person's leave, legs that stand near an end of their accepted lengths go almost there, one by one."""
    hand, options = session.at, session.options
    ways = {leg: way for leg in options.legs if NOT_WORTH < abs(way := _to_the_nearer_end(session, leg)) <= NEAR}
    if not ways:
        return
    named = ", ".join(f"leg {leg} by {1e3 * way:+.0f} mm" for leg, way in ways.items())
    question = f"May these legs go almost to their ends and back, one after another: {named}?"
    if not session.person.agrees(question, hand.idle):
        return
    for leg, way in ways.items():
        with session.step("almost to its end", leg) as step:
            begin = float(hand.answer.l[leg - 1])
            step.done = f"demand {1e3 * way:+.0f} mm at {1e3 * options.speed:.0f} mm/s, and back"
            for there in (way, -way):
                hand.stay()
                try:
                    hand.move(leg, there, options.speed)
                    hand.hold(RESTING, go=True)
                    hand.expect_no_fault()
                except Failed as failed:
                    key = "least" if way < 0 else "most"
                    raise Failed(
                        f"leg {leg}: it was to come within {1e3 * INSIDE:.0f} mm of limits.{key}, it got to "
                        f"{1e3 * hand.answer.l[leg - 1]:.0f} mm ({failed}): move limits.{key} of this leg further in"
                    ) from None
            step.measured = f"it came back to {1e3 * (float(hand.answer.l[leg - 1]) - begin):+.1f} mm"


def refused(session: Session, leg: int) -> None:
    """Demands outside the limits and far from the leg must be refused, and move nothing."""
    hand = session.at
    promise, way = hand.promise, _towards_the_middle(session, leg)
    outside = float(promise.least[leg - 1]) - BEYOND
    far = float(hand.answer.l[leg - 1]) + way * (promise.jump + 5 * STRAY)
    for what, l in (("demand outside the limits", outside), ("demand that jumps", far)):
        with session.step(what, leg) as step:
            begin = _following(session)
            hand.l = hand.l.copy()
            hand.l[leg - 1] = l
            step.done = f"demand of {1e3 * l:.0f} mm with the leg at {1e3 * begin[leg - 1]:.0f} mm"
            hand.cycle(go=True)
            hand.cycle(go=True)
            _expect_fault(session, leg, RigFault.DEMAND, what)
            hand.stop()
            hand.expect_still(begin, f"a {what}")
            step.measured = "refused with the fault DEMAND, nothing moved"
            _again(session)


def stopped(session: Session, leg: int) -> None:
    """Stop during a slow movement."""
    hand = session.at
    with session.step("stop", leg) as step:
        _half_way(session, leg, step, "stop")
        seconds, gone = hand.stop()
        _expect_fault(session, leg, RigFault.EMERGENCY_STOP, "a stop")
        _expect_soon(session, step, leg, seconds, gone)
        _again(session)


def silent(session: Session, leg: int) -> None:
    """No demand at all for a time during a slow movement: the legs must stop by themselves."""
    hand = session.at
    with session.step("silence", leg) as step:
        seconds = GAP * hand.promise.silence + 0.1
        _half_way(session, leg, step, f"no cycle for {seconds:.2g} s")
        before = hand.answer.l.copy()
        hand.silence(seconds)
        hand.cycle(go=True)
        hand.cycle(go=True)
        _expect_fault(session, leg, RigFault.SILENT_LAW, "silence")
        after, gone = hand.hold(0.5), hand.answer.l - before
        if hand.promise.measures and np.ptp(after[len(after) // 2 :], axis=0).max() > STRAY:
            raise Failed(f"leg {leg}: it was to stand after {seconds:.2g} s of silence, it still moves: {_CUT}")
        _expect_soon(session, step, leg, 0.0, gone)
        _again(session)


def stopped_by_witness(session: Session, leg: int) -> None:
    """The second reading's own way to stop."""
    hand, witness = session.at, session.at.witness
    if witness is None:
        return
    with session.step("stop by the witness", leg) as step:
        _half_way(session, leg, step, "stop by the witness's own way")
        begin, asked, from_here = hand.answer.l.copy(), hand.now, float(hand.l[leg - 1])
        rate = _towards_the_middle(session, leg) * session.options.speed
        while not hand.answer.fault and hand.now - asked < SLOWEST_STOP:
            witness.stop()
            hand.l = hand.l.copy()
            hand.l[leg - 1] += rate * hand.promise.period
            hand.cycle(go=True)
        seconds = hand.now - asked if hand.answer.fault else 0.0  # otherwise it just stands
        demanded = float(hand.l[leg - 1]) - from_here
        if not hand.answer.fault and abs(hand.answer.l[leg - 1] - begin[leg - 1]) > 0.5 * abs(demanded):
            hand.stop()
            raise Failed(f"leg {leg}: the witness was to stop it, it went on with its demand: check its way to stop")
        hand.stop()
        _expect_soon(session, step, leg, seconds, hand.answer.l - begin)
        _again(session)


_CUT = "cut the power, and check the machine's own watchdog"


def _towards_the_middle(session: Session, leg: int) -> float:
    promise, l = session.at.promise, float(session.at.answer.l[leg - 1])
    return 1.0 if l < 0.5 * (promise.least[leg - 1] + promise.most[leg - 1]) else -1.0


def _to_the_nearer_end(session: Session, leg: int) -> float:
    """Way to the nearer one of the accepted lengths, less a little [m]."""
    promise, l = session.at.promise, float(session.at.answer.l[leg - 1])
    down, up = float(promise.least[leg - 1]) + INSIDE - l, float(promise.most[leg - 1]) - INSIDE - l
    return down if -down < up else up


def _expect_this_leg(session: Session, step: Step, leg: int, way: float, trouble: Failed | None) -> None:
    """The person saw this leg move, this way."""
    hand, person, advice = session.at, session.person, session.advice
    seen = person.which_moved(hand.idle)
    step.said = f"leg {seen} moved" if seen else "no leg moved"
    asked = f"leg {leg}: it was to become {1e3 * abs(way):.0f} mm {'longer' if way > 0 else 'shorter'}"
    if seen == 0:
        if trouble is not None and hand.answer.faults[leg - 1] is RigFault.LIMIT_SWITCH:
            raise Failed(
                f"{asked}, it met the limit switch that it had just left: it goes the other way; {advice.reversed(leg)}"
            )
        own = {k for k, fault in enumerate(hand.answer.faults, 1) if fault and fault is not RigFault.EMERGENCY_STOP}
        if trouble is not None and own and leg not in own:
            other = min(own)
            fix = _of_other(session, other)
            raise Failed(f"{asked}, but leg {other}, which was only to stand, stopped all legs; {trouble}: {fix}")
        why = f"; {trouble}" if trouble is not None else f", its reading went {step.values['read'] * 1e3:+.1f} mm"
        raise Failed(f"{asked}, you saw none move{why}: check its coupling, its brake and its power")
    if seen != leg:
        raise Failed(
            f"{asked}, you saw leg {seen} move: what the file calls leg {leg} is leg {seen} of the machine; "
            f"{advice.exchanged(leg, seen)}"
        )
    grew = person.grew(leg, hand.idle)
    step.said += f", {'longer' if grew else 'shorter'}"
    if grew is not (way > 0):
        raise Failed(f"{asked}, you saw it become {'longer' if grew else 'shorter'}: {advice.reversed(leg)}")
    if trouble is not None:
        raise trouble


def _of_other(session: Session, leg: int) -> str:
    """What to look at if a leg that was only to stand reported a fault."""
    if session.at.answer.faults[leg - 1] is RigFault.LIMIT_SWITCH:
        return f"if leg {leg} crept onto the switch where homing had left it, {session.advice.reversed(leg)}"
    return f"look after leg {leg} first"


def _expect_so_far(session: Session, step: Step, leg: int, gone: float) -> None:
    """The person's tape changed as much as the reading."""
    hand, person, allowed = session.at, session.person, session.options.change
    change = person.length(leg, hand.idle) - session.tape[leg]
    if abs(change - gone) > allowed:
        person.tell(f"   The reading changed by {1e3 * gone:+.0f} mm. Please measure leg {leg} once more.")
        change = person.length(leg, hand.idle) - session.tape[leg]
    step.said += f", by {1e3 * change:+.0f} mm"
    step.values["tape"] = change
    if abs(change - gone) > allowed:
        ratio = change / gone if abs(gone) > allowed else np.nan
        fix = session.advice.scaled(leg, ratio) if ratio > 0 else "check its coupling and its sensor"
        raise Failed(
            f"leg {leg}: by its reading it went {1e3 * gone:+.1f} mm, by your tape {1e3 * change:+.0f} mm: {fix}"
        )


def _following(session: Session) -> Array:
    """All legs follow a demand that is where they are; (6,) their lengths [m]."""
    hand = session.at
    hand.hold(0.1)
    hand.stay()
    hand.hold(0.1, go=True)
    hand.expect_no_fault()
    if not hand.answer.all_are(LegState.FOLLOWING):
        raise Failed(f"all legs were to follow a demand that stands, they are {hand.states}")
    begin: Array = hand.answer.l.copy()
    return begin


def _half_way(session: Session, leg: int, step: Step, what: str) -> None:
    """A slow movement, with the leg still moving."""
    hand, options = session.at, session.options
    session.attend(f"Leg {leg} will move slowly and stop by itself. Look whether it does")
    hand.hold(0.1)
    hand.stay()
    step.done = f"{what} while leg {leg} moved at {1e3 * options.speed:.0f} mm/s"
    hand.move(leg, _towards_the_middle(session, leg) * options.way, options.speed, share=0.5)


def _expect_fault(session: Session, leg: int, fault: RigFault, what: str) -> None:
    hand = session.at
    if hand.answer.fault is not fault:
        found = hand.answer.fault.name
        hand.stop()
        raise Failed(f"leg {leg}: {what} was to latch the fault {fault.name}, the fault is {found}: {_CUT}")


def _expect_soon(session: Session, step: Step, leg: int, seconds: float, gone: Array) -> None:
    """At rest in time, and near."""
    hand = session.at
    far, most = float(np.abs(gone).max()), hand.promise.jump
    step.values |= {"seconds": seconds, "distance": far}
    step.measured = f"{f'at rest after {seconds:.2f} s, ' if seconds else ''}{1e3 * far:.1f} mm further"
    if not hand.promise.measures:
        step.measured = "the machine measures nothing"
        seen = session.person.stopped(leg, hand.idle)
        step.said = "it stopped" if seen else "it did not stop"
        if not seen:
            raise Failed(f"leg {leg}: it was to stop at once, you saw it go on: {_CUT}")
    if seconds > SLOWEST_STOP or far > most:
        worst = int(np.argmax(np.abs(gone))) + 1
        raise Failed(
            f"leg {worst}: it was to be at rest after {SLOWEST_STOP:g} s and {1e3 * most:.0f} mm, it took "
            f"{seconds:.2f} s and {1e3 * far:.0f} mm: {_CUT}"
        )


def _again(session: Session) -> None:
    """Reset and switched on again, without a movement."""
    hand = session.at
    hand.reset()
    hand.ready(STARTING)
    if not hand.answer.all_are(LegState.READY):
        raise Failed(
            "after a reset the legs do not know their lengths any more: find out why they lost their references"
        )
    hand.stay()
