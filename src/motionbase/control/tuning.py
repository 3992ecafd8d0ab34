"""Which parameters users may change while the law runs, and how far from their designed values.

A parameter that is not listed is fixed: the path of an abort, the time limits of the states and the criteria for
arrival bring the base to safety, and must not be changed during a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from motionbase.compile import Port
from motionbase.control import design, electric_design
from motionbase.control.design import LinearLeg
from motionbase.control.leg_control import LegControl
from motionbase.platform.hexapod import Hexapod

LOOP = ("k_p", "k_i", "k_v", "k_a", "k_dp", "dp_corner", "felt_share")  # gains of the feedback
DRAWN_IN = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1)  # fractions of RANGES to try


class Range(NamedTuple):
    """Tuning range of a parameter.

    Attributes:
        least, most: as factors of the designed value, or absolute if `absolute`
        at_rest: only while the base is at rest
    """

    least: float
    most: float
    at_rest: bool = False
    absolute: bool = False


RANGES = {
    # Gains change during motion, ramped. Their ranges shrink together if a corner of this box, all gains at once, would
    # make the linear loop unstable (`loop_bounds`); inside it, a loop may still be damped much less than as designed.
    "k_p": Range(0.2, 1.4),
    "k_i": Range(0.0, 2.0),
    "k_v": Range(0.0, 0.1, absolute=True),
    "k_a": Range(0.7, 1.3),
    "k_dp": Range(0.7, 1.5),
    "dp_corner": Range(0.2, 1.5),
    # Feed-forward is outside the loop; a fifth too much is already clearly too much.
    "ff_velocity": Range(0.0, 1.2, absolute=True),
    "lead": Range(0.0, 1.5),
    "ff_force": Range(0.0, 1.2, absolute=True),
    "ff_friction": Range(0.0, 1.2, absolute=True),
    "ff_compression": Range(0.0, 1.2, absolute=True),
    "integral_max": Range(0.0, 2.0),
    "felt_share": Range(0.0, 0.5, absolute=True),
    "estimator": Range(0.2, 5.0),  # only affects the estimate in the record, no loop uses it
    # Moves are planned with these when a state is entered, and stay within the limits whatever they are; the slowest
    # still ends well within the time limit of its state.
    "move_velocity": Range(0.25, 2.0),
    "move_acceleration": Range(0.25, 2.0),
    "move_least": Range(0.4, 10.0),
    "fade_least": Range(0.5, 10.0),
    "host_horizon": Range(0.5, 2.0),  # at least twice the period of 40 Hz
    "host_stop": Range(0.5, 4.0),
    # Limits may be made tighter, never wider than the platform's. Only at rest: a limit that tightens during a motion,
    # or a deceleration that is reduced while it is needed, would interrupt the motion.
    "dof_position": Range(0.2, 1.0, at_rest=True),
    "dof_velocity": Range(0.2, 1.0, at_rest=True),
    "dof_acceleration": Range(0.2, 1.0, at_rest=True),
    "dof_chase": Range(0.2, 1.0, at_rest=True),
    "jerk_time": Range(0.5, 4.0, at_rest=True),
    "leg_velocity": Range(0.2, 1.0, at_rest=True),
    "leg_braking": Range(0.2, 1.0, at_rest=True),
    "valve_rate_max": Range(0.5, 1.0, at_rest=True),
    "authority_zone": Range(1.0, 2.0, at_rest=True),
    "authority_min": Range(0.5, 1.0, at_rest=True),
    # Monitors may be made stricter, never more lenient. Only at rest: a false alarm should not end a drive.
    "p_min": Range(1.0, 1.5, at_rest=True),
    "supply_time": Range(0.2, 1.0, at_rest=True),
    "drift_max": Range(0.5, 1.0, at_rest=True),
    "rate_max": Range(0.5, 1.0, at_rest=True),
    "range_margin": Range(0.5, 1.0, at_rest=True),
    "pressure_max": Range(0.75, 1.0, at_rest=True),
    "tracking_max": Range(0.2, 1.0, at_rest=True),
    "tracking_time": Range(0.2, 1.0, at_rest=True),
    "stall_travel": Range(0.7, 1.0, at_rest=True),
    "speed_time": Range(0.2, 1.0, at_rest=True),
    "mismatch_max": Range(0.5, 1.0, at_rest=True),
    "mismatch_time": Range(0.5, 1.0, at_rest=True),
    "contact": Range(1.0, 2.0, at_rest=True),
    "host_timeout": Range(0.2, 1.0, at_rest=True),
}


def tunable(ports: Iterable[Port], platform: Hexapod, legs: LegControl) -> tuple[Port, ...]:
    """The parameters, with bounds for those that may be tuned."""
    listed = tuple(ports)
    values = {p.name: float(p.start_values[0]) for p in listed if p.name in LOOP}
    loop = loop_bounds(values, legs)
    made = (
        replace(p, tunable=True, least=loop[p.name][0], most=loop[p.name][1]) if p.name in loop else p for p in listed
    )
    return tuple(p if p.name in LOOP else _bounded(p, platform) for p in made)


def loop_bounds(values: Mapping[str, float], legs: LegControl) -> dict[str, tuple[float, float]]:
    """Bounds of the loop's gains: RANGES, shrunk towards the design until every corner is stable.

    Only corners, and the linear model at the softest position of the stroke: a safeguard against mistakes, not a proof.
    Without a gain of position the law closes no loop, and nothing of it is tuned.
    """
    if "k_p" not in values:
        return {}
    for part in DRAWN_IN:
        box = {}
        for name, value in values.items():
            allowed = RANGES[name]
            scale = 1.0 if allowed.absolute else value
            box[name] = tuple(value + part * (factor * scale - value) for factor in (allowed.least, allowed.most))
        if all(_is_stable(legs, dict(zip(box, corner, strict=True))) for corner in product(*box.values())):
            return {name: (ends[0], ends[1]) for name, ends in box.items()}
    return {}


def _is_stable(legs: LegControl, gains: Mapping[str, float]) -> bool:
    linear = legs.linear
    if isinstance(linear, LinearLeg):
        return all(design.is_stable(linear, gains, mass) for mass in linear.masses)
    return all(electric_design.is_stable(linear, gains["k_p"], mass) for mass in linear.masses)


def _bounded(port: Port, platform: Hexapod) -> Port:
    stroke, l_neutral, limits = platform.stroke, platform.l_neutral, platform.limits
    first = float(port.start_values[0])
    special = {  # leaves half of the way from a stroke's end to neutral, and from largest demand to fault
        "l_min": (stroke.l_min, (stroke.l_min + float(l_neutral.min())) / 2),
        "l_max": ((stroke.l_max + float(l_neutral.max())) / 2, stroke.l_max),
        "leg_acceleration": (limits.leg_braking, limits.leg_acceleration),  # braking needs as much
        "speed_max": ((limits.leg_velocity + first) / 2, first),
    }
    if port.name in special:
        least, most = special[port.name]
        return replace(port, tunable=True, least=least, most=most, at_rest=True)
    if port.name not in RANGES:
        return port
    allowed = RANGES[port.name]
    scale = np.ones(port.size) if allowed.absolute else port.start_values
    least_of, most_of = (tuple((factor * scale).tolist()) for factor in (allowed.least, allowed.most))
    return replace(port, tunable=True, least=least_of, most=most_of, at_rest=allowed.at_rest)
