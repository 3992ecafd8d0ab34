"""Forces along the rollers: whatever is asked, each holds, or is at its limit against the sliding."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Kernel, Port, compile
from motionbase.compile.linear import factorize
from motionbase.plant.sphere.motion import SphereMotion
from motionbase.plant.sphere.traction import sweeps_for, traction
from motionbase.platform.atlas.atlas import Atlas
from tests.plant.sphere.cases import moved, sphere_on


def heavy(atlas: Atlas, times: float) -> Atlas:
    """With wheels and rotors of so many times the inertia, which couples the wheels by the sphere more."""
    wheels = (replace(w, inertia=times * w.inertia, rotor_inertia=times * w.rotor_inertia) for w in atlas.wheels)
    return replace(atlas, wheels=tuple(wheels))


@pytest.mark.parametrize(("n", "times", "sweeps"), [(3, 1.0, 4), (4, 1.0, 7), (5, 1.0, 9), (5, 10.0, 40)])
def test_every_force_holds_or_is_at_its_limit(n: int, times: float, sweeps: int) -> None:
    """Forces of 6 kN within random limits, some of them 0; the sweeps leave 1e-6 N, as chosen."""
    B = SphereMotion(heavy(sphere_on(n), times), 5e-4).sliding
    count = sweeps_for(B)
    assert count <= sweeps

    def expr(B: Any, u_free: Any, limit: Any) -> Any:
        return traction(B, factorize(B, symmetric=True), u_free, limit, count)

    ports = Port("B", (n, n)), Port("u_free", n, "m/s"), Port("limit", n, "N")
    solve = compile(Kernel("traction", ports, (Port("f", n, "N"),), expr))
    rng = np.random.default_rng(n)
    for _ in range(300):
        u_free, limit = B @ (6e3 * rng.standard_normal(n)), 5e3 * rng.uniform(0, 1, n) * (rng.uniform(0, 1, n) < 0.8)
        f = np.asarray(solve(B, u_free, limit))
        u = u_free + B @ f
        assert (np.abs(f) <= limit).all()
        within = np.clip(f - u / np.diag(B), -limit, limit)
        np.testing.assert_allclose(f, within, rtol=0, atol=1e-6)


def test_a_creeping_contact_slides_with_its_force() -> None:
    atlas = sphere_on(inertia=900.0)
    soft = replace(atlas, wheels=tuple(replace(w, creep=1e-6) for w in atlas.wheels))
    run = moved(soft, 400, tau_motor=np.array([10.0, -5.0, 3.0]))
    assert np.abs(run["f_contact"]).max() > 500
    np.testing.assert_allclose(run["slip"], -1e-6 * run["f_contact"], rtol=0, atol=1e-13)
