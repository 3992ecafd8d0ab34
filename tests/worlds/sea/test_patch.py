"""The compiled water around a vessel against the sum of the waves, and against statics."""

import functools
import math
from typing import Any, Literal

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import Compiled, Port, Program, compile, for_each
from motionbase.worlds.sea.around import around
from motionbase.worlds.sea.patch import COVERED, Around, Sea, Wave, flow_at, parameters, water_at
from motionbase.worlds.sea.waves import COMPONENTS, G, Waves, regular, still

LENGTH, BEAM, DEPTH, MIDDLE = 10.0, 3.0, 2.0, 0.5
POINTS = 24
Target = Literal["python", "llvm", "c"]


def felt(sea: Sea, t: Any, p: Any, heading: Any, r: Any, near: Any = None) -> Any:
    made = around(sea, t, p, heading, near)

    def one(r: Any) -> Any:
        return *water_at(sea, made, r[0], r[1], r[2]), *flow_at(sea, made, r[0])

    return *for_each(one, r), made


GIVEN = Sea.port("sea"), Port("t"), Port("p", 2), Port("heading"), Port("r", (POINTS, 3))
MADE = (
    Port("surface", POINTS), Port("head", POINTS), Port("v", (POINTS, 3)), Port("v_dot", (POINTS, 3)),
    Around.port("made"),
)  # fmt: skip
FELT = Program("felt", GIVEN, MADE, lambda sea, t, p, heading, r: felt(sea, t, p, heading, r))
NEAR = Program("felt_near", (*GIVEN, Wave.port("near", rows=8)), MADE, felt)


@functools.cache
def compiled(target: Target = "llvm") -> Compiled:
    return compile(FELT, target)


def at(waves: Waves, t: float, p: Array, heading: float, r: Array, target: Target = "llvm") -> tuple[Array, ...]:
    sea = parameters(waves, LENGTH, BEAM, DEPTH, MIDDLE)
    made: tuple[Array, ...] = compiled(target)(sea, t, p, heading, np.resize(r, (POINTS, 3)))
    return made


def in_world(p: Array, heading: float, r: Array) -> tuple[Array, Array]:
    c, s = math.cos(heading), math.sin(heading)
    return p[0] + c * r[:, 0] - s * r[:, 1], p[1] + s * r[:, 0] + c * r[:, 1]


def on_hull(rng: np.random.Generator) -> Array:
    ends = np.array([[MIDDLE - LENGTH / 2, -BEAM / 2, -0.8 * DEPTH], [MIDDLE + LENGTH / 2, BEAM / 2, 0.2]])
    return rng.uniform(ends[0], ends[1], (POINTS, 3))


def many(rng: np.random.Generator, shortest: float) -> Waves:
    """Waves from all sides, as long as this [m] and longer."""
    omega = np.sqrt(2 * math.pi * G / np.geomspace(shortest, 40 * shortest, COMPONENTS))
    heights = rng.uniform(0.0, 0.02, COMPONENTS) * shortest
    return Waves(heights / 8, omega, rng.uniform(0, 2 * math.pi, COMPONENTS), rng.uniform(0, 2 * math.pi, COMPONENTS))


@pytest.mark.parametrize(("shortest", "share"), [(LENGTH, 0.003), (LENGTH / 2, 0.015)])
def test_many_waves_from_all_sides(shortest: float, share: float) -> None:
    """Surface, pressure and flow are those of the sum, but for interpolation between stations, nodes and levels.

    The largest error comes from levels: a cubic through exp(-k z) at four depths; `share` is of the significant height.
    """
    rng = np.random.default_rng(7)
    waves, r = many(rng, shortest), on_hull(rng)
    t, p, heading = 123.4, np.array([310.0, -220.0]), 2.2
    surface, head, v, v_dot, _ = at(waves, t, p, heading, r)
    x, y = in_world(p, heading, r)
    atol = share * waves.significant_height
    np.testing.assert_allclose(surface, waves.elevation(t, x, y), atol=atol, rtol=0)
    np.testing.assert_allclose(head, waves.head(t, x, y, r[:, 2]), atol=atol, rtol=0)
    on_line = in_world(p, heading, r * [1, 0, 0])
    wanted, wanted_dot = waves.flow(t, *on_line, -DEPTH / 2)
    c, s = math.cos(heading), math.sin(heading)
    R = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    np.testing.assert_allclose(v, wanted @ R.T, atol=2e-3 * np.abs(wanted).max(), rtol=0)
    np.testing.assert_allclose(v_dot, wanted_dot @ R.T, atol=5e-3 * np.abs(wanted_dot).max(), rtol=0)


def test_in_still_water_the_pressure_is_that_of_the_depth() -> None:
    r = on_hull(np.random.default_rng(1))
    surface, head, v, v_dot, _ = at(still(), 10.0, np.zeros(2), 1.0, r)
    assert not surface.any() and not v.any() and not v_dot.any()
    np.testing.assert_array_equal(head, np.maximum(-r[:, 2], 0.0))


def test_the_surface_has_no_pressure() -> None:
    """Whatever the wave: at the surface static and dynamic pressure cancel, above it there is none."""
    rng = np.random.default_rng(3)
    waves, r = many(rng, LENGTH / 3), on_hull(rng)
    place = 60.0, np.array([5.0, 9.0]), 0.3
    surface, *_ = at(waves, *place, r)
    r[:, 2] = surface
    _, head, *_ = at(waves, *place, r)
    np.testing.assert_allclose(head, 0.0, atol=1e-12)
    _, head, *_ = at(waves, *place, r + [0, 0, 0.3])
    assert not head.any()


def test_waves_shorter_than_the_stations_are_gone() -> None:
    short = 2 * LENGTH / COVERED  # two distances of stations
    r = on_hull(np.random.default_rng(2))
    waves = regular(0.1, math.sqrt(2 * math.pi * short / G), 0.0)
    surface, *_ = at(waves, 3.0, np.zeros(2), 0.0, r)
    np.testing.assert_allclose(surface, 0.0, atol=1e-15)


def test_beyond_the_patch_its_border_holds() -> None:
    waves = regular(0.5, 4.0, 0.7)
    ends = np.array([[MIDDLE + LENGTH / 2, BEAM / 2, -1.0], [MIDDLE - LENGTH / 2, -BEAM / 2, -1.0]])
    far = np.array([[MIDDLE + 9 * LENGTH, 9 * BEAM, -1.0], [-9 * LENGTH, -9 * BEAM, -1.0]])
    near, beyond = (at(waves, 3.0, np.ones(2), 0.2, r)[0][:2] for r in (ends, far))
    np.testing.assert_allclose(beyond, near, atol=1e-12)


@pytest.mark.parametrize("target", ["python", "c"])
def test_every_target_gives_the_same_bits(target: Target) -> None:
    rng = np.random.default_rng(5)
    waves, r = many(rng, LENGTH / 2), on_hull(rng)
    place = 77.0, np.array([-40.0, 800.0]), -2.0
    for got, wanted in zip(at(waves, *place, r, target), at(waves, *place, r), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_waves_known_near_the_vessel_are_waves_too() -> None:
    """Told by complex amplitudes at its place they make the same water as told by phases: same sums, rounding apart."""
    rng = np.random.default_rng(9)
    waves = Waves(*(rng.uniform(low, high, 8) for low, high in ((0.0, 0.2), (0.8, 2.5), (0.0, 6.2), (0.0, 6.2))))
    r, (t, p, heading) = on_hull(rng), (12.0, np.array([-50.0, 30.0]), -0.8)
    theta = waves.theta(t, p[0], p[1])
    rows = [waves.amplitude * np.cos(theta), waves.amplitude * np.sin(theta), waves.kx, waves.ky, waves.omega]
    calm = parameters(still(), LENGTH, BEAM, DEPTH, MIDDLE)
    found = compile(NEAR)(calm, t, p, heading, np.resize(r, (POINTS, 3)), np.column_stack(rows))
    for got, wanted in zip(found, at(waves, t, p, heading, r), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-12)
