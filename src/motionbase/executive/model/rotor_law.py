"""What a tick of a rotor does besides its step: where its controls and its flight go, and how fast.

Every setting moves at its own limited rate: to its set point or the controller's answer in drive, to where it started,
or not at all. Without an operator's wish to drive, and after an emergency stop or an abort, controls go to their safe
settings, which unload the rotor, and the flight stays as it is. If the controller falls silent, or a step is not
solved, all stay where they are: a jump would be worse.
"""

from __future__ import annotations

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
from motionbase.record.faults import ModelFault
from motionbase.record.states import State
from motionbase.rotor.operated import OperatedRotor
from motionbase.rotor.settings import Setting
from motionbase.spatial.rotations import Expr

WHAT = ("least", "most", "rate", "start")
SHOWN = ("state", "fault", "warning", "estop", "controller_age")
ARRIVED = 1e-9  # of a setting from where it goes, over its range


def command(rotor: OperatedRotor, timing: Timing) -> Kernel:
    """Orders, answers and outputs -> settings, states, and rows for the record and the controller."""
    n, m, outputs = len(rotor.controls), len(rotor.settings), len(rotor.outputs)
    driven = inputs_at_start(rotor)
    least, most, rate, start = (ca.DM([getattr(s, what) for s in rotor.settings]) for what in WHAT)

    def expr(
        memory: Memory, settings: Expr, order: Order, stop: Expr, parameters: Expr, answered: Expr, answer: Expr,
        tick: Expr, t: Expr, unsolved: Expr, growth: Expr, *seen: Expr,
    ) -> Any:  # fmt: skip
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
        shown = ca.vertcat(state, fault, warning(cut, growth, unsolved), ca.fmax(stop, order.estop), age)
        sent = ca.vertcat(tick, t, parameters[:n], settings_next[:n], *seen)
        after = Memory(goes, wanted, aim, fault, order.number, fresh, ca.logic_and(ca.logic_not(goes), moves))
        acting = rotor.given({one.name: settings_next[k] for k, one in enumerate(rotor.settings)})
        return after, settings_next, target, shown, sent, *(ca.SX(ca.densify(acting[name])) for name in driven)

    inputs = (
        Memory.port("memory"), Port("settings", m, "-", "that acted in the tick before"), Order.port("order"),
        Port("stop"), Port("parameters", m), Port("answered"), Port("answer", n), Port("tick"), Port("t"),
        Port("unsolved"), Port("growth"), *((Port("outputs", outputs),) if outputs else ()),
    )  # fmt: skip
    given = (
        Memory.port("memory_next"), Port("settings_next", m), Port("setting_refs", m), Port("shown", len(SHOWN)),
        Port("sent", 2 + 2 * n + outputs), *(Port(name, value.shape) for name, value in driven.items()),
    )  # fmt: skip
    return Kernel(f"{rotor.model.name}_command", inputs, given, expr)


def inputs_at_start(rotor: OperatedRotor) -> dict[str, Array]:
    """Inputs of the step with the settings of the start."""
    given = rotor.given({one.name: one.start for one in rotor.settings})
    return {name: np.array(ca.densify(ca.DM(value))).squeeze() for name, value in given.items()}


def _at_rest(one: Setting, setting: Expr) -> Expr:
    return setting if one.safe is None else ca.SX(one.safe)


def _state(goes: Expr, aim: Expr, fault: Expr, moves: Expr) -> Expr:
    at_start = ca.if_else(moves, float(State.SETTLING), float(State.STANDBY))
    elsewhere = ca.if_else(aim == STAY, float(State.FREEZE), at_start)
    driven = ca.if_else(aim == TO_SET_POINTS, float(State.DRIVE), elsewhere)
    resting = ca.if_else(fault > 0, float(State.HELD), float(State.OFF))
    return ca.if_else(goes, driven, ca.if_else(moves, float(State.STOPPING), resting))
