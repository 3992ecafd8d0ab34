"""The documents are true where a machine can tell: links lead somewhere, and the folder map shows what there is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MAP = re.compile(r"^```map\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors which headings get: lower case, spaces to dashes, no punctuation."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings}


def broken_links(document: Path) -> list[str]:
    broken = []
    for link in LINK.findall(FENCE.sub("", document.read_text())):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path) if path else document
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target.read_text())):
            broken.append(link)
    return broken


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_relative_links_resolve(document: Path) -> None:
    assert broken_links(document) == []


def test_broken_links_are_caught(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One two\n[x](a.md#one-two) [y](a.md#three) [z](b.md)\n```\n[w](c.md)\n```\n")
    assert broken_links(tmp_path / "a.md") == ["a.md#three", "b.md"]


def folder_map() -> list[tuple[str, bool]]:
    """Path and whether it is marked as planned."""
    match = MAP.search((ROOT / "docs" / "architecture.md").read_text())
    assert match, "docs/architecture.md has no ```map block"
    return [(line.split()[0], line.rstrip().endswith("(planned)")) for line in match[1].splitlines()]


@pytest.mark.parametrize(("path", "planned"), folder_map())
def test_folder_map_shows_what_there_is(path: str, planned: bool) -> None:
    target = ROOT / path
    exists = target.is_file() or any(p.is_file() for p in target.rglob("*"))  # git keeps no empty folders
    assert exists or planned, f"{path} is in the map but not in the checkout"
    assert not (exists and planned), f"{path} exists now: take (planned) out of docs/architecture.md"


def test_every_package_is_in_the_folder_map() -> None:
    packages = {f"src/motionbase/{p.parent.name}/" for p in (ROOT / "src" / "motionbase").glob("*/__init__.py")}
    assert packages <= {path for path, _ in folder_map()}


TRUST = (ROOT / "docs" / "trust.md").read_text()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", TRUST))))
def test_checks_that_the_page_of_trust_names_exist(name: str) -> None:
    path, _, function = name.partition("::")
    assert re.search(rf"^def {function}\(" if function else "^def test_", (ROOT / path).read_text(), re.MULTILINE)


def test_benchmarks_that_the_page_of_trust_names_exist() -> None:
    folder = ROOT / "benchmarks"
    named = set(re.findall(r"`([a-z]+\.\w+)`", TRUST))
    measured = "\n".join((path.read_text() + " ") for path in folder.glob("**/*.py"))
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    assert len(named) > 10
    assert {name for name in named if f'"{name}"' not in measured and f"`{name}`" not in page} == set()
