"""A sphere on wheels and the stage below, closed to one step: the stage's loop, then the sphere's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Body, Kernel, Layout, OldProgram, Port
from motionbase.compile.reference import Reference
from motionbase.control.own_law import Law
from motionbase.control.sphere.demand import ANGLES, AXES, KEPT, TARGET, split
from motionbase.control.sphere.ports import LOST
from motionbase.control.states import Request, State
from motionbase.plant.motion import LOAD, TWIST_RATE, next_of
from motionbase.plant.plant import Plant
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.decoupling import CENTRE, Decoupling
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.mechanism import TWIST
from motionbase.spatial.rotations import Expr, R_quaternion
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.sphere_record import WARN, sphere_row

A_STAGE = Port("a_stage", 3, "m/s^2", "acceleration of the sphere's mount after the last tick, in W")
LOAD_SPHERE = Port("load_sphere", 6, "-", "moment [N m] and force [N] of the sphere on the stage, at its mount, in W")
COUNT_BEFORE = Port("count_before", (), "-", "host frames taken after the last tick")
OF_THE_SPHERE = ("sphere_", "wheel", "passive_")  # how the names of its channels begin
DRIVING = (float(State.ENGAGING), float(State.DRIVE))  # only then is there anything to freeze


def _asked(asked: Expr, state: Expr, lost: Expr, stopped: Expr) -> Any:
    """Where traction is lost, the stage freezes as well; what people ask for comes first.

    Where the guard has stopped the sphere's law, the stage aborts whatever is asked.
    """
    driving = ca.logic_or(state == DRIVING[0], state == DRIVING[1])
    wanted = ca.logic_and(ca.logic_and(asked == 0, lost > 0.5), driving)
    return ca.if_else(ca.ne(stopped, 0), float(Request.ABORT), ca.if_else(wanted, float(Request.FREEZE), asked))


ASK = Kernel(
    "atlas_ask",
    (Port("asked", (), "-"), Port("state_before", (), "-"), LOST, Port("sphere_stopped", (), "-")),
    (Port("asked_stage", (), "-"),),
    _asked,
)
FIRST_FAULT = Kernel(
    "atlas_fault",
    (Port("fault_stage", (), "-"), Port("sphere_fault", (), "-")),
    (Port("fault", (), "-", "of the sphere's law where the guard stopped that, else of the stage"),),
    lambda stage, sphere: ca.if_else(ca.ne(sphere, 0), sphere, stage),
)


@final
@dataclass(frozen=True, eq=False)
class AtlasLoop:
    """A platform with a sphere, under its control laws; to an executive it looks like the loop of its stage.

    Attributes:
        atlas: the platform
        stage: the loop of the hexapod below
        record_channels: names of the record's channels; the stage's come first
        point: which point of the sphere a host moves, by name, or "centre"
        ripple: whether the rollers' geometry acts
    """

    atlas: Atlas
    stage: ClosedLoop
    record_channels: tuple[str, ...] = ()
    point: str = CENTRE
    ripple: bool = True

    def __post_init__(self) -> None:
        _ = self.decoupling  # refuses a point that is not there

    @staticmethod
    def of(
        atlas: Atlas, stage: Hexapod, channels: tuple[str, ...] = (), law: Law | None = None, **options: Any
    ) -> AtlasLoop:
        """With the stage's own law, or one of somebody's own."""
        own = tuple(c for c in channels if not c.startswith(OF_THE_SPHERE))
        return AtlasLoop(atlas, ClosedLoop.of(stage, own, law), channels, **options)

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.stage.dt

    @property
    def law(self) -> Law:
        """Of the stage."""
        return self.stage.law

    @property
    def plant(self) -> Plant:
        """Of the stage."""
        return self.stage.plant

    @cached_property
    def sphere(self) -> SphereLoop:
        """What turns."""
        return SphereLoop(self.atlas, self.dt, self.ripple)

    @cached_property
    def decoupling(self) -> Decoupling:
        """Between a host's point and the two axes groups."""
        return Decoupling(self.atlas, self.point)

    @cached_property
    def parameters(self) -> Layout:
        """Of the stage's law, then of the sphere's."""
        return Layout((*self.law.parameters.ports, *self.sphere.parameters.ports))

    @cached_property
    def own_state(self) -> tuple[Port, ...]:
        """What goes from tick to tick besides the stage's state."""
        return (*self.sphere.state_ports, AXES, ANGLES, COUNT_BEFORE, A_STAGE, LOAD_SPHERE)

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """What goes from tick to tick."""
        return (*self.stage.state_ports, *self.own_state)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    # ---- the step ----

    @cached_property
    def mounted(self) -> Kernel:
        """Motion of the stage's platform -> acceleration of the sphere's mount, in W."""
        m = ca.DM(np.asarray(self.atlas.mount))

        def expr(Q: Expr, V: Expr, V_dot: Expr) -> Any:
            omega, v = V[:3], V[3:]
            at_mount = V_dot[3:] + ca.cross(omega, v) + ca.cross(V_dot[:3], m) + ca.cross(omega, ca.cross(omega, m))
            return R_quaternion(Q) @ at_mount

        return Kernel("atlas_mounted", (Port("Q_WP", 4, "-"), TWIST, TWIST_RATE), (next_of(A_STAGE),), expr)

    @cached_property
    def loaded(self) -> Kernel:
        """(Q_WP, load of the sphere, load from outside) -> load on the stage's platform, in its axes."""
        m = ca.DM(np.asarray(self.atlas.mount))

        def expr(Q: Expr, load: Expr, outside: Expr) -> Any:
            R = R_quaternion(Q)
            moment, force = R.T @ load[:3], R.T @ load[3:]
            return outside + ca.vertcat(moment + ca.cross(m, force), force)

        inputs = (Port("Q_WP", 4, "-"), LOAD_SPHERE, LOAD)
        return Kernel("atlas_loaded", inputs, (Port("load_all", 6, "-"),), expr)

    @cached_property
    def program(self) -> OldProgram:
        """(parameters, state, requests, generators, host, faults) -> state_next, outputs of both loops, record."""
        stage, sphere = self.stage.program, self.sphere
        parts = split(self.decoupling)

        def body(b: Body) -> None:
            settings, frame = b.local("settings_stage", (7, 16)), b.local("frame_stage", (3, 6))
            given, asked, load = b.local("turns_given", 7), b.local("asked_stage"), b.local("load_all", 6)
            b.call(parts, settings=b["settings"], host_frame=b["host_frame"], settings_stage=settings,
                   frame_stage=frame, turns_given=given)  # fmt: skip
            lost = b["sphere_x"][sphere.law.state.starts["lost"]]
            stopped = b["sphere_guard"][sphere.guard.state.starts["fault"]]
            b.call(ASK, asked=b["asked"], state_before=b["state_before"], lost=lost, sphere_stopped=stopped,
                   asked_stage=asked)  # fmt: skip
            b.call(self.loaded, Q_WP=b["Q_WP"], load_sphere=b["load_sphere"], load_P=b["load_P"], load_all=load)
            own = {"settings": settings, "host_frame": frame, "asked": asked, "load_P": load}
            own["parameters"] = b["parameters"][: self.law.parameters.size]
            ports = {p.name: own.get(p.name) or b[p.name] for p in stage.inputs}
            n = len(self.stage.record_channels)
            found = {p.name: b["record"][:n] if p.name == "record" else b[p.name] for p in stage.outputs}
            found["fault"] = b.local("fault_stage")
            b.call(stage, **ports, **found)
            b.call(self.mounted, Q_WP=b["Q_WP_next"], V_P=b["V_P_next"], V_dot_P=b["V_dot_P_next"],
                   a_stage_next=b["a_stage_next"])  # fmt: skip
            b.call(
                KEPT, version=b["generators_version"], version_before=b["version_before"], turns_given=given,
                turns=b["turns"], host_count=b["host_count"], count_before=b["count_before"],
                host_frame=b["host_frame"], angles=b["angles"], turns_next=b["turns_next"],
                angles_next=b["angles_next"], count_next=b["count_before_next"],
            )  # fmt: skip
            target = {p.name: b.local(p.name, p.shape) for p in TARGET.outputs}
            b.call(TARGET, state=b["state"], mode=b["mode_used"], generators=b["generators"], turns=b["turns_next"],
                   angles=b["angles_next"], age=b["host_age"], **target)  # fmt: skip
            self._turn(b, target)
            b.call(FIRST_FAULT, fault_stage=found["fault"], sphere_fault=b["sphere_fault"], fault=b["fault"])
            self._record(b)

        parameters = self.parameters.port("parameters", "may be changed at any tick")
        given = (parameters if p.name == "parameters" else p for p in stage.inputs)
        inputs = (*given, *self.own_state, *sphere.troubles)
        known = {next_of(p).name for p in self.own_state}
        outputs = (
            *(p for p in stage.outputs if p.name != "record"), *(next_of(p) for p in self.own_state),
            *(p for p in sphere.program.outputs if p.name not in known),
            *((Port("record", len(self.record_channels), "m, s, Pa, -", "a row"),) if self.record_channels else ()),
        )  # fmt: skip
        return OldProgram("atlas_loop", inputs, outputs, body, description=f"{self.atlas.name} under its control laws")

    def _turn(self, b: Body, target: dict[str, Reference]) -> None:
        """The sphere's own tick, and what it leaves for the stage's next one."""
        unit = self.sphere.program
        own = {**target, "sphere_parameters": b["parameters"][self.law.parameters.size :]}
        b.call(unit, **{p.name: own.get(p.name) or b[p.name] for p in (*unit.inputs, *unit.outputs)})
        b.copy(b["load_stage"], b["load_sphere_next"])

    def _record(self, b: Body) -> None:
        """After the stage's channels those of the sphere, and its warnings and its fault among the stage's."""
        names, n = self.record_channels, len(self.stage.record_channels)
        if not names:
            return
        row = sphere_row(names[n:], len(self.atlas.wheels), self.sphere.plant.motion.ports.passive)
        b.call(row, **{p.name: b[p.name] for p in row.inputs}, row=b["record"][n:])
        if "warning" in names:
            b.call(WARN, warning=b["warning"], **{p: b[p] for p in ("slips", "lost", "limited")},
                   shown=b["record"][names.index("warning")])  # fmt: skip
        if "fault" in names:
            b.copy(b["fault"], b["record"][names.index("fault")])

    # ---- a start ----

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest, down if no length is given, the sphere upright; the control laws are off."""
        ours = {p.name: np.zeros(p.dims) for p in self.own_state} | self.sphere.at_rest()
        return {**self.stage.at_rest(l), **ours}

    def quiet_inputs(self) -> dict[str, Any]:
        """Nobody asks, no host, no generators, no faults."""
        stage, sphere = self.stage.quiet_inputs(), self.sphere.quiet_inputs()
        numbers = np.concatenate([stage["parameters"], sphere["sphere_parameters"]])
        return {**stage, **{p.name: sphere[p.name] for p in self.sphere.troubles}, "parameters": numbers}
