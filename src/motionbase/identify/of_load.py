"""Findings about the moving load, about what comes with it in electric legs, and about delays of sensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.arrays import Array
from motionbase.identify import drive as drives
from motionbase.identify.delays import SENSORS, delays_of
from motionbase.identify.estimates import LEVEL, PER_SAMPLE, Estimate, Finding, finding
from motionbase.identify.gathering import Gathering
from motionbase.identify.load import LoadFit, fit_leg_friction, fit_load, fit_load_with_friction, inertia_about_centre
from motionbase.identify.of_legs import OF_LOOP, fast_of, friction_of
from motionbase.identify.regression import Fit, Interval

AXES, PLANES = "xyz", ("xx", "yy", "zz", "xy", "xz", "yz")
COM_WITHIN, INERTIA_WITHIN = 0.05, 0.15  # of the joints' radius, of the mean moment of inertia: wider is not shown
LEVEL_DELAY = 0.05  # of a sample: what sampling leaves of a delay at best
SIGNIFICANT = 3.0  # times its half width, a delay is one
LEAST_DELAY_S = 2e-4
ALL_AXES = "move all axes at once, with accelerations"


# ---- load -----------------------------------------------------------------------------------------------------------


def the_load(study: Gathering) -> None:
    """Payload; with electric legs friction and reflected mass as well."""
    platform = study.platform
    wanted = {"mass", "delay", *(("friction",) if platform.electric else ())}
    if not wanted & set(study.groups):
        return
    if not study.signals.has("f_meas"):
        for group, key in (
            ("mass", "payload.mass"),
            *((("friction", "actuator.friction"),) if platform.electric else ()),
        ):
            study.hide(group, [key], "the recording has no forces of the legs")
        return
    if isinstance(platform.actuator, ElectricActuator):
        load = fit_load_with_friction(study.thin, platform)
        _motor_friction(study, platform.actuator, load)
        _tuned_for(study, platform.actuator, load)
    else:
        load = fit_load(study.thin, platform)
    study.fits["load"] = load
    study.delays["force"] = load.fit.interval(lambda theta: float(theta[11 if platform.electric else 10]))
    study.add(*_payload(study, load.fit))


def _payload(study: Gathering, fit: Fit) -> Iterator[Finding]:
    payload, radius = study.platform.payload, study.platform.joint_radius
    found = fit.interval(lambda theta: float(theta[0]))
    mass = finding("mass", "payload.mass", "kg", found, payload.mass, ALL_AXES)
    yield mass
    rods = study.platform.moving_mass - payload.mass
    if isinstance(mass, Estimate):
        usual = study.platform.moving_mass
        yield Estimate("mass", "moving mass", "kg", mass.value + rods, mass.half, usual, written=False)
    for k, axis in enumerate(AXES):
        found = fit.interval(partial(_centre, k))
        yield finding(
            "mass", f"payload.com.{axis}", "m", found, payload.com[k], ALL_AXES, positive=False,
            widest=COM_WITHIN * radius,
        )  # fmt: skip
    mean = float(np.mean(inertia_about_centre(fit.theta)[:3]))
    for k, plane in enumerate(PLANES):
        found = fit.interval(partial(_inertia, k))
        yield finding(
            "mass", f"payload.inertia.{plane}", "kg m^2", found, payload.inertia[k], f"turn more: {ALL_AXES}",
            positive=k < 3, widest=INERTIA_WITHIN * abs(mean),
        )  # fmt: skip


def _centre(axis: int, theta: Array) -> float:
    return float(theta[1 + axis] / theta[0])


def _inertia(plane: int, theta: Array) -> float:
    return float(inertia_about_centre(theta)[plane])


def _motor_friction(study: Gathering, actuator: ElectricActuator, load: LoadFit) -> None:
    """Friction and reflected mass, which only an electric leg's own force shows."""
    per_mass = 1 / actuator.ratio**2
    found = load.fit.interval(lambda theta: float(theta[10]) * per_mass)
    level = LEVEL + PER_SAMPLE * study.thin.dt
    study.add(finding("mass", "actuator.inertia", "kg m^2", found, actuator.inertia, ALL_AXES, level=level))
    fast = fast_of(load.v[load.used])
    alone = [fit_leg_friction(study.thin, study.platform, load, leg) for leg in study.legs]
    if len(study.legs) == 1:
        study.add(*friction_of(study, alone[0], 0, load.slow, fast, []))
    else:
        study.add(*friction_of(study, load.fit, 12, load.slow, fast, alone))
    study.hide(
        "drive", ["force of the motors"],
        "not identifiable: forces, masses and friction all scale alike with the force per current; weigh the load",
    )  # fmt: skip


def _tuned_for(study: Gathering, actuator: ElectricActuator, load: LoadFit) -> None:
    """The mass for which the speed loop is tuned: that of its gain, without the reflected mass."""
    if (fit := study.fits.get("drive")) is None:
        return
    whole, rotor = fit.fit.interval(drives.tuned_mass), load.fit.interval(lambda theta: float(theta[10]))
    found = Interval(whole.value - rotor.value, float(np.hypot(whole.half, rotor.half)))
    level = 2 * OF_LOOP * whole.value / abs(found.value)  # a difference keeps the errors of both
    excite = "accelerate more, so that the loop has an error"
    study.add(finding("drive", "actuator.load_mass", "kg", found, actuator.load_mass, excite, level=level))


# ---- delays and legs ------------------------------------------------------------------------------------------------


def balance_delays(study: Gathering) -> None:
    """Delays of force, pressure and spool behind the lengths, from the balances that show them."""
    force, pressure = study.delays.get("force"), study.delays.pop("pressure", None)
    if force is not None and pressure is not None:  # friction tells pressures and forces apart
        study.delays["pressure"] = Interval(force.value + pressure.value, float(np.hypot(force.half, pressure.half)))
    for kind, one in study.delays.items():
        study.delays[kind] = Interval(one.value + study.late.get(kind, 0.0), one.half)


def significant(delays: Mapping[str, Interval]) -> dict[str, Interval]:
    """Those that are no chance."""
    return {k: one for k, one in delays.items() if abs(one.value) > max(SIGNIFICANT * one.half, LEAST_DELAY_S)}


def the_delays(study: Gathering) -> None:
    """Delays of the sensors behind the lengths; of those that are significant, a preset gets them."""
    if "delay" not in study.groups:
        return
    found = delays_of(study.thin, study.platform)
    following = found.pop("following", None)
    least = LEVEL_DELAY * study.thin.dt
    found |= study.delays
    wide = {kind: Interval(one.value, float(np.hypot(one.half, least))) for kind, one in found.items()}
    real = significant(wide)
    earliest = min((one.value for one in real.values()), default=0.0)
    base = max(0.0, -earliest)  # if another sensor is earlier than the lengths, those are late
    sensors = study.platform.sensors
    if base:
        half = max(one.half for one in real.values() if one.value == earliest)
        study.add(Estimate("delay", "sensors.position.delay", "s", base, half, sensors.position.delay))
        study.notes.append("lengths are read later than other sensors; the earliest sensor counts as having no delay")
    for kind, one in sorted(wide.items(), key=lambda item: [*SENSORS, "force", "pressure", "spool"].index(item[0])):
        value = max(0.0, one.value + base) if kind in real else one.value + base
        written = kind in real or bool(base)
        study.add(Estimate("delay", f"sensors.{kind}.delay", "s", max(0.0, value) if written else value, one.half,
                           getattr(sensors, kind).delay, written=written))  # fmt: skip
    if following is not None:
        study.add(Estimate("delay", "legs behind their commands", "s", following.value, following.half, written=False))
