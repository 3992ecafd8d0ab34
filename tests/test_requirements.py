"""The lists that ./motionbase installs from: they agree with pyproject.toml, have hashes, and name no host."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTS = {path.stem: path for path in (ROOT / "requirements").glob("*.txt")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def packages(name: str) -> dict[str, int]:
    """'name==version ; marker' of each package of a list, and how many hashes it has."""
    lines = LISTS[name].read_text().replace("\\\n", "").splitlines()
    found = {}
    for line in lines:
        if not line.startswith("#"):
            package, *hashes = re.split(r" +(?=--)", line.strip())
            assert all(HASH.fullmatch(h) for h in hashes), line
            found[package.strip()] = len(hashes)
    return found


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[ =<>;\[]", one)[0] for one in requirements}


def test_they_are_the_ones_that_pin_writes() -> None:
    assert LISTS.keys() == {
        "run",
        "dev",
        "cuda",
        "flight",
        "joystick",
        "can",
        "ethercat",
        "daq",
        "modbus",
        "docs",
        "build",
        "uv",
    }


@pytest.mark.parametrize("name", LISTS)
def test_every_package_has_a_version_and_hashes(name: str) -> None:
    found = packages(name)
    assert found and min(found.values()) >= 1
    assert all(re.fullmatch(r"[a-z0-9-]+==[^ ]+( ; .+)?", package) for package in found)


@pytest.mark.parametrize("name", LISTS)
def test_no_host_and_no_option_stands_in_them(name: str) -> None:
    text = HASH.sub("", LISTS[name].read_text())
    assert not re.search(r"://|--|@|\.(org|com|net|io)\b", text)


def test_they_have_the_versions_of_the_project() -> None:
    """Together all of its pins, and nothing else."""
    assert set().union(*(packages(name) for name in LISTS)) == {*PROJECT["tool"]["uv"]["constraint-dependencies"]}
    assert set(packages("build")) == {*PROJECT["tool"]["uv"]["build-constraint-dependencies"]}


def test_they_have_what_the_project_asks_for() -> None:
    groups = PROJECT["dependency-groups"]
    run, dev = names([*packages("run")]), names([*packages("dev")])
    assert names(PROJECT["project"]["dependencies"]) <= run
    assert names([one for one in (*groups["dev"], *groups["peers"]) if isinstance(one, str)]) <= run | dev
    for extra, wanted in PROJECT["project"]["optional-dependencies"].items():
        assert names(wanted) <= run | names([*packages(extra)])
    assert names(PROJECT["build-system"]["requires"]) <= names(groups["build"]) <= names([*packages("build")])
    assert names(groups["installer"]) == names([*packages("uv")]) == {"uv"}


def test_no_package_stands_twice_with_other_versions() -> None:
    """Lists that are installed together must not contradict each other; beside markers, one version each."""
    plain = [p for name in LISTS for p in packages(name) if ";" not in p]
    assert len({p.split("==")[0] for p in plain}) == len(set(plain))
