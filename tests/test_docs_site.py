"""The documentation as a site: every page is in its menu, and on demand it is built and its links are followed."""

import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


class Links(HTMLParser):
    """Addresses that a page leads to or shows, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.to: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.to.append(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def test_every_page_is_in_the_menu() -> None:
    menu = re.findall(r"^ +- .*: ([\w/]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = [str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob("**/*.md")]
    assert sorted(menu) == sorted(pages)


@pytest.mark.network
@pytest.mark.long("builds the site, and installs what that needs")
def test_the_site_builds_and_its_links_lead_somewhere() -> None:
    done = subprocess.run([str(ROOT / "scripts" / "docs")], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    site = ROOT / "build" / "site"
    pages = {path: Links(path) for path in site.glob("**/*.html") if path.name != "404.html"}
    broken = []
    for page, links in pages.items():
        for link in links.to:
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = (page.parent / path).resolve() if path and path != "." else page
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert len(pages) > 30 and not broken
    assert "motionbase.compile.scan" in pages[site / "api.html"].anchors
