"""Generators: against the preview of the ring, closed forms, continuity, and what is latched."""

import math

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.control.generators import GENERATORS
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import COLUMNS, COUNT, PERIODIC, SHAPES, Generator, Shape, Space
from motionbase.ring.blocks.preview import outputs

RUN = compile(GENERATORS)
NEVER = math.inf
DOF = Space.DOF


def made(generators: tuple[Generator, ...], t: np.ndarray, stop: float = NEVER, least: float = 0.0) -> list[np.ndarray]:
    """Outputs (n, 7, 3), sums (n, 12, 3), active (n,) at the times."""
    settings = np.zeros((COUNT, len(COLUMNS)))
    settings[: len(generators)] = [g.row for g in generators]
    n = len(t)
    each = RUN.map(
        fade_least=np.full(n, least), settings=np.repeat(settings[None], n, axis=0), t=t, stop=np.full(n, stop)
    )
    return [each[name] for name in ("outputs", "sums", "active")]


CARDS = [
    (
        Generator(True, axes=(1, 4), shape=Shape.SINE, amplitude=0.1, frequency=0.7, phase=0.3),
        Generator(True, DOF, ("heave",), Shape.CHIRP, 0.05, 0.5, 4.0, -0.4, 0.01, 1.0, 0.7, 0.5, 2, 3),
        Generator(True, DOF, ("roll", "yaw"), Shape.MULTISINE, 0.02, 0.2, 3.0, tones=7, fade_in=0.5),
        Generator(True, DOF, ("surge",), Shape.RANDOM, 0.02, 0.2, 3.0, tones=32, seed=41, cycles=1,
                  duration=4, fade_out=1.5),
        Generator(True, axes=(6,), shape=Shape.RAMP, amplitude=-0.2, duration=2.5, start=1.0),
        Generator(True, axes=(2, 3), shape=Shape.STEP, amplitude=0.05, offset=-0.01, fade_in=2,
                  fade_out=2, cycles=1, duration=3),
        Generator(False, axes=(5,), amplitude=1.0, frequency=1.0),
    ),
    tuple(
        Generator(True, axes=(1 + k,), shape=shape, amplitude=0.1, frequency=0.9, phase=phase, cycles=3, fade_out=0.5)
        for k, (shape, phase) in enumerate(
            (s, p) for s in PERIODIC[1:] for p in (0.2, -3.0)
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("cards", CARDS, ids=["smooth", "cornered"])
@pytest.mark.parametrize("stop", [NEVER, 3.2001])
def test_equal_to_the_preview(cards: tuple[Generator, ...], stop: float) -> None:
    """Tolerance: phases up to 2 pi 50 rounded once in either, so 1e-13 of values up to 200 (rate squared)."""
    t = np.arange(0, 12, 0.0127)
    wanted = outputs(GeneratorSet(cards), t, stop)
    each, sums, _ = made(cards, t, stop)
    np.testing.assert_allclose(each.transpose(1, 2, 0)[: len(cards)], wanted.generators[: len(cards)], atol=2e-11)
    np.testing.assert_allclose(sums[:, :6].transpose(1, 2, 0), wanted.dofs, atol=2e-11)
    np.testing.assert_allclose(sums[:, 6:].transpose(1, 2, 0), wanted.legs, atol=2e-11)
    assert np.abs(wanted.generators).max() > 0.05


def test_chirp_is_a_sine_of_the_integrated_frequency() -> None:
    f1, f2, T = 0.5, 6.0, 4.0
    card = Generator(True, axes=(1,), shape=Shape.CHIRP, amplitude=1.0, frequency=f1, end_frequency=f2,
                     duration=T)  # fmt: skip
    t = np.linspace(0, T, 200, endpoint=False)
    wanted = np.sin(2 * math.pi * (f1 * t + (f2 - f1) / T * t**2 / 2))
    np.testing.assert_allclose(made((card,), t)[0][:, 0, 0], wanted, atol=1e-12)


def test_chirp_has_no_jump_where_it_turns() -> None:
    """Between samples 1 us apart nothing moves further than the largest rate allows."""
    card = Generator(True, axes=(1,), shape=Shape.CHIRP, amplitude=1.0, frequency=0.7, end_frequency=3.3,
                     duration=1.1)  # fmt: skip
    for k in range(1, 40):
        before, after = made((card,), np.array([1.1 * k - 5e-7, 1.1 * k + 5e-7]))[0][:, 0]
        assert abs(after[0] - before[0]) <= 2 * math.pi * 3.3 * 1e-6 * 1.01
        assert abs(after[1] - before[1]) <= (2 * math.pi * 3.3) ** 2 * 1e-6 * 1.1


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.value not in ("square", "sawtooth")])
def test_velocity_and_acceleration_are_derivatives(shape: Shape) -> None:
    """Central differences over 2 us: error h^2/6 of the third derivative, and rounding 1e-16 / h."""
    card = Generator(True, DOF, ("pitch",), shape, 0.1, 0.4, 2.0, 0.2, 0.05, 0.9, 0.9, 0.1, 1, 2.2, 5, 3)
    h = 1e-6
    t = np.array([0.313, 0.871, 1.57, 2.41, 2.95])
    early, now, late = (made((card,), t + k * h)[0][:, 0] for k in (-1, 0, 1))
    np.testing.assert_allclose((late - early)[:, :2] / (2 * h), now[:, 1:], atol=1e-7)


def test_settling_fades_at_least_so_long() -> None:
    """A generator without a fade of its own must not step when the drive is told to stop."""
    card = Generator(True, DOF, ("heave",), Shape.STEP, amplitude=0.2)
    t = np.arange(0.9, 2.2, 0.0005)
    y = made((card,), t, stop=1.0, least=1.0)
    assert np.abs(np.diff(y[0][:, 0, 0])).max() <= 15 / 8 * 0.2 * 0.0005 * 1.001
    assert y[2][t < 2.0].all() and not y[2][t >= 2.0].any()
    assert y[0][-1, 0, 0] == 0.0


def test_spoilt_rows_give_nothing() -> None:
    settings = np.zeros((COUNT, len(COLUMNS)))
    settings[:3] = CARDS[0][0].row
    settings[0, 7] = np.nan  # a phase
    settings[1, 3] = Shape.CHIRP.code  # in no time
    each, sums, _ = RUN(0.0, settings, 0.3, NEVER)
    assert not each[:2].any()
    assert each[2].any() and np.isfinite(sums).all()


def test_python_and_c_give_the_same_bits() -> None:
    settings = np.array([g.row for g in CARDS[0]])
    for t in (0.0, 0.777, 3.9, 5.3):
        arguments = (0.5, settings, t, 4.5)
        wanted = RUN(*arguments)
        for target in ("python", "c"):
            for got, want in zip(TARGETS[target](*arguments), wanted, strict=True):
                np.testing.assert_array_equal(got, want)


TARGETS = {"python": compile(GENERATORS, "python"), "c": compile(GENERATORS, "c")}
