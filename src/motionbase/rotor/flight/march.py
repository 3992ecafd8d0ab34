"""Rotors marched through whole revolutions on lanes: one flight condition, or eight at once, each with its pilot.

A step turns the shaft by a ninetieth of a revolution exactly, so that a steady flight repeats itself sample for sample.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Scan, scan
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.network.methods import Coefficients, first_steps
from motionbase.multibody.network.solved import JUDGED, lanes_solved
from motionbase.rotor.flight.flying import FIRST, Flying
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.trim.flight_program import FLIGHT, FLIGHT_FEEDBACK, SEEN, flight_program
from motionbase.rotor.trim.pilot import CONTROLS, PilotLaw, held_law

SAMPLES = 90  # a revolution
LANES = 8
FASTER = 10.0  # [m/s] by which the air may change in a revolution
TURNED = 0.1  # [rad] by which the shaft may
FITTED = 3  # times that the step is fitted to the shaft's turn; each leaves about 5e-4 of the error
RECORDED = (*SEEN, "pilot_next")


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """Samples at the end of every step; the lanes are the last axis.

    Attributes:
        t: (n,) [s]
        loads: (n, 6, lanes) force and moment of the air about the hub, in axes of the shaft that do not turn [N, N m]
        induced: (n, 3, lanes) speed downwards at the hub [m/s], slopes along x and y [1/s]
        psi, flap, lag, pitch: (n, blades, lanes) [rad]; azimuths lie between 0 and 2 pi
        controls: (n, 3, lanes) [rad]; those of the next step
        estimate: (n, 3, lanes) of the pilot
    """

    t: Array
    loads: Array
    induced: Array
    psi: Array
    flap: Array
    lag: Array
    pitch: Array
    controls: Array
    estimate: Array

    @property
    def measured(self) -> Array:
        """(lanes, 3) thrust [N] and first harmonics of flapping [rad]: means over samples of whole revolutions."""
        cos, sin = (np.mean(2 * self.flap * of(self.psi), axis=(0, 1)) for of in (np.cos, np.sin))
        return np.stack([self.loads[:, 2].mean(axis=0), cos, sin], axis=-1)

    def of(self, samples: slice, lanes: slice = slice(None)) -> Seen:
        """Some of them."""
        parts = (getattr(self, part.name)[samples] for part in fields(self))
        return Seen(*(x if x.ndim == 1 else x[..., lanes] for x in parts))


def joined(parts: Sequence[Seen]) -> Seen:
    """One after the other."""
    return Seen(*(np.concatenate([getattr(part, of.name) for part in parts]) for of in fields(Seen)))


@final
@dataclass(eq=False)
class March:
    """A rotor under way, on one lane or more.

    Attributes:
        t: [s]
        step: in which the integrator turns the shaft by a ninetieth of a revolution [s]; that is a few parts in ten
            thousand beside the ninetieth of 2 pi over its speed
        state: of the step, the lanes last
        law: by lane
        flight: (lanes, 2) airspeed [m/s] and angle of the shaft [rad]
    """

    rotor: RotorModel
    lanes: int = 1
    mode: Literal["strict", "fast"] = "strict"
    t: float = 0.0
    state: dict[str, Array] = field(default_factory=dict)
    law: Array = field(default_factory=lambda: np.empty(0))
    flight: Array = field(default_factory=lambda: np.empty(0))
    step: float = field(init=False)

    @classmethod
    def of(cls, rotor: RotorModel, lanes: int = 1, mode: Literal["strict", "fast"] = "strict") -> Self:
        """After the first steps, in still air, with a pilot who does nothing."""
        if lanes not in (1, LANES):
            raise ModelError(f"rotor {rotor.name!r}: {lanes} lanes are wanted, it can march on 1 or {LANES}")
        names = {setting.name for setting in rotor.settings}
        if missing := [name for name in (*CONTROLS, *FLIGHT) if name not in names]:
            raise ModelError(
                f"rotor {rotor.name!r} has no setting {missing[0]!r}; trim is for rotors in a wind tunnel with "
                "collective and cyclic pitch"
            )
        found = cls(rotor, lanes, mode)
        start = {name: np.asarray(value) for name, value in found.flying.network.start().ports().items()}
        start |= {"worst": np.zeros(2), "pilot": np.zeros(6)}
        found.state = {name: np.repeat(start[name][..., None], lanes, axis=-1) for name in FLIGHT_FEEDBACK}
        found.fly_by([held_law(rotor)] * lanes)
        found.flight = np.zeros((lanes, 2))
        for h, weights in first_steps(found.step, FIRST):
            found._steps(1, h, weights, found.flight[None])
        for _ in range(FITTED):
            psi = found.revolutions().psi[SAMPLES // 2 :, 0, 0]
            found.step *= math.tau / SAMPLES / np.diff(np.unwrap(psi)).mean()
        return found

    def __post_init__(self) -> None:
        self.step = math.tau / self.rotor.speed / SAMPLES

    @cached_property
    def flying(self) -> Flying:
        """The network, and where its blades are."""
        return Flying(self.rotor, self.rotor.network(self.step))

    @cached_property
    def loop(self) -> Scan:
        """Step and pilot in a native loop."""
        program = flight_program(self.flying)
        return scan(program, FLIGHT_FEEDBACK, per_step=["flight"], record=list(RECORDED), lanes=self.lanes,
                    mode=self.mode)  # fmt: skip

    def fly_by(self, laws: Sequence[Mapping[str, Array]]) -> None:
        """Change the law of each lane."""
        self.law = np.stack([PilotLaw.layout.vector(law) for law in laws], axis=-1)

    def set_controls(self, controls: ArrayLike) -> None:
        """(lanes, 3) at once [rad]; actuators follow at their own speed."""
        self.state["pilot"] = self.state["pilot"].copy()
        self.state["pilot"][:3] = np.broadcast_to(np.asarray(controls, dtype=np.float64), (self.lanes, 3)).T

    @property
    def controls(self) -> Array:
        """(lanes, 3) [rad]."""
        return np.array(self.state["pilot"][:3].T)

    def reach(self, flight: ArrayLike) -> None:
        """Change airspeed [m/s] and angle of the shaft [rad], (lanes, 2), over some revolutions."""
        begin = self.flight
        end = np.broadcast_to(np.asarray(flight, dtype=np.float64), (self.lanes, 2))
        for name, values in zip(FLIGHT, end.T, strict=True):
            own = next(setting for setting in self.rotor.flight if setting.name == name)
            outside = values[~((own.least <= values) & (values <= own.most))]
            if outside.size:
                raise ModelError(
                    f"rotor {self.rotor.name!r}: {name} is {outside[0]:.4g} {own.unit}, it must be between "
                    f"{own.least:.4g} and {own.most:.4g}"
                )
        count = math.ceil(np.abs((end - begin) / [FASTER, TURNED]).max())
        for k in range(count):
            part = (k + np.arange(1, SAMPLES + 1)[:, None, None] / SAMPLES) / count
            self._usual(SAMPLES, begin + part * (end - begin))
        self.flight = np.array(end)

    def revolutions(self, count: int = 1) -> Seen:
        """So many revolutions on."""
        flight = np.broadcast_to(self.flight, (SAMPLES, *self.flight.shape))
        return joined([self._usual(SAMPLES, flight) for _ in range(count)])

    def watched(self) -> tuple[Seen, Array]:
        """One revolution on, and (n, nodes, 25, lanes) the nodes at the end of each step."""
        seen, nodes = [], []
        for _ in range(SAMPLES):
            seen.append(self._usual(1, self.flight[None]))
            nodes.append(self.state["one"])
        return joined(seen), np.stack(nodes)

    def settle(self, tolerance: float = 1e-8, most: int = 150) -> tuple[Seen, Array]:
        """Go on until every lane repeats itself; the last revolution, and its `wave_change`."""
        seen, changed = self.revolutions(2).of(slice(SAMPLES, None)), np.full(self.lanes, np.inf)
        for _ in range(most):
            now = self.revolutions()
            changed, seen = self.wave_change(seen, now), now
            if np.all(changed < tolerance):
                break
        return seen, changed

    def wave_change(self, before: Seen, after: Seen) -> Array:
        """(lanes,) largest change between samples of two revolutions.

        It is taken over flap, lag and pitch [rad], induced speed over tip speed, and the loads over a hundredth of
        density times disk area times squared tip speed, moments also over the radius.
        """
        return np.asarray(np.abs(self._wave(after) - self._wave(before)).max(axis=(0, 1)))

    def _wave(self, seen: Seen) -> Array:
        """(n, k, lanes) what repeats itself."""
        planform = self.rotor.planform
        scale = planform.density * math.pi * planform.radius**2 * planform.tip_speed**2 / 100
        loads = seen.loads / scale / np.repeat([1.0, planform.radius], 3)[:, None]
        return np.concatenate(
            [seen.flap, seen.lag, seen.pitch, seen.induced[:, :1] / planform.tip_speed, loads], axis=1
        )

    def _usual(self, count: int, flight: Array) -> Seen:
        return self._steps(count, self.step, self.flying.network.method.weights(1.0), flight)

    def _steps(self, count: int, h: float, weights: Coefficients, flight: Array) -> Seen:
        """So many steps of one length; flight is (count, lanes, 2)."""
        given: dict[str, Any] = {
            **self.state,
            "worst": np.zeros_like(self.state["worst"]),
            "weights": np.repeat(weights.row(h)[:, None], self.lanes, axis=-1),
            "law": self.law,
            "flight": np.ascontiguousarray(np.swapaxes(flight, 1, 2)),
        }
        if self.lanes == 1:
            given = {name: np.ascontiguousarray(value[..., 0]) for name, value in given.items()}
        out = self.loop(count, **given)
        if self.lanes == 1:
            out = {name: np.asarray(value)[..., None] for name, value in out.items()}
        self._check(out, count * h, flight[-1])
        self.state, self.t = {name: out[name] for name in FLIGHT_FEEDBACK}, self.t + count * h
        told, pilot = {name: out[name] for name in SEEN}, out["pilot_next"]
        t = np.asarray(self.t + h * np.arange(1 - count, 1))
        return Seen(t=t, **told, controls=pilot[:, :3], estimate=pilot[:, 3:])

    def _check(self, out: Mapping[str, Array], length: float, flight: Array) -> None:
        residual = np.asarray(out["worst"])[0]
        after = {name: np.asarray(out[name]) for name in JUDGED}
        for lane in np.flatnonzero(~lanes_solved(residual, self.state, after)):
            V, angle = flight[lane]
            raise SimulationError(
                f"rotor {self.rotor.name!r}: a step between t = {self.t:.4g} and {self.t + length:.4g} s, at "
                f"{V:.3g} m/s with the shaft at {math.degrees(angle):.3g} deg, was not solved (residual "
                f"{residual[lane]:.3g}); change flight or controls more slowly, or start nearer"
            )
