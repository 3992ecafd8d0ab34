"""Modes of a rotating blade against Wright's beams, rigid blades, and finite elements written for these tests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.rotor.blades.blade import Blade, Hinge
from motionbase.rotor.blades.elastic import blade_parts
from motionbase.rotor.blades.planform import load_planform
from motionbase.rotor.stability.fan import BladeModes, blade_modes, fan
from motionbase.rotor.stability.plot_fan import write_fan
from tests.rotor.blades.test_blade import PUMA, line, uniform
from tests.rotor.stability.finite_elements import bending, torsion

NOMINAL = 267.4 / 60 * 2 * np.pi
WRIGHT = {0: (3.5160, 22.0345), 1: (3.6816, 22.1810), 2: (4.1373, 22.6149), 4: (5.5850, 24.2733), 8: (9.2568, 29.9954),
          12: (13.1702, 37.6031)}  # fmt: skip
FLAT = line((0.0, 0.0))
BORDERS = np.linspace(PUMA.clamp, PUMA.radius, 15)  # of half-beams of the published model


def plain(blade: Blade) -> Blade:
    """Without twist and offsets, and as good as inextensible, so that flap, lag and torsion do not couple."""
    return replace(blade, twist=FLAT, cg=FLAT, EA=blade.EA * [1, 1e3])


def in_halves(blade: Blade) -> Blade:
    """Stiffness constant over each half-beam of the published model, from its Gauss point."""
    half = np.diff(BORDERS)[::2]
    gauss = (BORDERS[1::2, None] + half[:, None] * np.array([-1, 1]) / 3**0.5).ravel()
    halves: dict[str, Any] = {}
    for key in ("GJ", "EI_flap", "EI_lag"):
        values = blade.at(key, gauss)
        halves[key] = np.array([[r, v] for k, v in enumerate(values) for r in BORDERS[k : k + 2]])
    return replace(blade, **halves)


@pytest.mark.long("many modes")
def test_wright_s_beam() -> None:
    """Clamped on the shaft, flapping; eight beams of three nodes. The second is 1.3e-4 off at rest."""
    blade = uniform(EI_lag=line((0.0, 4e4)), GJ=line((0.0, 1e4)))
    for modes in fan(blade, [float(speed) for speed in WRIGHT], count=4, beams=8):
        np.testing.assert_allclose(modes.of("flap")[:2], WRIGHT[int(modes.speed)], rtol=3e-4)


@pytest.mark.parametrize("e", [0.0, 0.05, 0.2])
def test_a_rigid_blade_on_a_hinge_in_closed_form(e: float) -> None:
    """nu^2 = 1 + 1.5 e / (1 - e) in flap and one less in lag; bending and stretch leave 1e-6, rotary inertia 5e-6."""
    stiff = {key: line((0.0, 1e4)) for key in ("EI_flap", "EI_lag", "GJ")}
    blade = uniform(**stiff, root=e, flap=Hinge(e), lag=Hinge(e))
    modes = blade_modes(blade, 1.0, count=2, beams=3)
    np.testing.assert_allclose(modes.of("flap") ** 2, 1 + 1.5 * e / (1 - e), rtol=1e-5)
    np.testing.assert_allclose(modes.of("lag") ** 2, 1.5 * e / (1 - e), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "speed", [NOMINAL, *(pytest.param(speed, marks=pytest.mark.long("many modes")) for speed in (10.0, 40.0))]
)
def test_the_puma_against_finite_elements(speed: float) -> None:
    """Without twist and offsets. Each of twelve beams has one stiffness: up to 1.5e-3, most where rotation is slow."""
    blade = plain(PUMA)
    found = blade_modes(blade, speed)
    np.testing.assert_allclose(found.of("flap")[:3], bending(blade, speed, lag=False)[:3], rtol=2e-3)
    np.testing.assert_allclose(found.of("lag")[:2], bending(blade, speed, lag=True)[:2], rtol=5e-4)
    np.testing.assert_allclose(found.of("torsion")[:1], torsion(blade, speed)[:1], rtol=3e-4)


@pytest.mark.long("many modes")
def test_more_beams_come_nearer() -> None:
    """The fourth flapping mode is 3.3e-3, 1.3e-3 and 5e-4 below that of the finite elements."""
    blade = plain(PUMA)
    wanted = bending(blade, NOMINAL, lag=False)[3]
    apart = [abs(blade_modes(blade, NOMINAL, beams=n).of("flap")[3] / wanted - 1) for n in (6, 12, 24)]
    assert apart[1] < 0.5 * apart[0] and apart[2] < 0.5 * apart[1] < 1e-3


def test_the_puma_s_known_frequencies() -> None:
    """Per revolution 1.030, 2.753, 5.342; 0.236, 4.793; 5.543, from other finite elements, whose stiffness is not told.

    Interpolating the published stiffness by lines or by constant halves of beams makes 1.4 % in torsion; with the
    second all six are within 1 %.
    """
    blade = in_halves(plain(PUMA))
    found = blade_modes(blade, NOMINAL, beams=14)
    np.testing.assert_allclose(found.of("flap")[:3] / NOMINAL, [1.030, 2.753, 5.342], rtol=1e-2)
    np.testing.assert_allclose(found.of("lag")[:2] / NOMINAL, [0.236, 4.793], rtol=1e-2)
    np.testing.assert_allclose(found.of("torsion")[:1] / NOMINAL, [5.543], rtol=1e-2)
    np.testing.assert_allclose(found.of("flap")[:3], bending(blade, NOMINAL, lag=False)[:3], rtol=5e-4)
    np.testing.assert_allclose(found.of("torsion")[:1], torsion(blade, NOMINAL, elements=14 * 15)[:1], rtol=5e-4)


@pytest.mark.long("many modes")
def test_the_whole_puma() -> None:
    """Twist and offsets couple the third flapping mode with torsion; a trace of each is left, none is lost."""
    found = blade_modes(PUMA, NOMINAL)
    assert found.labels[:6] == ("lag 1", "flap 1", "flap 2", "lag 2", "flap 3", "torsion 1")
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, rtol=1e-12)
    assert 0.05 < found.shares[4, 2] < 0.25 and 0.05 < found.shares[5, 0] < 0.25
    np.testing.assert_allclose(found.per_rev[:2], [0.237, 1.030], atol=1e-3)
    up = found.shapes[1, :, 2].real
    np.testing.assert_allclose(up / up[-1], (found.r - 0.289) / (PUMA.radius - 0.289), atol=0.02)  # hardly bent
    up = found.shapes[2, :, 2].real
    assert np.count_nonzero(np.diff(np.sign(up))) == 1  # one node between hinge and tip


def test_pitch_couples_flap_and_lag_bending() -> None:
    """A blade at 90 degrees without rotation flaps with its lag stiffness; rest is 0.01 rad/s, whose square is 8e-6."""
    blade = uniform(EI_lag=line((0.0, 9.0)), GJ=line((0.0, 1e4)))
    flat, upright = (blade_modes(blade, 0.0, count=2, beams=6, collective=angle) for angle in (0.0, np.pi / 2))
    np.testing.assert_allclose(flat.frequencies, upright.frequencies, rtol=1e-5)
    assert (flat.kinds, upright.kinds) == (("flap", "lag"), ("lag", "flap"))
    assert abs(flat.frequencies[1] / flat.frequencies[0] - 3.0) < 1e-3  # shear and stretch are 1e-5 of bending


def test_elastic_axis_ahead_of_the_mass_couples_torsion() -> None:
    """Mass behind the elastic axis: the same blade seen from its elastic axis has the same modes."""
    ahead, level = uniform(elastic_axis=line((0.0, 0.02))), uniform(cg=line((0.0, -0.02)))
    one, other = (blade_modes(blade, 0.0, count=6, beams=4).frequencies for blade in (ahead, level))
    np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.long("many modes")
def test_a_fan_can_be_drawn(tmp_path: Path) -> None:
    found = fan(PUMA, [0.0, 40.0], beams=4, count=6)
    assert np.isinf(found[0].per_rev).all() and found[0].frequencies[:2].max() < 0.02
    write_fan(load_planform("puma"), found, tmp_path / "fan.svg")
    text = (tmp_path / "fan.svg").read_text()
    assert all(f"<!-- {word} -->" in text for word in ("1/rev", "4/rev", "flap", "lag", "torsion", "nominal, 28 rad/s"))


@pytest.mark.parametrize(
    "given, said",
    [
        ({"speed": -1.0}, "speed is -1 rad/s, must be zero or positive"),
        ({"speed": float("nan")}, "speed is nan rad/s"),
        ({"count": 0}, "count is 0, a whole number of modes"),
        ({"collective": 3.0}, "collective is 3 rad, must be within a right angle"),
    ],
)
def test_bad_calls_get_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        blade_modes(PUMA, **{"speed": 1.0, **given})


def test_hinges_at_one_radius_make_one_joint() -> None:
    parts = blade_parts(uniform(root=0.1, flap=Hinge(0.1), lag=Hinge(0.1), pitch=Hinge(0.3, 5.0)), "b", "hub", beams=2)
    assert [joint.motion.nq for joint in parts.joints[:2]] == [2, 1]
    assert [part.name for part in parts.elements if "spring" in part.name] == ["b0_pitch_spring"]
    assert isinstance(blade_modes(uniform(flap=Hinge(0.0)), 1.0, beams=2, count=1), BladeModes)
