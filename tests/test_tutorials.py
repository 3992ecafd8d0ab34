"""The tutorials: files they show are written, commands are run, and what is printed is what the page shows.

A block `console` holds commands after `$` and their output, in which `...` stands for anything. One with the title
`terminal 1` goes on in the background until the block `terminal 1, after Ctrl-C`.
"""

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
QUICK = ("teacher", "multibody_engineer")
START_S = 120  # in which a run must drive on a busy machine


def squeezed(text: str) -> str:
    """Spaces at ends and in a row do not count."""
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def pattern(shown: str) -> str:
    """Of what a page shows: `...` as a line stands for lines, in a line for characters."""
    lines = [re.escape(line).replace(re.escape("..."), ".*") for line in squeezed(shown).splitlines()]
    return "".join("(?:.*\n)*?" if line == ".*" else f"{line} *\n" for line in lines)


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with the output that it shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


class Shell:
    """A folder with its environment, and the process of terminal 1."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "terminal1.log"
        self.running: subprocess.Popen[bytes] | None = None
        for name in ("examples", "src"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "rings").mkdir()
        (folder / "bin").mkdir()
        script(folder / "bin" / "motionbase", f'exec "{sys.executable}" -P -m motionbase "$@"')
        if shutil.which("cc") is None:
            script(folder / "bin" / "cc", f'exec "{sys.executable}" -m ziglang cc "$@"')
        self.environment = os.environ | {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "COLUMNS": "200", "NO_COLOR": "1",
            "MOTIONBASE_DATA": str(folder / "data"), "MOTIONBASE_RING_FOLDER": str(folder / "rings"),
        }  # fmt: skip

    def check(self, command: str, shown: str) -> None:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, text=True, timeout=300,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        expect(shown, done.stdout, command)

    def start(self, command: str, shown: str) -> None:
        """In the background, until it shows what the page shows."""
        with self.log.open("wb") as log:
            self.running = subprocess.Popen(
                ["bash", "-c", f"exec {command}"], cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        end = time.monotonic() + START_S
        wanted = re.compile(pattern(shown))
        while not wanted.match(squeezed(self.log.read_text()) + "\n"):
            assert self.running.poll() is None and time.monotonic() < end, self.log.read_text()
            time.sleep(0.2)

    def interrupt(self, shown: str) -> None:
        assert self.running is not None
        self.running.send_signal(signal.SIGINT)
        self.running.wait(60)
        expect(shown.strip() + "\n...", self.log.read_text(), "terminal 1")

    def close(self) -> None:
        if self.running is not None and self.running.poll() is None:
            self.running.terminate()
            self.running.wait(60)


def script(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def expect(shown: str, printed: str, command: str) -> None:
    assert re.fullmatch(pattern(shown), squeezed(printed) + "\n" if printed.strip() else ""), f"$ {command}\n{printed}"


def check_python(code: str, names: dict[str, object]) -> None:
    """Run it; comments behind print() are what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    assert re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE) == printed.getvalue().splitlines()


def follow(page: Path, shell: Shell) -> None:
    """Do what the page says, block by block."""
    names: dict[str, object] = {}
    for language, title, text in BLOCK.findall(page.read_text()):
        if language == "console" and title == "terminal 1":
            ((command, shown),) = commands(text)
            shell.start(command, shown)
        elif language == "console" and title.startswith("terminal 1"):
            shell.interrupt(text)
        elif language == "console":
            for command, shown in commands(text):
                shell.check(command, shown)
        elif title:
            (shell.folder / title).write_text(text)
        elif language == "python":
            check_python(text, names)
        else:
            raise AssertionError(f"{page.name}: nobody runs a block of {language!r}")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page.stem in QUICK else pytest.mark.long("half a minute or more of commands"))
        for page in PAGES
    ],
    ids=lambda page: page.stem,
)
def test_a_tutorial_can_be_followed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path)
    try:
        follow(page, shell)
    finally:
        shell.close()


def test_other_output_is_noticed(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.check("printf 'a  b\\nc\\nd\\n'", "a b\n...\nd\n")
    with pytest.raises(AssertionError, match="printf"):
        shell.check("printf 'a\\nb\\n'", "a\nc\n")
    with pytest.raises(AssertionError):
        check_python("print(1 + 1)  # 3", {})
