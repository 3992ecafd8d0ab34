"""What a tick of a rotor does besides its step: where its controls and its flight go, and how fast.

Every setting moves at its own limited rate: to its set point or the controller's answer in drive, to where it started,
or not at all. Without an operator's wish to drive, and after an emergency stop or an abort, controls go to their safe
settings, which unload the rotor, and the flight stays as it is. If the controller falls silent, or a step is not
solved, all stay where they are: a jump would be worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.executive.model.orders import (
    STAY,
    TO_SET_POINTS,
    Memory,
    Order,
    Timing,
    decision,
    warning,
)
from motionbase.executive.model.tail import ABOUT_TAIL, Partner
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.states import State
from motionbase.rotor.models.settings import Setting
from motionbase.rotor.running.operated import OperatedRotor
from motionbase.spatial.rotations import Expr

WHAT = ("least", "most", "rate", "start")
SHOWN = ("state", "fault", "warning", "estop", "controller_age")
ARRIVED = 1e-9  # of a setting from where it goes, over its range


def command(rotor: OperatedRotor, timing: Timing, partner: Partner | None = None) -> Kernel:
    """Orders, answers and outputs -> settings, states, and rows for the record, the controller and the tail rotor."""
    n, m, outputs = len(rotor.controls), len(rotor.settings), len(rotor.outputs)
    driven = inputs_at_start(rotor)
    least, most, rate, start = (ca.DM([getattr(s, what) for s in rotor.settings]) for what in WHAT)

    def expr(
        memory: Memory, settings: Expr, order: Order, stop: Expr, parameters: Expr, answered: Expr, answer: Expr,
        tick: Expr, t: Expr, unsolved: Expr, growth: Expr, *others: Expr,
    ) -> Any:  # fmt: skip
        more = list(others)
        seen = [more.pop(0)] if outputs else []
        age, goes, wanted, aim, fault, fresh = decision(memory, order, stop, unsolved, tick - answered, timing)
        wish = parameters if timing.internal else ca.vertcat(answer, parameters[n:])
        allowed = ca.fmin(ca.fmax(wish, least), most)
        asked = ca.if_else(aim == TO_SET_POINTS, allowed, ca.if_else(aim == STAY, settings, ca.SX(start)))
        stays = ca.logic_or(wanted > 0, fault == float(ModelFault.UNSOLVED))
        safe = ca.vertcat(*(_at_rest(one, settings[k]) for k, one in enumerate(rotor.settings)))
        rest = ca.if_else(stays, settings, safe)
        target = ca.if_else(goes, asked, rest)
        step = ca.fmin(ca.fmax(target - settings, -rate * timing.dt), rate * timing.dt)
        settings_next = settings + step
        moves = ca.mmax(ca.fabs(target - settings_next) / (most - least)) > ARRIVED
        state = _state(goes, aim, fault, moves)
        cut = ca.logic_and(goes, ca.mmax(ca.fabs(wish - allowed)) > 0)
        values = {one.name: settings_next[k] for k, one in enumerate(rotor.settings)}
        own, tail = list[Any](), list[Any]()
        acts: Any = None
        if rotor.inner is not None:
            acting, kept = rotor.inner.correct(values, by_name(rotor, seen), more.pop(0), timing.dt)
            acting = {name: bounded(rotor, name, value) for name, value in acting.items()}
            values, acts, own = {**values, **acting}, ca.vertcat(*acting.values()), [kept]
        warned = warning(cut, growth, unsolved)
        if partner is not None:
            row, count, kept = more
            met = partner.met(values["tail"], by_name(rotor, seen), row, count, kept, timing.dt)
            values, acts, tail = {**values, "tail": met.thrust}, ca.vertcat(acts, met.shown), [met.memory, met.sent]
            warned += float(ModelWarningBit.TAIL_SILENT) * met.is_silent
        shown = ca.vertcat(state, fault, warned, ca.fmax(stop, order.estop), age)
        sent = ca.vertcat(tick, t, parameters[:n], settings_next[:n], *seen)
        after = Memory(goes, wanted, aim, fault, order.number, fresh, ca.logic_and(ca.logic_not(goes), moves))
        inputs_next = rotor.given(values)
        outer = [acts] if rotor.inner is not None else []
        steps = (ca.SX(ca.densify(inputs_next[name])) for name in driven)
        return after, settings_next, target, shown, sent, *own, *outer, *tail, *steps

    inputs = (
        Memory.port("memory"), Port("settings", m, "-", "that acted in the tick before"), Order.port("order"),
        Port("stop"), Port("parameters", m), Port("answered"), Port("answer", n), Port("tick"), Port("t"),
        Port("unsolved"), Port("growth"), *((Port("outputs", outputs),) if outputs else ()),
        *((Port("inner", len(rotor.inner.kept)),) if rotor.inner is not None else ()),
        *(partner.inputs if partner is not None else ()),
    )  # fmt: skip
    given = (
        Memory.port("memory_next"), Port("settings_next", m), Port("setting_refs", m), Port("shown", len(SHOWN)),
        Port("sent", 2 + 2 * n + outputs), *_inner_ports(rotor, partner),
        *(Port(name, value.shape) for name, value in driven.items()),
    )  # fmt: skip
    return Kernel(f"{rotor.model.name}_command", inputs, given, expr)


def inputs_at_start(rotor: OperatedRotor) -> dict[str, Array]:
    """Inputs of the step with the settings of the start."""
    given = rotor.given({one.name: one.start for one in rotor.settings})
    return {name: np.array(ca.densify(ca.DM(value))).squeeze() for name, value in given.items()}


def by_name(rotor: OperatedRotor, seen: Sequence[Expr]) -> dict[str, Expr]:
    """Outputs."""
    return {one.name: seen[0][k] for k, one in enumerate(rotor.outputs)}


def bounded(rotor: OperatedRotor, name: str, value: Expr) -> Expr:
    """What acts stays between the bounds of the setting of that name."""
    one = next(one for one in rotor.settings if one.name == name)
    return ca.fmin(ca.fmax(value, one.least), one.most)


def _inner_ports(rotor: OperatedRotor, partner: Partner | None) -> tuple[Port, ...]:
    if rotor.inner is None:
        return ()
    more = () if partner is None else partner.outputs
    shown = len(rotor.inner.acts) + (0 if partner is None else len(ABOUT_TAIL))
    return Port("inner_next", len(rotor.inner.kept)), Port("acting", shown), *more


def _at_rest(one: Setting, setting: Expr) -> Expr:
    return setting if one.safe is None else ca.SX(one.safe)


def _state(goes: Expr, aim: Expr, fault: Expr, moves: Expr) -> Expr:
    at_start = ca.if_else(moves, float(State.SETTLING), float(State.STANDBY))
    elsewhere = ca.if_else(aim == STAY, float(State.FREEZE), at_start)
    driven = ca.if_else(aim == TO_SET_POINTS, float(State.DRIVE), elsewhere)
    resting = ca.if_else(fault > 0, float(State.HELD), float(State.OFF))
    return ca.if_else(goes, driven, ca.if_else(moves, float(State.STOPPING), resting))
