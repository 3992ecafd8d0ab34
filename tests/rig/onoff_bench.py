"""A simulated on/off rig behind its socket and its clients in one process, in simulated time."""

from __future__ import annotations

import select
from collections.abc import Callable
from pathlib import Path
from typing import Any

from motionbase.arrays import Array
from motionbase.platform.load import load_platform
from motionbase.rig.border import Answer, Demand
from motionbase.rig.onoff.backend import onoff_rig
from motionbase.rig.onoff.remote import OnOffMachine, RemoteAcquisition
from motionbase.rig.onoff.simulated import SimulatedRig

ODU = load_platform("odu")
SHORTEST = ODU.stroke.hard_min


class Serving:
    """Stands for a client's `select.poll`: the machine answers while its client waits."""

    def __init__(self, answer: Callable[[], None]) -> None:
        self._poll, self._answer = select.poll(), answer
        self.register, self.unregister = self._poll.register, self._poll.unregister

    def poll(self, milliseconds: float) -> list[tuple[int, int]]:
        self._answer()
        return self._poll.poll(milliseconds)


class Bench:
    """A machine and its clients in one process, in simulated time; an `Actuators` whose machine runs in its cycles."""

    def __init__(self, place: Path, law: str = "predictive", **options: Any) -> None:
        self.place, self.now = place, 100.0
        self.rig = SimulatedRig(**({"noise": 0.0} | options.pop("rig", {})))
        self.clients: list[RemoteAcquisition] = []
        self.machine: OnOffMachine | None = OnOffMachine(place, self.rig, **options)
        self.device = self.client()
        self.legs = onoff_rig(ODU, self.device, law)
        self.promise = self.legs.promise

    def client(self) -> RemoteAcquisition:
        made = RemoteAcquisition(self.place)
        made._poll = Serving(self.serve)  # type: ignore[assignment]
        self.clients.append(made)
        return made

    def leave(self) -> None:
        """All are unplugged."""
        for client in self.clients:
            client.close()
        if self.machine is not None:
            self.machine.close()

    def serve(self) -> None:
        if self.machine is not None:
            self.machine.advance(self.now)

    def run(self, seconds: float) -> None:
        """The machine alone, in the steps of a process that plays it."""
        for _ in range(round(seconds / 1e-3)):
            self.now += 1e-3
            self.serve()

    def extensions(self) -> Array:
        return self.rig.extensions.copy()

    def cycle(self, now: float, demand: Demand) -> Answer:
        self.now = max(self.now, now)
        answer = self.legs.cycle(now, demand)
        self.serve()
        return answer

    def advance(self, now: float) -> None:
        self.serve()
        self.now = now
        self.serve()

    def close(self) -> None:
        self.legs.close()
        self.serve()
