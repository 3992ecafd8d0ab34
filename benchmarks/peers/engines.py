"""Pinocchio and MuJoCo on chains of revolute joints, in native loops compiled against their wheels."""

import ctypes
import hashlib
import importlib.metadata
import shlex
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Skip
from benchmarks.peers.recorders import unpinned
from motionbase.compile.runtime.c import find_compiler
from motionbase.multibody import Body, Joint, Model
from motionbase.multibody.joints import Axes, Free
from motionbase.native.cache import default_folder

HERE = Path(__file__).parent
SITE = Path(sysconfig.get_paths()["purelib"])
# Pinocchio has more joint types than Boost's predefined lists
PINOCCHIO_FLAGS = (
    "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
)  # fmt: skip


_compiling: dict[Path, subprocess.Popen[bytes]] = {}


def _library(
    source: Path, command: list[str], key: str, libraries: tuple[str, ...] = (), wait: bool = True
) -> ctypes.CDLL:
    """Compile once and keep the library beside the object cache: Pinocchio's headers take most of a minute.

    Args:
        wait: for the compiler; else it works on while the caller skips, and another run finds the library
    """
    text = source.read_text(encoding="utf-8") + " ".join((*command, *libraries)) + key
    folder = default_folder().parent / "peers"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    library = folder / f"{source.stem}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        building = library.with_suffix(".new")
        line = [*command, str(source), "-o", str(building), *libraries]
        if not wait:
            if library not in _compiling:
                done_then = shlex.join(["mv", str(building), str(library)])
                with unpinned():
                    _compiling[library] = subprocess.Popen(["sh", "-c", f"{shlex.join(line)} && {done_then}"])
            raise Skip(f"{source.name} is being compiled, once, which takes longer than a quick run; run it again")
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Skip(f"the compiler refused {source.name}: {done.stderr.strip()[:200]}")
        building.replace(library)
    return ctypes.CDLL(str(library))


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise Skip(f"{package} is not installed") from None


def _three(values: Any) -> Any:
    """Three doubles for C; the array itself is passed, so it lives through the call."""
    return (ctypes.c_double * 3)(*values)


def pinocchio_loop(
    model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray, *, wait: bool = True
) -> Callable[[int], object]:
    """`loop(n)`: n evaluations of ABA; arrays in Pinocchio's own order of coordinates; `wait` for its compiler."""
    version = _version("pin")
    include = SITE / "cmeel.prefix" / "include"
    cxx = find_compiler()[0].replace("gcc", "g++").replace("/cc", "/g++")
    command = [cxx, *PINOCCHIO_FLAGS, "-shared", "-fPIC", f"-I{include}", f"-I{include / 'eigen3'}"]
    library = _library(HERE / "pinocchio_loop.cpp", command, version, wait=wait)
    library.reset()
    parent = 0
    for body, joint in _in_a_row(model):
        parent = library.add_joint(
            parent, int(isinstance(joint.motion, Free)), _three(_axis(joint)), _three(joint.position)
        )
        library.add_body(parent, ctypes.c_double(body.mass), _three(body.com), _three(np.diag(body.inertia)))
    kept = (q, v, tau, a)  # the addresses must stay valid as long as the loop lives
    arrays = [ctypes.c_void_p(x.ctypes.data) for x in kept]

    def loop(n: int) -> None:
        library.aba_loop(ctypes.c_long(n), ctypes.c_long(len(kept[0])), *arrays)

    return loop


def mujoco_library() -> ctypes.CDLL:
    """The native loops around MuJoCo, compiled against its wheel."""
    version = _version("mujoco")
    import mujoco

    folder = Path(mujoco.__file__).parent
    shared = next(folder.glob("libmujoco.so*"))
    command = [*find_compiler(), "-O3", "-shared", "-fPIC", f"-I{folder / 'include'}"]
    return _library(HERE / "mujoco_loop.c", command, version, (str(shared), f"-Wl,-rpath,{folder}", "-lm"))


def mujoco_loop(model: Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> Callable[[int], object]:
    """`loop(n)`: n calls of mj_forward, contact off; arrays in MuJoCo's own order of coordinates."""
    library = mujoco_library()
    import mujoco

    built = mujoco.MjModel.from_xml_string(_xml(model))
    data = mujoco.MjData(built)
    addresses = [ctypes.c_void_p(built._address), ctypes.c_void_p(data._address)]
    kept = (q, v, tau, a, built, data)  # the addresses must stay valid as long as the loop lives
    arrays = [ctypes.c_void_p(x.ctypes.data) for x in kept[:4]]

    def loop(n: int) -> None:
        library.forward_loop(ctypes.c_long(n), ctypes.c_long(len(kept[0])), *addresses, *arrays)

    return loop


def _in_a_row(model: Model) -> list[tuple[Body, Joint]]:
    """Bodies and joints of an unbranched chain of hinges, on the ground or on a free base."""
    if model.parents != tuple(range(-1, len(model.bodies) - 1)):
        raise Skip(f"{model.name} is not a chain")
    return list(zip(model.bodies, model.joints, strict=True))


def _axis(joint: Joint) -> tuple[float, float, float]:
    return joint.motion.steps[0].axis if isinstance(joint.motion, Axes) else (0.0, 0.0, 1.0)


def _xml(model: Model) -> str:
    def text(values: Any) -> str:
        return " ".join(repr(float(x)) for x in values)

    opened, closed = "", ""
    for body, joint in _in_a_row(model):
        inertial = f'mass="{body.mass}" pos="{text(body.com)}" diaginertia="{text(np.diag(body.inertia))}"'
        hinge = f'<joint type="hinge" axis="{text(_axis(joint))}"/>'
        kind = "<freejoint/>" if isinstance(joint.motion, Free) else hinge
        opened += f'<body pos="{text(joint.position)}"><inertial {inertial}/>{kind}'
        closed += "</body>"
    option = f'<option gravity="{text(model.gravity)}"><flag contact="disable" constraint="disable"/></option>'
    return f'<mujoco><compiler angle="radian"/>{option}<worldbody>{opened}{closed}</worldbody></mujoco>'


def mujoco_rollout(model: Model, q: np.ndarray, v: np.ndarray, dt: float) -> Callable[[int], object]:
    """`loop(n)`: n steps of every scenario (rows of q and v) by mujoco.rollout on one thread, semi-implicit Euler."""
    _version("mujoco")
    import mujoco
    from mujoco import rollout

    built = mujoco.MjModel.from_xml_string(_xml(model))
    built.opt.timestep = dt
    built.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    data = mujoco.MjData(built)
    start = np.concatenate([np.zeros((len(q), 1)), q, v], axis=1)
    kept: dict[int, Any] = {}

    def loop(n: int) -> Any:
        if n not in kept:
            kept[n] = np.empty((len(q), n, start.shape[1]))
        return rollout.rollout(built, [data], start, nstep=n, state=kept[n], skip_checks=False)[0]

    return loop
