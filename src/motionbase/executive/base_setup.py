"""What `motionbase run` is asked for, checked before anything is compiled.

Nothing here may import NumPy when it is imported itself: see `signals_blocked` of base.py.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from motionbase.errors import UsageError
from motionbase.interpreter import motionbase_command

if TYPE_CHECKING:
    from motionbase.control.own_law import Law
    from motionbase.cueing.cueing import Cueing
    from motionbase.host.format import Kind
    from motionbase.plant.fault_plan import FaultPlan
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.platform.hexapod import Hexapod
    from motionbase.record.generator_set import GeneratorSet
    from motionbase.record.parameters import ParameterTable
    from motionbase.record.schema import Schema
    from motionbase.rig.files import RigFile
    from motionbase.system.runnable import Runnable
    from motionbase.worlds.library import Described

TICK_HZ = 2000
NO_GENERATORS = "none"
PREDICTIVE, FORECAST = "predictive", "driver"  # algorithm that follows plans; what its planner expects of a vehicle
PREVIEW = "preview"  # the forecast that the host tells
PATIENCE_S, PATIENT = 0.1, 5  # age of a rig's measurements beyond which legs have no power [s], and periods of them
CUEING, ALGORITHM = "simona", "classical"  # of a host that tells a vehicle's motion, unless others are named


def preset_names() -> set[str]:
    """Of platforms."""
    from motionbase import platform

    return {path.stem for folder in platform.__path__ for path in Path(folder, "presets").glob("*.toml")}


class BaseOptions(NamedTuple):
    """What a person asks `motionbase run` for; None where an option was not given."""

    platform: str
    ring: str
    rate: int
    duration: float | None
    faults: Path | None
    manual: bool
    parameters: Path | None
    law: str | None
    generators: str | None = None
    point: str | None = None
    host: str | None = None
    cueing: str | None = None
    algorithm: str | None = None
    forecast: str | None = None
    joystick: str | None = None
    rig: str | None = None
    unchecked: bool = False

    @property
    def is_plain_preset(self) -> bool:
        """Whether nothing can be refused: the base checks everything anyway, and checking twice delays its start."""
        own = (
            self.faults, self.parameters, self.law, self.generators, self.point, self.host, self.cueing, self.algorithm,
            self.forecast, self.joystick, self.rig,
        )  # fmt: skip
        return self.platform in preset_names() and not self.unchecked and all(given is None for given in own)

    @property
    def armed(self) -> str:
        """The generators to start with; by default none where a person operates the base, a host moves it, or a law."""
        from motionbase.platform.ready_sets import GENTLE

        return self.generators or (NO_GENERATORS if self.manual or self.law or self.host else GENTLE)

    @property
    def plans(self) -> bool:
        """Whether the cueing follows plans of another process."""
        return self.host is not None and self.algorithm == PREDICTIVE

    @property
    def previews(self) -> bool:
        """Whether the planner looks for what the host knows of the future."""
        return self.plans and self.forecast == PREVIEW

    def at_rest(self) -> "BaseOptions":
        """The same base and generators, but off until an operator asks: for a base that is restarted."""
        return self._replace(manual=True, generators=self.armed)

    def command(self) -> tuple[str, ...]:
        """The command line of the base in a process of its own."""
        given = {
            "--ring": self.ring, "--rate": self.rate, "--duration": self.duration, "--faults": self.faults,
            "--parameters": self.parameters, "--law": self.law, "--generators": self.generators,
            "--point": self.point, "--host": self.host, "--cueing": self.cueing, "--algorithm": self.algorithm,
            "--forecast": self.forecast, "--joystick": self.joystick, "--rig": self.rig,
        }  # fmt: skip
        options = [part for name, value in given.items() if value is not None for part in (name, str(value))]
        flags = [f"--{name}" for name, on in (("manual", self.manual), ("unchecked", self.unchecked)) if on]
        return motionbase_command("run", self.platform, "--alone", *options, *flags)


class Setup(NamedTuple):
    """What a run starts with; `told` is what a host tells the loop, `world` where its vehicle moves.

    With a `rig`, its machine moves the legs, otherwise a simulated plant.
    """

    hexapod: "Hexapod"
    atlas: "Atlas | None"
    loop: "Runnable"
    plan: "FaultPlan"
    parameters: "ParameterTable"
    tuned: dict[int, float]
    generators: "GeneratorSet | None"
    told: "Kind | None" = None
    world: "Described | None" = None
    rig: "RigFile | None" = None

    @property
    def platform(self) -> "Hexapod | Atlas":
        """The sphere with its stage, or the hexapod alone."""
        return self.atlas or self.hexapod

    @property
    def schema(self) -> "Schema":
        """Of its record."""
        from motionbase.host.format import Kind
        from motionbase.record.cueing import cued_schema, linked_schema
        from motionbase.record.rig import rigged_schema
        from motionbase.record.world import worldly_schema

        schema = _schema(self.hexapod, self.atlas)
        if self.told is not None:
            schema = cued_schema(schema) if self.told is Kind.VEHICLE else linked_schema(schema)
        if self.world is not None:
            schema = worldly_schema(schema, self.world.channels)
        return schema if self.rig is None else rigged_schema(schema)


def checked(options: BaseOptions) -> Setup:
    """Load and check everything that can be refused, before anything takes long."""
    from motionbase.executive.tuning import parameter_table
    from motionbase.plant.fault_plan import FaultPlan, load_faults
    from motionbase.ring.blocks.parameter_files import load_parameters

    plan = load_faults(options.faults) if options.faults else FaultPlan()
    hexapod, atlas = _platform(options.platform)
    told, world = _told(options)
    if world is not None and options.cueing is None:
        options = options._replace(cueing=world.cueing)
    rig = _rig(options, hexapod, atlas)
    if rig is None:
        legs = _loop(hexapod, atlas, _law(hexapod, options.law), options.point)
    else:
        legs = _rigged(hexapod, options.law, rig)
    loop = _hosted(legs, told, options, hexapod, atlas)
    table = parameter_table(loop)  # refuses what a ring could not show
    tuned = load_parameters(options.parameters, table) if options.parameters else {}
    return Setup(hexapod, atlas, loop, plan, table, tuned, _generators(hexapod, atlas, options.armed), told, world, rig)


def _platform(reference: str) -> "tuple[Hexapod, Atlas | None]":
    """Six legs, and the sphere on them if there is one."""
    from motionbase.platform.atlas.load import load_atlas
    from motionbase.platform.atlas.text import is_sphere
    from motionbase.platform.load import load_platform

    atlas = load_atlas(reference) if is_sphere(reference) else None
    return load_platform(atlas.stage if atlas else reference), atlas


def _schema(hexapod: "Hexapod", atlas: "Atlas | None") -> "Schema":
    from motionbase.record.hexapod import hexapod_schema
    from motionbase.record.sphere import sphere_schema

    return sphere_schema(len(atlas.wheels), hexapod.electric) if atlas else hexapod_schema(hexapod.electric)


def _loop(hexapod: "Hexapod", atlas: "Atlas | None", law: "Law", point: str | None) -> "Runnable":
    """The closed loop with the channels of its record."""
    from motionbase.system.closed_loop import ClosedLoop

    channels = tuple(c.name for c in _schema(hexapod, atlas).channels)
    if atlas is None:
        if point is not None:
            raise UsageError(f"--point {point}: platform {hexapod.name!r} has no sphere, and so no point to choose")
        return ClosedLoop.of(hexapod, channels, law)
    from motionbase.platform.atlas.decoupling import CENTRE
    from motionbase.system.atlas_loop import AtlasLoop

    return AtlasLoop.of(atlas, hexapod, channels, law, point=point or CENTRE)


def _rig(options: BaseOptions, hexapod: "Hexapod", atlas: "Atlas | None") -> "RigFile | None":
    """What moves the legs, if it is not a simulated plant."""
    if options.rig is None:
        if options.unchecked:
            raise UsageError("--unchecked: it is for a machine; add --rig FILE.toml")
        return None
    if atlas is not None:
        raise UsageError(f"--rig {options.rig}: platform {atlas.name!r} has a sphere, which a rig cannot move")
    if options.faults is not None:
        raise UsageError(f"--faults {options.faults}: they are those of a simulated plant; --rig leaves it out")
    from motionbase.rig.check.reports import passed
    from motionbase.rig.files import load_rig

    rig = load_rig(options.rig, hexapod)
    if not (rig.simulated or options.unchecked or passed(rig)):
        raise UsageError(
            f"--rig {options.rig}: no check of this file has been passed, so nobody knows whether it describes the "
            f"machine; `motionbase rig check {options.rig}` checks it, and --unchecked goes without"
        )
    return rig


def _rigged(hexapod: "Hexapod", law: str | None, rig: "RigFile") -> "Runnable":
    """The law of legs that follow lengths, or the user's; measurements come from the rig."""
    from motionbase.system.measured_loop import MeasuredLoop, guard_of_rig, law_of_rig
    from motionbase.system.rig_senses import RigSenses

    chosen = _law(hexapod, law) if law is not None else law_of_rig(hexapod)
    channels = tuple(c.name for c in _schema(hexapod, None).channels)
    senses = RigSenses(hexapod, max(PATIENCE_S, PATIENT * rig.period), chosen.dt)
    return MeasuredLoop(hexapod, chosen, guard_of_rig(hexapod, chosen.dt), senses, channels)


def _told(options: BaseOptions) -> "tuple[Kind | None, Described | None]":
    """What the host tells the loop, if there is one, and its world if it has one."""
    if options.host is None:
        if options.joystick is not None:
            raise UsageError(f"--joystick {options.joystick}: it steers a world; add --host boat, or another one")
        return None, None
    from motionbase.executive.host.source import host_source, told_by
    from motionbase.worlds.library import Described, WorldUrl

    source = host_source(options.host)
    if options.joystick is not None:
        from motionbase.worlds.hands.choice import sticks_of

        if not isinstance(source, WorldUrl):
            raise UsageError(f"--joystick {options.joystick}: {options.host!r} is no world that it could steer")
        sticks_of(options.joystick)  # refuses what cannot be used
    world = Described.of(source.made(), source.script) if isinstance(source, WorldUrl) else None
    return told_by(source), world


def _hosted(
    loop: "Runnable", told: "Kind | None", options: BaseOptions, hexapod: "Hexapod", atlas: "Atlas | None"
) -> "Runnable":
    """The loop, with cueing in front if the host tells a vehicle's motion."""
    from motionbase.host.format import Kind

    if options.forecast is not None and not options.plans:
        raise UsageError(f"--forecast {options.forecast}: only --algorithm {PREDICTIVE} looks ahead")
    if told is not Kind.VEHICLE:
        poses = "the host sends poses, which are followed as they are"
        if options.host is not None and options.host.startswith("udp:"):
            poses += "; a simulator's format stands in the URL, such as udp://127.0.0.1:49003?format=xplane"
        why = poses if told is not None else "motion cueing follows a host; add --host URL"
        for name, value in (("--cueing", options.cueing), ("--algorithm", options.algorithm)):
            if value is not None:
                raise UsageError(f"{name} {value}: {why}")
        return loop
    if atlas is not None:
        raise UsageError(f"--host {options.host}: it tells a vehicle's motion, and a sphere follows poses only")
    from motionbase.system.cued_loop import CuedLoop

    return CuedLoop(loop, cueing_of(hexapod, options.cueing, options.algorithm))


def _law(hexapod: "Hexapod", reference: str | None) -> "Law":
    """The platform's law, or the user's."""
    from motionbase.control.law import ControlLaw

    if reference is None:
        return ControlLaw(hexapod)
    from motionbase.control.law_file import load_law

    own = load_law(reference, hexapod)
    if own.dt != 1 / TICK_HZ:
        raise UsageError(f"--law {reference}: its dt is {own.dt:g} s, `motionbase run` needs {1 / TICK_HZ:g} s")
    return own


def _generators(hexapod: "Hexapod", atlas: "Atlas | None", wanted: str) -> "GeneratorSet | None":
    """A ready set by name, a set from a file, or None."""
    from motionbase.platform.ready_sets import ready_sets
    from motionbase.ring.blocks.files import load

    if wanted == NO_GENERATORS:
        return None
    if wanted.endswith((".toml", ".json")):
        return load(wanted)
    ready = ready_sets(hexapod, atlas)
    if wanted not in ready:
        there = ", ".join((*ready, NO_GENERATORS))
        raise UsageError(f"--generators {wanted!r:.80}: it must be one of {there}, or a file .toml or .json")
    return ready[wanted]


def cueing_of(hexapod: "Hexapod", cue_set: str | None, algorithm: str | None) -> "Cueing":
    """Between a vehicle and the law; None is what is usual."""
    from motionbase.cueing.cueing import Cueing

    return Cueing.of(hexapod, cue_set or CUEING, algorithm=algorithm or ALGORITHM)
