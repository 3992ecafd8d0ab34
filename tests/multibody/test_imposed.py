"""Imposed positions, angles and speeds in both engines: the motion itself, forces, starts, and bad inputs."""

from typing import Any

import numpy as np
import pytest

from motionbase.errors import SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis.equilibrium import equilibrium
from motionbase.multibody.closures import (
    AbstractClosure,
    ImposedAngleClosure,
    ImposedPositionClosure,
    ImposedSpeedClosure,
)
from motionbase.multibody.imposed import with_rates
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.models.mechanisms import bar
from motionbase.multibody.recorded import Recorded
from motionbase.multibody.simulate import simulate

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def cart(closure: AbstractClosure) -> Model:
    """A pendulum on a cart along x."""
    bodies = Body("cart", 2.0, inertia=(0.1, 0.1, 0.1)), Body("bob", 1.0, (0, 0, -0.5), (0.02, 0.02, 0.01))
    joints = Joint("slide", GROUND, "cart", prismatic(X)), Joint("pivot", "cart", "bob", revolute(Y))
    return Model("cart", bodies, joints, closures=(closure,))


def crank(closure: AbstractClosure) -> Model:
    """Two bars in a vertical plane, the first driven."""
    bodies = bar("crank", 0.3, 1.0), bar("tip", 0.5, 0.7)
    joints = Joint("j1", GROUND, "crank", revolute()), Joint("j2", "crank", "tip", revolute(), "tip")
    return Model("crank", bodies, joints, (0, -9.81, 0), closures=(closure,))


def path(t: Any) -> Any:
    return 0.1 + 0.05 * np.sin(6 * t + 0.3)


def turning(t: Any) -> Any:
    return 3.0 * t + 0.5 * t**2 + 0.2 * np.sin(5 * t)


CART = ImposedPositionClosure("drive", "cart", axis=X)


def test_rates_of_a_function_of_time() -> None:
    """(6 rad/s x 1e-3 s)^4 / 30 of the rate, and rounding of 1e-16 / 1e-6 in the second one."""
    found = with_rates(cart(CART), {"drive_position": path})
    assert found["drive_speed"](0.2) == pytest.approx(0.3 * np.cos(1.5), abs=1e-10)
    assert found["drive_acceleration"](0.2) == pytest.approx(-1.8 * np.sin(1.5), abs=1e-8)
    given = {"drive_position": path, "drive_speed": 1.0, "drive_acceleration": 2.0}
    assert with_rates(cart(CART), given) == given


def test_tree_follows_a_position() -> None:
    """Inputs are held over a step: an error of second order, 8e-8 m at 1 ms and a quarter at half of it."""
    errors = []
    for dt in (1e-3, 5e-4):
        run = simulate(cart(CART), 0.5, dt, q0={"pivot": 0.4}, inputs={"drive_position": path})
        assert run.q[0] == pytest.approx([path(0.0), 0.4], abs=1e-12)
        assert run.v[0, 0] == pytest.approx(0.3 * np.cos(0.3), abs=1e-9)
        errors.append(np.abs(run.q[:, 0] - path(run.t)).max())
    assert errors[0] < 2e-7 and 3.5 < errors[0] / errors[1] < 4.5


def test_force_of_an_imposed_position_is_that_of_the_motion() -> None:
    """F = m a of everything that is moved: the cart and the centre of mass of the bob."""
    model = cart(CART)
    run = simulate(
        model, 0.2, 1e-3, q0={"pivot": 0.4}, inputs={"drive_position": path},
        outputs=Recorded(("reactions", "accelerations"), {"bob": ("bob", (0.0, 0.0, -0.5))}),
    )  # fmt: skip
    force = run.column("reaction.drive.fx")
    moved = 2.0 * run.column("a.slide") + 1.0 * run.column("bob.ax")
    np.testing.assert_allclose(force, moved, rtol=0, atol=1e-9)


def test_tree_follows_an_angle_over_turns_and_a_speed() -> None:
    """The angle is only known within a turn, the motion goes on; 4e-7 rad of second order at 1 ms."""
    angle = simulate(crank(ImposedAngleClosure("drive", "crank")), 3.0, 1e-3, inputs={"drive_angle": turning})
    assert turning(3.0) > 4 * np.pi
    assert np.abs(angle.q[:, 0] - turning(angle.t)).max() < 1e-6
    law = {"drive_speed": lambda t: 3.0 + t + np.cos(5 * t)}
    speed = simulate(crank(ImposedSpeedClosure("drive", "crank", motion="turn")), 3.0, 1e-3, inputs=law)
    assert np.abs(speed.q[:, 0] - turning(speed.t)).max() < 1e-6
    np.testing.assert_allclose(speed.q[:, 1], angle.q[:, 1], rtol=0, atol=1e-5)


def test_equilibrium_at_an_imposed_position() -> None:
    """The cart stands where it is held."""
    found = equilibrium(cart(CART), {"slide": 0.1}, inputs={"drive_position": 0.25})
    np.testing.assert_allclose(found.q, [0.25, 0.0], rtol=0, atol=1e-9)


def test_network_follows_a_position_exactly() -> None:
    """The row holds at every step, from the first: position to rounding, speed with an error of second order."""
    run = simulate(cart(CART), 0.3, 1e-3, q0={"pivot": 0.4}, inputs={"drive_position": path}, engine="network")
    assert np.abs(run.q[:, 0] - path(run.t)).max() < 1e-14
    assert np.abs(run.v[:, 0] - 0.3 * np.cos(6 * run.t + 0.3)).max() < 5e-6  # 1.7e-6 measured, h^2 of a rate of 11


@pytest.mark.long("compiles a network twice")
def test_engines_agree_on_an_imposed_angle_and_speed() -> None:
    """The free bar under the driven one, at 1 and 0.5 ms: the difference falls with the square of the step."""
    closures: list[tuple[AbstractClosure, dict[str, Any]]] = [
        (ImposedAngleClosure("drive", "crank"), {"drive_angle": turning}),
        (ImposedSpeedClosure("drive", "crank", motion="turn"), {"drive_speed": lambda t: 3.0 + t + np.cos(5 * t)}),
    ]
    for closure, inputs in closures:
        model = crank(closure)
        tree = simulate(model, 1.0, 2.5e-4, every=4, inputs=inputs)
        coarse = simulate(model, 1.0, 1e-3, inputs=inputs, engine="network")
        fine = simulate(model, 1.0, 5e-4, every=2, inputs=inputs, engine="network")
        gaps = [np.abs(run.q - tree.q).max() for run in (coarse, fine)]
        assert gaps[0] < 1e-4 and 3.6 < gaps[0] / gaps[1] < 4.4


def test_bad_inputs() -> None:
    """A table needs its rates; steps that vary would follow it in jumps."""
    with pytest.raises(SimulationError, match=r"'drive_position' changes .* drive_speed and drive_acceleration must"):
        simulate(cart(CART), 0.01, 1e-3, inputs={"drive_position": np.linspace(0.1, 0.2, 10)})
    with pytest.raises(SimulationError, match=r"drive_position is known at whole steps .* use 'ms'"):
        simulate(cart(CART), 0.01, 1e-3, inputs={"drive_position": path}, engine="network", method="ms_adaptive")
