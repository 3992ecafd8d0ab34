"""Findings about the legs: friction, flow and valves of hydraulic ones, the speed loop of electric ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.identify import drive as drives
from motionbase.identify.bristle import steady, vector
from motionbase.identify.drive import fit_drive, fit_speed
from motionbase.identify.estimates import LEVEL, PER_SAMPLE, Estimate, Finding, Hidden, finding
from motionbase.identify.flow import NAMES as FLOW_NAMES
from motionbase.identify.flow import fit_flow
from motionbase.identify.friction import Balance
from motionbase.identify.gathering import Gathering
from motionbase.identify.regression import Fit, Interval
from motionbase.identify.valve import fit_lag, fit_valves

OF_LOOP = 0.01  # of the speed loop: its lag is taken as known, its commands are held from tick to tick
RATE = 500.0  # samples a second that all but the valves need
STATIC, STRIBECK = 2.0, 5.0  # times what coarse samples leave of a force, since they act at the reversals alone
FAST = 95  # per cent of the samples are slower
STATED_SPEED = 0.1  # [m/s] at which total friction is told
NO_OIL = "the recording has no pressures of the chambers or no spool positions"
MORE_PRESSURE = "accelerate more, so that pressures vary"
REVERSALS = "drive faster motion with reversals of all legs"
SLOW_MOTION = "add slow motion below 2 cm/s with reversals"


# ---- hydraulic legs -------------------------------------------------------------------------------------------------


def hydraulic_legs(study: Gathering, actuator: HydraulicActuator) -> None:
    """Friction from forces, flow from volumes."""
    if not {"friction", "flow", "leakage", "oil", "delay"} & set(study.groups):
        return
    oil = study.signals.has("p_cap", "p_rod")
    if oil and study.signals.has("f_meas"):
        balance = Balance.of(study.thin, actuator)
        fit = study.fits["friction"] = balance.fit(study.legs)
        if fit is None:
            study.hide("friction", ["actuator.friction"], f"not identifiable from this motion: {REVERSALS}")
        else:
            each = (balance.fit((leg,)) for leg in study.legs if len(study.legs) > 1)
            alone = [one.fit for one in each if one is not None]
            study.add(*friction_of(study, fit.fit, 0, fit.slow, fast_of(fit.v), alone))
            study.delays["pressure"] = fit.fit.interval(lambda theta: float(theta[4]))
    else:
        study.hide("friction", ["actuator.friction"], "the recording has no pressures of the chambers or no forces")
    if oil and study.signals.has("valve_meas"):
        flow = study.fits["flow"] = fit_flow(study.thin, study.platform, study.legs)
        alone = [fit_flow(study.thin, study.platform, (leg,)).fit for leg in study.legs] if len(study.legs) > 1 else []
        study.add(*_flow(actuator, flow.fit, alone), _offsets(flow.fit))
        study.delays["spool"] = flow.fit.interval(lambda theta: float(theta[4]))
    else:
        for group, key in (("flow", "rated_flow"), ("leakage", "leakage_internal"), ("oil", "bulk_modulus")):
            study.hide(group, [f"actuator.{key}"], NO_OIL)


def the_valves(study: Gathering, actuator: HydraulicActuator) -> None:
    """Dynamics of the spools; their delay is part of it, so nothing is undone before."""
    if "valve" not in study.groups:
        return
    if study.signals.has("valve_meas", "valve_cmd"):
        study.add(*_valve(study, actuator))
    else:
        study.hide("valve", ["actuator.valve_frequency"], "the recording has no commands or no positions of the spools")


def fast_of(v: Array) -> float:
    """The speed that few samples exceed [m/s]."""
    return float(np.percentile(np.abs(v), FAST))


def friction_of(
    study: Gathering, fit: Fit, at: int, slow: bool, fast: float, alone: Sequence[Fit]
) -> Iterator[Finding]:
    """Friction of a fit.

    Args:
        at: its first parameter of friction
        fast: speed that few samples exceed [m/s]
        alone: fits of single legs, with friction from parameter 0 on
    """
    usual, law = vector(study.platform.actuator.friction), study.platform.actuator.friction
    level = LEVEL + PER_SAMPLE * study.thin.dt  # a reversal takes some milliseconds: coarse samples blur it

    def one(key: str, unit: str, number: Callable[[Array], float], nominal: float, excite: str, **more: Any) -> Finding:
        legs = tuple(each.interval(number) for each in alone)
        found = fit.interval(lambda theta: number(theta[at : at + 4]))
        return finding("friction", key, unit, found, nominal, excite, legs=legs, **{"level": level, **more})

    yield one("actuator.friction.coulomb", "N", lambda p: float(p[0]), law.coulomb, REVERSALS)
    if slow:
        yield one(
            "actuator.friction.static", "N", lambda p: float(p[0] + p[1]), law.static, SLOW_MOTION, level=STATIC * level
        )
        yield one(
            "actuator.friction.stribeck",
            "m/s",
            lambda p: float(p[2]),
            law.stribeck,
            SLOW_MOTION,
            level=STRIBECK * level,
        )
    else:
        for name in ("static", "stribeck"):
            yield Hidden("friction", f"actuator.friction.{name}", f"not identifiable from this motion: {SLOW_MOTION}")
    # what coarse samples leave of a force is most of the viscous part where legs are slow
    viscous = level * abs(float(fit.theta[at])) / max(fast * abs(float(fit.theta[at + 3])), 1e-300)
    yield one(
        "actuator.friction.sigma2", "N s/m", lambda p: float(p[3]), law.sigma2, REVERSALS, level=max(viscous, level)
    )

    def total(p: Array) -> float:
        return float(steady(p[:4], np.array(STATED_SPEED)))

    yield one(f"friction at {STATED_SPEED:g} m/s", "N", total, total(usual), REVERSALS, written=False)


def _flow(actuator: HydraulicActuator, fit: Fit, alone: Sequence[Fit]) -> Iterator[Finding]:
    def one(group: str, name: str, unit: str, number: Callable[[Array], float], excite: str) -> Finding:
        legs = tuple(each.interval(number) for each in alone)
        found, nominal = fit.interval(number), getattr(actuator, name)
        return finding(group, f"actuator.{name}", unit, found, nominal, excite, legs=legs)

    flow_unit, leak_unit = "m^3/s", "m^3/(s Pa)"
    yield one("flow", "rated_flow", flow_unit, lambda theta: float(theta[0]), "drive all legs faster")
    yield one("leakage", "leakage_internal", leak_unit, lambda theta: float(theta[1]), "vary the load of the legs more")
    yield one("leakage", "leakage_external", leak_unit, lambda theta: float(theta[2]), "vary the pressures more")
    yield one("oil", "bulk_modulus", "Pa", lambda theta: 1 / float(theta[3]), MORE_PRESSURE)


def _offsets(fit: Fit) -> Finding:
    """Offsets of the spools' sensors, or of the spools from the middle of their edges."""
    each = [fit.interval(partial(_offset, k)) for k in range(len(FLOW_NAMES), len(fit.theta))]
    mean = fit.interval(lambda theta: float(np.mean(theta[len(FLOW_NAMES) :]) / theta[0]))
    legs = tuple(each) if len(each) > 1 else ()
    return Estimate("flow", "offset of the spools", "-", mean.value, mean.half, written=False, legs=legs)


def _offset(at: int, theta: Array) -> float:
    return float(theta[at] / theta[0])


def _valve(study: Gathering, actuator: HydraulicActuator) -> Iterator[Finding]:
    """The spool's dynamics where every tick is recorded; its lag in any case."""
    usual = 2 * actuator.valve_damping / actuator.valve_frequency
    lag = fit_lag(study.signals.thinned(RATE), study.legs)
    yield finding(
        "valve", "lag of the spool", "s", lag.interval(lambda theta: float(theta[1])), usual, "drive faster motion",
        level=LEVEL, written=False,
    )  # fmt: skip
    names = ("valve_frequency", "valve_damping")
    if not study.signals.every_tick:
        why = "not identifiable from this recording: record every tick of the law, --rate 2000"
        for name in names:
            yield Hidden("valve", f"actuator.{name}", why)
        return
    fit = fit_valves(study.signals, actuator, study.legs)
    for k, (name, unit) in enumerate(zip(names, ("rad/s", "-"), strict=True)):
        found = Interval(float(fit.theta[k]), float(fit.halves[k]))
        excite = "drive motion with higher frequencies"
        yield finding("valve", f"actuator.{name}", unit, found, getattr(actuator, name), excite)


# ---- electric legs --------------------------------------------------------------------------------------------------


def electric_legs(study: Gathering, actuator: ElectricActuator) -> None:
    """The speed loop; friction comes with the load."""
    if not study.signals.has("valve_cmd"):
        study.hide("drive", ["actuator.speed_max", "actuator.speed_bandwidth"], "the recording has no speed commands")
        return
    if not study.signals.has("f_meas"):
        study.hide("drive", ["actuator.speed_bandwidth"], "the recording has no forces of the motors")
        speed = fit_speed(study.thin, study.legs).interval(lambda theta: float(theta[0]) * actuator.ratio)
        excite = "drive all legs faster"
        study.add(finding("drive", "actuator.speed_max", "rad/s", speed, actuator.speed_max, excite))
        return
    fit = study.fits["drive"] = fit_drive(study.thin, actuator, study.legs)
    alone = [fit_drive(study.thin, actuator, (leg,)).fit for leg in study.legs] if len(study.legs) > 1 else []

    def one(name: str, unit: str, number: Callable[[Array], float], excite: str, level: float = LEVEL) -> Finding:
        legs, nominal = tuple(each.interval(number) for each in alone), getattr(actuator, name)
        found = fit.fit.interval(number)
        return finding("drive", f"actuator.{name}", unit, found, nominal, excite, legs=legs, level=level)

    accelerate = "accelerate more, so that the loop has an error"
    study.add(
        one("speed_max", "rad/s", lambda theta: drives.v_max(theta) * actuator.ratio, "drive all legs faster"),
        one("speed_bandwidth", "rad/s", drives.bandwidth, accelerate, OF_LOOP),
    )
