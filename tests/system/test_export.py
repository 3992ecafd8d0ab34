"""Exported C: bit by bit what the simulation does, examples that run, folders that are not overwritten.

MOTIONBASE_EXPORT_SECONDS sets the length of the compared run, 60 for the long one.
"""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.compile import scan
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.states import Mode, Request, State
from motionbase.system.c_border import Border
from motionbase.system.export import EXAMPLES, control_border, loop_files, plant_border, write_folder
from tests.system.export_driver import (
    ROWS,
    Array,
    Recorded,
    build_driver,
    built,
    compiler,
    driven,
    loop,
    recorded,
    simulation,
)

Capture = pytest.CaptureFixture[str]
SECONDS = float(os.environ.get("MOTIONBASE_EXPORT_SECONDS", "18"))
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "export.md").read_text(encoding="utf-8")
needs_compiler = pytest.mark.skipif(not compiler(), reason="no C compiler")


@cache
def run() -> Recorded:
    return recorded(SECONDS)


@cache
def files() -> dict[str, str]:
    return loop_files(load_platform("simona"))


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Border, Path]]:
    """Border and folder of the compiled drivers."""
    made = {}
    for border in (control_border(loop()), plant_border(loop())):
        made[border.unit.name] = border, tmp_path_factory.mktemp(border.unit.name)
        build_driver(*made[border.unit.name])
    return made


def assert_same_bits(made: dict[str, Array], wanted: dict[str, Array]) -> None:
    for name, values in made.items():
        expected = np.ascontiguousarray(wanted[name]).reshape(values.shape)
        differ = np.flatnonzero(np.ascontiguousarray(values).view(np.uint64) != expected.view(np.uint64))
        assert not differ.size, f"{name}: {differ.size} numbers differ, the first at {differ[0]}"


def test_the_run_has_state_changes_and_faults() -> None:
    """Otherwise the comparisons below would prove little."""
    states, faults = set(run().outputs["state"]), set(run().outputs["fault"])
    assert {State.OFF, State.DOWN, State.RISING, State.STANDBY, State.ENGAGING, State.DRIVE} <= states
    assert {State.STOPPING, State.HELD, State.LOWERING, State.ABORT} <= states
    assert {Fault.NONE, Fault.MEASUREMENT, Fault.VALVE} <= faults
    assert np.abs(run().outputs["valve_cmd"]).max() > 0.05
    assert all(np.all(np.isfinite(v)) for v in run().outputs.values())


@needs_compiler
@pytest.mark.parametrize("name", ["control", "plant"])
def test_same_bits_as_the_simulation(name: str, drivers: dict[str, tuple[Border, Path]]) -> None:
    """Every output of every tick, and the state at the end."""
    border, folder = drivers[name]
    outputs, last = driven(border, run().inputs, folder)
    assert len(outputs) == len(border.groups["outputs"]) and len(last) == len(border.groups["state"])
    assert_same_bits(outputs, run().outputs)
    assert_same_bits(last, run().last)


@needs_compiler
def test_one_bit_of_a_measurement_is_seen(drivers: dict[str, tuple[Border, Path]]) -> None:
    """The comparison can fail: the smallest change of one length at one tick while the legs are controlled."""
    rows = dict(run().inputs)
    rows["l_meas"] = rows["l_meas"].copy()
    tick = int(np.flatnonzero(run().outputs["state"] == State.DRIVE)[100])
    rows["l_meas"][tick, 3] = np.nextafter(rows["l_meas"][tick, 3], np.inf)
    border, folder = drivers["control"]
    outputs, _ = driven(border, rows, folder)
    assert_same_bits({"u_fb": outputs["u_fb"][:tick]}, {"u_fb": run().outputs["u_fb"][:tick]})
    assert np.any(outputs["u_fb"] != run().outputs["u_fb"])


def csv(folder: Path, *arguments: str) -> dict[str, Array]:
    text = subprocess.run([folder / "example", *arguments], capture_output=True, check=True, encoding="utf-8").stdout
    names, *lines = text.splitlines()
    columns = np.array([[float(x) for x in line.split(",")] for line in lines]).T
    return dict(zip(names.split(","), columns, strict=True))


def six(table: dict[str, Array], name: str) -> Array:
    return np.stack([table[f"{name}_{k}"] for k in range(1, 7)], axis=1)


@needs_compiler
def test_example_of_the_loop_is_the_closed_loop(tmp_path: Path, capsys: Capture) -> None:
    """The example's operator is the automatic one, so its numbers are those of the simulation, all 17 digits."""
    ticks, every = 20_000, 50
    assert call(["export", "loop", "simona", "--out", str(tmp_path)]) == 0
    command = capsys.readouterr().out.splitlines()[-1]
    assert command.endswith("control.c guard.c plant.c main.c -o example -lm")
    built(["control.c", "guard.c", "plant.c", "main.c"], tmp_path, "example", "-O1")
    heave = Generator(True, "dof", ("heave",), "sine", 0.1, 0.5, fade_in=1.0, fade_out=1.0)  # type: ignore[arg-type]
    given = loop().quiet_inputs() | {"mode": 1.0, "settings": GeneratorSet((heave,)).values, "settings_version": 1.0}
    rows = {name: np.broadcast_to(given[name], (ticks, *np.shape(given[name]))) for name in ROWS}
    wanted = simulation()(ticks, every=every, **loop().at_rest(), **given | rows)
    table = csv(tmp_path, str(ticks), str(every))
    made = {"state": table["state"], "l": six(table, "l"), "valve_cmd": six(table, "valve")}
    assert_same_bits(made, wanted)
    assert table["state"][-1] == State.DRIVE and not table["fault"].any()
    shown = PAGE.split("leg 1 %.3f m", 1)[1].split("```")[0].splitlines()[1:]  # docs/export.md has this very run
    every_2_s = zip(*(table[name][79::80] for name in ("t", "state", "fault", "l_1")), strict=True)
    assert shown == [f"{t:g} s: state {s:g}, fault {f:g}, leg 1 {l:.3f} m" for t, s, f, l in every_2_s]
    refused = subprocess.run([tmp_path / "example", "many"], capture_output=True, check=False)
    assert refused.returncode == 2 and b"whole numbers" in refused.stderr


@needs_compiler
def test_example_of_the_loop_hears_button_and_reset(tmp_path: Path) -> None:
    """A button, and a stop by the guard with one reset that comes too soon: as in the simulation, all digits."""
    ticks, button, late, soon, reset = 2600, (300, 500), 1000, 1100, 2500
    pressed = f"button = tick >= {button[0]} && tick < {button[1]}, reset = tick == {soon} || tick == {reset};"
    text = files()["main.c"]
    for before, after in (
        ("button = 0, reset = 0;", pressed),
        ("(double)tick);", f"(double)tick);\n        said.lateness = tick == {late} ? 2.0 : 0.0;"),
    ):
        assert text.count(before) == 1
        text = text.replace(before, after)
    write_folder(tmp_path, files() | {"main.c": text})
    built(["control.c", "guard.c", "plant.c", "main.c"], tmp_path, "example", "-O0")
    given = loop().quiet_inputs() | {"mode": 1.0}
    rows = {name: np.array(np.broadcast_to(given[name], (ticks, *np.shape(given[name])))) for name in ROWS}
    rows["estop"][slice(*button)] = rows["reset"][[soon, reset]] = 1.0
    rows["lateness"][late] = 2.0
    wanted = simulation()(ticks, **loop().at_rest(), **given | rows)
    table = csv(tmp_path, str(ticks), "1")
    made = {"state": table["state"], "fault": table["fault"], "l": six(table, "l"), "valve_cmd": six(table, "valve")}
    assert_same_bits(made, wanted)
    assert table["fault"][button[0]] == Fault.ESTOP and set(table["fault"][late:reset]) == {float(Fault.GUARD_LATE)}
    assert table["state"][reset - 1] == State.HELD and not table["fault"][reset:].any()  # the law heard it in that tick


@needs_compiler
def test_example_of_the_law_is_the_law(tmp_path: Path) -> None:
    write_folder(tmp_path, files() | {"main.c": (EXAMPLES / "control.c").read_text()})
    built(["control.c", "guard.c", "main.c"], tmp_path, "example", "-O0")
    law, inputs = loop().law, control_border(loop()).inputs
    changed = ("parameters", "x", "request", "mode", "valve_meas")
    held = {name: value for name, value in inputs.items() if name not in changed}
    requests = np.where(np.arange(2000) < 1000, float(Request.DOWN), float(Request.STANDBY))
    step = scan(law.program, {"x": "x_next", "valve_meas": "valve_cmd"}, per_step=["request"], record=["valve_cmd"])
    start = {"parameters": law.parameter_vector(), "x": law.initial_state(), "mode": float(Mode.MAINTENANCE)}
    start["valve_meas"] = np.zeros(6)
    wanted = step(2000, every=200, request=requests, **start, **held)  # type: ignore[arg-type]
    assert_same_bits({"valve_cmd": six(csv(tmp_path), "valve")}, wanted)
    assert np.all(wanted["valve_cmd"][-1] > 0.01)


@needs_compiler
def test_example_of_the_plant_rises(tmp_path: Path) -> None:
    write_folder(tmp_path, files() | {"main.c": (EXAMPLES / "plant.c").read_text()})
    built(["plant.c", "main.c"], tmp_path, "example", "-O0")
    l = six(csv(tmp_path), "l")
    assert l.shape == (10, 6) and np.all(np.diff(l, axis=0) > 0)


@pytest.mark.skipif(not shutil.which("cmake") or not compiler(), reason="no CMake or no C compiler")
def test_cmake_builds_the_example(tmp_path: Path) -> None:
    write_folder(tmp_path, files())
    for line in (["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Debug"], ["cmake", "--build", "build"]):
        done = subprocess.run(
            line, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
            env={**os.environ, "CC": compiler()[0]} if len(compiler()) == 1 else None,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-1000:]
    assert csv(tmp_path / "build", "400", "100")["state"][-1] == State.RISING


def test_the_page_shows_a_line_of_the_header() -> None:
    """Places and values change with the law; docs/export.md must follow."""
    (line,) = re.findall(r"CONTROL_PARAMETER_\w+ = .*", PAGE)
    assert line in files()["control.h"]


def test_header_names_every_parameter_with_unit_and_default() -> None:
    header, law = files()["control.h"], loop().law
    vector = law.parameter_vector()
    for field in law.parameters.ports:
        start = law.parameters.starts[field.name]
        line = re.search(rf"CONTROL_PARAMETER_{field.name.upper()} = {start}, /\* (.*) \*/", header)
        assert line and f"[{field.unit}]" in line[1] and f"default {vector[start]:g}" in line[1], field.name
    for port in law.program.ports:
        assert re.search(rf"(in|out) +{port.name} .*\[{re.escape(port.unit)}\]", header), port.name
    assert "CONTROL_STATE_DRIVE = 5," in header and "CONTROL_WARNING_LEG_LIMIT = 8," in header


def test_a_folder_with_files_is_left_alone(tmp_path: Path, capsys: Capture) -> None:
    mine = tmp_path / "main.c"
    mine.write_text("mine")
    assert call(["export", "control", "simona", "--target", "c", "--out", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err and mine.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["main.c"]
    (tmp_path / "other.txt").write_text("kept")
    assert call(["export", "control", "simona", "--out", str(tmp_path), "--force"]) == 0
    assert "control_step" in mine.read_text() and (tmp_path / "other.txt").read_text() == "kept"
    assert {p.name for p in tmp_path.iterdir()} == {
        "answer.h", "control.c", "control.h", "guard.c", "guard.h", "main.c", "CMakeLists.txt", "README.txt",
        "other.txt",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["control", "simonna"], "no platform 'simonna'"),
        (["control", "simona", "--target", "cuda"], "'cuda' is not"),
        (["everything", "simona"], "everything"),
    ],
)
def test_clear_refusals(arguments: list[str], sentence: str, tmp_path: Path, capsys: Capture) -> None:
    assert call(["export", *arguments, "--out", str(tmp_path / "new")]) == 2
    err = capsys.readouterr().err
    assert sentence in err and err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_a_file_is_no_folder(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "here").write_text("")
    assert call(["export", "control", "simona", "--out", str(tmp_path / "here")]) == 2
    assert "is a file" in capsys.readouterr().err
