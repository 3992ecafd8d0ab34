"""`motionbase cache`: what it tells and what it removes, in a folder of the test's own."""

import json
import sys
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.compile import Kernel, Port, compile
from motionbase.native.cache import default_folder

Capture = pytest.CaptureFixture[str]
KERNEL = Kernel("twice", (Port("x"),), (Port("y"),), lambda x: 2 * x)


@pytest.fixture(autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for this test; the user's own is never touched."""
    folder = tmp_path_factory.mktemp("objects")
    folder.chmod(0o700)
    monkeypatch.setenv("MOTIONBASE_CACHE", str(folder))
    return folder


def shown(capsys: Capture, *args: str) -> dict[str, object]:
    assert call(["cache", *args, "--json"]) == 0
    data: dict[str, object] = json.loads(capsys.readouterr().out)
    return data


def test_tests_share_a_cache_that_is_not_the_user_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers and the processes they start inherit it; tests with a cache of their own give it back."""
    monkeypatch.undo()
    ours = default_folder()
    monkeypatch.delenv("MOTIONBASE_CACHE")
    assert default_folder() != ours and not sys.dont_write_bytecode


def test_empty_cache(private_cache: Path, capsys: Capture) -> None:
    assert call(["cache"]) == 0
    out = capsys.readouterr().out
    assert str(private_cache) in out and "usable   yes" in out and "entries  0" in out


def test_show_and_clear(private_cache: Path, capsys: Capture) -> None:
    compile(KERNEL)
    compile(KERNEL, lanes=4)
    data = shown(capsys, "show")
    assert data["entries"] == 2 and data["usable"] is True and data["oldest"] is not None
    assert call(["cache", "clear"]) == 0
    assert f"{private_cache}: removed 2 entries" in capsys.readouterr().out
    assert shown(capsys)["entries"] == 0 and shown(capsys, "clear")["removed"] == 0
    assert list(private_cache.iterdir()) == []


def test_clear_leaves_other_files(private_cache: Path) -> None:
    (private_cache / "notes.txt").write_text("mine")
    assert call(["cache", "clear"]) == 0
    assert (private_cache / "notes.txt").read_text() == "mine"


def test_open_folder_is_told(private_cache: Path, capsys: Capture) -> None:
    private_cache.chmod(0o755)
    data = shown(capsys)
    assert data["usable"] is False and "chmod 700" in str(data["reason"])
    assert call(["cache"]) == 0
    assert "usable   no: other users can reach it" in capsys.readouterr().out


def test_unknown_action_is_one_sentence(capsys: Capture) -> None:
    assert call(["cache", "shw"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and "'show', 'clear'" in err
