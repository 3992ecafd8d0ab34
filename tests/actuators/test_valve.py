"""The spool against closed forms, and the flow over its edges."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.valve import LAMINAR_DROP, conductance, openings, spool_step
from motionbase.compile import Kernel, Port, compile, scan
from motionbase.spatial.rotations import Expr
from tests.actuators.legs import LEG


def spool_kernel(actuator: HydraulicActuator) -> Kernel:
    def expr(h: Expr, spool: Expr, rate: Expr, u: Expr) -> tuple[Expr, Expr]:
        return spool_step(actuator, h, spool, rate, u)

    return Kernel(
        "spool", (Port("h"), Port("spool"), Port("rate"), Port("u")), (Port("spool_next"), Port("rate_next")), expr
    )


FEEDBACK = {"spool": "spool_next", "rate": "rate_next"}
FAST = replace(LEG, valve_rate=1e6)


@pytest.mark.parametrize("hz", [10.0, 40.0, 80.0, 150.0])
def test_frequency_response(hz: float) -> None:
    """w^2 / (s^2 + 2 zeta w s + w^2); held samples delay by half a step and scale by sinc, which is divided out."""
    h, w = 1e-4, 2 * np.pi * hz
    n = 10 * round(1 / (hz * h))
    t = h * np.arange(n)
    run = scan(spool_kernel(FAST), FEEDBACK, per_step=["u"], record=["spool_next"])
    y = run(n, h=h, spool=0.0, rate=0.0, u=0.1 * np.sin(w * t))["spool_next"]
    late = t + h > 5 / hz  # the transient has decayed by exp(-0.8 500 t)
    basis = np.exp(1j * w * (t + h))
    columns = np.stack([basis.real, basis.imag], axis=1)[late]
    a, b = np.linalg.lstsq(columns, y[late], rcond=None)[0]
    found = complex(b, a) / 0.1  # y = Im(found e^{jwt}) * 0.1
    held = np.sinc(hz * h) * np.exp(-0.5j * w * h)
    s = 1j * w
    exact = 500.0**2 / (s**2 + 2 * 0.8 * 500 * s + 500.0**2)
    assert found / held == pytest.approx(exact, rel=2e-5)  # images of the held input's steps


def test_order_four_away_from_the_limits() -> None:
    """Step response 1 - exp(-zeta w t)(cos + ...) at a fixed time."""
    w, ratio, span = 500.0, 0.8, 8e-3
    wd = w * np.sqrt(1 - ratio**2)
    exact = 0.3 * (1 - np.exp(-ratio * w * span) * (np.cos(wd * span) + ratio * w / wd * np.sin(wd * span)))
    errors = []
    for n in (4, 8, 16):
        y = scan(spool_kernel(FAST), FEEDBACK)(n, h=span / n, spool=0.0, rate=0.0, u=0.3)["spool"]
        errors.append(abs(float(y) - exact))
    assert np.all(np.log2(np.array(errors[:-1]) / np.array(errors[1:])) > 3.5), errors


def test_rate_limit_is_exact() -> None:
    """Once at the limit the spool moves valve_rate h in each step, to rounding."""
    run = scan(spool_kernel(LEG), FEEDBACK, record=["spool_next", "rate_next"])
    rows = run(40, h=5e-4, spool=-1.0, rate=0.0, u=1.0)
    at_limit = rows["rate_next"] == LEG.valve_rate
    assert np.count_nonzero(at_limit) > 20
    moved = np.diff(rows["spool_next"])[at_limit[:-1] & at_limit[1:]]
    np.testing.assert_allclose(moved, LEG.valve_rate * 5e-4, rtol=1e-12)
    assert np.max(np.abs(np.diff(rows["spool_next"]))) <= LEG.valve_rate * 5e-4 * (1 + 1e-12)


def test_spool_stays_between_its_stops_and_commands_beyond_count_as_full() -> None:
    light = replace(FAST, valve_damping=0.2)
    run = scan(spool_kernel(light), FEEDBACK, record=["spool_next"])
    rows = run(400, h=5e-4, spool=0.0, rate=0.0, u=5.0)["spool_next"]
    assert np.max(rows) == 1.0
    assert rows[-1] == pytest.approx(1.0, abs=1e-6)


def test_openings_and_lap() -> None:
    def both(lap: float, spool: float) -> list[float]:
        actuator = replace(LEG, lap=lap)
        kernel = Kernel("open", (Port("x"),), (Port("a"), Port("b")), lambda x: openings(actuator, x))
        return [float(a) for a in compile(kernel)(spool)]

    assert both(0.0, 0.4) == [0.4, 0.0]
    assert both(0.1, 0.05) == [0.0, 0.0]
    assert both(0.1, 1.0) == pytest.approx([1.0, 0.0])
    assert both(-0.1, 0.0) == pytest.approx([0.1 / 1.1, 0.1 / 1.1])


def test_orifice_flow() -> None:
    kernel = Kernel(
        "orifice", (Port("a"), Port("d"), Port("r")), (Port("q"),), lambda a, d, r: conductance(LEG, a, d, r) * d
    )
    flow = compile(kernel)
    assert flow(1.0, LEG.rated_drop, 0.0) == pytest.approx(LEG.rated_flow, rel=1e-14)
    assert flow(0.5, -4 * LEG.rated_drop, 0.0) == pytest.approx(-LEG.rated_flow, rel=1e-14)
    # an orifice of fraction c in series with one of fraction a: 1/a^2 + 1/c^2 adds up
    a, c = 0.6, 0.2
    series = 1 / np.sqrt(1 / a**2 + 1 / c**2)
    assert flow(a, LEG.rated_drop, 1 / c**2) == pytest.approx(series * LEG.rated_flow, rel=1e-14)
    # through the laminar border value and slope are continuous: the slopes differ by curvature times d alone
    d = 1e-3 * LAMINAR_DROP
    below = (float(flow(1.0, LAMINAR_DROP, 0.0)) - float(flow(1.0, LAMINAR_DROP - d, 0.0))) / d
    above = (float(flow(1.0, LAMINAR_DROP + d, 0.0)) - float(flow(1.0, LAMINAR_DROP, 0.0))) / d
    assert above == pytest.approx(below, rel=3e-3)
    assert flow(1.0, 0.0, 0.0) == 0.0


def test_a_settled_spool_is_exactly_at_rest() -> None:
    """Its decay ends in zero and not in denormal numbers, on which every operation is slow."""
    rows = scan(spool_kernel(LEG), FEEDBACK)(10_000, h=5e-4, spool=0.5, rate=0.0, u=0.0)
    assert rows["spool"] == 0.0 and rows["rate"] == 0.0
