"""A run with state changes and faults, and a C program that puts the same numbers through an exported step."""

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Port, Scan, scan
from motionbase.compile.runtime.c import STRICT_FLAGS, find_compiler
from motionbase.control.ports import OUTPUTS
from motionbase.errors import TargetUnavailable
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.plant.motion import LEG_OUTPUTS
from motionbase.plant.sensors import MEASURED
from motionbase.platform.load import load_platform
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.states import Request
from motionbase.system.c_border import Border
from motionbase.system.closed_loop import ClosedLoop

Array = NDArray[np.float64]
FAULTS = ("valve_fault", "seized", "sensor_fault", "sensor_offset")
ROWS = ("asked", "reset", "estop", "settings_version", "lateness", "supply", *FAULTS)
GENERATORS = GeneratorSet(
    (
        Generator(True, "dof", ("heave",), "sine", 0.15, 0.5, fade_in=1.0, fade_out=1.0),  # type: ignore[arg-type]
        Generator(True, "dof", ("roll", "yaw"), "random", 0.03, 0.2, 2.0, tones=16, seed=7, fade_in=1.0),  # type: ignore[arg-type]
    )
)
# Once in 20 s: up and drive; a valve goes hard over for a moment; reset and down; a length sensor is lost; reset.
ASKED = ((0.0, Request.NONE), (0.1, Request.DOWN), (0.5, Request.STANDBY), (7.6, Request.DRIVE), (13.0, Request.DOWN))
CYCLE, RESETS = 20.0, (12.5, 19.5)  # [s]


def compiler() -> list[str]:
    """None is an empty command."""
    try:
        return find_compiler()
    except TargetUnavailable:
        return []


@cache
def loop() -> ClosedLoop:
    return ClosedLoop.of(load_platform("simona"))


@cache
def simulation() -> Scan:
    """Rows of ROWS go in; rows of all outputs of law and plant come out."""
    kept = [p.name for p in (*OUTPUTS, *LEG_OUTPUTS)] + [f"{p.name}_next" for p in MEASURED]
    return scan(loop().program, loop().feedback, per_step=list(ROWS), record=kept)


@dataclass(frozen=True)
class Recorded:
    """Rows of the law's and the plant's inputs and outputs by port name, and the last state by port name."""

    inputs: dict[str, Array]
    outputs: dict[str, Array]
    last: dict[str, Array]


def recorded(seconds: float) -> Recorded:
    """The closed loop in simulation, every tick of it."""
    n, dt = round(seconds / loop().dt), loop().dt
    t = np.arange(n) * dt
    events = []
    for start in np.arange(0.0, seconds, CYCLE):
        events += [
            FaultEvent(FaultKind.VALVE_HARD_OUT, start + 11.0, 5, start + 11.5),
            FaultEvent(FaultKind.SENSOR_LOST, start + 13.5, 2, start + 13.55),
        ]
    rows = FaultPlan(tuple(events)).rows(n, dt)
    inputs: dict[str, Any] = {name: rows[name] for name in ("supply", *FAULTS)}
    places = np.searchsorted([at for at, _ in ASKED], t % CYCLE, side="right") - 1
    inputs["asked"] = np.array([float(r) for _, r in ASKED])[places]
    inputs["reset"] = sum((np.abs(t % CYCLE - at) < dt / 4).astype(np.float64) for at in RESETS) + np.zeros(n)
    inputs["estop"] = ((t > 55.0) & (t < 55.5)).astype(np.float64)
    inputs["lateness"] = np.zeros(n)
    inputs["settings_version"] = 1.0 + np.floor(t / CYCLE)
    quiet = loop().quiet_inputs() | {"mode": 1.0, "automatic": 0.0, "settings": GENERATORS.values, "seed": 3.0}
    held = {name: value for name, value in quiet.items() if name not in ROWS}
    start_state: dict[str, Any] = loop().at_rest()
    out = simulation()(n, **start_state, **held, **inputs)
    outputs = {p.name: out[p.name] for p in (*OUTPUTS, *LEG_OUTPUTS)}
    outputs |= {p.name: out[f"{p.name}_next"] for p in MEASURED}
    # the law's measurements are the plant's of the tick before
    given = {p.name: np.concatenate([start_state[p.name][None], outputs[p.name][:-1]]) for p in MEASURED}
    actuator = loop().plant.motion.actuator
    given["p_supply"] = actuator.p_return + inputs["supply"] * (actuator.p_supply - actuator.p_return)
    given["p_return"] = np.full(n, actuator.p_return)
    given["request"] = inputs["asked"]  # nobody else asks
    constant = {name: np.broadcast_to(value, (n, *np.shape(value))) for name, value in held.items()}
    last = {name: out[name] for name in ("x", *loop().plant.at_rest())}
    acting = {name: outputs[name] for name in ("valve_cmd", "abort")}
    return Recorded({**constant, **inputs, **given, **acting}, outputs, last)


DRIVER = """\
#include "{name}.h"
#include <stdio.h>

int main(int argc, char **argv)
{{
    {name}_state state = {name}_initial_state;
    {name}_inputs in;
    {name}_outputs out;
    FILE *given = argc == 3 ? fopen(argv[1], "rb") : NULL, *made = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!given || !made)
        return 2;
    while (fread(&in, sizeof in, 1, given) == 1) {{
        {name}_step({parameters}&state, &in, &out);
        if (fwrite(&out, sizeof out, 1, made) != 1)
            return 3;
    }}
    if (fwrite(&state, sizeof state, 1, made) != 1 || fclose(made) || fclose(given))
        return 4;
    return 0;
}}
"""


def build_driver(border: Border, folder: Path) -> None:
    """The step's own files and a program around it."""
    name = border.unit.name
    for file, text in border.files().items():
        (folder / file).write_text(text)
    parameters = f"{name}_default_{border.parameters[0]}, " if border.parameters else ""
    (folder / "driver.c").write_text(DRIVER.format(name=name, parameters=parameters))
    built([f"{name}.c", "driver.c"], folder, "driver")


def driven(border: Border, rows: dict[str, Array], folder: Path) -> tuple[dict[str, Array], dict[str, Array]]:
    """Outputs of every tick and the last state, as the compiled C makes them of the rows."""
    groups = border.groups
    table = np.concatenate([rows[p.name].reshape(len(rows[p.name]), -1) for p in groups["inputs"]], axis=1)
    table.tofile(folder / "given.bin")
    subprocess.run([folder / "driver", folder / "given.bin", folder / "made.bin"], check=True)
    made = np.fromfile(folder / "made.bin")
    size = len(table) * sum(p.size for p in groups["outputs"])
    return _parts(groups["outputs"], made[:size].reshape(len(table), -1)), _parts(groups["state"], made[size:])


def _parts(ports: tuple[Port, ...], numbers: Array) -> dict[str, Array]:
    """The numbers of each port; they stand side by side on the last axis."""
    ends = np.cumsum([p.size for p in ports])
    assert numbers.shape[-1] == ends[-1]
    return dict(zip((p.name for p in ports), np.split(numbers, ends[:-1], axis=-1), strict=True))


def built(sources: list[str], folder: Path, program: str, optimise: str = "-O2") -> None:
    """Compiled without a warning, as the README says."""
    line = [*compiler(), *STRICT_FLAGS, optimise, *sources, "-o", program, "-lm"]
    done = subprocess.run(line, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[:2000]
