"""Geometrically exact beams in motion: frequencies, energy, spin-up, and the tree engine against the network engine."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.multibody import Model
from motionbase.multibody.beams import Chain, Profile, beam_chain, straight
from motionbase.multibody.joints import revolute
from motionbase.multibody.models.rotating_beam import rotating_beam, spin_up_torque, steady_extension
from motionbase.multibody.network.static import static
from motionbase.multibody.network.vibration import vibration
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from tests.multibody.exact_beams import Nodes, slender

WRIGHT = {  # speed: first and second flapping frequency, all in sqrt(EI / (rho A L^4))
    0: (3.5160, 22.0345), 1: (3.6816, 22.1810), 2: (4.1373, 22.6149), 4: (5.5850, 24.2733), 8: (9.2568, 29.9954),
    12: (13.1702, 37.6031),
}  # fmt: skip


@pytest.mark.parametrize("speed", WRIGHT)
def test_frequencies_of_a_rotating_beam(speed: int) -> None:
    """Six beams of three nodes: the second is 4e-4 high at rest, and falls with the fourth power of the length.

    Clamped to a hub that turns about z, along x; flapping is across the plane, where the hub does not move.
    """
    line = straight((0, 0, 0), (1, 0, 0), 13)
    root = revolute((0, 0, 1)) if speed else None
    chain = beam_chain("b", line, slender(1e6), nodes=3, root=root)
    model = Model("rotor", chain.bodies, chain.joints, (0, 0, 0), chain.beams)
    found = vibration(static(model, spin=(0.0, 0.0, float(speed))))
    np.testing.assert_allclose(found.along(2)[:2], WRIGHT[speed], rtol=5e-4)
    assert np.all(
        found.eigenvalues.real < 1e-2
    )  # a hub free to turn has a double zero, split by rounding's square root


def soft(nodes: Nodes, damping: float = 0.0) -> tuple[Chain, Model]:
    """A soft cantilever that falls by 0.8 of its length and swings; its highest frequency suits an explicit method."""
    profile = Profile((2e3, 1e3, 1e3, 2.0, 2.0, 3.0), 1.0, (2e-2, 1e-2, 1e-2))
    chain = beam_chain("b", straight((0, 0, 0), (1, 0, 0), 3), profile, nodes=nodes, damping=damping)
    return chain, Model("soft", chain.bodies, chain.joints, (0, 0, -9.81), chain.beams)


@cache
def swing(nodes: Nodes, engine: Any, method: str, dt: float, damping: float = 0.0) -> Trajectory:
    """Half a second from rest along x."""
    return simulate(soft(nodes, damping)[1], 0.5, dt, method=method, engine=engine, every=round(5e-3 / dt))


def energy(run: Trajectory) -> Any:
    return sum(np.asarray(run.energy[kind]) for kind in ("kinetic", "potential", "strain"))


@pytest.mark.parametrize("nodes", [2, pytest.param(3, marks=pytest.mark.long("six seconds of compilation"))])
def test_tree_and_network_agree(nodes: Nodes) -> None:
    """Each half of the step brings them four times nearer, up to what RK4 leaves."""
    tree = swing(nodes, "tree", "rk4", 5e-4).q
    apart = [np.abs(swing(nodes, "network", "trapezoidal", dt).q - tree).max() for dt in (1e-3, 5e-4)]
    assert apart[1] < 1e-4
    assert math.log2(apart[0] / apart[1]) == pytest.approx(2.0, abs=0.2)
    assert swing(nodes, "tree", "rk4", 5e-4).column("q.b2.z").min() < -0.5  # far from small motions


def test_energy_of_the_trapezoidal_rule_and_of_ms() -> None:
    """Kept to second order by the first; the second takes it from what its step cannot follow, and never gives any."""
    kept, finer = (energy(swing(2, "network", "trapezoidal", dt)) for dt in (1e-3, 5e-4))
    scale = max(swing(2, "network", "trapezoidal", 1e-3).energy["strain"])
    assert np.abs(kept - kept[0]).max() < 1e-5 * scale
    assert np.abs(finer - finer[0]).max() < 0.3 * np.abs(kept - kept[0]).max()
    taken = energy(swing(2, "network", "ms", 5e-3))
    assert taken.max() <= taken[0] + 1e-12 * scale
    assert taken[0] - taken[-1] > 10 * np.abs(kept - kept[0]).max()


@pytest.mark.long("compiles in both engines")
def test_damping_takes_energy_in_both_engines() -> None:
    """The power is that of stress against strain rate: the engines lose the same."""
    runs = [swing(2, "tree", "rk4", 5e-4, 2e-3), swing(2, "network", "trapezoidal", 5e-4, 2e-3)]
    lost = [energy(run)[0] - energy(run)[-1] for run in runs]
    assert lost[0] > 0.02
    assert lost[1] == pytest.approx(lost[0], rel=1e-3)
    assert np.diff(energy(runs[0])).max() < 1e-9
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-4


@pytest.mark.long("4,000 steps of a stiff beam, and a second compilation")
def test_spin_up() -> None:
    """To 6 rad/s in 15 s (Simo & Vu-Quoc 1986): the tip lags by about 0.57 and ends 5.143e-4 farther out.

    The hub is so heavy that a torque prescribes its angle; at the end the beam hardly swings.
    """
    model = rotating_beam()

    def torque(t: float) -> Any:
        tau = np.zeros(model.nv)
        tau[0] = spin_up_torque(t)
        return tau

    run = simulate(model, 20.0, 5e-3, engine="network", inputs=torque)
    outward, lag = run.column("q.b4.x"), run.column("q.b4.y")
    assert run.column("v.spin")[-1] == pytest.approx(6.0, rel=1e-5)
    assert steady_extension() == pytest.approx(5.143e-4, rel=1e-4)
    assert outward[run.t > 18] == pytest.approx(steady_extension(), rel=2e-3)
    assert lag.min() == pytest.approx(-0.57, abs=0.02)
