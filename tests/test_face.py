"""`import motionbase`: few names, stable, told on one page, and nothing is loaded before it is asked for."""

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import motionbase as mb
from motionbase.errors import ModelError

ROOT = Path(__file__).resolve().parents[1]
# A change of what is here changes everybody's programs: it is said in CHANGELOG.md.
SIGNATURES = {
    "Body": "(name, mass=0.0, com=(0.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0), points=<factory>, modes=None)",
    "ClosedLoop": "(law, plant, record_channels=())",
    "ClosedLoop.of": "(hexapod, channels=(), law=None, **options)",
    "Joint": (
        "(name, parent, child, motion, position=(0.0, 0.0, 0.0), orientation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), "
        "(0.0, 0.0, 1.0)))"
    ),
    "Kernel": "(name, inputs, outputs, expr, description='', cse=True, derivation=None, allow_nan=False)",
    "Model": "(name, bodies, joints, gravity=(0.0, 0.0, -9.81), elements=(), closures=(), drives=<factory>)",
    "Port": (
        "(name, shape=(), unit='-', description='', sparsity=None, struct=None, start=0.0, least=-inf, most=inf, "
        "tunable=False, at_rest=False)"
    ),
    "Program": "(name, inputs, outputs, expr, description='', memory=(), allow_nan=False, cse=True)",
    "Reader": "(name='motionbase', *, start='head', skip=0, timeout=1.0, batch=4096, schema=None, backend=None)",
    "Runner": "(loop, outputs=())",
    "Runner.run": "(self, scenario, duration, start=None, *, every=1, until=None, progress=None)",
    "Scenario": (
        "(faults=<factory>, settings=None, version=1, requests=<factory>, resets=(), modes=<factory>, "
        "estop_at=inf, host=None, host_rate=60.0, automatic=True, automatic_until=inf, seed=0, inputs=<factory>)"
    ),
    "Struct": "(*values, **named)",
    "Tree": "(model, coriolis_of_modes=True, stiffening=True, recursion='shorter')",
    "compile": "(unit, target='llvm', *, lanes=1, mode='strict', each='lanes', cache='default')",
    "jacobian": "(kernel, output, input)",
    "load_model": "(reference)",
    "load_platform": "(reference, *, sized=True)",
    "open_recording": "(path)",
    "q": (
        "(unit='-', shape=(), text='', *, start=0.0, least=-inf, most=inf, tunable=False, at_rest=False, of=None, "
        "rows=0)"
    ),
    "scan": (
        "(step, feedback=None, *, per_step=(), record=(), target='llvm', lanes=1, mode='strict', each='lanes', "
        "cache='default')"
    ),
    "simulate": (
        "(model, duration, dt=0.001, *, method=None, q0=None, v0=None, inputs=None, every=1, mode='strict', "
        "progress=None, redundancy='drop', outputs=None, start=(None, None), engine='tree')"
    ),
}  # fmt: skip


def untyped(name: str) -> str:
    """Parameters and defaults of something that can be called."""
    sign = inspect.signature(attrgetter("compile.compile" if name == "compile" else name)(mb))
    bare = [p.replace(annotation=p.empty) for p in sign.parameters.values()]
    return str(inspect.Signature(bare))


def fresh(code: str) -> str:
    """What a new process prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature_is_as_promised(name: str) -> None:
    assert untyped(name) == SIGNATURES[name]


def test_names_are_as_promised() -> None:
    others = {"GROUND", "MotionBaseError", "__version__", "errors"}
    assert set(mb.__all__) == {name for name in SIGNATURES if "." not in name} | others
    assert set(mb.__all__) <= set(dir(mb)) and all(hasattr(mb, name) for name in mb.__all__)


def test_the_page_has_every_name() -> None:
    table = (ROOT / "docs" / "python.md").read_text().partition("## All names")[2]
    told = {name for line in table.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line)}
    assert told == set(mb.__all__)


def test_importing_loads_nothing() -> None:
    code = "import sys; before = set(sys.modules); import motionbase; print(*sorted(set(sys.modules) - before))"
    loaded = fresh(code).split()
    assert [m for m in loaded if m.startswith("motionbase")] == ["motionbase", "motionbase.lazy"]
    assert all(m.split(".")[0] in {"motionbase", *sys.stdlib_module_names} for m in loaded)


def lazy_packages() -> list[Path]:
    return [p for p in sorted((ROOT / "src").rglob("__init__.py")) if "lazily(" in p.read_text()]


@pytest.mark.parametrize("path", lazy_packages(), ids=lambda p: p.parent.name)
def test_type_checkers_see_what_is_there(path: Path) -> None:
    """What is imported under TYPE_CHECKING is what the package gives."""
    package = ".".join(path.relative_to(ROOT / "src").parent.parts)
    imports = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    seen = {a.name: n.module for n in imports if n.module not in ("typing", "motionbase.lazy") for a in n.names}
    given = import_module(package)
    assert set(given.__all__) - {"__version__"} == seen.keys()
    for name, module in seen.items():
        assert callable(given.compile) if name == "compile" else getattr(given, name) is taken(str(module), name)


def taken(module: str, name: str) -> object:
    return getattr(import_module(module), name)


@pytest.mark.parametrize(
    "code",
    [
        "from motionbase.multibody.tree import Tree",
        "from motionbase.multibody.loaders import load_model, load_toml, load_urdf",
        "from motionbase.platform import Hexapod, load_platform",
        "from motionbase.system import ClosedLoop, Runner, Scenario",
        "from motionbase.recording import Recording, open_recording",
        "from motionbase.control import ControlLaw, OwnLaw",
        "from motionbase import *; load_model",
        "import motionbase as mb; mb.errors.ModelError; mb.multibody.joints.revolute",
        "import motionbase as mb; mb.Kernel; assert callable(mb.compile)",
        "import motionbase.compile.kernels, motionbase as mb; assert callable(mb.compile)",
    ],
)
def test_what_people_try_works(code: str) -> None:
    assert fresh(code) == ""


def test_a_wrong_name_is_refused_with_the_right_one() -> None:
    code = "import motionbase as mb\ntry: mb.load_plattform\nexcept AttributeError as e: print(e, e.name, e.obj is mb)"
    assert fresh(code) == "module 'motionbase' has no attribute 'load_plattform' load_plattform True"


def test_load_model_by_name_and_by_file(tmp_path: Path) -> None:
    assert mb.load_model("pendulum").name == "pendulum"
    file = tmp_path / "swing.toml"
    file.write_text(
        "[bodies.bob]\nmass = 1.0\n"
        '[joints.pivot]\nparent = "ground"\nchild = "bob"\ntype = "revolute"\naxis = [0, 1, 0]\n'
    )
    assert mb.load_model(file).name == "swing"
    with pytest.raises(
        ModelError, match="no model 'pendulun'; built-in models: pendulum, .*, or a .toml or .urdf file"
    ):
        mb.load_model("pendulun")
    with pytest.raises(ModelError, match="nowhere.urdf"):
        mb.load_model("nowhere.urdf")
