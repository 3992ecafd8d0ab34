"""The process that tries both sides: `python -m motionbase.console.cueing.worker FOLDER`.

Reads `asked.json` and `samples.npy`, writes `columns.npy` and `figures.json`; what is wrong is one sentence on stderr.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.arrays import Array
from motionbase.console.cueing.result import SIDES, sources
from motionbase.errors import MotionBaseError

if TYPE_CHECKING:
    from motionbase.cueing.run import Cued

ASKED, SAMPLES, COLUMNS, FIGURES = "asked.json", "samples.npy", "columns.npy", "figures.json"
DONE = "done: side"  # said after each side
DT = 5e-3  # [s] of the ticks: enough for motion that people feel


def main(folder: Path) -> int:
    """Try both sides."""
    try:
        tried(folder)
    except MotionBaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def tried(folder: Path) -> None:
    """Read what was asked, run both sides, write columns and figures."""
    from motionbase.cueing.cueing import Cueing
    from motionbase.cueing.run import cue
    from motionbase.cueing.sets import load_set
    from motionbase.cueing.summary import Summary
    from motionbase.platform.atlas.text import platforms_of_text

    asked = json.loads((folder / ASKED).read_text())
    samples = np.load(folder / SAMPLES)
    platform, _ = platforms_of_text(asked["platform"])
    runs = {}
    for side in SIDES:
        of: dict[str, Any] = asked[side]
        if of["text"]:
            (folder / f"{side}.toml").write_text(of["text"])
        known = load_set(folder / f"{side}.toml" if of["text"] else of["set"])
        cueing = Cueing.of(platform, known, algorithm=of["algorithm"], dt=DT)
        if of["params"]:  # of the live base, whose algorithm may have others
            names = {port.name for port in cueing.parameters.ports}
            cueing = replace(cueing, params={name: x for name, x in of["params"].items() if name in names})
        runs[side] = since(asked["start"], cue(cueing, samples[:, 0], samples[:, 1:]))
        print(f"{DONE} {side}", file=sys.stderr, flush=True)
    columns = [runs["a"].t, *(runs[side].columns[name] for side, name in sources())]
    np.save(folder / COLUMNS, np.stack(columns))
    figures = [figures_of(Summary(run), run.columns["cue_error"]) for run in runs.values()]
    (folder / FIGURES).write_text(json.dumps({"platform": platform.name, "figures": figures}))


def since(start: float, run: Cued) -> Cued:
    """The part of a run from a time on [s]."""
    first = int(np.searchsorted(run.t, start - 1e-9))
    outputs = {name: values[first:] for name, values in run.outputs.items()}
    tilts = None if run.tilts is None else run.tilts[first:]
    return replace(run, t=run.t[first:], vehicle=run.vehicle[first:], outputs=outputs, tilts=tilts)


def figures_of(found: Any, error: Array) -> dict[str, Any]:
    """A summary as `models.CueingFigures` has it."""
    return {
        "error": _finite(found.total),
        "error_share": _finite(found.share),
        "error_most": _finite(error.max()),
        "axes": [_finite(x) for x in found.error],
        "stroke_left": _finite(found.left),
        "stroke_used": _finite(found.used.max()),
        "leg_speed": _finite(found.leg_speed),
    }


def _finite(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
