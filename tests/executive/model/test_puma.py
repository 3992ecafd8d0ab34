"""The rotor of a Puma in the loop: as it flies in native loops, and its channels."""

from functools import cache

import numpy as np
import pytest

from motionbase.executive.model.code import ModelCode
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.rotor import Rotor
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.running.of_model import operated
from tests.executive.model.rig import stepped

STEP, EVERY = 2.5e-3, 4
SETTINGS = "collective", "cyclic_cos", "cyclic_sin", "airspeed", "shaft_angle"


@cache
def puma() -> ModelCode:
    """With set points from operators."""
    return ModelCode.of(Rotor(operated(rotor_model("puma"))), Timing(STEP, 0.05, True))


@pytest.mark.long("compiles a large rotor; a small one is in test_rotor.py")
def test_the_loop_equals_the_rotor_in_native_loops_with_the_settings_it_recorded() -> None:
    """To the bit: the record of a tick shows the state before its step, and the settings of its step."""
    with stepped(puma()) as rig:
        rig.tune("collective", 0.15)
        rig.tune("airspeed", 20.0)
        rig.tune("cyclic_sin", -0.04)
        rows = rig.step(2.0, EVERY)
    assert rig.of(rows, "unsolved").max() == 0 and not rig.of(rows, "fault").any()
    flying = Flying.of(rotor_model("puma"), STEP)
    count, begin = len(rows) - 1, flying.t
    acted = {name: rig.of(rows, name) for name in SETTINGS}

    def settings(t: float) -> dict[str, float]:
        k = round((t - begin) / STEP) - 1
        return {name: float(values[k]) for name, values in acted.items()}

    flown = flying.fly(count, settings)
    for which in ("lag", "flap", "pitch"):
        recorded = np.column_stack([rig.of(rows, f"b{k}_{which}") for k in range(1, 5)])
        np.testing.assert_array_equal(recorded[1:], flown.angles(which))
    names = "force_x", "force_y", "thrust", "moment_x", "moment_y"
    loads = np.column_stack([rig.of(rows, name) for name in names])
    np.testing.assert_array_equal(loads[1:], flown.loads[:, :5])
    np.testing.assert_array_equal(rig.of(rows, "torque")[1:], -flown.loads[:, 5])
    np.testing.assert_array_equal(rig.of(rows, "inflow")[1:], flown.induced[:, 0])
    assert rig.of(rows, "thrust")[-1] > 2e4  # it carries something


@pytest.mark.long("compiles a large rotor; a small one is in test_rotor.py")
def test_blades_follow_controls_and_azimuth() -> None:
    """Pitch is collective + cos and sin parts at the azimuth; flap adds little, with links at its hinge."""
    with stepped(puma()) as rig:
        rig.tune("collective", 0.1)
        rig.tune("cyclic_cos", 0.03)
        rig.tune("cyclic_sin", -0.02)
        rows = rig.step(4.0, EVERY)[-360:]
    psi = rig.of(rows, "azimuth")
    assert psi.min() >= 0 and psi.max() < 2 * np.pi
    for k in range(4):
        at = psi + k * np.pi / 2
        basis = np.column_stack([np.ones_like(at), np.cos(at), np.sin(at), np.cos(2 * at), np.sin(2 * at)])
        found = np.linalg.lstsq(basis, rig.of(rows, f"b{k + 1}_pitch"))[0]
        assert np.abs(found[:3] - [0.1, 0.03, -0.02]).max() < 0.01
    power, torque = rig.of(rows, "power"), rig.of(rows, "torque")
    np.testing.assert_allclose(power, 28.0 * torque, rtol=1e-12)


@pytest.mark.long("compiles a large rotor; a small one is in test_rotor.py")
def test_the_record_has_the_loads_of_the_shaft() -> None:
    """In steady hover the torque is what the air takes; the shaft carries thrust and pushes of links, less weight."""
    with stepped(puma()) as rig:
        rig.tune("collective", 0.12)
        rows = rig.step(4.0, EVERY)[-400:]
    torque, drive = rig.of(rows, "torque").mean(), rig.of(rows, "drive_torque").mean()
    assert abs(drive / torque - 1) < 1e-3
    np.testing.assert_allclose(rig.of(rows, "shaft_mz"), -rig.of(rows, "drive_torque"), rtol=1e-12)
    rotor = rotor_model("puma")
    weight = 9.81 * sum(body.mass for body in rotor.model.bodies if body.name not in rotor.massless)
    links, thrust = sum(rig.of(rows, f"b{k}_link").mean() for k in range(1, 5)), rig.of(rows, "thrust").mean()
    assert abs(rig.of(rows, "shaft_fz").mean() - (thrust + links - weight)) < 1e-3 * thrust
