"""Steps of rigs with on/off valves that come first: potentiometers and valves, over the data acquisition alone."""

from __future__ import annotations

from typing import final

from motionbase.rig.check.person import Person
from motionbase.rig.check.report import Failed, Step, StopAsked, Verdict
from motionbase.rig.check.session import Session
from motionbase.rig.check.standing import BUTTON
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.onoff import checkout
from motionbase.rig.onoff.acquisition import Acquisition
from motionbase.rig.onoff.checkout import Bench, check_potentiometers, check_valves

PLACES = 0.0, 0.5, 1.0  # of a potentiometer's travel


def bench_of(session: Session, legs: OnOffLegs, device: Acquisition) -> Bench:
    """The rig as the procedures know one."""

    def waited(seconds: float) -> None:
        session.wait(seconds)
        if session.asked():
            raise StopAsked

    def clock() -> float:
        return session.clock.skip(0.0)

    return Bench(device, legs.wiring, legs.potentiometers, legs.actuator.speed, waited, clock(), clock)


def potentiometers(session: Session, bench: Bench) -> None:
    """If the person can move their sliders."""
    with session.step("potentiometers") as step:
        if session.person.agrees("Can you move the potentiometers' sliders by hand, with the pump off?", session.idle):
            step.done = f"sliders at {', '.join(f'{100 * place:.0f} %' for place in PLACES)} of their travel"
            travel = min(pot.length for pot in bench.potentiometers)
            sliders, places = _Sliders(session.person), [place * travel for place in PLACES]
            report = check_potentiometers(bench, sliders, places, _from_zero(session), to_the_end=False)
            session.attend("Fit the sliders to their cylinders again")
            _judge(step, report)
        else:
            step.verdict, step.said = Verdict.SKIPPED, "the sliders are fitted"


def valves(session: Session, bench: Bench) -> None:
    """One leg after another, with the pump on."""
    with session.step("valves, one by one") as step:
        session.leave(f"{BUTTON}, and the pump is on: may one leg after another go out and in by some 4 cm?")
        step.done = "each solenoid alone, until the leg has gone 4 cm"
        _judge(step, check_valves(bench, _from_zero(session), to_the_end=False))
        session.attend("All valves are shut")


def _from_zero(session: Session) -> list[int]:
    return [leg - 1 for leg in session.options.legs]


def _judge(step: Step, report: checkout.Report) -> None:
    step.values = {f"leg {one.leg}, {one.what}": one.measured for one in report.steps}
    step.measured = f"{len(report.steps)} measurements, {len(report.faults)} faults"
    if report.faults:
        first = report.faults[0]
        raise Failed(f"leg {first.leg}: {first.what}: {first.measured}; {first.fault}")


@final
class _Sliders:
    """The person as the procedure knows one, with legs from 0."""

    def __init__(self, person: Person) -> None:
        self._person = person

    def supply(self, leg: int) -> float:
        return self._person.supply(leg + 1)

    def slider(self, leg: int, s: float) -> float:
        return self._person.slider(leg + 1, s)
