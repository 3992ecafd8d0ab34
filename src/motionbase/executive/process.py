"""What a supervisor is told of a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from motionbase.errors import ScheduleError


class Role(Enum):
    """What a process is to the run."""

    WRITER = "writer"
    READER = "reader"


@final
@dataclass(frozen=True)
class Restart:
    """When a reader that died is started again.

    Attributes:
        limit: times in a row; 0 for never
        first_s, longest_s: the pause before, which doubles each time [s]
        calm_s: a reader that lived so long counts as new [s]
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
        again: of a writer: command to start it again with, when somebody asks for it. Its end is then not the end of
            the run, unless it ended with exit code 2, by which a command refuses bad input
        prompt: comes before ordinary processes, from its start on, where the system allows a writer to come before it
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
