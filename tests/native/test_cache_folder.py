"""The folder of the object cache: whose it may be, what is refused, its size and other processes in it."""

import os
import signal
from pathlib import Path

import pytest

from motionbase.compile import compile
from motionbase.native import cache
from motionbase.native.cache import SUFFIX, CacheWarning, ObjectCache
from tests.native.test_cache import built, in_new_process, kernel

# ---- the folder ----------------------------------------------------------------------------------------------------


def refused(store: ObjectCache, reason: str) -> None:
    """Not used, with a warning that says why; the kernel works."""
    with pytest.warns(CacheWarning, match=f"object cache .* is not used: {reason}"):
        assert not built(store)
    assert not list(store.folder.glob(f"*{SUFFIX}")) if store.folder.is_dir() else True


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o770, 0o701, 0o777])
def test_a_folder_that_others_can_reach_is_not_used(store: ObjectCache, mode: int) -> None:
    store.folder.mkdir()
    store.folder.chmod(mode)
    refused(store, "other users can reach it: make it private with chmod 700")


def test_a_link_or_file_in_place_of_the_folder_is_not_used(store: ObjectCache, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    store.folder.symlink_to(tmp_path / "real")
    refused(store, "it is a symbolic link: give the folder itself")
    store.folder.unlink()
    store.folder.symlink_to(tmp_path / "nowhere")
    refused(store, "it is a symbolic link")
    store.folder.unlink()
    store.folder.write_text("")
    refused(store, "it is a file, not a folder")


def test_the_warning_shows_the_line_that_called(store: ObjectCache) -> None:
    store.folder.write_text("")
    with pytest.warns(CacheWarning) as caught:
        compile(kernel(), cache=store)
    assert [w.filename for w in caught] == [__file__]


def test_a_folder_of_another_user_is_not_used(store: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.getuid()
    store.folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    refused(store, "it belongs to another user")


def test_a_folder_that_cannot_be_made_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(ObjectCache(tmp_path / "file" / "objects"), r"cannot make it \(Not a directory\)")


def test_a_full_or_read_only_disk_only_warns(store: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anywhere, so the refusal comes from the call itself."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(CacheWarning, match="No space left on device"):
        assert not built(store)
    assert not list(store.folder.iterdir())  # and nothing half-written stays


def test_the_folder_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONBASE_CACHE", "/a/b")
    assert cache.default_folder() == Path("/a/b")
    monkeypatch.delenv("MOTIONBASE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache.default_folder() == Path("/x/motionbase/objects")


# ---- size and other processes --------------------------------------------------------------------------------------


def test_the_least_recently_used_entries_go(store: ObjectCache, monkeypatch: pytest.MonkeyPatch) -> None:
    for k, key in enumerate("abc"):
        store.put(key, b"x" * 1000)
        os.utime(store.folder / f"{key}{SUFFIX}", (k, k))
    assert store.get("a") is not None  # now used last
    size = store.entries()[0].bytes
    monkeypatch.setattr(cache, "LIMIT_BYTES", 3 * size)
    store.put("d", b"x" * 1000)
    assert {e.path.stem for e in store.entries()} == set("acd")
    monkeypatch.setattr(cache, "LIMIT_BYTES", 0)
    store.put("e", b"x" * 1000)
    assert store.entries() == []


def test_an_entry_cleared_by_another_process_while_it_is_written(
    store: ObjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No warning (warnings are errors here): the next build simply builds again."""
    replace = os.replace

    def cleared(*paths: str | Path) -> None:
        ObjectCache(store.folder).clear()
        replace(*paths)

    monkeypatch.setattr(os, "replace", cleared)
    assert not built(store)
    monkeypatch.undo()
    assert (built(store), built(store)) == (False, True)


def test_clear_removes_entries_and_leftovers(store: ObjectCache) -> None:
    store.put("a", b"payload")
    (store.folder / ".new-left").write_bytes(b"half")
    assert store.clear() == 1
    assert not list(store.folder.iterdir())


def test_processes_that_build_the_same_kernel_at_once(tmp_path: Path) -> None:
    """Two processes clear, build and read one entry twenty times; no warning, no wrong result, no damage."""
    body = """
        from motionbase.native.cache import ObjectCache
        for _ in range(20):
            ObjectCache().clear()
            for _ in range(2):
                assert abs(compile(k)([2.0, 0.5]) - (6 + np.sin(0.5))) < 1e-15
    """
    folder = tmp_path / "objects"
    processes = [in_new_process(folder, body, wait=False) for _ in range(2)]
    for process in processes:
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
    built(ObjectCache(folder))
    assert built(ObjectCache(folder))


@pytest.mark.parametrize("moment", ["write", "replace"])
def test_a_process_killed_while_it_writes_leaves_no_bad_entry(tmp_path: Path, moment: str) -> None:
    body = f"""
        import os, signal, motionbase.native.cache as cache
        whole = cache._sealed
        def half(key, payload):
            data = whole(key, payload)
            path = [p for p in cache.default_folder().iterdir() if p.name.startswith(".new-")][0]
            path.write_bytes(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        def never(*_):
            os.kill(os.getpid(), signal.SIGKILL)
        if {moment!r} == "write": cache._sealed = half
        else: cache.os.replace = never
        compile(k)
    """
    folder = tmp_path / "objects"
    process = in_new_process(folder, body, wait=False)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    store = ObjectCache(folder)
    assert store.entries() == [] and len(list(folder.glob(".new-*"))) == 1
    assert (built(store), built(store)) == (False, True)
    store.clear()
    assert not list(folder.iterdir())
