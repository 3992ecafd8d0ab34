"""JSBSim behind our interface: trimmed flight, and what is felt against the motion."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from motionbase.record.vehicle import G
from motionbase.worlds.felt import to_vehicle
from motionbase.worlds.flight.air import Air, Weather
from motionbase.worlds.flight.aircraft import AIRCRAFT, FOOT
from motionbase.worlds.flight.model import DT, FlightModel, State
from motionbase.worlds.flight.place import E2, LATITUDE, THRESHOLD, A, latitude_at, seen
from motionbase.worlds.flight.start import CRUISE, FINAL, SLOPE, STARTS, Start, begun


@pytest.mark.parametrize("name", AIRCRAFT)
def test_in_trimmed_level_flight_the_pilot_feels_one_g(name: str) -> None:
    """JSBSim's own pilot load, z down, of the c172x is published as -0.997: the cosine of pitch, 4.5 deg there."""
    aircraft = AIRCRAFT[name]
    model, rest = begun(aircraft, Start(CRUISE), Air())
    for _ in range(100):
        model.step(rest)
    state = model.state()
    pitch = state.angles[1]
    assert state.f == pytest.approx(to_vehicle(state.angles, (0, 0, G)), abs=0.03)  # trim leaves some mm/s^2
    assert model.get("accelerations/n-pilot-z-norm") == pytest.approx(-math.cos(pitch), abs=0.003)
    assert state.f[2] == pytest.approx(-G * model.get("accelerations/n-pilot-z-norm"), rel=2e-3)
    assert state.airspeed == pytest.approx(aircraft.speeds.cruise, rel=2e-3) and abs(state.v[2]) < 0.05


@pytest.mark.parametrize("name", AIRCRAFT)
def test_what_is_felt_is_the_derivative_of_the_motion(name: str) -> None:
    """The eye's position, twice differenced over 10 ms, in a manoeuvre. Forces are constant within a step, so they are
    half a step away from the middle of the difference: 2.5 ms at the 30 m/s^3 of the F-16 are 0.08 m/s^2."""
    aircraft = AIRCRAFT[name]
    model, rest = begun(aircraft, Start(CRUISE), Air())
    eye = np.array(aircraft.to_body(aircraft.eye))
    states: list[State] = []
    for k in range(400):
        t = k * DT
        model.step(
            rest._replace(elevator=0.06 * math.sin(4 * t), aileron=0.1 * math.sin(3 * t), rudder=0.1 * math.sin(2 * t))
        )
        states.append(model.state())
    at = np.array([np.array(s.p) + _rotation(s.angles) @ eye for s in states])
    f = np.array([s.f for s in states])
    for k in range(60, 390, 30):
        acceleration = (at[k + 2] - 2 * at[k] + at[k - 2]) / (2 * DT) ** 2
        R = _rotation(states[k].angles)
        expected = R.T @ (acceleration + [0, 0, G])
        np.testing.assert_allclose(np.mean(f[k - 1 : k + 2], axis=0), expected, atol=0.08)
        spin = R.T @ (_rotation(states[k + 1].angles) - _rotation(states[k - 1].angles)) / (2 * DT)
        np.testing.assert_allclose(states[k].omega, [spin[2, 1], spin[0, 2], spin[1, 0]], atol=3e-3)
        change = (np.array(states[k + 1].omega) - states[k - 1].omega) / (2 * DT)
        np.testing.assert_allclose(np.mean([s.alpha for s in states[k - 1 : k + 2]], axis=0), change, atol=0.05)
        np.testing.assert_allclose((np.array(states[k + 1].p) - states[k - 1].p) / (2 * DT), states[k].v, atol=0.02)


def _rotation(angles: tuple[float, float, float]) -> np.ndarray:
    return np.array([to_vehicle(angles, axis) for axis in np.eye(3).tolist()])


@pytest.mark.parametrize("name", AIRCRAFT)
def test_flights_begin_where_they_say(name: str) -> None:
    aircraft = AIRCRAFT[name]
    for kind in STARTS:
        model, _ = begun(aircraft, Start(kind, 800.0), Air(wind=8.0, toward=math.pi - 1.0))
        state = model.state()
        assert abs(state.p[1]) < 0.1
        if kind == CRUISE:
            assert state.height == pytest.approx(800.0, abs=2.0) and not state.wow
        elif kind == FINAL:
            slope = math.atan2(-state.v[2], state.v[0])
            assert slope == pytest.approx(SLOPE, abs=2e-3) and state.flaps == pytest.approx(aircraft.flaps[1], abs=1e-3)
        else:
            assert state.wow and state.height == pytest.approx(aircraft.tall, abs=0.03) and abs(state.v[0]) < 0.1
            assert math.hypot(*state.f) == pytest.approx(G, abs=0.2)


def test_jsbsim_says_nothing_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sockets = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    model, rest = begun(AIRCRAFT["f16"], Start(CRUISE), Air())
    for _ in range(20):
        model.step(rest)
    with pytest.raises(Exception, match="cannot be trimmed"):
        FlightModel(AIRCRAFT["737"], {"ic/h-agl-ft": 3000.0, "ic/vc-kts": 60.0}, {}).trimmed()
    assert list(tmp_path.iterdir()) == [] and capfd.readouterr() == ("", "")
    if sockets:
        assert len(os.listdir("/proc/self/fd")) <= sockets


def test_a_flight_repeats_to_the_bit_and_another_seed_is_another_air() -> None:
    def flown(seed: int) -> State:
        air = Air(turbulence="moderate", seed=seed)
        model, rest = begun(AIRCRAFT["c172x"], Start(CRUISE), air)
        Weather(model, air, True)
        for _ in range(300):
            model.step(rest)
        return model.state()

    assert flown(3) == flown(3) != flown(4)


def test_turbulence_begins_and_ends_without_a_jump_of_the_air() -> None:
    """The velocity of the air at the aircraft changes by less than 0.5 m/s in 5 ms, also at a switch."""
    aircraft = AIRCRAFT["c172x"]
    model, rest = begun(aircraft, Start(CRUISE), Air())
    weather, last, most, there = Weather(model, Air(), True), np.zeros(3), 0.0, 0.0
    for k in range(2400):
        if k % 400 == 0:
            weather.stir(("light", "", "moderate", "light", "", "severe")[k // 400])
        weather.step()
        model.step(rest)
        wind = FOOT * np.array([model.get(f"atmosphere/total-wind-{axis}-fps") for axis in ("north", "east", "down")])
        most, there, last = max(most, float(np.abs(wind - last).max())), max(there, float(np.abs(wind).max())), wind
    assert most < 0.5 and there > 2.0


def test_the_flat_world_keeps_lengths_near_the_runway() -> None:
    """10 km north along the meridian, on the ellipsoid: an orthographic view shortens by (s/R)^2 / 6, 4e-7 there."""
    latitude = latitude_at(10_000.0)
    n = A / math.sqrt(1 - E2 * math.sin(latitude) ** 2)
    spot = seen(n * math.cos(latitude), 0.0, n * (1 - E2) * math.sin(latitude), latitude, 0.0)
    assert spot.x == pytest.approx(10_000.0, rel=2e-5) and spot.y == 0.0 and spot.turn == pytest.approx(0.0)
    here = seen(*THRESHOLD, LATITUDE, 0.0)
    assert here == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
