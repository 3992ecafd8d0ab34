"""Propagation of host frames: exact parabolas, no steps, silence and return."""

from typing import Any

import numpy as np
import pytest

from motionbase.compile import Port, Program, compile, kernel, scan
from motionbase.control.bounds import Allowed
from motionbase.control.propagator import host_clock, propagate, propagated
from motionbase.spatial.bridge import FIRST_BRIDGE, Bridge

DT = 0.0005
HORIZON, LEAST, V_MAX, A_MAX = 0.1, 0.4, 1.0, 5.0
ALLOWED = Allowed.layout.vector({"dof_position": 1.0, "dof_velocity": V_MAX, "dof_acceleration": A_MAX})
PROPAGATE = kernel(propagate)
RUN_CLOCK = compile(kernel(host_clock))


def propagator(
    dt: Any, followed: Any, horizon: Any, least: Any, allowed: Allowed, held: Any, bridge: Any, count_held: Any,
    age: Any, period: Any, host_count: Any, host_frame: Any,
) -> Any:  # fmt: skip
    """The clock and all six, as in a tick."""
    clock = host_clock(dt, allowed, count_held, age, period, host_count, host_frame)
    made = propagated(followed, horizon, least, allowed, held, bridge, clock, host_frame)
    return clock.count, clock.age, clock.period, *made


PROPAGATOR = Program(
    "propagator",
    (
        *map(Port, ("dt", "followed", "horizon", "least")),
        Allowed.port("allowed"), Port("held", (6, 3)),
        Bridge.port("bridge", rows=6), *map(Port, ("count_held", "age", "period", "host_count")),
        Port("host_frame", (3, 6)),
    ),
    (
        *map(Port, ("count_next", "age_next", "period_next")), Port("held_next", (6, 3)),
        Bridge.port("bridge_next", rows=6), Port("motion", (6, 3)),
    ),
    propagator,
)  # fmt: skip
STATES = {name: f"{name}_next" for name in ("held", "bridge", "age", "period")} | {"count_held": "count_next"}
SCAN = scan(PROPAGATOR, STATES, per_step=["host_count", "host_frame"], record=["motion", "age_next"])


def motion_with(frames: dict[int, tuple[float, float, float]], ticks: int, dof: int = 2) -> np.ndarray:
    """Motion (ticks, 3) of one degree of freedom and the age as a fourth column; frames by the tick they arrive in."""
    frame, count = np.zeros((ticks, 3, 6)), np.zeros(ticks)
    for number, (tick, values) in enumerate(sorted(frames.items()), start=1):
        frame[tick:, :, dof], count[tick:] = values, number
    bridge = np.tile([0.0, 0.0, 0.0, FIRST_BRIDGE], (6, 1))
    start: dict[str, Any] = {"held": np.zeros((6, 3)), "bridge": bridge, "age": 0.0, "period": 0.02, "count_held": 0.0}
    fixed: dict[str, Any] = {"dt": DT, "followed": 1.0, "horizon": HORIZON, "least": LEAST}
    made = SCAN(ticks, **fixed, allowed=ALLOWED, **start, host_count=count, host_frame=frame)
    assert not np.delete(made["motion"], dof, axis=1).any()  # the others rest
    return np.column_stack([made["motion"][:, dof], made["age_next"]])


def parabola(t: Any) -> tuple[Any, Any, Any]:
    return 0.1 + 0.2 * t - 0.45 * t**2, 0.2 - 0.9 * t, -0.9


@pytest.mark.parametrize("every", [25, 33, 50])
def test_constant_acceleration_is_exact(every: int) -> None:
    """Frames at 80, 60 and 40 Hz; after the first bridge only rounding is left: 1e-15 of 1 m, over T^2 for the rest."""
    frames = {k: parabola(k * DT) for k in range(0, 4000, every)}
    rows = motion_with(frames, 4000)
    t = np.arange(1000, 4000) * DT
    wanted = np.stack(parabola(t)[:2], axis=1)
    np.testing.assert_allclose(rows[1000:, :2], wanted, atol=1e-12)
    np.testing.assert_allclose(rows[1000:, 2], -0.9, atol=1e-9)


def sine(t: Any, f: float = 0.7) -> tuple[Any, Any, Any]:
    w = 2 * np.pi * f
    return 0.2 * np.sin(w * t), 0.2 * w * np.cos(w * t), -0.2 * w**2 * np.sin(w * t)


def jittered(n: int, until: int = 10**9) -> dict[int, tuple[float, float, float]]:
    """60 Hz frames of a sine, each up to 3 ms late."""
    rng = np.random.default_rng(4)
    nominal = [round(k / 60 / DT) for k in range(1, int(n * DT * 60))]
    return {k + int(rng.integers(0, 7)): sine(k * DT) for k in nominal if k < until}


def test_no_step_when_a_frame_arrives() -> None:
    """Position and velocity change by no more than velocity and acceleration allow; the acceleration has no jump."""
    rows = motion_with(jittered(8000), 8000)[1600:]  # from 0.8 s: the first frame of a moving host is met by then
    x, v, a = rows[:, 0], rows[:, 1], rows[:, 2]
    # each tick is a Taylor step: what is left over is bounded by the jerk, the same everywhere, frame or not
    jerk = np.abs(np.diff(a)).max() / DT
    assert (
        jerk < 60 * A_MAX / 0.0125
    )  # of a quintic over the shortest period within A_MAX: 60 e / T^3 <= 10.4 A_MAX / T
    assert np.abs(np.diff(v) - a[:-1] * DT).max() <= jerk * DT**2
    assert np.abs(np.diff(x) - v[:-1] * DT - a[:-1] * DT**2 / 2).max() <= jerk * DT**3
    late = 0.003 * 0.2 * 2 * np.pi * 0.7  # a frame late by 3 ms is wrong by so much, in velocity by w times that
    t = np.arange(1600, 8000) * DT
    assert np.abs(x - sine(t)[0]).max() < 2 * late


def test_silence_ends_at_rest_and_the_return_is_smooth() -> None:
    frames = jittered(8000, until=4000)
    frames |= {k: sine(k * DT) for k in range(7000, 10_000, 33)}
    rows = motion_with(frames, 10_000)[400:]
    x, v, a = rows[:, 0], rows[:, 1], rows[:, 2]
    rest = slice(5500 - 400, 7000 - 400)
    np.testing.assert_array_equal(v[rest], 0.0)
    assert np.ptp(x[rest]) == 0.0
    fading = slice(4200 - 400, 5500 - 400)  # the last bridge has ended
    assert np.abs(np.diff(a[fading])).max() / DT <= 6 * 0.9 / LEAST**2 + 4 * 4.0 / LEAST + 1  # profiles.stop
    assert np.abs(np.diff(v)).max() <= 1.1 * (2 * A_MAX + 4.0) * DT  # bridge of position and of velocity, and the wave
    assert np.abs(x[-400:] - sine(np.arange(9600, 10_000) * DT)[0]).max() < 1e-4


def test_age_grows_between_frames() -> None:
    rows = motion_with({10: (0.0, 0.0, 0.0)}, 30)
    assert rows[10, 3] == 0.0
    np.testing.assert_allclose(rows[29, 3], 19 * DT, rtol=1e-12)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -10.1])
def test_unbelievable_frame_is_refused(wrong: float) -> None:
    """A NaN, or more than ten times a limit; the frame before stays in use."""
    frame = np.zeros((3, 6))
    frame[1, 4] = wrong
    bounds = Allowed.layout.vector({f"dof_{name}": 1.0 for name in ("position", "velocity", "acceleration")})
    fresh, held, age, _, _, refused = RUN_CLOCK(DT, bounds, 3.0, 0.01, 0.02, 4.0, frame)
    assert (fresh, refused, held) == (0.0, 1.0, 4.0)
    np.testing.assert_allclose(age, 0.01 + DT)
    frame[1, 4] = 9.9
    assert RUN_CLOCK(DT, bounds, 3.0, 0.01, 0.02, 4.0, frame)[0] == 1.0


def test_same_bits_on_python_and_c() -> None:
    rng = np.random.default_rng(1)
    kernel = PROPAGATE
    llvm = compile(kernel)
    for target in ("python", "c"):
        other = compile(kernel, target)
        for _ in range(20):
            arguments = [abs(rng.normal(size=p.array_shape)) for p in kernel.inputs]
            for got, want in zip(other(*arguments), llvm(*arguments), strict=True):
                np.testing.assert_array_equal(got, want)


def test_frames_are_kept_while_nobody_follows() -> None:
    """As in maintenance mode: what is held is the same to the bit, so following may begin in any tick."""
    rng, n = np.random.default_rng(5), 300
    given: dict[str, Any] = {"host_count": np.arange(n) // 33, "host_frame": rng.uniform(-0.1, 0.1, (n, 3, 6))}
    given |= {"dt": DT, "horizon": HORIZON, "least": LEAST, "allowed": ALLOWED, "held": np.zeros((6, 3))}
    given |= {"bridge": np.tile([0.0, 0.0, 0.0, FIRST_BRIDGE], (6, 1)), "age": 0.0, "period": 0.02, "count_held": 0.0}
    followed, kept = SCAN(n, followed=1.0, **given), SCAN(n, followed=0.0, **given)
    for state in STATES:
        np.testing.assert_array_equal(kept[state], followed[state])
    assert followed["motion"].any(axis=(1, 2)).sum() > 200 > kept["motion"].any(axis=(1, 2)).sum()
