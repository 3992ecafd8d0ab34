"""Runs as pages see them: one writer, one schema, non-decreasing time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.console.live.derived import MOST, DerivedChannels
from motionbase.console.live.history import History
from motionbase.console.models import Channel as ChannelModel
from motionbase.console.models import Schema as SchemaModel
from motionbase.record.schema import Schema
from motionbase.ring.layout import Header


@final
@dataclass(frozen=True)
class Run:
    """Records that belong together on a page: one writer, one schema, non-decreasing time.

    Attributes:
        generation: its number
        revision: of the derived channels; grows with every change
    """

    generation: int
    revision: int
    header: Header
    history: History
    derived: DerivedChannels

    @property
    def schema(self) -> Schema:
        """Schema of the ring."""
        return self.header.layout.schema

    @property
    def period(self) -> float:
        """Time between records [s], from the header."""
        return self.header.layout.dt * self.header.layout.every

    @property
    def rate_hz(self) -> float:
        """Records per second, from the header."""
        return 1 / self.period

    def again(self, generation: int) -> Run:
        """The same writer with an empty history, because time fell."""
        history = _history(self.schema)
        history.width = self.derived.width
        return Run(generation, self.revision, self.header, history, self.derived)

    def revised(self) -> Run:
        """The run after a change of the derived channels."""
        return Run(self.generation, self.revision + 1, self.header, self.history, self.derived)

    def described(self) -> SchemaModel:
        """The channels as models of the interface, derived ones at the end."""
        own = [
            ChannelModel(
                place=k, name=c.name, unit=c.unit, description=c.description, group=c.group, leg=c.leg, dof=c.dof,
                codes=list(c.codes) if c.codes else None, bits=list(c.bits) if c.bits else None,
            )
            for k, c in enumerate(self.schema.channels)
        ]  # fmt: skip
        derived = [derived_channel(d.place, d.name, d.unit, d.formula.text) for d in self.derived]
        return SchemaModel(name=self.schema.name, hash=self.schema.hash.hex(), channels=own + derived)


def derived_channel(place: int, name: str, unit: str, formula: str) -> ChannelModel:
    """A derived channel as a model of the interface."""
    return ChannelModel(place=place, name=name, unit=unit, description=formula, group="derived", formula=formula)


def new_run(generation: int, header: Header) -> Run:
    """The run of a new writer, without derived channels."""
    schema = header.layout.schema
    return Run(generation, 0, header, _history(schema), DerivedChannels(schema))


def _history(schema: Schema) -> History:
    return History(len(schema.channels), spare=MOST)
