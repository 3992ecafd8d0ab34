"""A sphere on wheels and the stage below, closed to one step: the stage's loop, then the sphere's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Layout, Port, Program
from motionbase.compile.struct import MIXED
from motionbase.control.own_law import Law
from motionbase.control.sphere.demand import ANGLES, AXES, demanded, split, turning_of
from motionbase.plant.motion import next_of
from motionbase.plant.plant import Plant
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.decoupling import CENTRE, Decoupling
from motionbase.platform.hexapod import Hexapod
from motionbase.record.faults import SphereWarningBit
from motionbase.record.states import Request, State
from motionbase.spatial.rotations import Expr, R_quaternion, euler_zyx
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.values import Values, called

A_STAGE = Port("a_stage", 3, "m/s^2", "acceleration of the sphere's mount after the last tick, in W")
LOAD_SPHERE = Port("load_sphere", 6, "-", "moment [N m] and force [N] of the sphere on the stage, at its mount, in W")
COUNT_BEFORE = Port("count_before", (), "-", "host frames taken after the last tick")
OF_A_WHEEL = {  # suffix of a wheel's channel name -> port
    "speed": "omega_wheel", "torque": "tau_motor", "normal": "N_wheel", "force": "f_contact", "slip": "slip",
    "slip_hat": "slip_hat", "grip": "grip",
}  # fmt: skip
OF_THE_SPHERE = ("sphere_", "wheel", "passive_")  # prefixes of the sphere's channel names
DRIVING = (float(State.ENGAGING), float(State.DRIVE))  # only in these states is there anything to freeze


def asked_of_stage(asked: Expr, state: Expr, lost: Expr, stopped: Expr) -> Expr:
    """Request to the stage: after a loss of traction it freezes as well, unless users request something else.

    If the guard has stopped the sphere's law, the stage aborts regardless of requests.
    """
    driving = ca.logic_or(state == DRIVING[0], state == DRIVING[1])
    wanted = ca.logic_and(ca.logic_and(asked == 0, lost > 0.5), driving)
    return ca.if_else(ca.ne(stopped, 0), float(Request.ABORT), ca.if_else(wanted, float(Request.FREEZE), asked))


def mount_acceleration(mount: ca.DM, Q: Expr, V: Expr, V_dot: Expr) -> Expr:
    """Acceleration of a point of the stage's platform, in W [m/s^2], from its orientation, twist and twist rate."""
    omega, v = V[:3], V[3:]
    at_mount = V_dot[3:] + ca.cross(omega, v) + ca.cross(V_dot[:3], mount) + ca.cross(omega, ca.cross(omega, mount))
    return R_quaternion(Q) @ at_mount


def load_on_platform(mount: ca.DM, Q: Expr, load: Expr) -> Expr:
    """Moment and force in W at a point of the stage's platform, as a load on the platform in its own axes."""
    R = R_quaternion(Q)
    moment, force = R.T @ load[:3], R.T @ load[3:]
    return ca.vertcat(moment + ca.cross(mount, force), force)


def sphere_row(known: Values, channels: tuple[str, ...]) -> list[Expr]:
    """The numbers of these channels, in their order, from the values of the loop's ports by name."""
    R, N = R_quaternion(known.Q_WS), known.N_passive
    found: dict[str, Expr] = {"sphere_error": ca.sqrt(ca.sumsqr(known.error))}
    vectors = {
        ("sphere_q_", "wxyz"): known.Q_WS, ("sphere_ref_q_", "wxyz"): known.Q_ref,
        ("sphere_omega_", "xyz"): R @ known.omega_S, ("sphere_ref_omega_", "xyz"): known.omega_ref,
        ("sphere_shift_", "xyz"): known.d_C, ("sphere_", ("roll", "pitch", "yaw")): euler_zyx(R),
    }  # fmt: skip
    for (name, parts), vector in vectors.items():
        found |= {f"{name}{part}": vector[k] for k, part in enumerate(parts)}
    found["passive_normal_min"], found["passive_normal_max"] = ca.mmin(N), ca.mmax(N)
    for word, port in OF_A_WHEEL.items():
        found |= {f"wheel{k + 1}_{word}": value for k, value in enumerate(ca.vertsplit(getattr(known, port)))}
    return [found[name] for name in channels]


def sphere_warnings(known: Values) -> Expr:
    """Warning bits, those of the stage first."""
    slips, lost, limited = SphereWarningBit
    return known.warning + slips.value * known.slips + lost.value * known.lost + limited.value * known.limited


@final
@dataclass(frozen=True, eq=False)
class AtlasLoop:
    """A platform with a sphere under its control laws; an executive sees the same interface as for its stage alone.

    Attributes:
        atlas: the platform
        stage: the loop of the hexapod below
        record_channels: names of the record's channels; the stage's come first
        point: the point of the sphere that a host moves, by name, or "centre"
        ripple: whether the rollers' geometry is modelled
    """

    atlas: Atlas
    stage: ClosedLoop
    record_channels: tuple[str, ...] = ()
    point: str = CENTRE
    ripple: bool = True

    def __post_init__(self) -> None:
        _ = self.decoupling  # refuses an unknown point

    @staticmethod
    def of(
        atlas: Atlas, stage: Hexapod, channels: tuple[str, ...] = (), law: Law | None = None, **options: Any
    ) -> AtlasLoop:
        """With the stage's own law, or with a user law."""
        own = tuple(c for c in channels if not c.startswith(OF_THE_SPHERE))
        return AtlasLoop(atlas, ClosedLoop.of(stage, own, law), channels, **options)

    @property
    def dt(self) -> float:
        """Period of a tick [s]."""
        return self.stage.dt

    @property
    def law(self) -> Law:
        """The law of the stage."""
        return self.stage.law

    @property
    def hexapod(self) -> Hexapod:
        """The stage."""
        return self.stage.hexapod

    @property
    def plant(self) -> Plant:
        """The plant of the stage."""
        return self.stage.plant

    @cached_property
    def sphere(self) -> SphereLoop:
        """The loop of the sphere."""
        return SphereLoop(self.atlas, self.dt, self.ripple)

    @cached_property
    def decoupling(self) -> Decoupling:
        """Split of the host's motion between stage and sphere."""
        return Decoupling(self.atlas, self.point)

    @cached_property
    def parameters(self) -> Layout:
        """Parameters of the stage's law, then of the sphere's."""
        return Layout((*self.law.parameters.ports, *self.sphere.parameters.ports))

    @cached_property
    def own_state(self) -> tuple[Port, ...]:
        """State between ticks besides the stage's state."""
        return (*self.sphere.state_ports, AXES, ANGLES, COUNT_BEFORE, A_STAGE, LOAD_SPHERE)

    @property
    def state_ports(self) -> tuple[Port, ...]:
        """State between ticks."""
        return (*self.stage.state_ports, *self.own_state)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    # ---- the step ----

    @cached_property
    def program(self) -> Program:
        """(parameters, state, requests, generators, host, faults) -> state_next, outputs of both loops, record."""
        inputs, outputs, mount = self._inputs, self._outputs, ca.DM(np.asarray(self.atlas.mount))
        first, fault_at = self.law.parameters.size, self.sphere.guard.state.starts["fault"]

        def expr(*values: Any) -> Any:
            x = Values.of(inputs, values)
            settings, frame, turns = split(self.decoupling, x.settings, x.host_frame)
            asked = asked_of_stage(x.asked, x.state_before, x.sphere_x.lost, x.sphere_guard[fault_at])
            load = x.load_P + load_on_platform(mount, x.Q_WP, x.load_sphere)
            stage = called(
                self.stage.program, x, parameters=x.parameters[:first], settings=settings, host_frame=frame,
                asked=asked, load_P=load,
            )  # fmt: skip
            turns = ca.if_else(stage.generators_version != x.version_before, turns, x.turns)
            angles = turning_of(x.host_frame, x.host_count != x.count_before, x.angles)
            follow, on, target = demanded(stage.state, stage.mode_used, stage.generators, turns, angles, stage.host_age)
            a_stage = mount_acceleration(mount, stage.Q_WP_next, stage.V_P_next, stage.V_dot_P_next)
            sphere = called(
                self.sphere.program, x, sphere_parameters=x.parameters[first:], follow=follow, on=on,
                Q_target=target.Q, omega_target=target.omega, alpha_target=target.alpha, a_stage_next=a_stage,
            )  # fmt: skip
            found = x.also(
                stage, sphere, turns_next=turns, angles_next=angles, count_before_next=x.host_count,
                a_stage_next=a_stage, load_sphere_next=sphere.load_stage,
                fault=ca.if_else(ca.ne(sphere.sphere_fault, 0), sphere.sphere_fault, stage.fault),
            )  # fmt: skip
            return found.also(record=self._record(found)).to(outputs)

        return Program("atlas_loop", inputs, outputs, expr, f"{self.atlas.name} under its control laws")

    @property
    def _inputs(self) -> tuple[Port, ...]:
        """Inputs of the stage with the parameters of both, then those of the sphere."""
        parameters = Port("parameters", self.parameters.size, MIXED, "may be changed at any tick")
        given = (parameters if p.name == "parameters" else p for p in self.stage.program.inputs)
        return (*given, *self.own_state, *self.sphere.troubles)

    @property
    def _outputs(self) -> tuple[Port, ...]:
        """Outputs of the stage, the sphere's state, its other outputs, and one record of both."""
        record = (Port("record", len(self.record_channels), "m, s, Pa, -", "a row"),) if self.record_channels else ()
        stage = (p for p in self.stage.program.outputs if p.name != "record")
        sphere = {p.name: p for p in self.sphere.program.outputs}
        after = {n.name: sphere.get(n.name, n) for n in map(next_of, self.own_state)}
        return (*stage, *after.values(), *(p for name, p in sphere.items() if name not in after), *record)

    def _record(self, known: Values) -> Expr:
        """The stage's channels, then those of the sphere; its warnings and fault are merged with the stage's."""
        names, n = self.record_channels, len(self.stage.record_channels)
        row = [*(ca.vertsplit(known.record) if n else ()), *sphere_row(known, names[n:])]
        changed = {"warning": sphere_warnings(known), "fault": known.fault}
        return ca.vertcat(*(changed.get(name, value) for name, value in zip(names, row, strict=True)))

    # ---- a start ----

    def at_rest(self, l: float | None = None) -> dict[str, Any]:
        """State at rest, down by default, the sphere upright; the control laws are off."""
        ours = {p.name: np.zeros(p.dims) for p in self.own_state} | self.sphere.at_rest()
        return {**self.stage.at_rest(l), **ours}

    def quiet_inputs(self) -> dict[str, Any]:
        """Inputs without requests, host, generators or faults."""
        stage, sphere = self.stage.quiet_inputs(), self.sphere.quiet_inputs()
        numbers = np.concatenate([stage["parameters"], sphere["sphere_parameters"]])
        return {**stage, **{p.name: sphere[p.name] for p in self.sphere.troubles}, "parameters": numbers}
