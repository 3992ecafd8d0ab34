"""Makes the picture of docs/shadow.md: a simulated base, and beside it its law with half the gain.

Example: python scripts/shadow_picture.py
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt

from motionbase.interpreter import motionbase_command
from motionbase.record.parameters import ParameterTable
from motionbase.record.states import State
from motionbase.recording.open import open_recording
from motionbase.ring.reader import Reader

FILE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "shadow.png"
RING, OURS = "picture-base", "picture-shadow"
SHOWN_S = 4.0
ROWS = (
    ("u_ff", "feed-forward"),
    ("u_fb", "feedback"),
    ("valve_cmd", "valve command"),
)


def recorded(folder: Path) -> Path:
    """A recording of the shadow while the base drives."""
    base = ("run", "simona", "--ring", RING, "--rate", "2000", "--generators", "tour", "--alone", "--duration", "60")
    file = folder / "shadow.mcap"
    with subprocess.Popen(motionbase_command(*base)) as running, Reader(RING) as reader:
        drives = False
        while not drives:
            rows = reader.wait(0.1).rows
            drives = len(rows) > 0 and rows[-1, reader.schema.index["state"]] == State.DRIVE
        table = reader.header.layout.parameters
        soft = folder / "soft.toml"
        soft.write_text(f"[parameters]\nk_p = {0.5 * gain(table)}\n")
        beside = motionbase_command("shadow", RING, "--ring", OURS, "--parameters", str(soft), "--duration", "16")
        with subprocess.Popen(beside) as shadow:
            time.sleep(1.0)
            record = ("record", "--ring", OURS, "--out", str(file), "--duration", "14")
            subprocess.run(motionbase_command(*record), check=True)
            shadow.wait()
        running.terminate()
    return file


def gain(table: str) -> float:
    """The designed k_p."""
    return ParameterTable.from_json(table).parameter("k_p").designed[0]


def picture(file: Path) -> None:
    """Three commands of leg 1, what is done and what would be."""
    with open_recording(file) as recording:
        columns = recording.columns([f"leg1_{name}{end}" for name, _ in ROWS for end in ("", "_done")])
    t = columns["time"] - columns["time"][-1] + SHOWN_S
    shown = t >= 0
    figure, axes = plt.subplots(len(ROWS), 1, sharex=True, figsize=(8.0, 5.2), constrained_layout=True)
    for ax, (name, about) in zip(axes, ROWS, strict=True):
        ax.plot(t[shown], columns[f"leg1_{name}_done"][shown], color="0.55", lw=2.2, label="done")
        ax.plot(t[shown], columns[f"leg1_{name}"][shown], color="tab:blue", lw=1.0, label="half the gain, looking on")
        ax.set_ylabel(f"{about} [-]")
        ax.grid(alpha=0.3)
    axes[0].legend(loc="lower center", ncols=2, frameon=False)
    axes[-1].set_xlabel("time [s]")
    figure.savefig(FILE, dpi=110)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        picture(recorded(Path(folder)))
    sys.exit(0)
