"""What the state machine must know of the rest, and small kernels of the control law's own bookkeeping."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.faults import WarningBit
from motionbase.control.fields import MIXED, Field
from motionbase.control.latch import LATCH
from motionbase.control.limits import LIMITER
from motionbase.control.states import QUIET, TIMED, Mode, State, is_one_of

MODE_FREE = (*QUIET, State.RISING, State.STANDBY, State.LOWERING)

TIMES = (
    Field("transition_timeout", 1, "s", "longest rising, engaging or lowering", 60.0),
    Field("settle_timeout", 1, "s", "longest settling; generators may fade for 600 s", 660.0),
    Field("abort_timeout", 1, "s", "longest abort; then the legs are held", 30.0),
    Field("stop_timeout", 1, "s", "longest stopping; then the legs are held", 2.0),
    Field("host_timeout", 1, "s", "silence of the host after which drive settles", 1.0),
    Field("arrive_tolerance", 1, "m", "error of the legs at which a move has arrived", 0.02),
    Field("down_tolerance", 1, "m", "length of the legs above that of down at which the platform is down", 0.02),
)
SHUT_TIME = Field("shut_time", 1, "s", "in which the hardware is told to shut the valves off, evenly", 0.25)


def flags(l_down: float) -> Kernel:
    """Flags of the state machine, from the tick before and the measurements of this one."""

    def expr(
        transition_timeout: ca.SX, settle_timeout: ca.SX, abort_timeout: ca.SX, stop_timeout: ca.SX,
        host_timeout: ca.SX, arrive_tolerance: ca.SX, down_tolerance: ca.SX, l_min: ca.SX, l_max: ca.SX, p_min: ca.SX,
        dt: ca.SX, state: ca.SX, ticks: ca.SX, duration: ca.SX, active: ca.SX, l_cmd: ca.SX, l: ca.SX, codes: ca.SX,
        converged: ca.SX, mode: ca.SX, age: ca.SX, count: ca.SX, within: ca.SX, host_legs: ca.SX, p_supply: ca.SX,
        lines_good: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        time = (ticks + 1) * dt
        hosted = ca.eq(mode, Mode.HOST)
        longest = ca.if_else(ca.eq(state, State.SETTLING), settle_timeout, transition_timeout)
        expired = ca.logic_and(is_one_of(state, TIMED), time > longest)
        expired = ca.if_else(ca.eq(state, State.ABORT), time > abort_timeout, expired)
        expired = ca.if_else(ca.eq(state, State.STOPPING), time > stop_timeout, expired)
        stopped = time >= duration
        close = ca.norm_inf(l_cmd - l) <= arrive_tolerance
        arrived = ca.logic_and(ca.logic_and(stopped, ca.eq(active, 0)), close)
        grounded = ca.mmax(l) <= l_down + down_tolerance  # closed valves let a leg sink below it
        powered = ca.logic_and(p_supply >= p_min, ca.ne(lines_good, 0))
        ready = ca.logic_and(ca.logic_and(powered, ca.eq(ca.sum1(codes), 0)), ca.eq(converged, 1))
        silent = ca.logic_or(age > host_timeout, ca.eq(count, 0))
        lengths = host_legs[:, 0]
        reached = ca.logic_and(ca.mmin(lengths) >= l_min, ca.mmax(lengths) <= l_max)
        fits = ca.logic_and(ca.eq(within, 1), reached)
        drivable = ca.logic_or(ca.logic_not(hosted), ca.logic_and(fits, ca.logic_not(silent)))
        outside = ca.logic_and(hosted, ca.logic_not(fits))
        return expired, arrived, grounded, stopped, ready, drivable, ca.logic_and(hosted, silent), outside

    return Kernel(
        "flags",
        inputs=(
            *(Port(t.name, (), t.unit, t.description) for t in TIMES),
            Port("l_min", (), "m"),
            Port("l_max", (), "m"),
            Port("p_min", (), "Pa"),
            Port("dt", (), "s"),
            Port("state", (), "-"),
            Port("ticks", (), "-"),
            Port("duration", (), "s", "of the move"),
            Port("active", (), "-", "1 while generators give anything"),
            Port("l_cmd", 6, "m"),
            Port("l", 6, "m"),
            Port("codes", 6, "-"),
            Port("converged", (), "-"),
            Port("mode", (), "-"),
            Port("age", (), "s"),
            Port("count", (), "-"),
            Port("within", (), "-"),
            Port("host_legs", (6, 3), MIXED, "legs at the host's demand"),
            Port("p_supply", (), "Pa"),
            Port("lines_good", (), "-"),
        ),
        outputs=tuple(
            Port(name)
            for name in ("expired", "arrived", "grounded", "stopped", "ready", "drivable", "host_lost", "outside")
        ),
        expr=expr,
        description="flags of the state machine",
    )


def _generator_clock(
    dt: ca.SX, state: ca.SX, entered: ca.SX, live: ca.SX, ticks: ca.SX, stop: ca.SX
) -> tuple[ca.SX, ...]:
    begins = ca.logic_and(ca.ne(entered, 0), ca.eq(state, State.DRIVE))
    settles = ca.eq(state, State.SETTLING)
    goes_on = ca.logic_and(ca.ne(live, 0), ca.logic_or(ca.eq(state, State.DRIVE), settles))
    now = ca.if_else(begins, 0.0, ticks + 1)
    told = ca.logic_and(ca.ne(entered, 0), settles)
    stop_next = ca.if_else(begins, ca.inf, ca.if_else(told, now * dt, stop))
    return begins, ca.logic_or(begins, goes_on), now, now * dt, stop_next


GENERATOR_CLOCK = Kernel(
    "generator_clock",
    (Port("dt", (), "s"), Port("state"), Port("entered"), Port("live"), Port("ticks"), Port("stop", (), "s")),
    (Port("begins"), Port("live_next"), Port("ticks_next"), Port("t", (), "s"), Port("stop_next", (), "s")),
    _generator_clock,
    "time of the generators: from the transition to drive until they have faded after it",
)
MODE = Kernel(
    "mode_in_use",
    (Port("state"), Port("before"), Port("mode")),
    (Port("mode_used"),),
    lambda state, before, mode: ca.if_else(is_one_of(state, MODE_FREE), mode, before),
    "a change of mode waits until no drive or way from it is on",
)
HOSTED = Kernel("hosted", (Port("mode"),), (Port("hosted"),), lambda mode: ca.eq(mode, Mode.HOST))
DRIVE_MOTION = Kernel(
    "drive_motion",
    (Port("mode"), Port("host", (6, 3), MIXED)),
    (Port("drive", (12, 3), MIXED),),
    lambda mode, host: ca.vertcat(ca.if_else(ca.eq(mode, Mode.HOST), host, ca.SX.zeros(6, 3)), ca.SX.zeros(6, 3)),
    "host trajectory in host mode, neutral in maintenance",
)
ADD = Kernel(
    "add_motions",
    (Port("first", (12, 3), MIXED), Port("second", (12, 3), MIXED)),
    (Port("total", (12, 3), MIXED),),
    lambda first, second: first + second,
)
ADD_LEG = Kernel(
    "add_leg", (Port("first", 3, MIXED), Port("second", 3, MIXED)), (Port("total", 3, MIXED),), lambda a, b: a + b
)
LEG_GOT = Kernel(
    "leg_got",
    (Port("acts", (), "-", "whether the leg's limits act"), Port("asked", 3, MIXED, "addition to the leg"),
     Port("wanted", 3, MIXED, "by inverse kinematics"), Port("got", 3, MIXED, "within the limits of the leg")),
    (Port("added", 3, MIXED),),
    lambda acts, asked, wanted, got: ca.if_else(ca.ne(acts, 0), got - wanted, asked),
    "what a leg really got beyond the motion of the degrees of freedom",
)  # fmt: skip
REST = Kernel(
    "rest",
    (Port("motion", 3, MIXED),),
    (Port("after", LIMITER, MIXED),),
    lambda motion: ca.vertcat(motion[0], ca.SX.zeros(LIMITER - 1)),
    "state of a limiter that stands at a motion",
)
LEG_REST = Kernel(
    "leg_rest",
    (Port("l", (), "m"),),
    (Port("after", LIMITER, MIXED), Port("motion", 3, MIXED)),
    lambda l: (ca.vertcat(l, ca.SX.zeros(LIMITER - 1)), ca.vertcat(l, 0, 0)),
    "a limiter and a command that stand at the measured length",
)


DECAY = Kernel(
    "decay",
    (Port("estimator", (), "rad/s", "speed of the estimator"), Port("dt", (), "s")),
    (Port("decay", (), "-"),),
    lambda estimator, dt: ca.exp(-estimator * dt),
    "what is left of an error after a tick",
)


def _turning(turn_corner: ca.SX, dt: ca.SX, before: ca.SX, fresh: ca.SX, omega: ca.SX) -> ca.SX:
    share = turn_corner * dt / (1 + turn_corner * dt)
    known = ca.fabs(omega) < ca.inf
    now = ca.if_else(known, omega, before[:3])
    alpha = before[3:] + share * ((now - before[:3]) / dt - before[3:])
    return ca.vertcat(now, ca.if_else(ca.ne(fresh, 0), 0.0, alpha))


TURNING = Kernel(
    "turning",
    (Port("turn_corner", (), "rad/s"), Port("dt", (), "s"), Port("before", 6, MIXED), Port("fresh"),
     Port("omega", 3, "rad/s")),
    (Port("after", 6, MIXED, "rate [rad/s], angular acceleration [rad/s^2]"),),
    _turning,
    "angular acceleration from the rate gyros",
)  # fmt: skip


def _fused(felt_share: ca.SX, l_ddot: ca.SX, l_ddot_felt: ca.SX) -> ca.SX:
    felt = ca.if_else(ca.fabs(l_ddot_felt) < ca.inf, l_ddot_felt, l_ddot)
    return l_ddot + felt_share * (felt - l_ddot)


FUSED = Kernel(
    "fused",
    (Port("felt_share", (), "-"), Port("l_ddot", (), "m/s^2"), Port("l_ddot_felt", (), "m/s^2")),
    (Port("l_ddot_fused", (), "m/s^2"),),
    _fused,
    "acceleration of a leg from its own sensor and from those of the platform",
)


def _estimated(r: ca.SX, dt: ca.SX, before: ca.SX, fresh: ca.SX, measured: ca.SX, a: ca.SX) -> ca.SX:
    x, v = before[0] + before[1] * dt + a * dt**2 / 2, before[1] + a * dt
    miss = measured - x
    made = ca.vertcat(x + (1 - r**2) * miss, v + (1 - r) ** 2 / dt * miss)
    return ca.if_else(ca.ne(fresh, 0), ca.vertcat(measured, 0), made)


ESTIMATE = Kernel(
    "estimate",
    (
        Port("decay", (), "-", "both poles"),
        Port("dt", (), "s"),
        Port("before", 2, MIXED, "position and rate, one tick ago"),
        Port("fresh", (), "-"),
        Port("measured", (), MIXED),
        Port("a", (), MIXED, "commanded acceleration"),
    ),
    (Port("after", 2, MIXED),),
    _estimated,
    "position and rate of one degree of freedom from measured positions and the commanded acceleration",
)


def _warned(
    horizon: ca.SX, mode: ca.SX, age: ca.SX, refused: ca.SX, outside: ca.SX, dof_acts: ca.SX, leg_acts: ca.SX,
    gyros_wrong: ca.SX,
) -> ca.SX:  # fmt: skip
    hosted = ca.eq(mode, Mode.HOST)
    bits = {
        WarningBit.HOST_SILENT: ca.logic_and(hosted, age > horizon),
        WarningBit.FRAME_REFUSED: ca.ne(refused, 0),
        WarningBit.DOF_LIMIT: ca.sum1(dof_acts) > 0,
        WarningBit.LEG_LIMIT: ca.sum1(leg_acts) > 0,
        WarningBit.DEMAND_OUTSIDE: ca.ne(outside, 0),
        WarningBit.GYROS_WRONG: ca.ne(gyros_wrong, 0),
    }
    return sum((bit.value * active for bit, active in bits.items()), ca.SX(0))


WARN = Kernel(
    "warnings",
    (
        Port("horizon", (), "s"), Port("mode"), Port("age", (), "s"), Port("refused"), Port("outside"),
        Port("dof_acts", 6), Port("leg_acts", 6), Port("gyros_wrong"),
    ),
    (Port("warning"),),
    _warned,
)  # fmt: skip


def shut_off(brakes: bool) -> Kernel:
    """How far the hardware must have acted: valves are shut off evenly in shut_time, brakes close at once.

    Legs with brakes are held by them whenever they are quiet, too.
    """

    def expr(shut_time: ca.SX, dt: ca.SX, before: ca.SX, latch: ca.SX, quiet: ca.SX) -> ca.SX:
        shut = ca.ne(latch[2], 0)
        if brakes:
            return ca.logic_or(shut, ca.ne(quiet, 0))
        return ca.if_else(shut, ca.fmin(before + dt / shut_time, 1.0), 0.0)

    inputs = (Port("shut_time", (), "s"), Port("dt", (), "s"), Port("before"), LATCH, Port("quiet"))
    return Kernel("shut_off", inputs, (Port("abort"),), expr)


EITHER = Kernel("either", (Port("a"), Port("b")), (Port("a_or_b"),), lambda a, b: ca.logic_or(ca.ne(a, 0), ca.ne(b, 0)))
FIRST = Kernel("first_column", (Port("rows", (6, 3), MIXED),), (Port("first", 6, "m"),), lambda rows: rows[:, 0])
