"""The rest test: gravity, the way up, signs and units."""

import math

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.host.format import Options
from motionbase.host.formats import format_of
from motionbase.host.rest import Rest, gravity_in, rest_of, takes_gravity
from tests.host.telemetry.doing import Doing
from tests.host.telemetry.layouts import BUILDERS

G = 9.80665
STANDS = Doing(nose_up=math.radians(6), right_down=math.radians(4), heading=0.3)
INCLUDED = {"xplane", "xplane11", "flightgear", "flightgear-generic", "f1", "iracing", "dcs"}


def standing(
    f: tuple[float, float, float] = (0.0, 0.0, G), roll: float = 0.0, pitch: float = 0.0, n: int = 200
) -> tuple[Array, Array]:
    """A vehicle whose engine runs: 0.05 m/s^2 of noise."""
    rng = np.random.default_rng(0)
    rows = np.zeros((n, 13))
    rows[:, :3] = np.array(f) + 0.05 * rng.normal(size=(n, 3))
    rows[:, 9], rows[:, 10] = roll, pitch
    return rows, np.arange(n) / 60


@pytest.mark.parametrize("name", BUILDERS)
def test_every_format_at_rest(name: str) -> None:
    """On a slope, decoded as if gravity were included: whether it is; and the URL needs nothing."""
    form = format_of(name)
    decoder = form.decoder(Options(gravity=True))
    frames = [decoder.decode(BUILDERS[name](STANDS, 10 + k / 60)) for k in range(60)]
    rows = np.array([frame.row for frame in frames if frame is not None])
    takes = takes_gravity(form, [BUILDERS[name](STANDS, 10.0)], Options())
    assert takes is (name in INCLUDED)
    found = rest_of(rows, np.arange(60) / 60, takes)
    assert (found.still, found.gravity, found.query) == (True, name in INCLUDED, "")
    assert found.up == ("up" if name in INCLUDED else None)


def test_gravity_that_the_format_does_not_expect() -> None:
    rows, t = standing()
    assert rest_of(rows, t, gravity=False).query == "gravity=yes"
    rows, t = standing((0.0, 0.0, 0.0))
    assert rest_of(rows, t, gravity=True).query == "gravity=no"
    assert rest_of(rows, t, gravity=False).query == ""


@pytest.mark.parametrize(
    ("f", "unit", "up"),
    [
        ((0, 0, G), "m/s^2", "up"),
        ((0, 0, 1), "g", "up"),
        ((0, 0, 32.17), "ft/s^2", "up"),
        ((0, 0, -G), "m/s^2", "down"),
        ((G, 0, 0), "m/s^2", "forward"),
        ((0, -G, 0), "m/s^2", "right"),
    ],
)
def test_units_and_axes(f: tuple[float, float, float], unit: str, up: str) -> None:
    found = rest_of(*standing(f))
    assert (found.gravity, found.unit, found.up) == (True, unit, up)
    assert (found.options == {"flip": "f_z"}) == (up == "down")


def test_signs_on_a_slope() -> None:
    """Nose up by 8 degrees: the seat pushes forward; told backward, f_x or the pitch is wrong."""
    slope = math.radians(8)
    right = rest_of(*standing((G * math.sin(slope), 0, G * math.cos(slope)), pitch=-slope))
    wrong = rest_of(*standing((-G * math.sin(slope), 0, G * math.cos(slope)), pitch=-slope))
    assert any("f_x fits a pitch of -8.0 deg" in note for note in right.notes) and right.query == ""
    assert any("f_x or pitch has the wrong sign" in note for note in wrong.notes) and wrong.query == ""


def with_a_turn(sign: float, f_sign: float) -> Rest:
    """It noses up by 8 degrees within a second, then stands there."""
    slope = math.radians(8)
    rows, t = standing(n=1200)
    angle = np.clip(slope * (t - 0.5), 0, slope)
    rows[:, 10], rows[:, 4] = -angle, -sign * np.gradient(angle, t)
    rows[:, 0] += f_sign * G * np.sin(slope) * (angle >= 0)
    rows[:, 2] = G * np.cos(slope)
    return rest_of(rows, t)


def test_turning_tells_which_sign_is_wrong() -> None:
    assert with_a_turn(1, 1).query == ""
    assert with_a_turn(1, -1).query == "flip=f_x"
    assert with_a_turn(-1, -1).query == "flip=pitch"
    assert with_a_turn(-1, 1).query == "flip=omega_y,alpha_y"


def test_moving_and_short_series_tell_nothing() -> None:
    rows, t = standing()
    rows[:, 1] += 3 * np.sin(5 * t)
    assert not rest_of(rows, t).still
    rows, t = standing()
    rows[:, 5] = 0.3
    found = rest_of(rows, t)
    assert not found.still and "moves" in found.notes[-1]
    assert "too few" in rest_of(rows[:5], t[:5]).notes[0]
    rows, t = standing((0, 0, 5.0))
    assert rest_of(rows, t).gravity is None


def test_gravity_in_unknown_numbers() -> None:
    """Forty floats, among them an accelerometer in g whose second axis points down."""
    rng = np.random.default_rng(2)
    numbers = rng.normal(size=(100, 40)) * 50
    numbers[:, 17:20] = [0.1, -0.99, 0.05] + 0.004 * rng.normal(size=(100, 3))
    found = gravity_in(numbers)[0]
    assert (found.place, found.unit, found.axis, found.sign) == (17, "g", 1, -1)
    assert gravity_in(rng.normal(size=(100, 40)) * 50) == []
    assert gravity_in([[1.0, 2.0, 3.0]]) == [] and gravity_in(np.full((50, 4), np.nan)) == []
