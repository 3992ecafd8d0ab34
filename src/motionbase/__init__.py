"""motionbase: design, simulate, operate and analyse motion platforms from one model written once in Python.

The names that most programs start from are here; each is imported on first use. docs/python.md describes all of them.
Everything else is in the packages below, such as `motionbase.workbench`.
"""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__version__ = "0.1.0"

__all__ = [
    "GROUND", "Body", "ClosedLoop", "Joint", "Kernel", "Model", "MotionBaseError", "Port", "Program", "Reader",
    "Runner", "Scenario", "Struct", "Tree", "__version__", "compile", "errors", "jacobian", "load_model",
    "load_platform", "open_recording", "q", "scan", "simulate",
]  # fmt: skip

if TYPE_CHECKING:
    from motionbase import errors
    from motionbase.compile import Kernel, Port, Program, Struct, compile, jacobian, q, scan
    from motionbase.errors import MotionBaseError
    from motionbase.multibody import GROUND, Body, Joint, Model
    from motionbase.multibody.loaders import load_model
    from motionbase.multibody.simulate import simulate
    from motionbase.multibody.tree import Tree
    from motionbase.platform import load_platform
    from motionbase.recording import open_recording
    from motionbase.ring.reader import Reader
    from motionbase.system import ClosedLoop, Runner, Scenario
else:
    _HOMES = {
        "errors": ("MotionBaseError",),
        "compile": ("Kernel", "Port", "Program", "Struct", "jacobian", "q", "scan"),  # and `compile` itself
        "multibody": ("GROUND", "Body", "Joint", "Model"),
        "multibody.loaders": ("load_model",),
        "multibody.simulate": ("simulate",),
        "multibody.tree": ("Tree",),
        "platform": ("load_platform",),
        "recording": ("open_recording",),
        "ring.reader": ("Reader",),
        "system": ("ClosedLoop", "Runner", "Scenario"),
    }
    __getattr__, __dir__ = lazily(__name__, _HOMES)
