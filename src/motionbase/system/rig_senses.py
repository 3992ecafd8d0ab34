"""What the control law of a rig measures: lengths that come now and then become lengths and rates of every tick.

    predicted = l + v h,   l' = predicted + A (read - predicted),   v' = v + B / h (read - predicted)

Every reading takes an alpha-beta filter one step further; between readings, lengths go on with its rates. Gyros and
accelerometers are not measured: what they would read follows from the legs' rates, and from the pose at rest. Legs
without power, or whose readings are too old, give no supply, so a law stops and does not start. Their lengths then go
slowly to what is read: where legs are only known after homing, the law would take a jump for a broken sensor.

Legs take a `go` only after they were ready without one. So a law at rest has power only when they have been ready for a
while, and loses it if they do not follow its `go`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, Struct, q
from motionbase.compile.linear import solve
from motionbase.control.watchdogs import Thresholds
from motionbase.plant.motion import next_of
from motionbase.plant.sensors import MEASURED
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import legs_at
from motionbase.record.hexapod import QUANTITIES
from motionbase.record.rig import RIG, RIG_AGE, RIG_PLACES, LegState
from motionbase.record.vehicle import G
from motionbase.spatial.rotations import Expr, R_quaternion, quaternion_euler_zyx

LEGS = 6
ALPHA = 0.5
BETA = 2 * (2 - ALPHA) - 4 * (1 - ALPHA) ** 0.5  # critically damped
LONGEST = 0.1  # [s] between readings; after a longer gap the filter starts anew
AHEAD = 0.05  # [s] for which lengths go on without a reading
WANDER = 0.5  # of the legs' largest rate, for lengths of legs without power
BEYOND = 0.8 * float(Thresholds.layout.find("range_margin").start_values[0])  # [m] of the hard ends, as a law believes
CLOSE = 1e-3  # [m] from what is read, at which they have arrived
SETTLED = 0.2  # [s] for which legs must be ready before a law may start
STARTING = 0.2  # [s] beside the patience with readings, in which legs must follow
LONG = 1e3  # [s]
POWERED = (LegState.READY, LegState.FOLLOWING, LegState.STOPPING)
ROW = Port("rig_row", len(RIG), "SI, mixed", "what the rig told last, in the order of `record.rig.RIG`")
TAKEN = Port("rig_taken", (), "-", "rows taken since the start")
GO_BEFORE = Port("go_before", (), "-", "1 if the law let the legs follow in the last tick")
POSE_BEFORE = Port("pose_before", 6, "m, rad", "measured pose of the last tick")
LINES = (Port.of(QUANTITIES["p_supply"]), Port.of(QUANTITIES["p_return"]))
AGE = Port(RIG_AGE.name, (), RIG_AGE.unit, RIG_AGE.description)


class Sensed(Struct):
    """State of the filter, and what the law was told last."""

    taken: Expr = q("-", text="rows seen")
    held: Expr = q("-", text="ticks since the last one")
    measured: Expr = q("s", text="time of its measurement, on the rig's clock")
    l: Expr = q("m", LEGS, "filtered lengths at that time")
    v: Expr = q("m/s", LEGS, "filtered rates")
    told: Expr = q("m", LEGS, "lengths told to the law in the last tick")
    on: Expr = q("-", text="1 if these are the filter's")
    powered_for: Expr = q("s", text="for how long all legs have had power")
    ignored: Expr = q("s", text="for how long legs have not followed although they may")


@final
@dataclass(frozen=True, eq=False)
class RigSenses:
    """The senses of a law whose legs are a rig's.

    Attributes:
        patience: age of a reading beyond which legs have no power for the law [s]
        dt: period of a tick [s]
    """

    hexapod: Hexapod
    patience: float
    dt: float

    @property
    def longest(self) -> float:
        """Time in which legs must begin to follow [s]."""
        return self.patience + STARTING

    @property
    def state(self) -> tuple[Port, ...]:
        """Between ticks."""
        return (Sensed.port("sensed"),)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """From outside."""
        return ROW, TAKEN

    @property
    def outputs(self) -> tuple[Port, ...]:
        """For the record, beside what the law measures."""
        return (AGE,)

    def at_rest(self) -> dict[str, Any]:
        """State and inputs before the rig has told anything."""
        down = np.full(LEGS, self.hexapod.l_down)
        first = Sensed.layout.vector({"l": down, "told": down})
        return {"sensed": first, ROW.name: np.zeros(len(RIG)), TAKEN.name: np.zeros(())}

    @cached_property
    def unit(self) -> Kernel:
        """(sensed, row, taken, go_before, pose_before) -> (sensed_next, what the law measures, both lines, age)."""
        inputs = (*self.state, *self.inputs, GO_BEFORE, POSE_BEFORE)
        outputs = (*map(next_of, self.state), *MEASURED, *LINES, *self.outputs)
        return Kernel("rig_senses", inputs, outputs, self._sensed, "what a law measures on a rig")

    def _sensed(self, x: Sensed, row: Expr, taken: Expr, go: Expr, pose: Expr) -> Any:
        read, states, faults = (_six(row, name) for name in ("rig_l", "rig_state", "rig_fault"))
        told = {name: row[RIG_PLACES[name]] for name in ("rig_measured", "rig_delay", "power_supply", "power_return")}
        x = self._filtered(x, read, told["rig_measured"], taken)

        age = ca.if_else(taken > 0, told["rig_delay"] + x.held * self.dt, 1e3)
        follow = _all_are(states, LegState.FOLLOWING)
        x = x.replace(ignored=ca.if_else(ca.logic_and(go, ca.logic_not(follow)), x.ignored + self.dt, 0.0))
        ready = ca.if_else(go, _all_are(states, *POWERED), _all_are(states, LegState.READY))
        sound = ca.logic_and(ca.sum1(faults) == 0, ca.logic_and(age <= self.patience, x.ignored <= self.longest))
        after, v = self._told(x, age, ca.logic_and(ready, sound))

        supply = ca.if_else(after.on, told["power_supply"], 0.0)
        zero = ca.SX.zeros(LEGS)
        acc, omega = self._felt(pose, v)
        return after, after.told, v, zero, zero, zero, zero, zero, acc, omega, supply, told["power_return"], age

    def _filtered(self, x: Sensed, read: Expr, measured: Expr, taken: Expr) -> Sensed:
        """After a tick in which a row may have come."""
        came = ca.logic_and(ca.ne(taken, x.taken), ca.sum1(ca.fabs(read)) < ca.inf)
        h = measured - x.measured
        anew = ca.logic_or(x.taken == 0, ca.logic_or(h < 0, h > LONGEST))
        predicted = x.l + x.v * h
        miss = read - predicted
        l = ca.if_else(anew, read, predicted + ALPHA * miss)
        v = ca.if_else(anew, 0.0, x.v + BETA / ca.fmax(h, self.dt) * miss)
        newer = ca.logic_and(came, ca.logic_or(anew, h > 0))  # the same measurement may be told twice
        return x.replace(
            taken=taken,
            held=ca.if_else(came, 0.0, x.held + 1),
            measured=ca.if_else(newer, measured, x.measured),
            l=ca.if_else(newer, l, x.l),
            v=ca.if_else(newer, v, x.v),
        )

    def _told(self, x: Sensed, age: Expr, powered: Expr) -> tuple[Sensed, Expr]:
        """The state with the lengths that the law is told, and their rates."""
        stroke = self.hexapod.stroke
        l = x.l + x.v * ca.fmin(age, AHEAD)
        v = ca.if_else(age < AHEAD, x.v, 0.0)
        least, most = stroke.hard_min - BEYOND, stroke.hard_max + BEYOND
        goal = ca.fmin(ca.fmax(l, least), most)  # before homing a reading may be anything
        way = WANDER * self.hexapod.limits.leg_velocity * self.dt
        step = ca.fmin(ca.fmax(goal - x.told, -way), way)
        powered_for = ca.if_else(powered, ca.fmin(x.powered_for + self.dt, LONG), 0.0)
        arrived = ca.logic_and(ca.mmax(ca.fabs(l - x.told)) < CLOSE, powered_for >= SETTLED)
        on = ca.logic_and(powered, ca.logic_or(x.on, arrived))
        after = x.replace(told=ca.if_else(on, l, x.told + step), on=on, powered_for=powered_for)
        return after, ca.if_else(on, v, step / self.dt)

    def _felt(self, pose: Expr, l_dot: Expr) -> tuple[Expr, Expr]:
        """Specific force of a platform at rest, and angular rate from the legs' rates, in P."""
        Q = quaternion_euler_zyx(pose[3:])
        legs = legs_at(self.hexapod, ca.DM(np.asarray(self.hexapod.p_neutral)) + pose[:3], Q)
        size = float(np.linalg.norm(self.hexapod.joints, axis=1).max())  # scales the equations alike
        J = ca.horzcat(legs.J[:, :3] / size, legs.J[:, 3:])
        omega_W = solve(J.T @ J, J.T @ l_dot, symmetric=True).x[:3] / size
        R = R_quaternion(Q)
        return R.T @ ca.DM([0.0, 0.0, G]), R.T @ omega_W


def _all_are(states: Expr, *wanted: LegState) -> Expr:
    """Whether every leg is in one of these states."""
    found: Expr = ca.sum1(sum((states == float(s) for s in wanted), ca.SX.zeros(LEGS))) == LEGS
    return found


def _six(row: Expr, name: str) -> Expr:
    first = RIG_PLACES[f"leg1_{name}"]
    return row[first : first + LEGS]
