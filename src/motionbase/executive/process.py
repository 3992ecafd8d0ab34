"""Processes of a supervised run, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from motionbase.errors import ScheduleError


class Role(Enum):
    """Role of a process in the run."""

    WRITER = "writer"
    READER = "reader"


@final
@dataclass(frozen=True)
class Restart:
    """When a reader that died is restarted.

    Attributes:
        limit: times in a row; 0 for never
        first_s, longest_s: the pause before, which doubles each time [s]
        calm_s: after so long a life the count starts again [s]
    """

    limit: int = 5
    first_s: float = 0.25
    longest_s: float = 5.0
    calm_s: float = 30.0


@final
@dataclass(frozen=True)
class Process:
    """One process of a run.

    Attributes:
        command: program and arguments
        stop_s: time to end after SIGTERM before it is killed [s]
        environment: variables besides those of the supervisor
        again: of a writer: command that restarts it on request. Its end is then not the end of the run, unless it
            ended with exit code 2, which means that it refused its input
        prompt: has priority over ordinary processes from its start, where the system lets a writer have more
    """

    name: str
    command: tuple[str, ...]
    role: Role = Role.READER
    restart: Restart = Restart()
    stop_s: float = 5.0
    environment: Mapping[str, str] = field(default_factory=dict)
    prompt: bool = False
    again: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.name or not self.command:
            raise ScheduleError(f"process {self.name!r} with command {self.command!r}: both must be given")
