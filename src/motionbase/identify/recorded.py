"""A recording with its platform: which one moved, when, and what its file says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import final

from motionbase.errors import PlatformError, UsageError
from motionbase.identify.signals import Signals, signals_of
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import PRESETS, load_platform, load_text, platform_text
from motionbase.recording.open import open_recording


@final
@dataclass(frozen=True, eq=False)
class Recorded:
    """What identification needs of a recording.

    Attributes:
        platform, text: from which it starts
        source: the recording and its time, in words
    """

    signals: Signals
    platform: Hexapod
    text: str
    source: str


def recorded(
    path: Path, platform: str | None = None, start: float | None = None, stop: float | None = None
) -> Recorded:
    """Read a recording.

    Args:
        platform: preset or TOML file from which to start; by default that of the recording
        start, stop: of the part that is read [s]
    """
    with open_recording(path) as recording:
        about = recording.source.about
        text, hexapod = _of_reference(platform) if platform is not None else _of_recording(path, about)
        signals = signals_of(recording, hexapod, start, stop)
    return Recorded(signals, hexapod, text, f"recording {path.name!r}{_when(about)}")


def _of_reference(reference: str) -> tuple[str, Hexapod]:
    """A preset, or a file of a platform; its sizing is not what is asked here."""
    hexapod = load_platform(reference, sized=False)
    return platform_text(reference), hexapod


def _of_recording(path: Path, about: Mapping[str, str]) -> tuple[str, Hexapod]:
    """The platform whose file, or the preset whose name, is in the recording."""
    given = about.get("platform", "").strip()
    if given in PRESETS:
        return _of_reference(given)
    if "\n" not in given:
        known = f"only says that it is of {given!r}" if given else "does not say of which platform it is"
        raise UsageError(
            f"recording {path.name!r} {known}; name one with --platform: {', '.join(PRESETS)}, or a .toml file"
        )
    try:
        return given, load_text(given)
    except PlatformError as error:
        raise UsageError(f"recording {path.name!r} is not of a platform on six legs: {error}") from None


def _when(about: Mapping[str, str]) -> str:
    """The beginning of the run, if the recording tells."""
    try:
        ns = int(about["epoch_utc_ns"])
        if ns <= 0:
            return ""
        return f" of {datetime.fromtimestamp(ns / 1e9, UTC).strftime('%Y-%m-%d %H:%M')} UTC"
    except (KeyError, ValueError, OverflowError, OSError):
        return ""
