"""What a rotor shows, against the balance of momentum, of moment of momentum, and of energy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.rotor.elements.rods import RodForce
from motionbase.rotor.flight.flying import Flown, Flying
from motionbase.rotor.models.library import rotor_model
from tests.rotor.small_rotor import RADIUS, SPEED, VACUUM, started

SOLVED = 1e-6  # of the forces: steps leave about a thousandth of what counts as solved, 1e-6


@cache
def cruise() -> Flown:
    """The compact Puma in forward flight, after twelve revolutions."""
    flying = Flying.of(rotor_model("puma_compact"))
    settings = {"collective": 0.14, "airspeed": 40.0, "cyclic_sin": -0.03}
    flying.fly(90 * 12, lambda t: {name: value * min(1.0, t) for name, value in settings.items()})
    return flying.fly(90 * 2, settings)


def six(flown: Flown, name: str) -> tuple[Array, Array]:
    """(n, 3) force and moment."""
    found = flown.observed
    return tuple(np.stack([found[f"{name}_{kind}{axis}"] for axis in "xyz"], axis=1) for kind in "fm")  # type: ignore[return-value]


class Frame:
    """Where the shaft stands: centre of the hub, and a vector of its axes in the world."""

    def __init__(self, flown: Flown) -> None:
        names = [body.name for body in flown.flying.network.network.assembly.bodies]
        still = np.tile([1.0, 0.0, 0.0, 0.0], (len(flown.t), 1))
        self.Q = flown.nodes[:, names.index("fuselage"), 3:7] if "fuselage" in names else still
        # the hub's massless node stands in its centre
        self.centre = flown.nodes[:, names.index("hub"), :3]

    def world(self, r: Array) -> Array:
        return turned(self.Q, r)


def of_links(flown: Flown, centre: Array) -> tuple[Array, Array]:
    """(n, 3) forces of the pitch links on the blades, and their moment about the hub, along the links."""
    network = flown.flying.network.network
    force, moment = np.zeros((len(flown.t), 3)), np.zeros((len(flown.t), 3))
    for part, start in zip(network.assembly.parts, network.assembly.own_starts, strict=False):
        if isinstance(part, RodForce) and part.name.endswith("_link"):
            lower, upper = (
                flown.nodes[:, n, :3] + turned(flown.nodes[:, n, 3:7], r)
                for n, r in zip(part.nodes, (part.r[:3], part.r[3:]), strict=True)
            )
            along = (upper - lower) / np.linalg.norm(upper - lower, axis=1, keepdims=True)
            pushed = flown.own[:, [start]] * along
            force, moment = force + pushed, moment + np.cross(upper - centre, pushed)
    return force, moment


def of_scissors(flown: Flown, centre: Array) -> tuple[Array, Array]:
    """(n, 3) force of the rotating scissors on the hub, across its plane y = 0, and its moment about the hub."""
    assembly = flown.flying.network.network.assembly
    k = next(k for k, part in enumerate(assembly.parts) if part.name == "rotating_scissors")
    a, b = (flown.nodes[:, n] for n in assembly.parts[k].nodes)
    force = -flown.own[:, [assembly.own_starts[k]]] * turned(b[:, 3:7], np.array([0.0, 1.0, 0.0]))
    return force, np.cross(a[:, :3] + turned(a[:, 3:7], np.array([0.3, 0.0, 0.0])) - centre, force)


def turned(Q: Array, r: Array) -> Array:
    """(n, 3) a vector by quaternions."""
    w, v = Q[:, :1], Q[:, 1:]
    t = 2 * np.cross(v, r)
    found: Array = r + w * t + np.cross(v, t)
    return found


@cache
def helicopter() -> Flown:
    """The same rotor with its airframe, tilted and turning, in its first second."""
    flying = Flying.of(rotor_model("puma_compact", free=True).flying_at((20.0, 3.0, 1.0), 0.1, -0.05))
    return flying.fly(360, {"collective": 0.15, "cyclic_sin": -0.02, "tail": 2000.0, "gust_y": 3.0})


@pytest.mark.parametrize(
    "flight",
    [
        pytest.param(cruise, marks=pytest.mark.long("compiles a rotor")),
        pytest.param(helicopter, marks=pytest.mark.long("compiles a rotor with its airframe")),
    ],
)
def test_forces_change_the_momentum(flight: Callable[[], Flown]) -> None:
    """Shaft, air, links, scissors and weight against the rate of momentum, and about the hub, at every step."""
    flown = flight()
    at, assembly = Frame(flown), flown.flying.network.network.assembly
    blades = [n for n, body in enumerate(assembly.bodies) if body.mass and body.name != "fuselage"]
    masses = np.array([assembly.bodies[n].mass for n in blades])
    nodes = flown.nodes[:, blades]
    x, beta_dot, gamma_dot = nodes[..., :3] - at.centre[:, None], nodes[..., 19:22], nodes[..., 22:25]
    weight = masses[:, None] * np.array([0.0, 0.0, -9.81])
    loads = [tuple(sign * at.world(part) for part in six(flown, name)) for sign, name in ((-1, "shaft"), (1, "air"))]
    loads += [of_links(flown, at.centre), of_scissors(flown, at.centre)]
    loads.append((weight.sum(axis=0), np.cross(x, weight).sum(axis=1)))
    largest = np.abs(beta_dot).max()
    rates = beta_dot.sum(axis=1), (np.cross(x, beta_dot) + gamma_dot).sum(axis=1)
    for k, scale in enumerate((1.0, 7.49)):
        np.testing.assert_allclose(sum(load[k] for load in loads), rates[k], atol=SOLVED * largest * scale)


def test_the_torque_is_that_of_the_air() -> None:
    """Over a revolution of periodic flight the blades' spin does not change; 1e-3 for samples that do not divide it."""
    flown = cruise()
    found = {name: values[-90:].mean() for name, values in flown.observed.items()}
    assert found["drive_torque"] == pytest.approx(-found["air_mz"], rel=3e-3)
    assert found["drive_power"] == pytest.approx(28.0 * found["drive_torque"], rel=1e-9)
    links = of_links(flown, np.zeros(3))[0][-90:, 2].mean()
    weight = 9.81 * sum(body.mass for body in flown.flying.network.network.assembly.bodies)
    assert found["shaft_fz"] == pytest.approx(found["air_fz"] + links - weight, rel=1e-4)


@pytest.mark.long("compiles a rotor")
def test_power_is_the_rate_of_kinetic_energy() -> None:
    """A blade on an offset hinge flaps in vacuo: the shaft that keeps its speed does work on it, and takes it back.

    The integral of power by the trapezoidal rule, against the energy of the nodes; both of second order.
    """
    flying = started(360, density=VACUUM, hinge=0.5, flapping=0.1)
    flying.fly(90, {})  # the start leaves a zigzag of accelerations
    flown = flying.fly(720, {})
    v, omega, beta, gamma = (flown.nodes[..., k : k + 3] for k in (7, 10, 13, 16))
    energy = 0.5 * (np.einsum("nki,nki->n", v, beta) + np.einsum("nki,nki->n", omega, gamma))
    power, h = flown.observed["drive_power"], flown.t[1] - flown.t[0]
    work = np.concatenate([[0.0], np.cumsum(0.5 * h * (power[1:] + power[:-1]))])
    swing = np.ptp(energy)
    assert swing > 50.0
    np.testing.assert_allclose(work, energy - energy[0], atol=2e-3 * swing)


def test_angles_are_those_of_the_joints() -> None:
    flown = cruise()
    for which in ("lag", "flap", "pitch"):
        angles = flown.angles(which)
        for k in range(4):
            np.testing.assert_allclose(flown.observed[f"b{k + 1}_{which}"], angles[:, k], atol=1e-12)


def test_azimuth_and_axes_turn_with_the_hub() -> None:
    """The angle of blade 1 is that of the shaft, and the speed times the time but for 2.4e-4: w^2 h^2 / 20.

    Hub axes are the shaft's, turned by it.
    """
    flown = cruise()
    psi = flown.observed["azimuth"]
    np.testing.assert_allclose(np.cos(psi - flown.azimuth[:, 0]), 1.0, atol=1e-12)
    np.testing.assert_allclose(flown.azimuth[:, 0], 28.0 * flown.t, rtol=3e-4)
    np.testing.assert_allclose(np.diff(flown.azimuth, axis=0), 28.0 * 0.00249, rtol=3e-4)
    assert psi.min() >= 0.0 and psi.max() < 2 * np.pi
    (fixed, _), (turning, _) = six(flown, "shaft"), six(flown, "hub")
    np.testing.assert_allclose(turning[:, 0], np.cos(psi) * fixed[:, 0] + np.sin(psi) * fixed[:, 1], atol=1e-9 * 4e4)


@pytest.mark.long("compiles a rotor")
def test_root_loads_of_a_blade_that_turns() -> None:
    """In vacuo at rest in flap: tension m w^2 (R^2 - e^2) / 2 at the bearing at e, no bending, nothing on the link.

    The method's error is w^2 h^2 / 3, here 4e-4.
    """
    flown = started(180, density=VACUUM, hinge=0.5).fly(90, {})
    found = {name: values[-1] for name, values in flown.observed.items()}
    e = 0.55
    assert found["b1_tension"] == pytest.approx(6.0 * SPEED**2 * (RADIUS**2 - e**2) / 2, rel=5e-4)
    assert abs(found["b1_flap_bending"]) < 1e-3 * found["b1_tension"]
    assert abs(found["b1_link"]) < 1.0


@pytest.mark.long("compiles a rotor")
def test_bending_is_up_where_lift_is() -> None:
    """A rotor that is put into the air at a pitch: before it has coned, lift bends the root upwards."""
    flown = started(180, hinge=0.5).fly(180 * 2, {"collective": 0.1})
    first = int(np.argmax(flown.observed["b1_flap"] > 1e-3))
    assert flown.observed["b1_flap_bending"][first] > 0


def test_outputs_have_names_units_and_meaning() -> None:
    flying = copy.copy(cruise().flying)
    names = [port.name for port in flying.outputs]
    assert len(set(names)) == len(names) == 25 + 4 * 7
    assert all(port.unit and port.description for port in flying.outputs)
    assert set(cruise().observed) == set(names)
    units = {port.name: port.unit for port in flying.outputs}
    assert (units["shaft_fz"], units["hub_mx"], units["drive_power"], units["b2_lag"]) == ("N", "N m", "W", "rad")
