"""What `motionbase run MODEL` is asked for, checked before anything is compiled.

Nothing here may import NumPy when it is imported itself: see `signals_blocked` of base.py.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from motionbase.errors import UsageError
from motionbase.executive.base import signals_blocked
from motionbase.executive.base_setup import TICK_HZ, preset_names
from motionbase.interpreter import motionbase_command

if TYPE_CHECKING:
    from motionbase.arrays import Array
    from motionbase.executive.model.code import ModelCode
    from motionbase.executive.model.orders import Timing
    from motionbase.executive.model.plant import AbstractPlant
    from motionbase.multibody.model import Model

ROBOT = "robot"
URDF_ENDINGS = (".urdf", ".xml")
CONTROLLERS = ("udp", "ring", "internal", "none")
CONTROL_PORT = 8720  # UDP, where the model listens; its controller listens at the next one
CONTROLLER_HZ = 1000.0
TIMEOUT_S = 0.1
SIMPLE, PROCESS = TAILS = "simple", "process"
LONGEST_RING = 43  # letters of a ring's name, so that that of its tail rotor is one too


class ModelOptions(NamedTuple):
    """What a person asks `motionbase run` for.

    Attributes:
        model: "robot", "puma" or another rotor, a built-in model, a TOML or URDF file
        rate: records per second
        controller: "udp" or "ring" (shared memory) in a process of its own, "internal" in the loop, "none": a foreign
            program, over UDP
        control_port: UDP port of the model; the controller's is the next one
        timeout: age of the state that torques answer, beyond which the brakes close [s]
        free: a rotor flies with its airframe
        tail: "simple", a thrust as asked for, or "process", a tail rotor that is simulated in a process of its own
        tail_of: ring of the helicopter whose tail rotor this one is
    """

    model: str
    ring: str
    rate: int
    duration: float | None
    manual: bool
    parameters: Path | None
    controller: str
    control_port: int
    timeout: float
    free: bool = False
    tail: str = SIMPLE
    tail_of: str | None = None

    def at_rest(self) -> ModelOptions:
        """The same, but with brakes closed until an operator asks: for a model that is restarted."""
        return self._replace(manual=True)

    def command(self) -> tuple[str, ...]:
        """The command line of the model in a process of its own."""
        given = {
            "--ring": self.ring, "--rate": self.rate, "--duration": self.duration, "--parameters": self.parameters,
            "--controller": self.controller, "--control-port": self.control_port, "--controller-timeout": self.timeout,
            "--tail": self.tail if self.free else None,
        }  # fmt: skip
        options = [part for name, value in given.items() if value is not None for part in (name, str(value))]
        flags = [flag for flag, given in (("--manual", self.manual), ("--free", self.free)) if given]
        return motionbase_command("run", self.model, "--alone", *options, *flags)

    @property
    def tail_ring(self) -> str:
        """Where the tail rotor's process writes its record."""
        return f"{self.ring[:LONGEST_RING]}-tail"

    def tail_command(self) -> tuple[str, ...]:
        """The command line of the tail rotor in a process of its own."""
        return motionbase_command(
            "run", f"{self.model}_tail", "--alone", "--ring", self.tail_ring, "--tail-of", self.ring
        )


class ModelSetup(NamedTuple):
    """What a run starts with."""

    plant: AbstractPlant
    timing: Timing
    tuned: dict[int, float]
    illustrative: bool

    @property
    def tick_hz(self) -> int:
        """Ticks in a second."""
        return round(1 / self.timing.dt)

    def compiled(self) -> ModelCode:
        """The step and what surrounds it, as machine code."""
        from motionbase.executive.model.code import ModelCode

        return ModelCode.of(self.plant, self.timing)


def is_rotor(reference: str) -> bool:
    """Whether it names a rotor, or is a file of one; False for a file that cannot be read."""
    if Path(reference).suffix.lower() == ".toml":
        return "blades" in _table(reference)
    if reference == ROBOT or reference in preset_names():
        return False
    with signals_blocked():
        from motionbase.rotor.models.library import rotor_names

        return reference in rotor_names()


def _table(reference: str) -> dict[str, Any]:
    """Of a TOML file."""
    if Path(reference).suffix.lower() != ".toml":
        return {}
    try:
        return tomllib.loads(Path(reference).read_text())
    except (OSError, ValueError, RecursionError):
        return {}


def is_model(reference: str) -> bool:
    """Whether it names a multibody model rather than a platform; False for a file that cannot be read."""
    if reference == ROBOT or Path(reference).suffix.lower() in URDF_ENDINGS:
        return True
    if Path(reference).suffix.lower() == ".toml":
        return not {"bodies", "blades"}.isdisjoint(_table(reference))
    if reference in preset_names():
        return False
    with signals_blocked():
        from motionbase.multibody.models import MODELS

        return reference in MODELS or is_rotor(reference)


def model_meant(reference: str) -> str | None:
    """The robot, rotor or model whose name is nearest to a misspelt one; None if a platform's is, or none is near."""
    from difflib import get_close_matches

    with signals_blocked():
        from motionbase.multibody.models import MODELS
        from motionbase.rotor.models.library import rotor_names

    near = get_close_matches(reference, [*preset_names(), ROBOT, *rotor_names(), *MODELS], n=1)
    return next((name for name in near if name not in preset_names() and name != reference), None)


def checked(options: ModelOptions) -> ModelSetup:
    """Load and check everything that can be refused, before anything takes long."""
    from motionbase.executive.model.orders import Timing
    from motionbase.ring.blocks.parameter_files import load_parameters

    if options.controller not in CONTROLLERS:
        raise UsageError(f"--controller {options.controller!r:.40}: it must be one of {', '.join(CONTROLLERS)}")
    if options.tail not in TAILS:
        raise UsageError(f"--tail {options.tail!r:.40}: it must be one of {', '.join(TAILS)}")
    rotor = is_rotor(options.model)
    if (options.free or options.tail_of) and not rotor:
        raise UsageError(f"--free and --tail-of are for rotors, and {options.model!r} is none")
    if options.tail == PROCESS and not options.free:
        raise UsageError("--tail process is for a rotor in free flight; add --free")
    plant, dt, illustrative = _rotor(options) if rotor else _robot(options.model)
    if round(1 / dt) % options.rate:
        rates = [rate for rate in range(100, round(1 / dt) + 1) if not round(1 / dt) % rate]
        raise UsageError(
            f"--rate is {options.rate}, model {options.model!r} makes {1 / dt:.0f} steps per second; it must be one of "
            f"{', '.join(map(str, rates))}"
        )
    if not 2 * dt <= options.timeout <= 10.0:
        raise UsageError(f"--controller-timeout is {options.timeout:g} s, it must be {2 * dt:g} to 10")
    if not 1024 <= options.control_port <= 65534:
        raise UsageError(f"--control-port is {options.control_port}, it must be 1024 to 65534")
    tuned = load_parameters(options.parameters, plant.parameters) if options.parameters else {}
    internal = options.controller == "internal" and options.tail_of is None
    return ModelSetup(plant, Timing(dt, options.timeout, internal), tuned, illustrative)


def _rotor(options: ModelOptions) -> tuple[AbstractPlant, float, bool]:
    """The rotor, its step [s], and whether some of its numbers are illustrative."""
    from motionbase.executive.model.rotor import Rotor
    from motionbase.executive.model.tail import partner_of
    from motionbase.rotor.models.library import rotor_model
    from motionbase.rotor.running.of_model import operated
    from motionbase.rotor.running.tail import told

    model = rotor_model(options.model, free=options.free)
    rotor = operated(model) if options.tail_of is None else told(model)
    partner = partner_of(options.model) if options.tail == PROCESS else None
    return Rotor(rotor, partner), rotor.step, bool(rotor.illustrative)


def _robot(reference: str) -> tuple[AbstractPlant, float, bool]:
    """The same of a model with joints that are driven."""
    from motionbase.executive.model.robot import Robot
    from motionbase.multibody.manipulator.driven import driven

    model, q0, illustrative = _model(reference)
    return Robot(driven(model, q0)), 1 / TICK_HZ, illustrative


def _model(reference: str) -> tuple[Model, Array | None, bool]:
    """The model, where it starts, and whether its numbers are illustrative."""
    from motionbase.multibody.loaders.named import load_model
    from motionbase.multibody.models import MODELS
    from motionbase.multibody.models.robot import driven_robot
    from motionbase.multibody.names import q_of

    if reference == ROBOT:
        return driven_robot(), None, True
    model = load_model(reference)
    if reference not in MODELS:
        return model, None, False
    return model, q_of(model, MODELS[reference].q0), MODELS[reference].illustrative
