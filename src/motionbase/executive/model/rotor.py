"""A rotor in a run: controls and flight that operators or another process set, loads in the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Program
from motionbase.executive.model.frames import Form, of_controls
from motionbase.executive.model.observe import observe_motion
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.plant import AbstractPlant, Settling
from motionbase.executive.model.rotor_law import SHOWN, command, inputs_at_start
from motionbase.executive.model.tail import ABOUT_TAIL, START, Partner
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.multibody.scene import axes_of, scene_of
from motionbase.record.model import SETTINGS, Shown, reserved_names, rotor_schema
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.schema import Schema
from motionbase.rotor.running.operated import OperatedRotor


@final
@dataclass(frozen=True, eq=False)
class Rotor(AbstractPlant):
    """From its start, at full speed; `partner`: its tail rotor, which is a run of its own."""

    rotor: OperatedRotor
    partner: Partner | None = None

    @property
    def name(self) -> str:
        """The rotor's, whatever its model is called."""
        return self.rotor.name

    @property
    def model(self) -> Model:
        """Of blades, hub and swashplate."""
        return self.rotor.model

    @property
    def form(self) -> Form:
        """States and settings of controls."""
        return of_controls(len(self.rotor.controls), len(self.rotor.outputs))

    @property
    def sentence(self) -> str:
        """Its speed and its controls."""
        return f"{self.rotor.speed:.4g} rad/s, controls {', '.join(one.name for one in self.rotor.controls)}"

    @cached_property
    def parameters(self) -> ParameterTable:
        """Set points of controls and flight."""
        listed = (Parameter(s.name, s.unit, s.about, (s.start,), (s.least,), (s.most,)) for s in self.rotor.settings)
        return ParameterTable(f"controls of {self.rotor.name}", tuple(listed))

    @cached_property
    def schema(self) -> Schema:
        """With settings and outputs."""
        bodies = [body.name for body in self.model.bodies]
        return rotor_schema(self.rotor.name, axes_of(self.model), bodies, *self._shown)

    @property
    def _shown(self) -> tuple[list[Shown], list[Shown], list[Shown]]:
        """Settings, outputs and what acts, as the record has them."""
        rotor = self.rotor
        acts = () if rotor.inner is None else rotor.inner.acts
        listed = rotor.settings, rotor.outputs, (*acts, *(() if self.partner is None else ABOUT_TAIL))
        settings, outputs, acting = ([Shown(one.name, one.unit, one.about) for one in group] for group in listed)
        return settings, outputs, acting

    @property
    def scene(self) -> dict[str, Any]:
        """Of the model, with what a page for rotors must know."""
        rotor = self.rotor
        about = {
            "hub": rotor.hub,
            "summary": rotor.summary,
            "illustrative": list(rotor.illustrative),
            "controls": [one.name for one in rotor.controls],
            "flight": [one.name for one in rotor.flight],
        }
        scene = scene_of(rotor.model, rotor.looks, reserved_names(*self._shown))
        return {**scene, "name": rotor.name, "rotor": about}

    @property
    def groups(self) -> Mapping[str, str]:
        """All but settings and poses have the name of their array."""
        same = ("setting_refs", "positions", "speeds", *(("outputs",) if self.rotor.outputs else ()))
        same = (*same, *(("acting",) if self.rotor.inner is not None else ()))
        return {SETTINGS: "settings_next", **{name: name for name in same}, "bodies": "poses"}

    @property
    def shown(self) -> tuple[str, ...]:
        """Without brakes."""
        return SHOWN

    @property
    def starts(self) -> Mapping[str, Array]:
        """Settings of the start, and inputs that follow."""
        inner = {} if self.rotor.inner is None else {"inner": self.rotor.inner.kept}
        partner = {} if self.partner is None else {"partner_memory": START}
        settings = np.array([one.start for one in self.rotor.settings])
        return {"settings": settings, **inner, **partner, **inputs_at_start(self.rotor)}

    @property
    def inputs(self) -> Mapping[str, tuple[str, int]]:
        """None: the command gives them by their own names."""
        return {}

    @property
    def firsts(self) -> tuple[tuple[int, float], ...]:
        """The rotor's."""
        return self.rotor.firsts

    @property
    def kept(self) -> Mapping[str, str]:
        """What the law keeps, and the settings."""
        inner = {} if self.rotor.inner is None else {"inner": "inner_next"}
        partner = {} if self.partner is None else {"partner_memory": "partner_memory_next"}
        return {"memory": "memory_next", "settings": "settings_next", **inner, **partner}

    @property
    def partner_form(self) -> Form | None:
        """Of the tail rotor."""
        return None if self.partner is None else self.partner.form

    @property
    def settling(self) -> Settling | None:
        """As long as its own law needs for a steady flight."""
        inner = self.rotor.inner
        if inner is None:
            return None
        names = [one.name for one in self.rotor.outputs]

        def seek(arrays: Mapping[str, Array]) -> None:
            inner.seek(dict(zip(names, arrays["outputs"].tolist(), strict=True)), arrays["inner"])

        return Settling(inner.settle_s, seek, ("inner",))

    def network(self, dt: float) -> Network:
        """At full speed."""
        return self.rotor.at_start(dt)

    def observers(self, network: ModelNetwork) -> tuple[Kernel | Program, ...]:
        """Coordinates and poses, then the rotor's own outputs."""
        own = self.rotor.observe
        return (observe_motion(network), *(() if own is None else (own(network),)))

    def command(self, timing: Timing) -> Kernel:
        """Settings."""
        return command(self.rotor, timing, self.partner)

    def rest(self, arrays: Mapping[str, Array]) -> None:
        """Nothing: a rotor that is no longer stepped stays as it is."""
