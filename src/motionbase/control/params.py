"""Parameters and state of the control law as named fields; the parameters' initial values suit a platform."""

from __future__ import annotations

from dataclasses import replace

from motionbase.control.agreement import AGREEMENT
from motionbase.control.bounds import LEAST, chase_of
from motionbase.control.design import FELT_SHARE, TURN_CORNER
from motionbase.control.fields import Field, Fields
from motionbase.control.generators import COLUMNS, COUNT
from motionbase.control.latch import LATCHED
from motionbase.control.leg_control import LegControl
from motionbase.control.limits import LIMITER
from motionbase.control.propagator import FIRST_BRIDGE
from motionbase.control.states import State
from motionbase.control.supervision import SHUT_TIME, TIMES
from motionbase.control.supply_lines import lines_field
from motionbase.control.trajectory import AXES
from motionbase.control.tuning import tunable
from motionbase.control.watchdogs import THRESHOLDS, WATCHED
from motionbase.platform.hexapod import Hexapod
from motionbase.words import told

SUPPLY_PART = 0.6  # of the nominal supply pressure that is needed
TRAJECTORY = (
    Field("move_velocity", 1, "-", "of rising, settling, lowering, as a part of the limits", 0.2),
    Field("move_acceleration", 1, "-", "of rising, settling, lowering, as a part of the limits", 0.1),
    Field("abort_velocity", 1, "-", "of abort and freeze, as a part of the platform's limits", 0.3),
    Field("abort_acceleration", 1, "-", "of abort and freeze, as a part of the platform's limits", 0.3),
    Field("move_least", 1, "s", "shortest move or blend", LEAST),
    Field("fade_least", 1, "s", "shortest fade of a generator when the drive is told to stop", 1.0),
    Field("host_horizon", 1, "s", "longest use of a host frame", 0.1),
    Field("host_stop", 1, "s", "shortest stop after the horizon", 0.5),
    Field("estimator", 1, "rad/s", "speed of the pose estimator", 120.0),
    Field("felt_share", 1, "-", "part of the legs' measured acceleration that the platform's sensors give", FELT_SHARE),
    Field("turn_corner", 1, "rad/s", "filter of the angular acceleration from the rate gyros", TURN_CORNER),
)


def parameters_for(platform: Hexapod, legs: LegControl) -> Fields:
    """All parameters with their values for the platform, and how far people may tune them."""
    limits, stroke = platform.limits, platform.stroke
    known = legs.designed | legs.thresholds
    chase = tuple(chase_of(platform).tolist())
    bounds = (
        Field("dof_position", 6, "m, rad", "limits of the degrees of freedom, from neutral", limits.position),
        Field("dof_velocity", 6, "m/s, rad/s", "limits of the degrees of freedom", limits.velocity),
        Field("dof_acceleration", 6, "m/s^2, rad/s^2", "limits of the degrees of freedom", limits.acceleration),
        Field("dof_chase", 6, "m/s^2, rad/s^2", "acceleration with which a jump of the demand is followed", chase),
        Field("leg_velocity", 6, "m/s", "limits of the legs", limits.leg_velocity),
        Field("leg_acceleration", 6, "m/s^2", "limits of the legs", limits.leg_acceleration),
        Field("jerk_time", 1, "s", "in which an acceleration may rise to its limit, degrees of freedom and legs", 0.04),
        Field("leg_braking", 1, "m/s^2", "deceleration to count on before the end of the stroke", limits.leg_braking),
        Field("l_min", 1, "m", "shortest leg in drive", stroke.l_min),
        Field("l_max", 1, "m", "longest leg", stroke.l_max),
        Field("l_low", 1, "m", "shortest leg outside drive", stroke.hard_min),
        Field("p_min", 1, "Pa", "least supply pressure", SUPPLY_PART * legs.p_supply),
        Field(
            "supply_time",
            1,
            "s",
            "for how long it may be lower or unbelievable",
            known.get("supply_time", 0.1),
        ),
    )
    rest = tuple(
        Field(f.name, f.size, f.unit, f.description, known.get(f.name, f.initial))
        for f in (*legs.gains, *THRESHOLDS, *TIMES, SHUT_TIME)
    )
    listed = (replace(f, description=told(f.description, platform.electric)) for f in (*bounds, *TRAJECTORY, *rest))
    return Fields(tunable(tuple(listed), platform, legs))


STATE = (
    Field("started", 1, "-", "0 before the first tick"),
    Field("state", 1, "-", "of the machine", float(State.OFF)),
    Field("ticks", 1, "-", "in the state"),
    Field("quiet", 1, "-", "valves stay closed", 1.0),
    Field("mode", 1, "-", "in use"),
    Field("plan", AXES * 5, "SI", "move: start with two derivatives, time of its stop, travel", (0, 0, 0, 1, 0), 5),
    Field("duration", 1, "s", "of the move", 1.0),
    Field("limited", AXES * 3, "SI", "trajectory, degrees of freedom within their limits", 0.0, 3),
    Field("added", 6 * 3, "SI", "what the legs really got beyond the degrees of freedom", 0.0, 3),
    Field("sums", AXES * 3, "SI", "generators in it", 0.0, 3),
    Field("dof_before", 6 * LIMITER, "SI", "limiters of the degrees of freedom", 0.0, LIMITER),
    Field("leg_before", 6 * LIMITER, "SI", "limiters of the legs", 0.0, LIMITER),
    Field("l_cmd", 6, "m", "commanded lengths"),
    Field("held", 18, "SI", "host frame in use", 0.0, 3),
    Field("bridge", 24, "SI", "bridges between frames", (0.0, 0.0, 0.0, FIRST_BRIDGE), 4),
    Field("count_held", 1, "-", "number of the host frame in use"),
    Field("age", 1, "s", "of the host frame in use", 1e3),
    Field("period", 1, "s", "of host frames", 1 / 60),
    Field("settings", COUNT * len(COLUMNS), "SI", "generator settings in use", 0.0, len(COLUMNS)),
    Field("version", 1, "-", "of these settings"),
    Field("generator_ticks", 1, "-", "since the transition to drive"),
    Field("generator_stop", 1, "s", "when the drive was told to stop"),
    Field("live", 1, "-", "1 while generators run"),
    Field("active", 1, "-", "1 while generators give anything"),
    Field("pose_meas", 6, "m, rad", "pose from measured lengths"),
    Field("pose_hat", 12, "SI", "estimated pose and rate", 0.0, 2),
    Field("turning", 6, "SI", "angular rate and acceleration of the platform"),
    Field("watch", 6 * WATCHED, "SI", "watchdogs of the legs", 0.0, WATCHED),
    Field("agreement", 6 * AGREEMENT, "SI", "of the legs' rates with each other and the gyros", 0.0, AGREEMENT),
    Field("f_needed", 6, "N", "leg forces that weight and inertia need"),
    Field("f_beyond", 6, "N", "leg forces beyond these that the platform feels"),
    Field("latch", LATCHED, "SI", "first fault, blocked, shut off, time of low supply, legs that are closed"),
    Field("abort", 1, "-", "how far the hardware was told to act"),
)


def state_for(legs: LegControl) -> Fields:
    """The state of a law for such legs."""
    return Fields((*STATE, lines_field(legs.p_supply, legs.p_return), legs.state))
