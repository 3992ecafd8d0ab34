"""Control law, guard and plant of a platform as folders of C99: code, headers, an example, CMake and README files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from motionbase.compile import Layout, Port
from motionbase.compile.render.c import FORBIDDEN_FLAGS
from motionbase.compile.runtime.c import USER_FLAGS
from motionbase.control.own_law import OwnLaw
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.ports import VEHICLE, Vehicle
from motionbase.cueing.sets import CueSet
from motionbase.errors import UsageError
from motionbase.host.format import AT_REST
from motionbase.platform.hexapod import Hexapod
from motionbase.record.faults import Fault, WarningBit
from motionbase.record.generators import COLUMNS, Shape
from motionbase.record.states import Mode, Request, Source, State
from motionbase.system.c_border import Border, Numbering, Places
from motionbase.system.closed_loop import ClosedLoop

EXAMPLES = Path(__file__).parent / "examples_c"
ENUMS: Mapping[str, Numbering] = {
    "CONTROL_STATE": State, "CONTROL_REQUEST": Request, "CONTROL_MODE": Mode, "CONTROL_SOURCE": Source,
    "CONTROL_FAULT": Fault, "CONTROL_WARNING": WarningBit, "CONTROL_SHAPE": Shape,
}  # fmt: skip
SETTINGS_ROW = Layout(tuple(Port.of(c) for c in COLUMNS))


def control_border(loop: ClosedLoop) -> Border:
    """Interface of the control law; its first measurements are those of the platform at rest, down."""
    law = loop.law
    parameters = law.parameter_vector()  # first, so that the law itself refuses a platform that it cannot drive
    start = loop.at_rest()
    lines = {name: loop.plant.quiet[name] for name in ("p_supply", "p_return")}
    known = loop.quiet_inputs() | {"request": 0.0} | lines | start
    return Border(
        law.program,
        {"x": "x_next"},
        state={"x": law.initial_state()},
        inputs={p.name: known[p.name] for p in law.program.inputs},
        dt=law.dt,
        parameters=("parameters", parameters),
        places=(
            Places("`parameters`", "CONTROL_PARAMETER", law.parameters, tuple(parameters.tolist())),
            Places("`x`", "CONTROL_X", law.state),
            Places("each row of `settings`", "CONTROL_SETTING", SETTINGS_ROW),
        ),
        enums=ENUMS,
    )


def guard_border(loop: ClosedLoop) -> Border:
    """Interface of the guard between law and platform; it starts with a law that is valid and commands nothing."""
    guard = loop.guard
    quiet = {p.name: np.zeros(p.dims) for p in guard.kernel.inputs} | {"sound": np.array(1.0)}
    return Border(
        guard.kernel,
        {"guard": "guard_next"},
        state={"guard": guard.state.vector()},
        inputs=quiet,
        dt=guard.dt,
        places=(Places("`guard`", "GUARD", guard.state),),
    )


def plant_border(loop: ClosedLoop) -> Border:
    """Interface of the platform with its actuators and sensors, at rest, down."""
    start = loop.at_rest()
    state = {p.name: start[p.name] for p in loop.plant.state_ports}
    return Border(loop.plant.step, loop.plant.feedback, state, loop.plant.quiet, loop.plant.dt)


def control_files(hexapod: Hexapod, law: OwnLaw | None = None) -> dict[str, str]:
    """The platform's control law or a user law, and its guard, by file name."""
    loop = _loop(hexapod, law)
    return _folder(hexapod, "control", "control law and guard", control_border(loop), guard_border(loop))


def plant_files(hexapod: Hexapod, law: OwnLaw | None = None) -> dict[str, str]:
    """Platform, actuators and sensors, by file name; the same for every law."""
    return _folder(hexapod, "plant", "platform, actuators and sensors", plant_border(ClosedLoop.of(hexapod)))


def loop_files(hexapod: Hexapod, law: OwnLaw | None = None) -> dict[str, str]:
    """Control law, guard and plant, and an example that closes the loop."""
    loop = _loop(hexapod, law)
    borders = control_border(loop), guard_border(loop), plant_border(loop)
    return _folder(hexapod, "loop", "control law, guard and plant", *borders)


def cueing_border(cueing: Cueing) -> Border:
    """Interface of motion cueing, before the first sample of a vehicle that stands on the ground."""
    parameters = cueing.parameter_vector()
    starts = {
        port.name: port.start_values.reshape(port.dims) for port in cueing.program.inputs
    }  # of a plan: that there is none
    return Border(
        cueing.program,
        {"x": "x_next"},
        state={"x": cueing.initial_state()},
        inputs={**starts, VEHICLE.name: np.array(AT_REST)},
        dt=cueing.dt,
        parameters=("parameters", parameters),
        places=(
            Places("`parameters`", "CUEING_PARAMETER", cueing.parameters, tuple(parameters.tolist())),
            Places("`x`", "CUEING_X", cueing.state),
            Places("`vehicle`", "CUEING_VEHICLE", Vehicle.layout),
        ),
        begins="It starts with the platform at neutral, before the first sample of a vehicle on the ground.",
    )


def cueing_files(cueing: Cueing) -> dict[str, str]:
    """Motion cueing of a platform, by file name."""
    what = f"{cueing.algorithm} motion cueing with the set {cueing.cue_set.name}"
    return _folder(cueing.platform, "cueing", what, cueing_border(cueing), cue_set=cueing.cue_set)


def _loop(hexapod: Hexapod, law: OwnLaw | None) -> ClosedLoop:
    """The loop, with the law under the name used in the files."""
    if law is None:
        return ClosedLoop.of(hexapod)
    return ClosedLoop.of(hexapod, law=replace(law, program=replace(law.program, name="control")))


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that is not empty, unless forced."""
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file; name a folder for the exported files")
        if not force and folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"folder {folder} is not empty; name another one, or add --force to write into it")
    except OSError as e:
        raise UsageError(f"cannot read {folder}: {e.strerror}") from e


def write_folder(folder: Path, files: Mapping[str, str], force: bool = False) -> None:
    """Write the files; into a folder that is not empty only if forced, and then other files stay."""
    check_folder(folder, force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as e:
        raise UsageError(f"cannot write to {folder}: {e.strerror}") from e


def compile_command(files: Mapping[str, str]) -> str:
    """Compiler command to run in the folder; it preserves the bits."""
    return f"cc {' '.join(USER_FLAGS)} {' '.join(n for n in files if n.endswith('.c'))} -o example -lm"


EXPORTS: Mapping[str, Callable[[Hexapod, OwnLaw | None], dict[str, str]]] = {
    "control": control_files,
    "plant": plant_files,
    "loop": loop_files,
}


def _folder(
    hexapod: Hexapod, example: str, what: str, *borders: Border, cue_set: CueSet | None = None
) -> dict[str, str]:
    code = {name: text for border in borders for name, text in border.files().items()}
    if len(borders) > 1:
        code["answer.h"] = (EXAMPLES / "answer.h").read_text(encoding="utf-8")
    code["main.c"] = (EXAMPLES / f"{example}.c").read_text(encoding="utf-8")
    names = [border.unit.name for border in borders]
    return {
        **code,
        "CMakeLists.txt": _cmake(names),
        "README.txt": _readme(hexapod, what, compile_command(code), borders, cue_set),
    }


def _cmake(names: list[str]) -> str:
    libraries = "\n".join(
        f"add_library({n} STATIC {n}.c)\n"
        f"target_include_directories({n} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n"
        f"target_compile_options({n} PRIVATE -ffp-contract=off)\n"
        f"target_link_libraries({n} PUBLIC m)\n"
        for n in names
    )
    return f"""\
cmake_minimum_required(VERSION 3.10)
project(motionbase_export C)

set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# No flag may be added that changes floating-point values; README.txt lists them.
{libraries}
add_executable(example main.c)
target_link_libraries(example PRIVATE {" ".join(names)})
"""


_GUARDED = """
Only the outputs of guard_step() may go to hardware: it checks every number of the law, and its own commands bring the
legs to rest if the law is broken, late or silent. It should run on a processor that does not run the law.
"""


def _readme(hexapod: Hexapod, what: str, command: str, borders: tuple[Border, ...], cue_set: CueSet | None) -> str:
    named, more = ((), ()) if cue_set is None else (cue_set.illustrative, cue_set.sources)
    illustrative = (*hexapod.illustrative, *(f"{key} of the set" for key in named))
    digests = "\n".join(f"  {b.unit.name:<8} {b.unit.digest[:16]}" for b in borders)
    calls = "\n".join(f"  {b.unit.name}.h  {b.unit.name}_step(), once every {b.dt:g} s" for b in borders)
    sources = "\n".join(f"  {source}" for source in (*hexapod.sources, *more))
    forbidden = "\n  ".join(FORBIDDEN_FLAGS)
    return f"""\
{hexapod.name}: {what} as C99
{hexapod.summary}

Generated by motionbase from the model that its simulation runs; compiled as below, it gives the same bits.
The code needs only <math.h> and <string.h>, allocates nothing, and has no globals except constants, so any number of
states may run in any number of threads.

Compile and run the example (GCC or clang; CMakeLists.txt does the same):
  {command}
  ./example

Functions to call; the headers describe every port with its unit:
{calls}
{_GUARDED if len(borders) > 1 else ""}
Do not use flags that change values:
  {forbidden}

Sources of the numbers:
{sources}
Illustrative (unpublished) numbers: {", ".join(illustrative) or "none"}.

This is simulator code. Nothing here is man-rated, and no software stop replaces a hardware stop.

Digests of the exported units:
{digests}
"""
