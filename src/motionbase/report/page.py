"""Self-contained HTML pages for screen and print, and the same as PDFs printed by Chromium."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from motionbase.errors import UsageError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PRINTING_S = 120.0


def environment(package: str) -> Environment:
    """Templates of a package, with the style and the macros of all reports."""
    loader = ChoiceLoader([PackageLoader(package), PackageLoader("motionbase.report")])
    made = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    made.filters |= {
        "signed": lambda x, digits: f"{round(x, digits) + 0.0:+.{digits}f}",  # without negative zeros
        "number": lambda x: f"{x:g}",
        "numbers": lambda row: ", ".join(f"{x:g}" for x in row),
        "place": lambda xyz: f"({', '.join(f'{x:.3f}' for x in xyz)})",
        "css": _css_string,
    }
    return made


def write_page(text: str, out: Path) -> None:
    """Write a page as HTML, or print it to a PDF where the name ends so."""
    if out.suffix == ".pdf":
        print_pdf(text, out, browser())
    else:
        write_text(out, text)


def write_text(path: Path, text: str) -> None:
    """A file that can be written, or one sentence."""
    try:
        path.write_text(text)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def browser() -> str:
    """Path of Chromium or a similar browser that can print."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    raise UsageError(f"a PDF needs one of {', '.join(BROWSERS)}, and none is here; write .html and print it by hand")


def print_pdf(text: str, out: Path, browser: str) -> None:
    """Print an HTML page to a PDF with a browser."""
    with tempfile.TemporaryDirectory(prefix="motionbase-report-") as folder:
        source = Path(folder) / "report.html"
        source.write_text(text)
        options = "--headless", "--disable-gpu", "--no-sandbox", "--no-pdf-header-footer"
        files = f"--user-data-dir={folder}/profile", f"--print-to-pdf={out.absolute()}", source.as_uri()
        try:
            done = subprocess.run([browser, *options, *files], capture_output=True, text=True, timeout=PRINTING_S)
        except (OSError, subprocess.TimeoutExpired) as e:
            raise UsageError(f"{browser} did not print {str(out)!r}: {e}; write .html and print it by hand") from None
    if done.returncode != 0 or not out.is_file():
        raise UsageError(f"{browser} did not print {str(out)!r}; write .html and print it by hand")


def _css_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\3c ") + '"'
