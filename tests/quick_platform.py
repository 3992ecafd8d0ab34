"""SIMONA with legs that are almost at neutral when it is down: it rises in a second and a half instead of seven."""

from pathlib import Path

from motionbase.platform import load

DOWN = 2.60  # [m], of the legs; 2.71 at neutral
HEAVE = 0.08  # [m], the limit
CHANGED = {
    "l_down = 2.1215": f"l_down = {DOWN - 0.01}",
    "l_min = 2.131": f"l_min = {DOWN}",
    "hard_min = 2.081": f"hard_min = {DOWN - 0.05}",
    "position = [0.95, 1.0, 0.61, 0.435, 0.395, 0.70]": f"position = [0.1, 0.1, {HEAVE}, 0.05, 0.05, 0.06]",
}


def quick_platform(folder: Path) -> str:
    """Its file, in a new folder of this one: a name that `motionbase run` takes."""
    text = (Path(load.__file__).parent / "presets" / "simona.toml").read_text()
    for old, new in CHANGED.items():
        assert old in text
        text = text.replace(old, new)
    file = folder / "quick" / "simona.toml"
    file.parent.mkdir()
    file.write_text(text)
    return str(file)
