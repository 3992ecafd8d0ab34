"""A blade's structure against integrals in closed form, the Puma's published mass properties, and bad tables."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.rotor.blades.blade import Blade, Hinge
from motionbase.rotor.blades.elastic import blade_parts
from motionbase.rotor.blades.planform import FOLDER, load_planform, needed_blade

PUMA = needed_blade(load_planform("puma"))


def line(*points: tuple[float, float]) -> Any:
    """A line of a blade; a number alone holds everywhere."""
    return np.array(points)


def uniform(**changes: Any) -> Blade:
    """A metre of slender blade, EI = GJ = 1 N m^2, 1 kg/m."""
    one = {key: line((0.0, 1.0)) for key in ("mass", "GJ", "EI_flap", "EI_lag")}
    rotary = {key: line((0.0, 1e-6)) for key in ("inertia_flap", "inertia_lag")}
    nothing = {key: line((0.0, 0.0)) for key in ("cg", "elastic_axis", "twist")}
    given: dict[str, Any] = {**one, **rotary, **nothing, "EA": line((0.0, 1e6)), "root": 0.0, "radius": 1.0, "shear": 1}
    return Blade("uniform", **{**given, **changes})


def test_the_puma_has_the_published_mass_properties() -> None:
    """About the flap hinge: 91.1 kg, 247.6 kg m, 1178.8 kg m^2, to the digits given."""
    found = PUMA.rigid(0.289)
    arm = found.com[0] - 0.289
    assert round(found.mass, 1) == 91.1 and round(found.mass * arm, 1) == 247.6
    assert round(float(found.inertia[1, 1] + found.mass * arm**2), 1) == 1178.8
    assert [(kind, hinge.at) for kind, hinge in PUMA.hinges] == [("lag", 0.269), ("flap", 0.289), ("pitch", 0.432)]
    assert PUMA.clamp == 0.432 and PUMA.lag is not None and PUMA.lag.damping == 7000.0


def test_a_rigid_part_of_straight_lines_in_closed_form() -> None:
    """mu = 2 - r with its centre c r ahead, untwisted: integrals of polynomials, exact but for rounding."""
    c, flap, lag = 0.1, 0.02, 0.05
    blade = uniform(
        mass=line((0, 2), (1, 1)), cg=line((0, 0), (1, c)), inertia_flap=line((0, flap)), inertia_lag=line((0, lag))
    )
    found = blade.rigid(0.0)
    m, first, second = 3 / 2, 2 / 3, 5 / 12  # of mu, mu r, mu r^2
    np.testing.assert_allclose(found.mass, m, rtol=1e-14)
    np.testing.assert_allclose(found.com, [first / m, c * first / m, 0], atol=1e-14)
    spread = second - first**2 / m
    wanted = [
        [flap + lag + c**2 * spread, -c * spread, 0],
        [-c * spread, flap + spread, 0],
        [0, 0, lag + (1 + c**2) * spread],
    ]
    np.testing.assert_allclose(found.inertia, wanted, atol=1e-14)


def test_parts_make_the_whole_and_twist_turns_it() -> None:
    whole, parts = PUMA.rigid(0.289), [PUMA.rigid(0.289, 2.0), PUMA.rigid(2.0)]
    np.testing.assert_allclose(sum(p.mass for p in parts), whole.mass, rtol=1e-13)
    np.testing.assert_allclose(sum(p.mass * p.com for p in parts), whole.mass * whole.com, atol=1e-11)

    def about_origin(p: Any) -> Any:
        return p.inertia + p.mass * (p.com @ p.com * np.eye(3) - np.outer(p.com, p.com))

    np.testing.assert_allclose(sum(about_origin(p) for p in parts), about_origin(whole), atol=1e-9)
    angle = 0.3
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    flat = uniform(cg=line((0, 0), (1, 0.2)), inertia_lag=line((0, 0.1)))
    turned = replace(flat, twist=line((0, angle))).rigid(0.2)
    np.testing.assert_allclose(turned.com, R @ flat.rigid(0.2).com, atol=1e-15)
    np.testing.assert_allclose(turned.inertia, R @ flat.rigid(0.2).inertia @ R.T, atol=1e-15)


@pytest.mark.parametrize("beams", [3, 7, 12])
def test_nodes_keep_mass_static_moment_and_inertia(beams: int) -> None:
    """However few they are: weights of the masses are parabolas."""
    parts, clamp = blade_parts(PUMA, "b", "hub", beams=beams), PUMA.clamp
    nodes = [body for body in parts.bodies if body.name[1:].isdigit()]
    r, m = np.linspace(clamp, PUMA.radius, len(nodes)), np.array([body.mass for body in nodes])
    wanted = [PUMA.integral(lambda x, k=k: PUMA.at("mass", x) * x**k, clamp, PUMA.radius) for k in range(3)]  # type: ignore[misc]
    np.testing.assert_allclose([m.sum(), m @ r, m @ r**2], wanted, rtol=1e-13)
    flap_body, lag_body = (next(b for b in parts.bodies if b.name == f"b_{kind}") for kind in ("flap", "lag"))
    assert abs(flap_body.mass - 8.3512) < 1e-10 and abs(lag_body.mass - 0.5256) < 1e-10
    np.testing.assert_allclose(lag_body.com, (0.0155, 0, 0), atol=1e-12)
    np.testing.assert_allclose(np.diag(flap_body.inertia)[1:], 1.423114e-2, rtol=2e-3)  # and a little of its own


def test_a_section_as_a_beam_sees_it() -> None:
    found = PUMA.profile_at(3.0)
    assert found.mass == 8.929 and found.inertia == pytest.approx((0.1088, 1e-4, 0.1087))
    EA, GA_y, GA_z, GJ, EI_flap, _ = found.stiffness
    assert GA_y == GA_z == EA and (GJ, EI_flap) == (8.5e4, 8.1e4)


def test_a_file_without_a_blade_or_with_a_bad_one(tmp_path: Path) -> None:
    (tmp_path / "bare.toml").write_text((FOLDER / "caradonna_tung.toml").read_text().split("[blade]")[0])
    with pytest.raises(ModelError, match=r"rotor 'bare' has no \[blade\]"):
        needed_blade(load_planform(tmp_path / "bare.toml"))
    text = (FOLDER / "puma.toml").read_text()
    for old, new, said in (
        ("shear = 1.0", "shear = -1.0", "shear is -1, must be positive"),
        ("shear = 1.0", "sheer = 1.0", r"\[blade\] has no key 'sheer'"),
        ("flap = { at = 0.289 }", "flap = { at = 9.0 }", "flap hinge is at 9 m, must be from 0.269 to 7.49 m"),
        ("flap = { at = 0.289 }", "flap = { at = 0.289, stiffness = -1 }", "stiffness"),
        (
            "[0.269, 0], [0.28, 0]",
            "[0.269, 0], [0.269, 0], [0.269, 0]",
            "mass must be pairs of numbers with increasing",
        ),
        ("[7.2769, 81000]", "[7276.9, 81000]", "EI_flap has a point outside 0 to 7.49 m; are radii in metres?"),
        ("[7.2769, 87000]", "[7.2769, 0]", "GJ must be positive everywhere"),
        ("[7.49, 6.93]", "[7.49, -6.93]", "mass must not be negative anywhere"),
        ("root = 0.269", "root = 8.0", "root is 8 m, must be from 0 to the radius, 7.49 m"),
    ):
        assert old in text
        (tmp_path / "a.toml").write_text(text.replace(old, new, 1))
        with pytest.raises(ModelError, match=said):
            load_planform(tmp_path / "a.toml")


def test_bad_calls_get_one_sentence() -> None:
    with pytest.raises(ModelError, match="no part from 3 to 2 m, it is from 0.269 to 7.49 m"):
        PUMA.rigid(3.0, 2.0)
    with pytest.raises(ModelError, match="mass is zero outboard of 0.5 m"):
        uniform(mass=line((0, 1), (0.5, 1), (0.5, 0)), flap=Hinge(0.5))
    with pytest.raises(ModelError, match="beams is 1, a whole number from 2"):
        blade_parts(PUMA, "b", "hub", beams=1)
    with pytest.raises(ModelError, match="too uneven for 2 beams, take more"):
        blade_parts(uniform(mass=line((0, 1e3), (0.1, 1e3), (0.1, 1e-3))), "b", "hub", beams=2)
