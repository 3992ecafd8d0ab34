"""Table lookup, delay line and random numbers on every target, and against NumPy, SciPy and published answers."""

import math
import struct

import numpy as np
import pytest
from scipy import stats
from scipy.interpolate import RegularGridInterpolator

from motionbase.compile import Port, Primitive, Sparsity, delay, random, table
from motionbase.compile.block import Builder
from motionbase.compile.primitives import MAGIC, _philox
from motionbase.errors import KernelError
from tests.compile.on_targets import TARGETS, Array, Batch, assert_all_targets, assert_same_bits, on_python, on_target

RANDOM = np.random.default_rng(2)
EPS = float(np.finfo(float).eps)

# ---- table ---------------------------------------------------------------------------------------------------------

AXIS = np.array([-3.0, -1.0, 0.5, 0.75, 4.0])
VALUES = np.array([2.0, -1.0, 0.0, 10.0, -7.5])
AXIS2 = np.array([0.0, 1.0, 10.0])
GRID = RANDOM.normal(size=(5, 3, 2))  # vector output of two
HOLD = table("hold", [AXIS], VALUES, inputs=[Port("x")], output=Port("o"))
EXTEND = table("extend", [AXIS], VALUES, inputs=[Port("x")], output=Port("o"), outside="extend")
PLANE = table("plane", [AXIS, AXIS2], GRID, inputs=[Port("x"), Port("y")], output=Port("o", 2))
SLOPE = table("slope", [AXIS, AXIS2], GRID, inputs=[Port("x"), Port("y")], output=Port("o", 2), outside="extend")
TWO = table("two", [[1.0, 2.0]], [[5.0], [7.0]], inputs=[Port("x")], output=Port("o", 1))

AROUND = np.concatenate([[np.nextafter(a, -9), a, np.nextafter(a, 9)] for a in AXIS] + [RANDOM.uniform(-5, 6, 60)])
SPECIAL = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 0.0, -0.0, 5e-324])
LINE_X = np.concatenate([AROUND, SPECIAL])
PLANE_XY = {
    "x": np.resize(LINE_X, 400),
    "y": np.resize(np.concatenate([AXIS2, SPECIAL, RANDOM.uniform(-2, 12, 50)]), 400),
}


def along(x: Array) -> Array:
    """Rounding of (1 - f) a + f b: three operations of half an ulp of the larger value, and of f itself."""
    return np.full(len(x), 4 * EPS * np.abs(VALUES).max())


def test_table_holds_the_ends_like_numpy() -> None:
    x = LINE_X[~np.isnan(LINE_X)]
    got = on_python(HOLD, {"x": x})["o"]
    assert np.all(np.abs(got - np.interp(x, AXIS, VALUES)) <= along(x))
    assert math.isnan(on_python(HOLD, {"x": np.array([np.nan])})["o"][0])


def test_table_is_exact_at_its_breakpoints() -> None:
    for unit in (HOLD, EXTEND):
        assert_same_bits({"o": on_python(unit, {"x": AXIS})["o"]}, {"o": VALUES}, unit.name)
    x, y = (g.ravel() for g in np.meshgrid(AXIS, AXIS2, indexing="ij"))
    for unit in (PLANE, SLOPE):
        assert_same_bits({"o": on_python(unit, {"x": x, "y": y})["o"]}, {"o": GRID.reshape(-1, 2)}, unit.name)


def test_table_extends_the_last_slope() -> None:
    x = np.array([-5.0, -3.5, 4.5, 100.0])
    first, last = (-1.0 - 2.0) / 2.0, (-7.5 - 10.0) / 3.25
    wanted = np.where(x < 0, 2.0 + first * (x + 3.0), -7.5 + last * (x - 4.0))
    got = on_python(EXTEND, {"x": x})["o"]
    np.testing.assert_allclose(got, wanted, rtol=30 * EPS)  # the fraction is up to 30, and so multiplies the rounding
    far = on_python(EXTEND, {"x": np.array([np.inf, -np.inf, np.nan])})["o"]
    assert not np.isfinite(far).any()  # never a made-up number


@pytest.mark.parametrize(("unit", "bounds"), [(PLANE, "hold"), (SLOPE, "extend")])
def test_table_of_two_axes_like_scipy(unit: Primitive, bounds: str) -> None:
    keep = np.isfinite(PLANE_XY["x"]) & np.isfinite(PLANE_XY["y"]) & (np.abs(PLANE_XY["x"]) < 1e3)
    keep &= np.abs(PLANE_XY["y"]) < 1e3
    x, y = PLANE_XY["x"][keep], PLANE_XY["y"][keep]
    reference = RegularGridInterpolator((AXIS, AXIS2), GRID, bounds_error=False, fill_value=None)
    inside = np.stack([np.clip(x, -3, 4), np.clip(y, 0, 10)], 1) if bounds == "hold" else np.stack([x, y], 1)
    # fractions reach 20 in x (beyond the short last interval none) and 3 in y: their product multiplies the rounding
    np.testing.assert_allclose(on_python(unit, {"x": x, "y": y})["o"], reference(inside), rtol=0, atol=60 * 8 * EPS * 3)


@pytest.mark.parametrize("target", TARGETS)
def test_tables_on_every_target(target: str) -> None:
    for unit in (HOLD, EXTEND, TWO):
        assert_same_bits(on_target(target, unit, {"x": LINE_X}), on_python(unit, {"x": LINE_X}), unit.name)
    for unit in (PLANE, SLOPE):
        assert_same_bits(on_target(target, unit, PLANE_XY), on_python(unit, PLANE_XY), unit.name)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8, 9, 16, 17, 33])
def test_search_finds_the_interval_for_every_length(size: int) -> None:
    """The halving search over a padded axis: every breakpoint, both sides of it, and between."""
    axis = np.cumsum(RANDOM.uniform(0.1, 1, size))
    unit = table("t", [axis], np.arange(float(size)), inputs=[Port("x")], output=Port("o"))
    x = np.concatenate([axis, axis[:-1] + 0.5 * np.diff(axis), [axis[0] - 1, axis[-1] + 1]])
    wanted = np.interp(x, axis, np.arange(float(size)))
    np.testing.assert_allclose(on_python(unit, {"x": x})["o"], wanted, rtol=0, atol=4 * EPS * size)


def test_tables_are_checked() -> None:
    def refused(message: str, axes: list[list[float]], values: object, inputs: list[Port], output: Port) -> None:
        with pytest.raises(KernelError, match=message):
            table("t", axes, values, inputs=inputs, output=output)  # type: ignore[arg-type]

    x, o = Port("x"), Port("o")
    refused("1 axes and 2 inputs; there must be one an axis", [[0, 1]], [0, 1], [x, Port("y")], o)
    refused(r"input x \(2\) \[-\] must be one number", [[0, 1]], [0, 1], [Port("x", 2)], o)
    for bad in ([0.0], [0.0, 0.0], [1.0, 0.0], [0.0, math.nan], [0.0, math.inf]):
        refused("axis 'x' must be two or more finite increasing numbers", [bad], [0] * len(bad), [x], o)
    refused(r"values have shape \(3,\), axes and output make it \(2,\)", [[0, 1]], [0, 1, 2], [x], o)
    refused("output u .* is sparse; use a vector port of 2", [[0, 1]], np.zeros((2, 2, 2)), [x], SPARSE)
    with pytest.raises(KernelError, match=r"table 't': no outside 'holds'; did you mean 'hold'\?"):
        table("t", [[0, 1]], [0, 1], inputs=[x], output=o, outside="holds")  # type: ignore[arg-type]


SPARSE = Port("u", (2, 2), "m", sparsity=Sparsity((0, 1), (1, 0)))

# ---- delay ---------------------------------------------------------------------------------------------------------

FIXED = delay("fixed", Port("u", 2), 3)
VARIABLE = delay("variable", Port("u"), 4, variable=True)


def sequence(unit: Primitive, target: str, inputs: list[Batch], line: Array) -> list[Batch]:
    """Call a delay again and again with its own memory."""
    results = []
    for batch in inputs:
        given = {**batch, "u_line": line}
        got = on_python(unit, given) if target == "python" else on_target(target, unit, given)
        results.append(got)
        line = got["u_line"]
    return results


def test_fixed_delay_gives_the_sample_of_three_calls_ago() -> None:
    u = RANDOM.normal(size=(12, 1, 2))
    results = sequence(FIXED, "python", [{"u": v} for v in u], np.zeros((1, 9)))
    got = np.stack([r["u_delayed"] for r in results])
    assert_same_bits({"u": got}, {"u": np.concatenate([np.zeros((3, 1, 2)), u[:-3]])}, "delayed")


def test_variable_delay_interpolates() -> None:
    u = RANDOM.normal(size=30)
    wanted_delay = np.concatenate([[0, 1, 2.5, 4, 3.999, 0.25, 7.0, -1.0, np.nan, np.inf], RANDOM.uniform(0, 4, 20)])
    results = sequence(
        VARIABLE,
        "python",
        [{"u": u[k : k + 1], "delay": wanted_delay[k : k + 1]} for k in range(30)],
        np.zeros((1, 6)),
    )
    past = np.concatenate([np.zeros(5), u])
    for k, result in enumerate(results):
        d = float(np.clip(np.nan_to_num(wanted_delay[k], posinf=4.0), 0.0, 4.0))
        n, f = int(d), d - int(d)
        wanted = past[k + 5 - n] * (1 - f) + past[k + 5 - min(n + 1, 4)] * f
        np.testing.assert_allclose(result["u_delayed"], wanted, rtol=4 * EPS, atol=1e-300)


GARBAGE = np.array(
    [np.nan, 1e300, -1e300, -1.0, np.inf, -np.inf, 3.7, 4.0, 1e18, 2.0**63, -0.0, 5e-324, -7.5, 1.0, 2.0, 3.0]
)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("unit", [FIXED, VARIABLE], ids=lambda u: u.name)
def test_delays_on_every_target_with_garbage_in_memory(target: str, unit: Primitive) -> None:
    """A position that is garbage is clamped: nothing is written outside the line, and targets agree.

    The batch keeps the lines of all samples side by side in one array, so that a write outside is a difference.
    """
    n = len(GARBAGE)
    size = unit.memory[0].size
    line = RANDOM.normal(size=(n, size))
    line[:, 0] = GARBAGE
    inputs = []
    for k in range(8):
        batch = {"u": RANDOM.normal(size=(n, *unit.inputs[0].dims))}
        if unit is VARIABLE:
            batch["delay"] = np.roll(GARBAGE, k)
        inputs.append(batch)
    for got, wanted in zip(sequence(unit, target, inputs, line), sequence(unit, "python", inputs, line), strict=True):
        assert_same_bits(got, wanted, target)
        assert np.all((wanted["u_line"][:, 0] >= 0) & (wanted["u_line"][:, 0] < (size - 1) // unit.inputs[0].size))
    before, after = line, on_python(unit, {**inputs[0], "u_line": line})["u_line"]
    assert np.all((before != after).sum(axis=1) <= 1 + unit.inputs[0].size)  # the position and one sample


def test_delay_of_a_sparse_port() -> None:
    """The output has the input's sparsity, and so its size."""
    unit = delay("late", SPARSE, 1)
    assert unit.outputs[0] == Port("u_delayed", (2, 2), "m", "u of earlier calls", SPARSE.sparsity)
    u = RANDOM.normal(size=(3, 1, 2))
    for target in ("python", "llvm1", "gcc"):
        results = sequence(unit, target, [{"u": v} for v in u], np.zeros((1, unit.memory[0].size)))
        assert_same_bits({"u": results[2]["u_delayed"]}, {"u": u[1]}, target)


def test_delays_are_checked() -> None:
    for samples in (2.5, True, "3"):
        with pytest.raises(KernelError, match=f"the number of samples is {samples!r}, a whole number is wanted"):
            delay("d", Port("u"), samples)  # type: ignore[arg-type]
    assert delay("d", Port("u"), np.int64(3)).memory[0].size == 5  # type: ignore[arg-type]
    with pytest.raises(KernelError, match="delay 'd': 0 samples, there must be at least one"):
        delay("d", Port("u"), 0)


# ---- random numbers ------------------------------------------------------------------------------------------------


def philox(counter: float, stream: int, group: int, key: float) -> list[int]:
    """The four words of our Philox, through the interpreter."""
    b = Builder()
    words = _philox(b, b.load(0, 0).bits(), stream, b.word(group), b.load(1, 0).bits())
    exponent = b.constant(MAGIC).bits()
    for k, word in enumerate(words):
        b.store(2, k, (word | exponent).from_bits() - MAGIC)
    unit = Primitive("philox", (Port("counter"), Port("key")), (Port("w", 4),), (), b)
    given = {"counter": np.array([counter]), "key": np.array([key])}
    return [int(w) for w in assert_all_targets(unit, given, ("llvm1", "llvm4", "gcc"))["w"][0]]


def as_double(low: int, high: int) -> float:
    return float(struct.unpack("<d", struct.pack("<II", low, high))[0])


def test_philox_known_answers() -> None:
    """kat_vectors of Random123 (Salmon et al. 2011), philox4x32 with ten rounds."""
    assert philox(0.0, 0, 0, 0.0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = as_double(0xFFFFFFFF, 0xFFFFFFFF)  # a NaN: its bits count, not its value
    assert philox(ones, 0xFFFFFFFF, 0xFFFFFFFF, ones) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
    pi = philox(as_double(0x243F6A88, 0x85A308D3), 0x13198A2E, 0x03707344, as_double(0xA4093822, 0x299F31D0))
    assert pi == [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]


UNIFORM = random("uniform", Port("r", 5))
NORMAL = random("normal", Port("r", 5), kind="normal")
OTHER = random("other", Port("r", 5), stream=1)
COUNT = 20_000
TICKS = {"seed": np.full(COUNT, 42.0), "counter": np.arange(float(COUNT))}
P = 1e-4  # chance that a right generator fails one of these tests; seeds are fixed, so they fail always or never


def test_uniform_numbers() -> None:
    r = on_python(UNIFORM, TICKS)["r"]
    assert r.min() >= 0.0 and r.max() < 1.0
    for k in range(5):
        assert stats.kstest(r[:, k], "uniform").pvalue > P
    assert np.all(r * 2.0**52 == np.floor(r * 2.0**52))  # 52 bits
    bits = (r.ravel() * 2.0**52).astype(np.uint64)
    ones = np.array([int(np.count_nonzero(bits >> np.uint64(k) & np.uint64(1))) for k in range(52)])
    z = (ones - bits.size / 2) / math.sqrt(bits.size / 4)
    assert np.abs(z).max() < stats.norm.isf(P / 2 / 52)  # every bit is set half the time


def test_normal_numbers() -> None:
    r = on_python(NORMAL, TICKS)["r"]
    assert np.isfinite(r).all()
    for k in range(5):
        assert stats.kstest(r[:, k], "norm").pvalue > P
    n = r.size
    z = stats.norm.isf(P / 2)
    assert abs(r.mean()) < z / math.sqrt(n)
    assert abs(r.var() - 1) < z * math.sqrt(2 / n)
    assert abs((r**3).mean()) < z * math.sqrt(15 / n) and abs((r**4).mean() - 3) < z * math.sqrt(96 / n)


def test_streams_seeds_counters_and_elements_are_independent() -> None:
    base = on_python(UNIFORM, TICKS)["r"]
    others = {
        "stream": on_python(OTHER, TICKS)["r"],
        "seed": on_python(UNIFORM, {**TICKS, "seed": np.full(COUNT, 43.0)})["r"],
        "element": np.roll(base, 1, axis=1),
        "counter": np.roll(base, 1, axis=0),
    }
    for name, other in others.items():
        assert not np.array_equal(base, other)
        assert stats.pearsonr(base[:, 0], other[:, 0]).pvalue > P, name
        table_, _, _ = np.histogram2d(base[:, 0], other[:, 0], bins=10)
        assert stats.chisquare(table_.ravel()).pvalue > P, name  # pairs fill the square evenly


@pytest.mark.parametrize("target", TARGETS)
def test_random_numbers_on_every_target(target: str) -> None:
    ticks = {"seed": np.resize([1.0, -0.0, 0.0, 1e300, np.nan], 64), "counter": np.arange(64.0)}
    for unit in (UNIFORM, NORMAL):
        assert_same_bits(on_target(target, unit, ticks), on_python(unit, ticks), target)


def test_all_nans_are_one_seed_and_one_counter() -> None:
    """The bits of a NaN are not specified, so they must not choose the number."""
    nans = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000123], dtype=np.uint64).view(np.float64)
    for given in ({"seed": nans, "counter": np.ones(3)}, {"seed": np.ones(3), "counter": nans}):
        r = assert_all_targets(UNIFORM, given, ("llvm1", "gcc"))["r"]
        assert (r == r[0]).all()
    assert not np.array_equal(r[0], on_python(UNIFORM, {"seed": np.ones(1), "counter": np.ones(1)})["r"][0])


def test_random_is_checked() -> None:
    with pytest.raises(KernelError, match=r"random 'r': no kind 'norml'; did you mean 'normal'\?"):
        random("r", Port("r"), kind="norml")  # type: ignore[arg-type]
    with pytest.raises(KernelError, match=r"random 'r': stream -1 must be from 0 to 2\*\*32 - 1"):
        random("r", Port("r"), stream=-1)
