"""The object cache: hits in new processes, keys, damage, permissions, races and a process killed while it writes."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Compiled, Kernel, Port, Program, compile, keys, switch
from motionbase.native import jit
from motionbase.native.cache import MAGIC, CacheWarning, ObjectCache, _sealed


def kernel(factor: float = 3.0, name: str = "cached") -> Kernel:
    return Kernel(name, (Port("x", 2),), (Port("y"),), lambda x: factor * x[0] + ca.sin(x[1]))


def built(store: ObjectCache, unit: Kernel | None = None) -> bool:
    """Compile, check the result, and say whether the object came from the cache."""
    compiled = compile(unit or kernel(), cache=store)
    return checked(compiled)


def checked(compiled: Compiled, factor: float = 3.0) -> bool:
    got = compiled(np.array([2.0, 0.5]))
    assert abs(got - (2 * factor + np.sin(0.5))) < 1e-15  # one ulp of 6 is 9e-16
    assert compiled.times is not None
    return compiled.times.cached


def entry(store: ObjectCache) -> Path:
    (only,) = store.entries()
    return only.path


SCRIPT = """
    import sys
    import casadi as ca, numpy as np
    from motionbase.compile import Kernel, Port, compile
    from motionbase.native import jit
    k = Kernel("cached", (Port("x", 2),), (Port("y"),), lambda x: 3.0 * x[0] + ca.sin(x[1]))
"""


def in_new_process(folder: Path, body: str, *, wait: bool = True) -> subprocess.Popen[str]:
    script = textwrap.dedent(SCRIPT) + textwrap.dedent(body)
    environment = {**os.environ, "MOTIONBASE_CACHE": str(folder)}
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if wait:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        process.args = out
    return process


# ---- hits and keys -------------------------------------------------------------------------------------------------


def test_the_second_build_is_a_hit(store: ObjectCache) -> None:
    assert (built(store), built(store)) == (False, True)
    assert (entry(store).stat().st_mode & 0o777, store.folder.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_new_process_finds_the_object_and_renders_nothing(store: ObjectCache) -> None:
    assert not built(store)
    body = """
        def never(*_): raise AssertionError("rendered")
        jit.optimised = never
        import motionbase.compile.target as target
        target.Module = never
        c = compile(k)
        assert c.times.cached and abs(c([2.0, 0.5]) - (6 + np.sin(0.5))) < 1e-15
        print(c([2.0, 0.5]).item().hex())
    """
    process = in_new_process(store.folder, body)
    assert process.args == compile(kernel(), cache=None)([2.0, 0.5]).item().hex() + "\n"


def test_a_program_that_is_found_is_not_lowered(store: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only rendering needs the basic operations of its kernels; a closed loop would wait for them at every start."""

    def program() -> Program:
        leaf = kernel()
        inner = Program("inner", leaf.inputs, leaf.outputs, lambda x: leaf(x))
        return Program("outer", leaf.inputs, leaf.outputs, lambda x: inner(x))

    assert not checked(compile(program(), cache=store))

    def never(*_: object) -> None:
        raise AssertionError("lowered")

    monkeypatch.setattr("motionbase.compile.lower.lower_kernel", never)
    assert checked(compile(program(), cache=store))


def test_programs_have_the_same_digest_in_every_process(tmp_path: Path) -> None:
    """Nothing in a digest may depend on addresses, hash seeds or the order of sets."""
    body = """
        from motionbase.compile import Program, Struct, delay, for_each, q, random, repeat, switch, table
        parts = [delay("d", Port("u", 2), 3), random("r", Port("n", 3), kind="normal"),
                 table("t", [[0.0, 1.0]], [1.0, 2.0], inputs=[Port("a")], output=Port("b"))]
        def inner(x):
            rows = for_each(lambda a: switch(a, {3: lambda: k(x), 1: lambda: a * x[1]}, lambda: x[0]), x)
            return repeat(3, lambda y: y + rows[0] * x[1], rows[1])
        p = Program("p", k.inputs, k.outputs, inner)
        print(*(u.digest for u in (k, p, *parts)))
    """
    digests = set()
    for seed in ("0", "1"):
        os.environ["PYTHONHASHSEED"] = seed
        try:
            digests.add(in_new_process(tmp_path / "none", body).args)
        finally:
            del os.environ["PYTHONHASHSEED"]
    assert len(digests) == 1


def test_the_key_changes_with_everything_that_matters(store: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not built(store)
    assert not compile(kernel(), cache=store, mode="fast").times.cached  # type: ignore[union-attr]
    for lanes in (2, 4, 8):
        assert not compile(kernel(), cache=store, lanes=lanes).times.cached  # type: ignore[union-attr]
    assert not checked(compile(kernel(4.0), cache=store), 4.0)
    assert not built(store, kernel(name="renamed"))
    assert len(store.entries()) == 7
    key = jit.object_key("digest", "options")
    assert key == jit.object_key("digest", "options")
    assert len({key, jit.object_key("other", "options"), jit.object_key("digest", "other")}) == 3
    monkeypatch.setattr(jit, "loader_digest", lambda: "another loader")
    assert jit.object_key("digest", "options") != key
    monkeypatch.undo()
    code = keys.code_key("digest", "options")
    assert code not in (key, keys.code_key("digest", "other"))
    monkeypatch.setattr(keys, "compiler_digest", lambda: "another compiler")
    assert keys.code_key("digest", "options") != code
    monkeypatch.undo()
    other = jit.Cpu(jit.host_cpu().triple, "generic", jit.host_cpu().features)
    monkeypatch.setattr(jit, "host_cpu", lambda: other)
    assert jit.object_key("digest", "options") != key


def test_a_program_that_differs_in_a_case_number_has_another_key() -> None:
    def digest(number: int) -> str:
        return Program(
            "p", (Port("x", 2),), (Port("y"),), lambda x: switch(x[0], {number: lambda: x[1]}, lambda: x[0])
        ).digest

    assert digest(1) != digest(2)


@pytest.mark.parametrize(("module", "digest"), [(keys, keys.compiler_digest), (jit, jit.loader_digest)])
def test_a_digest_covers_every_source_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, digest: Any
) -> None:
    """A copy of the package with one changed byte, wherever it is, has another digest."""
    for name in ("cache.py", "render/llvm.py", "maths/pieces.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "cache.py"))
    fresh = digest.__wrapped__
    before = fresh()
    assert before == fresh()
    for name in ("cache.py", "render/llvm.py", "maths/pieces.py"):
        (tmp_path / name).write_text("a = 2\n")
        assert fresh() != before
        before = fresh()


# ---- damage --------------------------------------------------------------------------------------------------------


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda d: b"",
    "cut in the header": lambda d: d[: len(MAGIC) // 2],
    "cut after the header": lambda d: d[: len(MAGIC)],
    "cut in the digest": lambda d: d[: len(MAGIC) + 10],
    "no payload": lambda d: d[: len(MAGIC) + 32],
    "cut in half": lambda d: d[: len(d) // 2],
    "last byte gone": lambda d: d[:-1],
    "a byte more": lambda d: d + b"\0",
    "a bit in the header": lambda d: flipped(d, 3),
    "a bit in the digest": lambda d: flipped(d, len(MAGIC) + 5),
    "a bit in the code": lambda d: flipped(d, len(d) // 2),
    "garbage": lambda d: bytes(range(256)) * 20,
    "of another key": lambda d: _sealed("another key", d[len(MAGIC) + 32 :]),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_entry_is_built_again(store: ObjectCache, damage: Callable[[bytes], bytes]) -> None:
    assert not built(store)
    path = entry(store)
    good = path.read_bytes()
    path.write_bytes(damage(good))
    assert not built(store)
    assert path.read_bytes() == good  # the same object again
    assert built(store)


def test_an_entry_of_another_kernel_is_not_taken(store: ObjectCache) -> None:
    """Whole, and an object, but renamed: it must not run in place of the kernel asked for."""
    assert not built(store)
    path = entry(store)
    path.unlink()
    assert not checked(compile(kernel(5.0), cache=store), 5.0)
    entry(store).rename(path)
    assert not built(store)


def test_a_folder_in_place_of_an_entry(store: ObjectCache) -> None:
    assert not built(store)
    path = entry(store)
    path.unlink()
    (path / "inside").mkdir(parents=True)
    with pytest.warns(CacheWarning, match="Is a directory"):
        assert not built(store)


def test_a_link_in_place_of_an_entry_is_not_followed(store: ObjectCache, tmp_path: Path) -> None:
    assert not built(store)
    path = entry(store)
    good = path.read_bytes()
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert not built(store)  # although what it points to is whole
    assert not path.is_symlink() and path.read_bytes() == good == elsewhere.read_bytes()


def test_a_pipe_in_place_of_an_entry_does_not_block(store: ObjectCache) -> None:
    assert not built(store)
    path = entry(store)
    path.unlink()
    os.mkfifo(path)
    assert not built(store)
    assert built(store)
