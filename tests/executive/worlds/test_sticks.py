"""Devices of the machine on their way to a world, from SDL in its process: found, moved, hung, killed, unplugged."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Hashable, Iterator
from pathlib import Path

import pytest

from motionbase.errors import UsageError
from motionbase.executive.worlds import stick_ear
from motionbase.executive.worlds.stick_ear import AGAIN_S, TRIES, StickEar
from motionbase.executive.worlds.sticks import REPEAT_S
from motionbase.interpreter import python
from motionbase.record.world import GAMEPAD, Hand
from motionbase.worlds.hands import sdl
from motionbase.worlds.hands.choice import ALL, NONE, Sticks, sticks_of
from tests.ring.ring_processes import PATIENCE_S, until

try:
    sdl.sdl()
except UsageError as error:
    pytest.skip(str(error), allow_module_level=True)

ROOT = str(Path(__file__).resolve().parents[3])
PLAYED = f"""
import sys, threading, time
from contextlib import suppress
from pathlib import Path
sys.path.insert(0, {ROOT!r})
from motionbase.executive.worlds import sticks
from tests.worlds.hands.virtual import Virtual

def play():
    time.sleep(0.2)
    pad = Virtual()
    with suppress(FileNotFoundError):
        while True:
            pad.axis(0, float(Path(sys.argv[2]).read_text() or 0))
            time.sleep(0.01)
    pad.unplug()

threading.Thread(target=play, daemon=True).start()
sticks.main(sys.argv[1])
"""


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """Holds the position of the virtual gamepad's first axis; the gamepad is plugged in while the file exists."""
    file = tmp_path / "stick"
    file.write_text("0")
    return file


def ear_of(stick: Path) -> StickEar:
    """Hears the virtual gamepad."""
    return StickEar("virtual", lambda choice: python("-c", PLAYED, choice, str(stick)))


@pytest.fixture
def ear(stick: Path) -> Iterator[StickEar]:
    with ear_of(stick) as made:
        yield made


class Heard(dict[Hashable, Hand]):
    def by(self, ear: StickEar) -> Heard:
        self.clear()
        ear.speak(self.__setitem__)
        return self

    def until(self, ear: StickEar, axis: float) -> None:
        until(lambda: any(abs(hand.axes[0] - axis) < 1e-3 for hand in self.by(ear).values()), f"the stick at {axis:g}")


def pid_of(ear: StickEar) -> int:
    assert ear._process is not None
    return ear._process.pid


def test_a_gamepad_is_heard_held_still_and_unplugged(stick: Path, capfd: pytest.CaptureFixture[str]) -> None:
    heard, text = Heard(), ""
    with ear_of(stick) as ear:  # here: what a process of a fixture prints goes to another capture than the test's

        def is_told() -> bool:
            nonlocal text
            heard.by(ear)
            text += capfd.readouterr().err
            return "was unplugged" in text

        heard.until(ear, 0.0)
        stick.write_text("0.5")
        heard.until(ear, 0.5)
        assert next(iter(heard.values())).device == GAMEPAD and len(heard) == 1
        heard.by(ear)
        until(lambda: bool(heard.by(ear)), "the same again, though nothing moves")
        stick.unlink()
        until(is_told, "the news")
        heard.by(ear)
        time.sleep(2 * REPEAT_S)
        assert not heard.by(ear)
    assert "joysticks: none with 'virtual' in its name is connected yet" in text
    assert text.count("was plugged in: a gamepad; move it to steer") == 1


def test_a_process_that_hangs_is_silence_and_ends_with_the_world(ear: StickEar) -> None:
    heard = Heard()
    heard.until(ear, 0.0)
    os.kill(pid := pid_of(ear), signal.SIGSTOP)
    time.sleep(0.3)
    heard.by(ear)
    begin = time.monotonic()
    assert not heard.by(ear) and time.monotonic() - begin < PATIENCE_S
    ear.__exit__()
    assert not Path(f"/proc/{pid}").exists()


def test_a_process_that_is_killed_starts_again(
    ear: StickEar, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    heard = Heard()
    heard.until(ear, 0.0)
    monkeypatch.setattr(stick_ear, "AGAIN_S", AGAIN_S / 100)
    os.kill(pid_of(ear), signal.SIGSEGV)
    until(lambda: not heard.by(ear) and ear._process is None, "its end")
    assert "SDL's process was ended by signal 11; it restarts in" in capfd.readouterr().err
    heard.until(ear, 0.0)


@pytest.mark.parametrize("crash", ["kill -SEGV $$", "exit 1"])
def test_it_is_not_started_for_ever(
    crash: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stick_ear, "AGAIN_S", 0.0)
    text = ""

    def is_given_up() -> bool:
        nonlocal text
        gone.speak(lambda who, hand: None)
        text += capfd.readouterr().err
        return "joysticks are ignored from now on" in text

    with StickEar(ALL, lambda _: ("/bin/sh", "-c", crash)) as gone:
        until(is_given_up, "the end")
        assert text.count("it restarts in") == TRIES


def test_it_ends_with_its_world_however_that_ends(ear: StickEar) -> None:
    Heard().until(ear, 0.0)
    assert ear._process is not None and ear._process.stdin is not None
    ear._process.stdin.close()  # as the system does for a world that was killed
    assert ear._process.wait(PATIENCE_S) == 0


def test_a_poll_that_fails_ends_the_process_so_that_it_is_restarted(capfd: pytest.CaptureFixture[str]) -> None:
    """Otherwise its thread would be dead, the process would wait for ever, and no device would speak again."""
    broken = "def fails(*_): raise ValueError('a broken driver')\nsticks.Teller.look = fails\n"
    script = f"import sys\nfrom motionbase.executive.worlds import sticks\n{broken}sticks.main(sys.argv[1])"
    with StickEar(ALL, lambda choice: python("-c", script, choice)) as ear:
        until(lambda: not Heard().by(ear) and ear._process is None, "its end")
        assert ear._again_at > 0.0
    assert "SDL's process failed with code 1; it restarts in" in capfd.readouterr().err


def test_without_sdl_the_usual_choice_is_quiet_and_another_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = "from motionbase.worlds.hands import sdl\nsdl.places = lambda: iter(())\n"
    script = f"import sys\n{broken}from motionbase.executive.worlds import sticks\nsticks.main(sys.argv[1])"
    with StickEar(ALL, lambda choice: python("-c", script, choice)) as ear:
        until(lambda: not Heard().by(ear) and ear._process is None, "its end")
        assert ear._again_at == 0.0
    assert sticks_of(NONE) is None and sticks_of(ALL) == Sticks()
    file = tmp_path / "worn.toml"
    file.write_text('[[joystick]]\nname = "Extreme"\naxes = [{ of = 0 }]\n')
    found = sticks_of(str(file))
    assert found is not None and found.calibrations is not None and found.calibrations.of("extreme 3d") is not None
    with pytest.raises(UsageError, match=r"give a part of its name, a .toml file, or none"):
        sticks_of(" ")
    monkeypatch.setattr(sdl, "places", lambda: iter(()))
    sdl.sdl.cache_clear()
    with pytest.raises(UsageError, match="joysticks need SDL 2"):
        sticks_of("Extreme")
    sdl.sdl.cache_clear()
