"""The plant with its sensors under the control law, other than the platform from which identification starts."""

import functools
import warnings
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.control.law import ControlLaw
from motionbase.identify.preset import preset_text
from motionbase.identify.signals import Signals, channels_of, signals_from
from motionbase.identify.study import Identified, identify
from motionbase.plant.plant import Plant
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform, platform_text
from motionbase.platform.ready_sets import IDENTIFY, ready_sets
from motionbase.platform.sensors import Sensors
from motionbase.record.hexapod import hexapod_schema
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario
from tests.identify.synthetic import heavier

SECONDS, EVERY = 50.0, 2  # of the run; ticks per record
DELAYS = {"position": 0.002, "force": 0.004, "pressure": 0.001, "spool": 0.003, "velocity": 0.001}
LATE = replace(
    Sensors(), **{kind: replace(getattr(Sensors(), kind), delay=delay) for kind, delay in DELAYS.items()}
)  # fmt: skip


def simulated(platform: Hexapod) -> Hexapod:
    """More friction, less gain, a heavier load off centre; stiffer drive or softer, leakier oil."""
    law, actuator = platform.actuator.friction, platform.actuator
    friction = replace(law, coulomb=1.4 * law.coulomb, static=1.4 * law.static, sigma2=1.3 * law.sigma2)
    if isinstance(actuator, ElectricActuator):
        made = replace(actuator, friction=friction, speed_max=0.9 * actuator.speed_max, inertia=1.2 * actuator.inertia)
        return replace(heavier(platform), actuator=made)
    oil = {"bulk_modulus": 0.8 * actuator.bulk_modulus, "leakage_internal": 2 * actuator.leakage_internal}
    made_of_oil = replace(actuator, friction=friction, rated_flow=0.9 * actuator.rated_flow, **oil)
    return replace(heavier(platform), actuator=made_of_oil)


@functools.cache
def recording(name: str, sensors: Sensors | None = None) -> dict[str, Array]:
    """Records of the set for identification, under the law for the platform as it was known."""
    known = load_platform(name)
    law, schema = ControlLaw(known), hexapod_schema(known.electric)
    loop = ClosedLoop(law, Plant(simulated(known), sensors, dt=law.dt), tuple(c.name for c in schema.channels))
    scenario = Scenario(settings=ready_sets(known)[IDENTIFY].values, seed=11)
    return channels_of(Runner(loop).run(scenario, SECONDS, every=EVERY).columns)


def signals(name: str, sensors: Sensors | None = None, every: int = 1) -> Signals:
    """What is used of it."""
    columns = {key: x[::every] for key, x in recording(name, sensors).items()}
    t = 5e-4 * columns["tick"]
    return signals_from(t, columns, load_platform(name), "recording of a simulation")


@functools.cache
def identified(name: str) -> Identified:
    """All that is found."""
    return identify(signals(name), load_platform(name))


def exact(platform: Hexapod) -> dict[str, float]:
    """What was simulated, by key."""
    law, load, actuator = platform.actuator.friction, platform.payload, platform.actuator
    names = ("coulomb", "static", "stribeck", "sigma2")
    found = {f"actuator.friction.{name}": getattr(law, name) for name in names}
    found |= {"payload.mass": load.mass, "moving mass": platform.moving_mass}
    found |= {f"payload.com.{axis}": x for axis, x in zip("xyz", load.com, strict=True)}
    found |= {f"payload.inertia.{axis}{axis}": x for axis, x in zip("xyz", load.inertia[:3], strict=True)}
    gains = ("rated_flow", "leakage_internal", "bulk_modulus")
    own = gains if isinstance(actuator, HydraulicActuator) else ("speed_max", "speed_bandwidth", "inertia", "load_mass")
    return found | {f"actuator.{name}": getattr(actuator, name) for name in own}


@pytest.mark.parametrize("name", ["simona", "emotion-1500"])
def test_everything_is_found_within_its_interval(name: str) -> None:
    """Nearly everything: of twenty intervals of 95 % one may miss, and none by more than half its width again."""
    found, truth = identified(name), exact(simulated(load_platform(name)))
    assert truth.keys() <= found.estimates.keys(), found.hidden
    missed = {
        k: (found.estimates[k], x)
        for k, x in truth.items()
        if abs(found.estimates[k].value - x) > found.estimates[k].half
    }
    assert len(missed) <= 2, missed
    assert all(abs(one.value - x) < 2.5 * one.half for one, x in missed.values()), missed
    for key, x in truth.items():
        limit = 0.2 if key == "actuator.load_mass" else 0.03
        assert found.estimates[key].value == pytest.approx(x, rel=limit, abs=2e-3), key
    legs = found.estimates["actuator.friction.coulomb"].legs
    assert len(legs) == 6 and np.ptp([leg.value for leg in legs]) < 0.02 * legs[0].value
    assert not any("legs differ" in note for note in found.notes)


def test_what_few_records_and_what_this_motion_do_not_show_is_said() -> None:
    hidden = identified("simona").hidden
    assert hidden["actuator.valve_frequency"].why == (
        "not identifiable from this recording: record every tick of the law, --rate 2000"
    )
    assert identified("emotion-1500").hidden["force of the motors"].why.endswith("weigh the load")


def test_one_leg_alone() -> None:
    found = identify(signals("simona"), load_platform("simona"), ("friction", "flow"), leg=3)
    one = found.estimates["actuator.friction.coulomb"]
    assert one.value == pytest.approx(420.0, rel=0.01) and one.legs == ()
    assert one.half > identified("simona").estimates["actuator.friction.coulomb"].half
    assert {one.group for one in found.findings} == {"friction", "flow"}


def test_delays_of_sensors_are_found_and_undone() -> None:
    found = identify(signals("simona", LATE), load_platform("simona"))
    for kind, delay in DELAYS.items():
        assert found.estimates[f"sensors.{kind}.delay"].value == pytest.approx(delay, abs=1.5e-4), kind
        assert found.estimates[f"sensors.{kind}.delay"].written
    assert found.estimates["sensors.acceleration.delay"].value == pytest.approx(0.0, abs=1e-4)
    truth = exact(simulated(load_platform("simona")))
    for key in ("actuator.bulk_modulus", "actuator.rated_flow", "payload.mass", "actuator.friction.coulomb"):
        assert found.estimates[key].value == pytest.approx(truth[key], rel=5e-3), key
    assert any(note.startswith("lengths are read later than other sensors") for note in found.notes)


@pytest.mark.parametrize("name", ["simona", "emotion-1500"])
def test_the_preset_has_what_was_found_and_is_a_platform(name: str, tmp_path: Path) -> None:
    """simona is written in axes with z down, and with legs in another order."""
    found = identified(name)
    text, notes = preset_text(found, platform_text(name), "recording 'a.mcap'", date(2026, 2, 3))
    assert notes == ()
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a heavier load is beyond what some limits allow
        made = load_platform(path)
    known, values = load_platform(name), {key: one.value for key, one in found.estimates.items()}
    for key in exact(known):
        if key.startswith("actuator."):
            place: object = made
            for part in key.split("."):
                place = getattr(place, part)
            assert place == pytest.approx(values[key], rel=1e-5), key
    assert made.payload.mass == pytest.approx(values["payload.mass"], rel=1e-5)
    np.testing.assert_allclose(made.payload.com, [values[f"payload.com.{a}"] for a in "xyz"], atol=1e-6)
    planes = ("xx", "yy", "zz", "xy", "xz", "yz")
    np.testing.assert_allclose(
        made.payload.inertia, [values[f"payload.inertia.{p}"] for p in planes], rtol=1e-4, atol=1e-3
    )
    same = replace(
        made, name=known.name, sources=known.sources, illustrative=known.illustrative, payload=known.payload,
        actuator=known.actuator,
    )  # fmt: skip
    assert same == known, "nothing else changes"
    assert made.name == f"{name}-identified" and "2026-02-03 from recording 'a.mcap'" in made.sources[-1]
    assert "payload" not in made.illustrative and "actuator.friction.coulomb" not in made.illustrative
    assert "actuator.friction.sigma0" in made.illustrative
    assert "+- " in next(line for line in text.splitlines() if line.startswith("coulomb = "))


def test_static_friction_that_was_not_seen_stays_in_proportion() -> None:
    """Without the slow wave, and thus without low speeds for long, a file must still be a law of friction."""
    found = identified("simona")
    few = replace(found, findings=tuple(f for f in found.findings if f.key != "actuator.friction.static"))
    text, _ = preset_text(few, platform_text("simona"), "x")
    line = next(line for line in text.splitlines() if line.startswith("static = "))
    assert float(line.split()[2]) == pytest.approx(4 / 3 * found.estimates["actuator.friction.coulomb"].value, rel=1e-5)
    assert "not shown by the motion" in line
