"""Steps in which no leg is to move, or all by an order: readings at rest, tape, switching on, homing, switching off."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order
from motionbase.rig.check.hand import LEGS, STRAY
from motionbase.rig.check.report import Failed
from motionbase.rig.check.session import Session

NOISE = 1e-3  # [m] standard deviation of a reading at rest
OUTSIDE = 0.01  # [m] beyond the accepted lengths that a reading may be at rest
STARTING = 15.0  # [s] until legs are switched on
HOMING = 180.0  # [s] until they have found their references
SWITCHING_OFF = 5.0  # [s]
BUTTON = "The emergency stop that cuts the power is in your hand, and nobody is near the platform"


def rest(session: Session) -> None:
    """Nothing is switched on: do all legs answer, quietly, with lengths that they can have?"""
    hand = session.at
    with session.step("connection and readings at rest") as step:
        step.done = f"read for {session.options.rest:g} s, nothing switched on"
        hand.hold(0.5)  # settings, and controllers that restart when their port is opened
        hand.until(lambda a: np.isfinite(a.measured_at), STARTING, "heard")
        rows = hand.hold(session.options.rest)
        hand.expect_no_fault()
        noise, drift, mean = rows.std(axis=0), np.ptp(rows, axis=0), rows.mean(axis=0)
        step.values = {"lengths": mean.tolist(), "noise": noise.tolist()}
        if not hand.promise.measures:
            step.measured = "the machine measures nothing"
        elif hand.promise.homes:
            step.measured = "all legs answer; lengths are known after homing"
        else:
            step.measured = f"{_mm(mean)}; noise {1e3 * noise.max():.2f} mm"
            _expect_quiet(noise, drift)
            _expect_plausible(session, mean)


def measured_by_tape(session: Session) -> None:
    """The person measures every leg; what is read must be that."""
    hand, person, options = session.at, session.person, session.options
    with session.step("lengths by tape") as step:
        step.done = "each leg measured from joint to joint"
        hand.leg = 0
        for leg in options.legs:
            read = float(np.mean(hand.hold(0.1)[:, leg - 1]))
            length = person.length(leg, hand.idle)
            if abs(length - read) > options.tape:
                person.tell(f"   The rig reads {1e3 * read:.0f} mm. Please measure leg {leg} once more.")
                length = person.length(leg, hand.idle)
            session.tape[leg] = length
            step.values[f"leg {leg}"] = {"read": read, "tape": length}
        step.said = ", ".join(f"{1e3 * l:.0f}" for l in session.tape.values()) + " mm"
        step.measured = ", ".join(f"{1e3 * row['read']:.0f}" for row in step.values.values()) + " mm"
        _expect_agreement(session, {leg: step.values[f"leg {leg}"]["read"] for leg in options.legs})
        expect_witness(session)


def switched_on(session: Session) -> None:
    """ENABLE moves nothing."""
    hand = session.at
    with session.step("switching on") as step:
        session.leave(f"{BUTTON}: may the legs be switched on? They should not move")
        session.attend("Look at the platform")
        before = hand.hold(0.2).mean(axis=0)
        hand.ready(STARTING)
        hand.hold(0.5)
        hand.expect_no_fault()
        step.done = "ENABLE"
        if not hand.promise.homes:
            hand.expect_still(before, "ENABLE")
        _expect_none_seen(session, "ENABLE")
        step.said, step.measured = "no leg moved", hand.states
    if hand.promise.homes and not hand.answer.all_are(LegState.READY):
        homed(session)
    hand.stay()


def homed(session: Session) -> None:
    """HOME, which moves all legs at once."""
    hand = session.at
    with session.step("homing") as step:
        session.leave(f"{BUTTON}: may all legs move at once to find their references (HOME)?")
        begun = hand.now
        hand.cycle(order=Order.HOME)
        hand.until(lambda a: a.all_are(LegState.READY), HOMING, "homed")
        step.done, step.measured = "HOME", f"homed after {hand.now - begun:.1f} s: {_mm(hand.answer.l)}"
        step.values = {"lengths": hand.answer.l.tolist()}


def switched_off(session: Session) -> None:
    """DISABLE; whether legs sink then is noted."""
    hand = session.at
    with session.step("switching off") as step:
        session.attend("The legs are being switched off. Look at the platform")
        hand.cycle(order=Order.DISABLE)
        hand.until(lambda a: a.all_are(LegState.OFF), SWITCHING_OFF, "switched off")
        before = hand.answer.l.copy()
        hand.hold(1.0)
        moved = session.person.which_moved(hand.idle)
        sunk = float(np.abs(hand.answer.l - before).max())
        step.done, step.measured = "DISABLE", f"moved {1e3 * sunk:.1f} mm in 1 s"
        step.said = f"leg {moved} moved" if moved else "no leg moved"
        step.values = {"moved": sunk}


def _expect_quiet(noise: Array, drift: Array) -> None:
    leg = int(np.argmax(noise))
    if noise[leg] > NOISE or drift[leg] > 5 * STRAY:
        raise Failed(
            f"leg {leg + 1}: its reading should be still at rest, it varies by {1e3 * noise[leg]:.1f} mm rms and "
            f"{1e3 * drift[leg]:.1f} mm in all: check the wire, the supply and the shield of its sensor"
        )


def _expect_plausible(session: Session, mean: Array) -> None:
    promise = session.at.promise
    for leg, (l, least, most) in enumerate(zip(mean, promise.least, promise.most, strict=True), 1):
        if not least - OUTSIDE <= l <= most + OUTSIDE:
            raise Failed(
                f"leg {leg}: it can be {1e3 * least:.0f} to {1e3 * most:.0f} mm long, its reading is {1e3 * l:.0f} mm: "
                "check scale, offset and sign of its reading, and its wire"
            )


def _expect_agreement(session: Session, read: dict[int, float]) -> None:
    tape, allowed = session.tape, session.options.tape
    wrong = [leg for leg in tape if abs(tape[leg] - read[leg]) > allowed]
    if not wrong:
        return
    for a in wrong:
        for b in wrong:
            if a < b and abs(tape[a] - read[b]) <= allowed and abs(tape[b] - read[a]) <= allowed:
                raise Failed(
                    f"legs {a} and {b}: your tape says {1e3 * tape[a]:.0f} and {1e3 * tape[b]:.0f} mm, the readings "
                    f"are {1e3 * read[a]:.0f} and {1e3 * read[b]:.0f} mm: they are exchanged; "
                    f"{session.advice.exchanged(a, b)}"
                )
    leg = max(wrong, key=lambda k: abs(tape[k] - read[k]))
    error = tape[leg] - read[leg]
    others = f" (so are legs {', '.join(map(str, wrong))})" if len(wrong) > 1 else ""
    raise Failed(
        f"leg {leg}: your tape says {1e3 * tape[leg]:.0f} mm, the reading is {1e3 * read[leg]:.0f} mm, "
        f"{1e3 * error:+.0f} mm apart{others}: {session.advice.shifted(leg, error)}"
    )


def expect_witness(session: Session) -> None:
    """What looks on beside the backend sees the same."""
    hand = session.at
    for leg in range(LEGS if hand.witness is not None else 0):
        seen, read = float(hand.sight.l[leg]), float(hand.answer.l[leg])
        if not abs(seen - read) <= session.options.tape:
            raise Failed(
                f"leg {leg + 1}: the second reading (witness) is {1e3 * seen:.0f} mm, the first {1e3 * read:.0f} mm: "
                "check the wires and the calibration of the witness"
            )


def _expect_none_seen(session: Session, what: str) -> None:
    if moved := session.person.which_moved(session.at.idle):
        raise Failed(
            f"leg {moved}: no leg was to move by {what}, you saw leg {moved} move: find out why before you go on"
        )


def _mm(lengths: Array) -> str:
    return ", ".join(f"{1e3 * l:.0f}" for l in lengths) + " mm"
