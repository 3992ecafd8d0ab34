"""Calling compiled code: every way to pass arrays, every refusal by its message, the fast path, and threads."""

import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import casadi as ca
import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.compile import Compiled, Kernel, Port, Program, compile
from motionbase.compile.target import Target
from motionbase.errors import KernelError, PortError
from tests.memory import kept_blocks

Array = NDArray[np.float64]
KERNEL = Kernel(
    "mix",
    (Port("v", 3, "m"), Port("M", (2, 3)), Port("s")),
    (Port("w", 2), Port("n")),
    lambda v, M, s: [s * (M @ v), ca.sum1(v)],
)
DOUBLE = Kernel("double_it", (Port("x", 4),), (Port("y", 4),), lambda x: 2 * x)
V, M, S = np.array([1.0, 2.0, 3.0]), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]), np.array(0.5)
W, N = [0.5, 2.5], 6.0


def counting(x: ca.SX, total: ca.SX) -> Any:
    add = Kernel("add", (Port("a", 2), Port("b", 2)), (Port("c", 2),), lambda a, b: a + b)
    total = add(x, total)
    return total, total


COUNTER = Program("counter", (Port("x", 2),), (Port("y", 2),), counting, memory=(Port("total", 2),))

TARGETS: tuple[Target, ...] = ("python", "llvm", "c")


@pytest.fixture(scope="module", params=TARGETS)
def mix(request: pytest.FixtureRequest) -> Compiled:
    return compile(KERNEL, request.param)


@pytest.fixture(scope="module")
def llvm_mix() -> Compiled:
    return compile(KERNEL)


@pytest.fixture(scope="module")
def llvm_double() -> Compiled:
    return compile(DOUBLE)


def outputs() -> tuple[Array, Array]:
    return np.full(2, np.nan), np.full((), np.nan)


# ---- ways to call --------------------------------------------------------------------------------------------------


def test_by_position_by_name_and_both(mix: Compiled) -> None:
    for w, n in (mix(V, M, S), mix(s=S, M=M, v=V), mix(V, s=S, M=M)):
        assert w.tolist() == W and n.shape == () and n == N


def test_one_output_is_not_a_tuple() -> None:
    for target in TARGETS:
        assert compile(DOUBLE, target)([1, 2, 3, 4]).tolist() == [2.0, 4.0, 6.0, 8.0]


def test_out_takes_the_results(mix: Compiled) -> None:
    for out in (outputs(), list(outputs())):
        assert mix(V, M, S, out=out) is out
        assert out[0].tolist() == W and out[1] == N


def test_bind(mix: Compiled) -> None:
    w, n = outputs()
    v = V.copy()
    bound = mix.bind(v=v, M=M, s=S, w=w, n=n)
    assert bound() is None and w.tolist() == W  # type: ignore[func-returns-value]
    v *= 2
    bound()
    assert w.tolist() == [1.0, 5.0] and n == 12.0


def test_arrays_are_ready_to_bind(mix: Compiled) -> None:
    arrays = mix.arrays()
    assert {k: a.shape for k, a in arrays.items()} == {"v": (3,), "M": (2, 3), "s": (), "w": (2,), "n": ()}
    arrays["v"][:], arrays["M"][:], arrays["s"][...] = V, M, S
    mix.bind(**arrays)()
    assert arrays["w"].tolist() == W


def test_what_converts_without_loss_is_taken(mix: Compiled) -> None:
    many: list[Any] = [[1, 2, 3], (1.0, 2, 3), np.array([1, 2, 3]), V.astype(np.float32), V.astype(">f8")]
    many += [np.repeat(V, 2)[::2], np.array([1, 2, 3], dtype=np.uint8)]
    for v in many:
        for s in (0.5, np.float32(0.5), [0.5], np.array([0.5]), S):
            w, n = mix(v, M.tolist(), s)
            assert w.tolist() == W and n == N
    w, _ = mix(V, np.asfortranarray(M), S)
    assert w.tolist() == W
    assert mix(V, M, True)[0].tolist() == [1.0, 5.0]


def test_an_array_that_is_not_aligned_is_copied_or_refused(llvm_double: Compiled) -> None:
    raw = np.zeros(33, dtype=np.uint8)
    odd = raw[1:].view(np.float64)
    odd[:] = [1, 2, 3, 4]
    assert not odd.flags.aligned
    assert llvm_double(odd).tolist() == [2.0, 4.0, 6.0, 8.0]
    with pytest.raises(PortError, match="port 'y' is not aligned to its doubles"):
        llvm_double(V[:1].repeat(4), out=odd)


def test_memory_is_updated_in_place() -> None:
    for target in TARGETS:
        counter, total = compile(COUNTER, target), np.zeros(2)
        for k in range(1, 4):
            assert counter([1.0, 10.0], total).tolist() == [k, 10 * k]
        assert total.tolist() == [3.0, 30.0]
        assert counter(x=[1.0, 1.0], total=total).tolist() == [4.0, 31.0]


def test_ports_named_like_our_own_arguments() -> None:
    kernel = Kernel("odd", (Port("self"), Port("unit")), (Port("native"),), lambda a, b: a - b)
    compiled = compile(kernel)
    assert compiled(self=5, unit=3) == 2.0
    arrays = compiled.arrays()
    arrays["self"][...] = 7
    compiled.bind(**arrays)()
    assert arrays["native"] == 7.0
    many = {"self": np.array([7.0, 8.0]), "unit": np.zeros(2)}
    assert compiled.map(**many)["native"].tolist() == [7.0, 8.0]
    whole = Program("p", kernel.inputs, kernel.outputs, lambda a, b: kernel(**{"self": a, "unit": b}))
    assert compile(whole)(5, 3) == 2.0


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_have_a_last_axis(lanes: int) -> None:
    compiled = compile(KERNEL, lanes=lanes)
    v = V[:, None] * np.arange(1.0, lanes + 1)
    w, n = compiled(v, np.repeat(M[:, :, None], lanes, 2), np.full(lanes, 0.5))
    assert w.shape == (2, lanes) and n.shape == (lanes,)
    np.testing.assert_array_equal(n, N * np.arange(1, lanes + 1))
    with pytest.raises(PortError, match=re.escape(f"port 's' has shape (), ({lanes},) is wanted")):
        compiled(v, np.repeat(M[:, :, None], lanes, 2), 0.5)


# ---- refusals ------------------------------------------------------------------------------------------------------


def refused(message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(PortError) as caught:
        call()
    assert str(caught.value).startswith("'mix' on llvm, strict: ") and message in str(caught.value)


def test_inputs_are_checked(llvm_mix: Compiled) -> None:
    f: Callable[..., Any] = llvm_mix
    refused("port 'v' has shape (2,), (3,) is wanted", lambda: f([1, 2], M, S))
    refused("port 'v' has shape (3, 1), (3,) is wanted", lambda: f(V[:, None], M, S))
    refused("port 'M' has shape (6,), (2, 3) is wanted", lambda: f(V, M.ravel(), S))
    refused("port 'M' has shape (3, 2), (2, 3) is wanted", lambda: f(V, M.T, S))
    refused("port 's' has shape (2,), () is wanted", lambda: f(V, M, [1, 2]))
    refused("port 'v' has dtype complex128, float64 is wanted", lambda: f(V + 1j, M, S))
    refused("port 'v' has dtype <U1, float64 is wanted", lambda: f(list("abc"), M, S))
    refused("port 'v' has dtype object, float64 is wanted", lambda: f([None, 1, 2], M, S))
    refused("port 'v' is not a regular array, shape (3,) is wanted", lambda: f([1, [2], 3], M, S))
    refused("port 's' is not given; shape () is wanted", lambda: f(V, M))
    refused("no port 'q'; ports: v, M, s", lambda: f(V, M, S, q=1))
    refused("port 'M' is given twice", lambda: f(V, M, S, M=M))
    refused("4 values for 3 inputs", lambda: f(V, M, S, 1))


def test_outputs_are_checked(llvm_mix: Compiled) -> None:
    w, n = outputs()
    frozen = w.copy()
    frozen.flags.writeable = False

    def out(*arrays: Any) -> Callable[[], Any]:
        return lambda: llvm_mix(V, M, S, out=arrays)

    refused("1 output arrays for 2 outputs", out(w))
    refused("1 output arrays for 2 outputs", lambda: llvm_mix(V, M, S, out=w))
    refused("port 'w' is list, a NumPy array of float64 with shape (2,) is wanted", out([0, 0], n))
    refused("port 'w' has dtype float32, float64 is wanted", out(w.astype(np.float32), n))
    refused("port 'w' has shape (3,), (2,) is wanted", out(np.zeros(3), n))
    refused("port 'w' is not contiguous, row by row; numpy.ascontiguousarray makes it so", out(np.zeros(4)[::2], n))
    refused("port 'w' is read only, but it is written", out(frozen, n))
    shared = np.zeros(3)
    refused("ports 'v' and 'w' share memory", lambda: llvm_mix(shared, M, S, out=(shared[1:], n)))
    refused("ports 'w' and 'n' share memory", out(shared[:2], shared[1:2].reshape(())))
    # neighbours do not overlap
    llvm_mix(V, M, S, out=(shared[:2], shared[2:].reshape(())))
    assert shared.tolist() == [*W, N]


def test_outputs_by_name(mix: Compiled) -> None:
    w, n = outputs()
    given = {"n": n, "w": w}
    assert mix(V, M, S, out=given) is given
    assert w.tolist() == W and n == N


def test_outputs_by_name_are_checked(llvm_mix: Compiled) -> None:
    w, n = outputs()
    refused("out has no array for output 'n'", lambda: llvm_mix(V, M, S, out={"w": w}))
    refused("no port 'q'; ports: w, n", lambda: llvm_mix(V, M, S, out={"w": w, "n": n, "q": w}))


def test_map_without_arrays_is_refused(llvm_mix: Compiled) -> None:
    refused("no array is given; map takes arrays by port name: v, M, s, w, n", llvm_mix.map)


def test_bind_is_checked(llvm_mix: Compiled) -> None:
    arrays: dict[str, Any] = dict(llvm_mix.arrays())
    refused("port 'n' is not given; shape () is wanted", lambda: llvm_mix.bind(**{**arrays, "n": None}))
    refused("no port 'q'; ports: v, M, s, w, n", lambda: llvm_mix.bind(**arrays, q=V))
    refused("port 'v' is list", lambda: llvm_mix.bind(**{**arrays, "v": [1, 2, 3]}))
    refused("port 'v' has dtype int64", lambda: llvm_mix.bind(**{**arrays, "v": np.arange(3)}))
    refused("ports 'v' and 'w' share memory", lambda: llvm_mix.bind(**{**arrays, "w": arrays["v"][:2]}))


def test_memory_is_checked() -> None:
    counter = compile(COUNTER)
    with pytest.raises(PortError, match="port 'total' is list, a NumPy array of float64 with shape"):
        counter([1.0, 2.0], [0.0, 0.0])
    shared = np.zeros(2)
    with pytest.raises(PortError, match="ports 'x' and 'total' share memory"):
        counter(shared, shared)


def test_targets_and_lanes_are_checked() -> None:
    def wrong(message: str, *args: Any, **options: Any) -> None:
        with pytest.raises(KernelError, match=message):
            compile(KERNEL, *args, **options)

    wrong("'mix': 3 lanes; there may be 1, 2, 4, 8", lanes=3)
    wrong("'mix': lanes is 4.0, a whole number is wanted", lanes=4.0)
    wrong("'mix': lanes is True, a whole number is wanted", "python", lanes=True)
    wrong(r"'mix': no mode 'fsat'; did you mean 'fast'\? \(mode may be strict, fast\)", mode="fsat")
    wrong("'mix': no mode 'exact'; mode may be strict, fast", "python", mode="exact")
    wrong("'mix': target 'cuda' is motionbase.compile.runtime.cuda.compile_cuda", "cuda")
    wrong("'mix': 0 lanes", "python", lanes=0)
    wrong("'mix': target 'c' has no lanes; use llvm, or lanes=1", "c", lanes=4)
    wrong("'mix': target 'c' has no fast mode", "c", mode="fast")
    wrong("'mix': no target 'fortran'; target may be python, llvm, c", "fortran")


# ---- the fast path -------------------------------------------------------------------------------------------------


def test_the_fast_path_sees_new_contents_and_new_arrays(mix: Compiled) -> None:
    v, other, out = V.copy(), 10 * V, outputs()
    for _ in range(3):
        mix(v, M, S, out=out)
    v[0] = 3.0
    mix(v, M, S, out=out)
    assert out[0].tolist() == [1.5, 2.5] and out[1] == 8.0
    mix(other, M, S, out=out)
    assert out[1] == 60.0
    second = outputs()
    mix(other, M, S, out=second)
    assert second[1] == 60.0
    mix(v, M, S, out=out)
    assert out[1] == 8.0 and second[1] == 60.0


def test_a_list_of_outputs_may_change_between_calls(llvm_mix: Compiled) -> None:
    """A list keeps its identity when an array in it is replaced; the new array must be written, and the old may go."""
    out: list[Array] = list(outputs())
    llvm_mix(V, M, S, out=out)
    old = out[0]
    out[0] = np.zeros(2)
    llvm_mix(2 * V, M, S, out=out)
    llvm_mix(V, M, S, out=out)
    old[:] = -1
    llvm_mix(V, M, S, out=out)
    assert out[0].tolist() == W and old.tolist() == [-1.0, -1.0]


def test_converted_inputs_are_never_remembered(llvm_mix: Compiled) -> None:
    v, out = [1, 2, 3], outputs()
    for k in (1, 5):
        v[0] = k
        llvm_mix(v, M, S, out=out)
        assert out[1] == 5 + k


def test_repeated_calls_keep_no_memory(llvm_mix: Compiled) -> None:
    """Slack of 50 blocks (500 where arrays come and go) for Python's own caches; a leak of one a call would be 2000."""
    out = outputs()
    bound = llvm_mix.bind(v=V, M=M, s=S, w=out[0], n=out[1])
    calls: list[tuple[Callable[[], Any], int]] = [
        (bound, 50),
        (lambda: llvm_mix(V, M, S, out=out), 50),
        (lambda: llvm_mix(V, M, S), 500),
    ]
    for call, slack in calls:
        for _ in range(10):
            call()
        assert kept_blocks(call, 2000) < slack


def test_a_leak_of_one_block_a_call_is_seen_whatever_other_threads_do() -> None:
    kept: list[object] = []

    def keep(count: int) -> None:
        kept.extend(object() for _ in range(count))

    with ThreadPoolExecutor(1) as others:
        others.submit(keep, 1).result()
        assert kept_blocks(lambda: others.submit(keep, 100).result(), 20) < 50 < 2000 < len(kept)
        assert kept_blocks(lambda: keep(others.submit(lambda: 1).result()), 500) >= 500


def test_the_fast_path_makes_no_array(llvm_mix: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first call nothing is checked, converted or allocated by NumPy."""
    out = outputs()
    llvm_mix(V, M, S, out=out)

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the fast path came here")

    for name in ("empty", "asarray", "ascontiguousarray", "require", "zeros"):
        monkeypatch.setattr(np, name, never)
    monkeypatch.setattr("motionbase.compile.runtime.calling.checked", never)
    assert llvm_mix(V, M, S, out=out) is out
    with pytest.raises(AssertionError, match="the fast path came here"):
        llvm_mix(V, M, S)


def test_threads_share_one_compiled_kernel(llvm_double: Compiled) -> None:
    """The last arguments are remembered in one place: two threads must never get each other's addresses."""
    wrong: list[str] = []

    def work(base: float) -> None:
        arrays = [(np.full(4, base + k), np.empty(4)) for k in range(7)]
        for round_ in range(3000):
            x, y = arrays[round_ % 7]
            llvm_double(x, out=y)
            if not (y == 2 * x[0]).all():
                wrong.append(f"{base}: {x} gave {y}")
                return
            y.fill(-1)

    threads = [threading.Thread(target=work, args=(100.0 * k,)) for k in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong


def test_repr_says_what_it_is(llvm_mix: Compiled) -> None:
    assert repr(llvm_mix) == "<compiled 'mix' on llvm, strict, 1 lane>"
    assert repr(compile(KERNEL, lanes=4)).endswith("4 lanes>")
