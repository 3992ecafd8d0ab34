"""One tick of the control law, step by step, over the places of its ports."""

from __future__ import annotations

from typing import final

import numpy as np

from motionbase.compile import Body, Unit
from motionbase.compile.reference import Reference
from motionbase.control import supervision as own
from motionbase.control.agreement import agreement_of
from motionbase.control.bounds import IS_DRIVEN, TUNED, bounds
from motionbase.control.fields import Fields
from motionbase.control.generators import GENERATORS
from motionbase.control.geometry import felt_of, pose_down
from motionbase.control.latch import FAULT_LATCH, FRESH
from motionbase.control.leg_control import LegControl
from motionbase.control.limits import LIMITED, WITHIN
from motionbase.control.propagator import PROPAGATOR
from motionbase.control.states import STATE_STEP
from motionbase.control.supervision import TIMES
from motionbase.control.supply_lines import supply_lines
from motionbase.control.trajectory import base_trajectory
from motionbase.control.watchdogs import RATE_OF, THRESHOLDS, leg_watchdog
from motionbase.platform.hexapod import Hexapod


@final
class Tick:
    """Describes one tick of a control law in the words of a program; the units it calls are made once."""

    def __init__(
        self,
        platform: Hexapod,
        legs: LegControl,
        parameters: Fields,
        state: Fields,
        dt: float,
        forward: Unit,
        inverse: Unit,
        force: Unit,
        demands: Unit | None = None,
    ) -> None:
        stroke = platform.stroke
        self.parameters, self.fields, self.period, self.leg_control = parameters, state, dt, legs
        self.forward, self.inverse, self.force = forward, inverse, force
        self.demands = demands  # in place of the two, where they are of one make
        self.feeling = felt_of(platform)
        self.agreement = agreement_of(platform)
        self.watchdog = leg_watchdog(legs.actuation, legs.areas, stroke.hard_min, stroke.hard_max)
        self.flags, self.shut_off = own.flags(platform.l_down), own.shut_off(legs.brakes)
        self.base, self.bounds = base_trajectory(pose_down(platform)), bounds(platform)
        self.supply_lines = supply_lines(legs.p_supply)

    def describe(self, b: Body) -> None:
        """What the motion base does in a tick, in order."""
        self.b, self.dt = b, b.constant("dt", self.period)
        one = b.constant("one", 1.0)
        self._take_mode()
        self._watch_legs()
        self._watch_lines()
        self._measure_pose()
        self._compare_rates()
        self._propagate_host()
        self._choose_state()
        self._take_limits()
        self._make_trajectory()
        self._limit_dof()
        self._limit_legs()
        self._command_valves()
        b.copy(one, self.after("started"))

    # ---- places -----------------------------------------------------------------------------------------------------

    def param(self, name: str) -> Reference:
        return self.parameters.place(self.b["parameters"], name)

    def before(self, name: str) -> Reference:
        return self.fields.place(self.b["x"], name)

    def after(self, name: str) -> Reference:
        return self.fields.place(self.b["x_next"], name)

    def now(self, name: str) -> Reference:
        """A buffer of its own for a part of the state that cases of a switch write, copied when it is complete.

        On lanes a case saves every buffer it writes, whole: the state vector would cost more than the case.
        """
        return self.b.local(f"{name}_now", self.fields.field(name).shape)

    def params(self, *names: str) -> dict[str, Reference]:
        return {name: self.param(name) for name in names}

    # ---- steps ------------------------------------------------------------------------------------------------------

    def _take_mode(self) -> None:
        b, self.mode = self.b, self.after("mode")
        b.call(own.MODE, state=self.before("state"), before=self.before("mode"), mode=b["mode"], mode_used=self.mode)
        b.copy(self.mode, b["mode_used"])

    def _watch_legs(self) -> None:
        b = self.b
        self.codes, self.blocks, self.shuts = b.local("codes", 6), b.local("blocks", 6), b.local("shuts", 6)
        started, self.fresh = self.before("started"), b.local("fresh")
        b.call(FRESH, started=started, state=self.before("state"), reset=b["reset"], fresh=self.fresh)
        driven, watch, leg_state = b.local("driven"), self.after("watch"), self.before("leg_state")
        b.call(IS_DRIVEN, state=self.before("state"), driven=driven)
        with b.loop(6) as k:
            b.call(
                self.watchdog, **self.params(*(t.name for t in THRESHOLDS)), dt=self.dt, watch=self.before("watch")[k],
                fresh=self.fresh, quiet=self.before("quiet"), driven=driven,
                disagreement=self.before("agreement")[k, 0], free=self.before("agreement")[k, 2],
                gyros_wrong=self.before("agreement")[k, 3],
                l_cmd=self.before("l_cmd")[k],
                l_dot_cmd=self.before("leg_before")[k, 1], valve_cmd=leg_state[k, self.leg_control.command],
                l=b["l_meas"][k], l_dot=b["l_dot_meas"][k], l_ddot=b["l_ddot_meas"][k],
                p_cap=b["p_cap"][k], p_rod=b["p_rod"][k], valve_meas=b["valve_meas"][k],
                f=b["f_meas"][k], f_needed=self.before("f_needed")[k],
                f_beyond=self.before("f_beyond")[k],
                watch_next=watch[k], code=self.codes[k], blocks=self.blocks[k], shuts=self.shuts[k],
            )  # fmt: skip
        self.l = b.local("l", 6)
        with b.loop(6) as k:
            b.copy(watch[k, 0], self.l[k])

    def _watch_lines(self) -> None:
        b, self.lines = self.b, {p.name: self.b.local(p.name) for p in self.supply_lines.outputs[1:]}
        b.call(
            self.supply_lines, **self.params("supply_time"), dt=self.dt, lines=self.before("lines"),
            p_supply=b["p_supply"], p_return=b["p_return"], lines_next=self.after("lines"), **self.lines,
        )  # fmt: skip

    def _measure_pose(self) -> None:
        b = self.b
        self.converged = b.local("converged")
        pose = self.after("pose_meas")
        b.call(self.forward, l=self.l, dof_start=self.before("pose_meas"), dof=pose, converged=self.converged)
        b.copy(pose, b["pose_meas"])

    def _compare_rates(self) -> None:
        b, watch = self.b, self.after("watch")
        l_dot, apart, doubted = (b.local(name, 6) for name in ("l_dot", "apart", "doubted"))
        with b.loop(6) as k:
            b.call(RATE_OF, watch=watch[k], l_dot=l_dot[k], apart=apart[k], doubted=doubted[k])
        b.call(
            self.agreement, **self.params("drift_corner"), dt=self.dt, before=self.before("agreement"),
            fresh=self.fresh, dof=self.after("pose_meas"), l_dot=l_dot, omega=b["omega"], apart=apart,
            doubted=doubted, after=self.after("agreement"),
        )  # fmt: skip

    def _propagate_host(self) -> None:
        b = self.b
        self.host, self.refused, self.within = b.local("host_motion", (6, 3)), b.local("refused"), b.local("within")
        hosted = b.local("hosted")
        b.call(own.HOSTED, mode=self.mode, hosted=hosted)
        b.call(
            PROPAGATOR, dt=self.dt, followed=hosted, horizon=self.param("host_horizon"), least=self.param("host_stop"),
            **self.params("dof_position", "dof_velocity", "dof_acceleration"), held=self.before("held"),
            bridge=self.before("bridge"),
            count_held=self.before("count_held"), age=self.before("age"), period=self.before("period"),
            host_count=b["host_count"], host_frame=b["host_frame"], count_next=self.after("count_held"),
            age_next=self.after("age"), period_next=self.after("period"), refused=self.refused,
            held_next=self.after("held"), bridge_next=self.after("bridge"), motion=self.host,
        )  # fmt: skip
        b.copy(self.after("held"), b["host"])
        b.copy(self.after("age"), b["host_age"])
        self.host_legs = b.local("host_legs", (6, 3))
        with b.switch(hosted) as choice:
            with choice.case(1):
                b.call(WITHIN, **self.params("dof_velocity", "dof_position"), motion=self.host, within=self.within)
                b.call(self.inverse, motion=self.host, legs=self.host_legs)
            with choice.default():  # nobody asks
                b.copy(b.constant("not_within", 0.0), self.within)
                b.copy(b.constant("no_host_legs", np.zeros(18)), self.host_legs)

    def _choose_state(self) -> None:
        b, before, after = self.b, self.before, self.after
        found = {name.name: b.local(name.name) for name in self.flags.outputs}
        self.outside = found["outside"]
        b.call(
            self.flags, **self.params(*(t.name for t in TIMES), "l_min", "l_max", "p_min"), dt=self.dt,
            state=before("state"), ticks=before("ticks"), duration=before("duration"), active=before("active"),
            l_cmd=before("l_cmd"), l=self.l, codes=self.codes, converged=self.converged, mode=self.mode,
            age=after("age"), count=after("count_held"), within=self.within, host_legs=self.host_legs,
            p_supply=b["p_supply"], lines_good=self.lines["lines_good"], **found,
        )  # fmt: skip
        stop, movable, fault = b.local("stop"), b.local("movable"), b.local("fault_now")
        self.closes = b.local("closes", 6)
        b.call(
            FAULT_LATCH, **self.params("p_min", "supply_time"), dt=self.dt, latch=before("latch"),
            state=before("state"), quiet=before("quiet"), request=b["request"], estop=b["estop"], reset=b["reset"],
            p_supply=b["p_supply"], lines_lost=self.lines["lines_lost"],
            converged=self.converged, expired=found["expired"], codes=self.codes, blocks=self.blocks, shuts=self.shuts,
            latch_next=after("latch"), fault=fault, stop=stop, movable=movable, closes=self.closes,
        )  # fmt: skip
        self.state, self.entered, self.source = after("state"), b.local("entered"), b.local("source_now")
        self.quiet, self.time = after("quiet"), b.local("time")
        told = {name: place for name, place in found.items() if name != "outside"}
        b.call(
            STATE_STEP, dt=self.dt, state=before("state"), ticks=before("ticks"), request=b["request"], stop=stop,
            movable=movable, **told, state_next=self.state, entered=self.entered, ticks_next=after("ticks"),
            time_in_state=self.time, source=self.source, quiet=self.quiet,
        )  # fmt: skip
        b.call(
            self.shut_off, **self.params("shut_time"), dt=self.dt, before=before("abort"), latch=after("latch"),
            quiet=self.quiet, abort=b["abort"],
        )  # fmt: skip
        b.copy(b["abort"], after("abort"))
        for place, port in (
            (self.state, "state"),
            (self.time, "time_in_state"),
            (self.source, "source"),
            (fault, "fault"),
        ):
            b.copy(place, b[port])

    def _take_limits(self) -> None:
        self.limits = {p.name: self.b.local(p.name, p.dims) for p in self.bounds.outputs}
        self.b.call(self.bounds, **self.params(*(p.name for p in TUNED)), state=self.state, **self.limits)

    def _make_trajectory(self) -> None:
        b, before, after = self.b, self.before, self.after
        drive, base, self.total = b.local("drive", (12, 3)), b.local("base", (12, 3)), b.local("total", (12, 3))
        b.call(own.DRIVE_MOTION, mode=self.mode, host=self.host, drive=drive)
        parts = self.params("move_velocity", "move_acceleration", "abort_velocity", "abort_acceleration")
        given = {name: self.limits[name] for name in ("least", "velocity", "acceleration")} | parts
        given |= {name: before(name) for name in ("limited", "added", "sums")} | {"drive": drive, "state": self.state}
        b.call(
            self.base, **given, entered=self.entered, source=self.source,
            time_in_state=self.time, pose_meas=after("pose_meas"), plan=before("plan"), duration=before("duration"),
            plan_next=after("plan"), duration_next=after("duration"), base=base, blend=b["blend"],
        )  # fmt: skip
        self._run_generators()
        b.call(own.ADD, first=base, second=after("sums"), total=self.total)
        b.copy(self.total[:6], b["cmd"])

    def _run_generators(self) -> None:
        b, before, after = self.b, self.before, self.after
        begins, t, live = b.local("begins"), b.local("t"), after("live")
        b.call(
            own.GENERATOR_CLOCK, dt=self.dt, state=self.state, entered=self.entered, live=before("live"),
            ticks=before("generator_ticks"), stop=before("generator_stop"), begins=begins, live_next=live,
            ticks_next=after("generator_ticks"), t=t, stop_next=after("generator_stop"),
        )  # fmt: skip
        settings, version = self.now("settings"), b["generators_version"]
        b.copy(before("settings"), settings)
        b.copy(before("version"), version)
        with b.switch(begins) as latch, latch.case(1):
            b.copy(b["settings"], settings)
            b.copy(b["settings_version"], version)
        b.copy(settings, after("settings"))
        b.copy(version, after("version"))
        active = b.local("active_now")
        b.copy(b.constant("no_outputs", np.zeros(b["generators"].size)), b["generators"])
        b.copy(b.constant("no_sums", np.zeros(b["generator_sums"].size)), b["generator_sums"])
        b.copy(b.constant("inactive", 0.0), active)
        with b.switch(live) as running, running.case(1):
            b.call(
                GENERATORS, fade_least=self.param("fade_least"), settings=settings, t=t, stop=after("generator_stop"),
                outputs=b["generators"], sums=b["generator_sums"], active=active,
            )  # fmt: skip
        b.copy(b["generator_sums"], after("sums"))
        b.copy(active, after("active"))

    def _limit_dof(self) -> None:
        b, before, after = self.b, self.before, self.after
        limits = self.limits
        self.dof_acts, limited, dof_after = b.local("dof_acts", 6), self.now("limited"), self.now("dof_before")
        b.copy(self.total, limited)
        with b.switch(self.quiet) as quiet:
            with quiet.case(1):
                b.copy(b.constant("no_dof_acts", np.zeros(6)), self.dof_acts)
                with b.loop(6) as k:
                    b.call(own.REST, motion=self.total[k], after=dof_after[k])
            with quiet.default(), b.loop(6) as k:
                a = limits["acceleration"][k]
                b.call(
                    LIMITED, dt=self.dt, **self.params("jerk_time"), x_min=limits["x_min"][k],
                    x_max=limits["x_max"][k], v_max=limits["velocity"][k], a_max=a, a_chase=limits["chase"][k],
                    a_brake=a,
                    before=before("dof_before")[k], target=self.total[k], after=dof_after[k],
                    motion=limited[k], acts=self.dof_acts[k],
                )  # fmt: skip
        b.copy(limited, after("limited"))
        b.copy(dof_after, after("dof_before"))
        decay = b.local("decay")
        b.call(own.DECAY, estimator=self.param("estimator"), dt=self.dt, decay=decay)
        with b.loop(6) as k:
            b.call(
                own.ESTIMATE, decay=decay, dt=self.dt, before=before("pose_hat")[k],
                fresh=self.fresh, measured=after("pose_meas")[k], a=limited[k, 2], after=after("pose_hat")[k],
            )  # fmt: skip
        b.copy(after("pose_hat"), b["pose_hat"])

    def _limit_legs(self) -> None:
        b, before, after = self.b, self.before, self.after
        limited, wanted, target = after("limited"), b.local("wanted_legs", (6, 3)), b.local("leg_target", 3)
        self.legs, leg_acts, leg_after = b.local("legs", (6, 3)), b.local("leg_acts", 6), self.now("leg_before")
        turning, self.felt = after("turning"), b.local("l_ddot_felt", 6)
        added, limits = self.now("added"), self.limits
        b.call(
            own.TURNING, **self.params("turn_corner"), dt=self.dt, before=before("turning"), fresh=self.fresh,
            omega=b["omega"], after=turning,
        )  # fmt: skip
        platform = {"motion": limited[:6], "acc": b["acc"], "alpha": turning[3:]}
        felt = {"l_ddot_felt": self.felt, "f_beyond": after("f_beyond")}
        if self.demands:
            b.call(self.demands, **platform, legs=wanted, f_ff=b["f_ff"], **felt)
        else:
            b.call(self.inverse, motion=limited[:6], legs=wanted)
            b.call(self.force, motion=limited[:6], f_ff=b["f_ff"])
            b.call(self.feeling, **platform, **felt)
        b.copy(b["f_ff"], after("f_needed"))
        with b.switch(self.quiet) as quiet:
            with quiet.case(1):
                b.copy(b.constant("no_leg_acts", np.zeros(6)), leg_acts)
                b.copy(b.constant("nothing_added", np.zeros(18)), added)
                with b.loop(6) as k:
                    b.call(own.LEG_REST, l=self.l[k], after=leg_after[k], motion=self.legs[k])
            with quiet.default(), b.loop(6) as k:
                a = limits["acceleration"][k + 6]
                b.call(own.ADD_LEG, first=wanted[k], second=limited[k + 6], total=target)
                b.call(
                    LIMITED, dt=self.dt, **self.params("jerk_time"), x_min=limits["l_least"], x_max=self.param("l_max"),
                    v_max=limits["velocity"][k + 6], a_max=a, a_chase=a, a_brake=self.param("leg_braking"),
                    before=before("leg_before")[k], target=target,
                    after=leg_after[k], motion=self.legs[k], acts=leg_acts[k],
                )  # fmt: skip
                given = {"acts": leg_acts[k], "asked": limited[k + 6], "wanted": wanted[k], "got": self.legs[k]}
                b.call(own.LEG_GOT, **given, added=added[k])
        b.copy(added, after("added"))
        b.copy(leg_after, after("leg_before"))
        b.call(own.FIRST, rows=self.legs, first=after("l_cmd"))
        b.copy(self.legs, b["legs_cmd"])
        b.call(
            own.WARN, horizon=self.param("host_horizon"), mode=self.mode, age=after("age"), refused=self.refused,
            outside=self.outside, dof_acts=self.dof_acts, leg_acts=leg_acts,
            gyros_wrong=self.after("agreement")[0, 3], warning=b["warning"],
        )  # fmt: skip

    def _command_valves(self) -> None:
        b, legs = self.b, self.leg_control
        watch, lines = self.after("watch"), self.after("lines")
        l_ddot, closed = b.local("l_ddot_fused"), b.local("closed")
        with b.loop(6) as k:
            b.call(own.EITHER, a=self.quiet, b=self.closes[k], a_or_b=closed)
            felt = {"l_ddot": watch[k, 2], "l_ddot_felt": self.felt[k]}
            b.call(own.FUSED, **self.params("felt_share"), **felt, l_ddot_fused=l_ddot)
            known = {
                **self.params(*(g.name for g in legs.gains)), "dt": self.dt, "leg_state": self.before("leg_state")[k],
                "reference": self.legs[k], "f_ff": b["f_ff"][k], "quiet": closed, "l": watch[k, 0],
                "l_dot": watch[k, 1], "l_ddot": l_ddot, "p_cap": watch[k, 3], "p_rod": watch[k, 4],
                "p_supply": lines[0], "p_return": lines[1],
            }  # fmt: skip
            b.call(
                legs.kernel, **{p.name: known[p.name] for p in legs.kernel.inputs},
                leg_state_next=self.after("leg_state")[k], valve_cmd=b["valve_cmd"][k], u_ff=b["u_ff"][k],
                u_fb=b["u_fb"][k],
            )  # fmt: skip
