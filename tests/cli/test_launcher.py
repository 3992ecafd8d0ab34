"""`./motionbase` in a checkout made for the test. Stubs stand for uv and python3, so nothing is downloaded."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import motionbase

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("sh", "readlink", "dirname", "cat", "cmp", "rm", "mkdir", "mv", "cp", "chmod", "find", "cksum", "sort")

# `uv venv` of the stub makes a real virtual environment which finds this checkout's package. It writes its arguments
# down, and refuses, as loudly as it can, to work in a .venv that would be somebody's own Python.
UV = f"""#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$@" >>"$UV_LOG"
[ -n "${{UV_FAILS-}}" ] && {{ echo "$UV_FAILS" >&2; exit 1; }}
[ "$1" = venv ] && venv=$5 || venv=$7
venv=${{venv%/bin/python}}
if [ -e "$venv" ] && [ ! -f "$venv/pyvenv.cfg" ]; then echo "NOT A VENV" >>"$UV_LOG"; exit 1; fi
[ "$1" = venv ] || exit 0
'{sys.executable}' -m venv --without-pip "$venv"
for site in "$venv"/lib/python*/site-packages; do
    printf '%s\\n' '{ROOT}/src' '{Path(sys.prefix).resolve()}'/lib/python*/site-packages >"$site/here.pth"
done
"""
# A python3 which makes a venv, or installs with --target, as far as VENV and PIP allow; "uv" is the stub.
PYTHON3 = """#!/bin/sh
[ "$1" = -I ] || exit 1
shift
case "$1 $2 $3" in
    "-m venv "*) [ "$VENV" = yes ] || exit 1; mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
    "-m pip --version") [ "$PIP" = yes ] ;;
    "-m pip install")
        [ -n "${OFFLINE-}" ] && { echo "$OFFLINE" >&2; exit 1; }
        case "$*" in *" --require-hashes -r "*/requirements/uv.txt) ;; *) exit 1 ;; esac
        case "$5" in
            --target) mkdir -p "$6/bin"; cp "$UV_STUB" "$6/bin/uv" ;;
            *) here=$(dirname "$0"); cp "$UV_STUB" "$here/uv" ;;
        esac ;;
esac
"""


class Checkout(NamedTuple):
    """A folder with the launcher, and a PATH on which only the tools it needs are found."""

    root: Path
    bin: Path

    def run(self, *args: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        settings = {"PATH": str(self.bin), "HOME": str(self.root), "UV_LOG": str(self.log), "VENV": "yes", "PIP": "yes"}
        settings |= {"UV_STUB": str(self.bin.parent / "uv-stub")} | env
        command = [str(self.root / "motionbase"), *args]
        return subprocess.run(command, cwd=cwd or self.root, env=settings, capture_output=True, text=True, timeout=60)

    @property
    def log(self) -> Path:
        return self.bin.parent / "uv.log"

    def synced(self) -> list[str]:
        """What was asked of uv so far, and forget it."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


def script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def bare(tmp_path: Path) -> Checkout:
    """No uv, and a python3 that does what the environment variables say."""
    root, bin = tmp_path / "a check out", tmp_path / "bin"
    root.mkdir()
    bin.mkdir()
    shutil.copy2(ROOT / "motionbase", root)
    (root / "pyproject.toml").write_text("# version 1\n")
    shutil.copytree(ROOT / "requirements", root / "requirements")
    for tool in TOOLS:
        os.symlink(shutil.which(tool) or tool, bin / tool)
    script(bin / "python3", PYTHON3)
    script(tmp_path / "uv-stub", UV)
    return Checkout(root, bin)


@pytest.fixture
def ready(bare: Checkout) -> Checkout:
    """With uv on the PATH."""
    script(bare.bin / "uv", UV)
    return bare


VERSION = f"motionbase {motionbase.__version__}\n"


def test_from_another_folder_and_a_path_with_spaces(ready: Checkout, tmp_path: Path) -> None:
    done = ready.run("--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, VERSION)
    assert done.stderr.startswith("motionbase: first set-up") and done.stderr.count("\n") == 1


def test_through_a_link(ready: Checkout, tmp_path: Path) -> None:
    link = tmp_path / "mb"
    link.symlink_to(ready.root / "motionbase")
    env = {"PATH": str(ready.bin), "UV_LOG": str(ready.log)}
    assert subprocess.run([link, "--version"], env=env, capture_output=True, text=True).stdout == VERSION


def test_caller_folder_shadows_no_module(ready: Checkout, tmp_path: Path) -> None:
    for name in ("typing", "motionbase"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    assert ready.run("--version", cwd=tmp_path).stdout == VERSION


@pytest.mark.parametrize("venv", ['set -- "$@" --without-pip', "exit 1"], ids=["venv", "no venv"])
def test_caller_folder_shadows_no_module_of_the_set_up(bare: Checkout, tmp_path: Path, venv: str) -> None:
    """Python's own venv and pip, where there is any; neither can get uv, so set-up fails."""
    folder, marker = tmp_path / "hostile", tmp_path / "executed"
    folder.mkdir()
    for name in ("venv", "pip", "runpy", "subprocess"):
        (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write(__name__)\n")
    (bare.root / "requirements" / "uv.txt").write_text("/no/such/file.whl --hash=sha256:00\n")
    python = f"""#!/bin/sh\ncase " $* " in *" -m venv "*) {venv} ;; esac\nexec '{sys.executable}' "$@"\n"""
    script(bare.bin / "python3", python)
    failed = bare.run("--version", cwd=folder, PYTHONPATH=str(folder))
    assert failed.returncode == 2 and "set-up" in failed.stderr.splitlines()[-1]
    assert not marker.exists(), marker.read_text()


def test_second_run_installs_nothing_and_is_silent(ready: Checkout) -> None:
    ready.run("--version")
    ready.synced()
    assert ready.run("--version").stderr == ""
    assert ready.synced() == []


@pytest.mark.parametrize(
    ("command", "lists"), [("run", "run build"), ("test", "run build dev"), ("bench", "run build dev")]
)
def test_each_command_installs_what_it_needs(ready: Checkout, command: str, lists: str) -> None:
    assert ready.run(command, "--help").returncode == 0
    made, packages, itself = ready.synced()
    at = f"--quiet --project {ready.root}"
    into = f"pip install {at} --python {ready.root}/.venv/bin/python"
    assert made == f"venv {at} {ready.root}/.venv"
    wanted = " ".join(f"-r {ready.root}/requirements/{name}.txt" for name in lists.split())
    assert packages == f"{into} --require-hashes --no-build {wanted}"
    assert itself == f"{into} --no-deps --no-build-isolation --editable {ready.root}"


@pytest.mark.parametrize("words", ["rig check mine.toml", "run odu --rig odu-onoff"])
def test_rigs_add_their_buses_and_the_list_of_run_with_each(ready: Checkout, words: str) -> None:
    assert ready.run(*words.split(), "--help").returncode == 0
    added = ready.synced()[-4:]
    assert [line.rpartition("/")[2] for line in added] == ["can.txt", "modbus.txt", "flight.txt", "joystick.txt"]
    assert all("requirements/run.txt -r" in line for line in added)  # without it, hashes of what both need are missing


@pytest.mark.parametrize("words", ["demo", "host sticks", "run simona --host boat", "run simona --host drive://van"])
def test_worlds_add_what_they_need_or_go_on_without(ready: Checkout, words: str) -> None:
    given = (*words.split(), "--help")
    assert ready.run(*given).returncode == 0
    *_, flight, joystick = ready.synced()
    assert flight.endswith("requirements/flight.txt") and joystick.endswith("requirements/joystick.txt")
    assert ready.run(*given).returncode == 0 and ready.synced() == []
    uv = ready.bin / "uv"
    script(uv, uv.read_text().replace("#!/bin/sh", '#!/bin/sh\ncase "$*" in *flight.txt*) exit 1 ;; esac'))
    (ready.root / "pyproject.toml").write_text("# version 2\n")
    for _ in range(2):
        again = ready.run(*given)
        assert again.returncode == 0 and again.stderr.count("flight.txt cannot be installed now") == 1


def test_changed_lists_and_moved_checkout_are_noticed(ready: Checkout, tmp_path: Path) -> None:
    ready.run("--version")
    for name in ("pyproject.toml", "requirements/run.txt", "requirements/uv.txt"):
        (ready.root / name).write_text("# version 2\n")
        assert "up to date" in ready.run("--version").stderr
    moved = Checkout(ready.root.rename(tmp_path / "moved"), ready.bin)
    assert "up to date" in moved.run("--version").stderr
    assert moved.run("--version").stderr == ""


def test_a_changed_page_is_noticed(ready: Checkout) -> None:
    (ready.root / "web" / "node_modules").mkdir(parents=True)
    page = ready.root / "web" / "page.ts"
    page.write_text("1\n")
    (ready.root / "hatch_build.py").write_text("")
    ready.run("--version")
    (ready.root / "web" / "node_modules" / "package.js").write_text("not ours\n")
    assert ready.run("--version").stderr == ""
    page.write_text("2\n")
    assert "up to date" in ready.run("--version").stderr


def test_failed_set_up_is_one_sentence_and_the_next_run_repairs_it(ready: Checkout) -> None:
    failed = ready.run("--version", UV_FAILS="no route to host")
    *before, last = failed.stderr.splitlines()
    assert failed.returncode == 2 and "set-up failed" in last and "no route to host" in before
    assert ready.run("--version").stdout == VERSION


@pytest.mark.parametrize("by", ["uv", "pip"])
def test_another_package_than_the_listed_one_is_named_as_such(bare: Checkout, by: str) -> None:
    said = {"uv": "Hash mismatch for `rich==15`", "pip": "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM ..."}[by]
    failed = bare.run("--version", UV_FAILS=said) if by == "uv" else bare.run("--version", OFFLINE=said)
    *before, last = failed.stderr.splitlines()
    assert failed.returncode == 2 and said in before
    assert "is not the one whose hash stands in" in last and str(bare.root / "requirements") in last
    assert bare.run("--version").stdout == VERSION


@pytest.mark.parametrize("damage", ["pyvenv.cfg", "bin/python", "bin", "all"])
def test_half_made_venv_is_made_anew_and_never_handed_to_uv(ready: Checkout, damage: str) -> None:
    """Without pyvenv.cfg, .venv/bin/python is the system's own Python: uv would empty and refill that one."""
    ready.run("--version")
    venv = ready.root / ".venv"
    target = venv / damage
    if damage == "all":
        shutil.rmtree(venv)
        venv.mkdir()
    elif damage == "bin":
        shutil.rmtree(target)
    else:
        target.unlink()
    done = ready.run("--version")
    assert done.stdout == VERSION
    assert "NOT A VENV" not in ready.synced()
    assert (venv / "pyvenv.cfg").is_file()


@pytest.mark.parametrize(("venv", "pip"), [("yes", "yes"), ("no", "yes")])
def test_without_uv_it_is_fetched_with_python(bare: Checkout, venv: str, pip: str) -> None:
    done = bare.run("--version", VENV=venv, PIP=pip)
    assert (done.returncode, done.stdout) == (0, VERSION)
    assert "getting uv" in done.stderr
    assert [p.name for p in (bare.root / ".uv").iterdir()] == ["uv"]
    assert bare.run("--version", VENV="no", PIP="no").stderr == ""  # it is there now


def test_python_without_venv_and_pip(bare: Checkout) -> None:
    done = bare.run("--version", VENV="no", PIP="no")
    assert done.returncode == 2 and "apt install python3-venv" in done.stderr.splitlines()[-1]


def test_no_python_at_all(bare: Checkout) -> None:
    (bare.bin / "python3").unlink()
    done = bare.run("--version")
    assert done.returncode == 2
    assert done.stderr == "motionbase: set-up needs python3 (or uv) on the PATH, and there is neither.\n"


def test_interrupted_download_is_repaired(bare: Checkout) -> None:
    failed = bare.run("--version", OFFLINE="no route to host")
    assert failed.returncode == 2 and "no route to host" in failed.stderr and "set-up failed" in failed.stderr
    (bare.root / ".uv" / "new.999999999" / "venv").mkdir(parents=True)  # of a process long gone
    assert bare.run("--version").stdout == VERSION
    assert [p.name for p in (bare.root / ".uv").iterdir()] == ["uv"]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """This checkout as a clone has it."""
    keep_out = shutil.ignore_patterns(".git", ".venv", ".uv", "uv.lock", "__pycache__", ".*_cache", "node_modules")
    return Path(shutil.copytree(ROOT, tmp_path / "fresh clone", ignore=keep_out))


def set_up(root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`./motionbase --version` with nothing but python3."""
    env = {k: v for k, v in os.environ.items() if k not in ("PATH", "VIRTUAL_ENV")} | {"PATH": "/usr/bin:/bin"}
    command = [str(root / "motionbase"), "--version"]
    return subprocess.run(command, cwd="/", env=env | environment, capture_output=True, text=True)


@pytest.mark.network
@pytest.mark.long("downloads all packages")
def test_fresh_clone_with_nothing_but_python(copied: Path) -> None:
    """The real thing: uv and all packages are downloaded into a copy of the checkout."""
    done = set_up(copied)
    assert (done.returncode, done.stdout) == (0, VERSION)


@pytest.mark.network
@pytest.mark.long("downloads all packages")
@pytest.mark.parametrize("name", ["uv", "run", "build"])
def test_a_package_with_another_hash_is_refused(copied: Path, tmp_path: Path, name: str) -> None:
    """As if somebody had put another file in the place of each package of a list."""
    listed = copied / "requirements" / f"{name}.txt"
    right = listed.read_text()
    listed.write_text(re.sub("sha256:[0-9a-f]{8}", "sha256:00000000", right))
    env = {"UV_CACHE_DIR": str(tmp_path / "cache"), "MOTIONBASE_NO_WEB": "1"}
    failed = set_up(copied, **env)
    assert failed.returncode == 2
    assert "is not the one whose hash stands in" in failed.stderr.splitlines()[-1]
    listed.write_text(right)
    assert set_up(copied, **env).stdout == VERSION
