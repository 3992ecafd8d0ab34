"""Function generators: what is allowed, what they make, and the way through files and through the ring."""

import json
import math
import struct
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.compile import Port, compile
from motionbase.compile.primitives import random
from motionbase.errors import GeneratorError, RingError
from motionbase.record.axes import DOFS, LEGS
from motionbase.record.generator_set import ABOUT, BYTES, SHAPE, GeneratorSet
from motionbase.record.generators import COLUMNS, PLACE, Generator, Shape, Space
from motionbase.ring.blocks.files import from_data, json_text, load, save, toml_text
from motionbase.ring.blocks.generators import GeneratorClient, GeneratorReader
from motionbase.ring.blocks.preview import outputs, tones
from motionbase.ring.blocks.seqlock import Outcome
from tests.ring.rings import small_writer
from tests.tier import often

ROOT = Path(__file__).resolve().parents[2]
HEAVE = Generator(True, Space.DOF, ("heave",), Shape.SINE, amplitude=0.1, frequency=0.5, fade_in=2.0, fade_out=1.0)


def within(name: str, low: float | None = None) -> st.SearchStrategy[float]:
    column = COLUMNS[PLACE[name]]
    return st.floats(column.low if low is None else low, column.high)


@st.composite
def generators(draw: st.DrawFn) -> Generator:
    """Any generator that is allowed."""
    names: Any = draw(st.sampled_from([LEGS, DOFS[:3], DOFS[3:]]))
    largest = math.pi if names == DOFS[3:] else 5.0
    low = draw(st.floats(1e-3, 40.0))
    return Generator(
        enabled=draw(st.booleans()),
        space=Space.LEG if names == LEGS else Space.DOF,
        axes=tuple(draw(st.lists(st.sampled_from(names), min_size=1, unique=True))),
        shape=draw(st.sampled_from(Shape)),
        amplitude=draw(st.floats(-largest, largest)),
        frequency=low,
        end_frequency=draw(st.floats(low + 1e-3, 50.0)),
        offset=draw(st.floats(-largest, largest)),
        duration=draw(within("duration", 0.1)),
        tones=draw(st.integers(1, 32)),
        seed=draw(st.integers(0, 2**32 - 1)),
        **{name: draw(within(name)) for name in ("phase", "fade_in", "fade_out", "start", "cycles")},
    )


printable = st.text(st.characters(exclude_categories=("C", "Z")), max_size=16)
sets = st.builds(GeneratorSet, st.lists(generators(), max_size=7).map(tuple), printable)


# ---- round trips ----


@settings(max_examples=often(60), deadline=None)
@given(wanted=sets)
def test_round_trips(wanted: GeneratorSet) -> None:
    assert GeneratorSet.decoded(wanted.encoded()) == wanted
    assert GeneratorSet.from_values(wanted.values, wanted.name) == wanted
    assert from_data(tomllib.loads(toml_text(wanted))) == wanted
    assert from_data(json.loads(json_text(wanted))) == wanted


def test_a_block_of_zeros_is_every_generator_off() -> None:
    assert GeneratorSet.decoded(bytes(BYTES)) == GeneratorSet()
    assert GeneratorSet().enabled == () and not GeneratorSet().values.any() and SHAPE == (7, 16)


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_files(tmp_path: Path, ending: str) -> None:
    wanted = GeneratorSet((HEAVE, replace(HEAVE, enabled=False, phase=1e-7)), "two ✓")
    save(wanted, tmp_path / f"a.{ending}")
    assert load(tmp_path / f"a.{ending}") == wanted


def test_example_file() -> None:
    found = load(ROOT / "examples" / "generators.toml")
    assert found.enabled == (1, 2) and found.generators[2].shape is Shape.CHIRP


def test_file_in_the_document() -> None:
    text = (ROOT / "docs" / "generators.md").read_text()
    found = from_data(tomllib.loads(text.split("```toml\n")[1].split("```")[0]))
    assert found.enabled == (1,) and found.generators[2].axes == (3,)


# ---- what is not allowed ----


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"amplitude": 5.1}, "amplitude is 5.1 m, it must be -5 to 5"),
        ({"amplitude": math.nan}, "amplitude is nan m, it must be -5 to 5"),
        ({"offset": -math.inf}, "offset is -inf m"),
        ({"axes": ("roll",), "amplitude": 4.0}, "amplitude is 4 rad, it must be -3.14159 to 3.14159"),
        (
            {"axes": ("heave", "roll")},
            "axes mixes linear and angular ones; metres and radians need separate generators",
        ),
        ({"axes": ()}, "axes is empty, it must name some of surge"),
        ({"axes": ("up",)}, r"axes is \('up',\), in dof space it must be a list of some of surge"),
        ({"axes": ("heave", "heave")}, "each once"),
        ({"axes": (1,)}, "in dof space"),
        ({"axes": "heave"}, "axes is 'heave'"),
        ({"axes": ([],)}, "it must be a list"),
        ({"frequency": 0.0}, "frequency is 0 Hz, a sine needs more than 0, up to 50"),
        ({"frequency": 50.5}, "frequency is 50.5 Hz, it must be 0 to 50"),
        ({"frequency": "1"}, "frequency is '1', it must be a number Hz"),
        ({"frequency": True}, "frequency is True"),
        ({"frequency": 10**400}, "frequency is beyond 1e308, it must be at most 50"),
        ({"phase": 7.0}, "phase is 7 rad, it must be -6.28319 to 6.28319"),
        ({"fade_in": -1.0}, "fade_in is -1 s, it must be 0 to 600"),
        ({"cycles": -1}, "cycles is -1, it must be 0 to 1e"),
        ({"shape": "saw"}, "shape is 'saw', it must be one of sine, square"),
        ({"space": "world"}, "space is 'world', it must be one of leg, dof"),
        ({"enabled": 1}, "enabled is 1, it must be true or false"),
        ({"shape": "chirp"}, "end_frequency is 0 Hz, a chirp needs more than 0"),
        ({"shape": "chirp", "end_frequency": 9.0}, "duration is 0 s, this chirp needs more than 0"),
        ({"shape": "ramp"}, "duration is 0 s, this ramp"),
        ({"shape": "step", "cycles": 1}, "duration is 0 s, this step"),
        ({"shape": "random", "end_frequency": 9.0}, "tones is 0, a random needs 1 to 32"),
        ({"shape": "multisine", "tones": 8}, "end_frequency is 0 Hz, a multisine needs more than its frequency, 0.5"),
        ({"tones": 33}, "tones is 33, it must be 0 to 32"),
        ({"tones": 1.5}, "tones is 1.5, it must be a whole number"),
        ({"seed": 2**32}, "seed is 4294967296, it must be 0 to 4294967295"),
    ],
)
def test_errors_name_field_value_and_bounds(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GeneratorError, match=sentence):
        replace(HEAVE, **change)


def test_a_card_that_is_off_may_be_half_filled_in() -> None:
    assert Generator(axes=(3,), shape=Shape.CHIRP, amplitude=0.1, cycles=2).run_time == math.inf


def test_too_many() -> None:
    with pytest.raises(GeneratorError, match="8 generators given, at most 7 are possible"):
        GeneratorSet((HEAVE,) * 8)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = [", "a.toml: not TOML: "),
        ("nam = 'x'", "a.toml: the file: there is no key 'nam'; keys: name, generator"),
        ("generator = 3", "'generator' must be a list of tables"),
        ("name = 3", "name is 3, it must be printable"),
        ("[[generator]]\nnumber = 8", "generator table 1: number is 8, it must be 1 to 7"),
        ("[[generator]]\nnumber = 2\nenabled = false\n[[generator]]", "table 2: there is a generator 2 already"),
        ("[[generator]]\nfrequenzy = 1", "generator 1: there is no key 'frequenzy'; keys: number, enabled"),
        ("[[generator]]\nnumber = 4\naxes = [1]\nfrequency = 60", "a.toml: generator 4: frequency is 60 Hz, it must"),
        ("[[generator]]", "generator 1: axes is empty, it must name legs 1 to 6"),
    ],
)
def test_files_with_errors(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(GeneratorError, match=sentence):
        load(tmp_path / "a.toml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(GeneratorError, match="b.toml: cannot be read: No such file"):
        load(tmp_path / "b.toml")
    with pytest.raises(GeneratorError, match="must end in .toml or .json"):
        load(tmp_path / "b.yaml")
    (tmp_path / "c.json").write_bytes(b"\xff\xfe")
    with pytest.raises(GeneratorError, match="not a text in UTF-8"):
        load(tmp_path / "c.json")


@settings(max_examples=often(300), deadline=None)
@given(raw=st.binary(min_size=BYTES - ABOUT.size, max_size=BYTES - ABOUT.size))
def test_random_numbers_are_refused_with_a_reason(raw: bytes) -> None:
    """Rows whose bits are random are in range by no chance; a row of zeros, the simplest example, is allowed."""
    try:
        found = GeneratorSet.decoded(bytes(ABOUT.size) + raw)
    except GeneratorError as error:
        assert str(error).startswith("generator ") and " is " in str(error)
    else:
        values = np.frombuffer(raw, "<f8").reshape(SHAPE)
        np.testing.assert_array_equal(found.values, values)
        assert all(((values[:, k] >= c.low) & (values[:, k] <= c.high)).all() for k, c in enumerate(COLUMNS))


@settings(max_examples=often(100), deadline=None)
@given(
    row=st.integers(0, 6),
    column=st.integers(0, 15),
    value=st.one_of(st.floats(min_value=1e10), st.floats(max_value=-10.0), st.just(math.nan)),
)
def test_one_wrong_number_is_found(row: int, column: int, value: float) -> None:
    values = GeneratorSet((HEAVE,) * 7).values
    values[row, column] = value
    with pytest.raises(GeneratorError, match=f"generator {row + 1}: {COLUMNS[column].name} is "):
        GeneratorSet.from_values(values)


# ---- through the ring ----


def test_through_the_ring() -> None:
    with small_writer() as ring:
        reader = GeneratorReader(ring.segment, ring.header.layout)
        client = GeneratorClient(author="a test")
        assert client.read() == GeneratorSet() and reader.poll() is Outcome.UNCHANGED
        written = client.write(GeneratorSet((HEAVE,), "one"))
        assert written.version == 1 and client.read() == written and written.author == "a test"
        assert reader.changed() and not reader.values.any()  # nothing changes before it is asked for
        kept = reader.values
        assert reader.poll() is Outcome.NEW and reader.version == 1 and reader.values is kept
        np.testing.assert_array_equal(reader.values, written.values)


def test_refused_settings_leave_the_old_ones() -> None:
    with small_writer() as ring:
        reader = GeneratorReader(ring.segment, ring.header.layout)
        client = GeneratorClient(author="a test")
        client.write(GeneratorSet((HEAVE,)))
        assert reader.poll() is Outcome.NEW
        payload = bytearray(GeneratorSet((HEAVE,)).encoded())
        struct.pack_into("<d", payload, ABOUT.size + 8 * PLACE["amplitude"], 80.0)
        client._writer.write(bytes(payload))  # well-formed bytes with a number that must not be
        assert reader.poll() is Outcome.REFUSED
        assert reader.reason == "generator 1: amplitude is 80 m, it must be -5 to 5"
        assert reader.version == 1 and reader.values[0, PLACE["amplitude"]] == 0.1
        with pytest.raises(RingError, match="the generators are refused: generator 1: amplitude is 80 m"):
            client.read()
        assert client.write(GeneratorSet()).version == 3 and reader.poll() is Outcome.NEW and not reader.values.any()


# ---- what they make ----


SMOOTH = [
    HEAVE,
    replace(HEAVE, shape=Shape.CHIRP, end_frequency=3.0, duration=4.0, phase=0.3, offset=0.05),
    replace(HEAVE, shape=Shape.MULTISINE, end_frequency=4.0, tones=9, start=0.7),
    replace(HEAVE, shape=Shape.RANDOM, end_frequency=4.0, tones=20, seed=5, cycles=1, duration=6.0),
    replace(HEAVE, shape=Shape.STEP, cycles=1, duration=5.0),
]


@pytest.mark.parametrize("g", SMOOTH, ids=lambda g: g.shape)
def test_velocity_and_acceleration_are_the_derivatives(g: Generator) -> None:
    """Central differences of second order at two steps: what is left of the difference falls with h^2."""
    t = np.linspace(0.0, 12.0, 997) + 0.0123
    if g.shape is Shape.CHIRP:  # where it turns back, its acceleration jumps
        t = t[abs(np.mod(t + 2.0, 4.0) - 2.0) > 2e-3]
    at = {h: [outputs(GeneratorSet((g,)), t + s).generators[0] for s in (-h, 0.0, h)] for h in (1e-3, 5e-4)}
    errors = {h: max(abs((b[k] - a[k]) / (2 * h) - y[k + 1]).max() for k in (0, 1)) for h, (a, y, b) in at.items()}
    # fades have jumps in the third derivative, so a few samples fall only with h: a factor of 2 or more
    assert errors[5e-4] < 0.02 and errors[5e-4] < 0.6 * errors[1e-3]
    assert abs(at[1e-3][1][0]).max() > 0.05  # there is something to differentiate


def test_sine_starts_fades_and_ends_on_time() -> None:
    g = replace(HEAVE, start=1.0, cycles=4, phase=math.pi / 2)
    t = np.array([0.999, 1.0, 3.0, 5.0, 9.0, 9.5, 10.0, 10.001])
    y = outputs(GeneratorSet((g,)), t).dofs[2]
    # full from 3 s on; the 4 cycles of 2 s end at 9 s; half-way down the fade is 1/2 exactly, and so is the wave -> 0
    np.testing.assert_allclose(y[0, [0, 1, 7]], 0.0, atol=0)
    np.testing.assert_allclose(y[0, [2, 3, 4]], 0.1, atol=1e-15)
    np.testing.assert_allclose(y[:, 6], 0.0, atol=1e-15)
    assert y[0, 5] == pytest.approx(0.05 * math.cos(2 * math.pi * 0.5 * 8.5), abs=1e-15)


def test_stop_fades_out_and_before_the_start_nothing_comes() -> None:
    t = np.linspace(0, 20, 201)
    y = outputs(GeneratorSet((HEAVE,)), t, stop=6.0).generators[0, 0]
    assert abs(y[t <= 6]).max() > 0.09 and not y[t > 7.0 + 1e-9].any() and y[(t > 6.2) & (t < 6.8)].any()
    late = replace(HEAVE, start=8.0, fade_out=30.0)
    assert not outputs(GeneratorSet((late,)), t, stop=6.0).generators.any()


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Shape.SQUARE, [1, 1, 1, -1, -1, -1]),
        (Shape.TRIANGLE, [0, 0.5, 1, 0, -0.5, -1]),
        (Shape.SAWTOOTH, [0, 0.25, 0.5, -1, -0.75, -0.5]),
    ],
)
def test_cornered_waves(shape: Shape, expected: list[float]) -> None:
    g = Generator(True, Space.LEG, (1, 4), shape, amplitude=2.0, frequency=0.125)
    made = outputs(GeneratorSet((g, g)), [0, 1, 2, 4, 5, 6])
    np.testing.assert_array_equal(made.generators[0, 0], 2 * np.array(expected))
    np.testing.assert_array_equal(made.legs[3, 0], 4 * np.array(expected))  # the sum of two
    assert not made.legs[[1, 2, 4, 5]].any() and not made.dofs.any()


def test_ramp_rises_and_holds() -> None:
    g = Generator(True, Space.LEG, (1,), Shape.RAMP, amplitude=-0.4, duration=2.0)
    y = outputs(GeneratorSet((g,)), [0.0, 1.0, 2.0, 50.0]).legs[0]
    np.testing.assert_allclose(y[0], [0, -0.2, -0.4, -0.4], atol=1e-16)
    np.testing.assert_array_equal(y[1], [-0.2, -0.2, 0, 0])


def test_chirp_goes_up_and_comes_back() -> None:
    g = Generator(True, Space.LEG, (1,), Shape.CHIRP, amplitude=1.0, frequency=1.0, end_frequency=3.0, duration=2.0)
    t = np.linspace(0, 8, 8001)
    y = outputs(GeneratorSet((g,)), t).legs[0]
    rate = np.hypot(y[1], 0) / (2 * np.pi * np.maximum(np.sqrt(1 - np.clip(y[0] ** 2, 0, 1)), 1e-9))
    steep = abs(y[0]) < 0.5
    expected = np.interp(np.mod(t, 4.0), [0, 2, 4], [1, 3, 1])
    np.testing.assert_allclose(rate[steep], expected[steep], rtol=1e-9)


@pytest.mark.parametrize("shape", [Shape.MULTISINE, Shape.RANDOM])
def test_power_is_that_of_a_sine_and_the_peak_is_bounded(shape: Shape) -> None:
    g = Generator(True, Space.LEG, (1,), shape, 0.2, frequency=0.5, end_frequency=2.0, tones=16, seed=3)
    y = outputs(GeneratorSet((g,)), np.linspace(0, 2000, 200_001)).legs[0, 0]
    assert np.sqrt(np.mean(y**2)) == pytest.approx(0.2 / math.sqrt(2), rel=0.02)  # ends of the record: 1 / (2000 s)
    assert abs(y).max() <= g.peak == 0.2 * 4
    if shape is Shape.MULTISINE:
        assert abs(y).max() < 1.35 * 0.2  # Schroeder's phases: near the peak of a single sine


def test_random_phases_are_those_of_the_compiled_generator() -> None:
    """A kernel can make the same signal: place and phase of a tone come from (seed, number) alone."""
    g = Generator(True, Space.LEG, (1,), Shape.RANDOM, 0.2, frequency=1.0, end_frequency=9.0, tones=8, seed=123456789)
    f, phase = tones(g)
    compiled = compile(random("tone", Port("u", 2)))
    u = np.array([compiled(seed=g.seed, counter=k) for k in range(8)])
    np.testing.assert_array_equal(f, 1.0 + (np.arange(8) + u[:, 0]) * 8.0 / 8)
    np.testing.assert_array_equal(phase, 2 * math.pi * u[:, 1])
