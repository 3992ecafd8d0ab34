"""Strict mode gives the same bits on every width; fast mode stays within a bound that comes from its roundings."""

import casadi as ca
import numpy as np
import pytest

from benchmarks.models.arm import arm
from motionbase.compile import Kernel, Port, compile
from motionbase.errors import KernelError

SAMPLES = 200


@pytest.fixture(scope="module")
def inputs() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(8)
    return {"q": rng.uniform(-3, 3, (SAMPLES, 7)), "v": rng.standard_normal((SAMPLES, 7)),
            "tau": 100 * rng.standard_normal((SAMPLES, 7))}  # fmt: skip


@pytest.fixture(scope="module")
def strict(inputs: dict[str, np.ndarray]) -> np.ndarray:
    return compile(arm()).map(**inputs)["a"]


def in_lanes(array: np.ndarray, lanes: int) -> np.ndarray:
    return np.ascontiguousarray(array.reshape(SAMPLES // lanes, lanes, -1).transpose(0, 2, 1))


def from_lanes(array: np.ndarray) -> np.ndarray:
    return array.transpose(0, 2, 1).reshape(SAMPLES, -1)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_strict_lanes_are_bit_identical(lanes: int, inputs: dict[str, np.ndarray], strict: np.ndarray) -> None:
    given = {name: in_lanes(a, lanes) for name, a in inputs.items()}
    np.testing.assert_array_equal(from_lanes(compile(arm(), lanes=lanes).map(**given)["a"]), strict)


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_fast_mode_is_within_its_roundings(lanes: int, inputs: dict[str, np.ndarray], strict: np.ndarray) -> None:
    """Roundings of 1.1e-16 amplified by the mass matrix's condition (below 1,400 here) are 1.5e-13.

    2,000 of them hardly ever add up (1.3e-14 is seen); the bound is seven such roundings.
    """
    compiled = compile(arm(), lanes=lanes, mode="fast")
    given = inputs if lanes == 1 else {name: in_lanes(a, lanes) for name, a in inputs.items()}
    result = compiled.map(**given)["a"]
    fast = result if lanes == 1 else from_lanes(result)
    scale = np.abs(strict).max(axis=1, keepdims=True)
    assert np.max(np.abs(fast - strict) / scale) < 1e-12
    assert not np.array_equal(fast, strict)  # otherwise the mode did nothing


def test_fast_mode_keeps_the_error_free_sums_of_strict_maths() -> None:
    """Functions without a fast variant stay what they are: the same bits in both modes."""
    kernel = Kernel(
        "maths", (Port("x"),), (Port("y", 5),),
        lambda x: ca.vertcat(ca.tan(x), ca.atan(x), ca.hypot(x, 1.5), ca.fabs(x) ** 0.3, ca.asinh(x)),
    )  # fmt: skip
    x = np.random.default_rng(9).uniform(-20, 20, 500)
    np.testing.assert_array_equal(compile(kernel, mode="fast").map(x=x)["y"], compile(kernel).map(x=x)["y"])


def test_only_llvm_and_cuda_have_a_fast_mode() -> None:
    for target in ("c", "python"):
        with pytest.raises(KernelError, match="has no fast mode"):
            compile(arm(), target, mode="fast")
