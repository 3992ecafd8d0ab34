"""The stages composed: control law and plant as one step."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = ["TRUE_MOTION", "ClosedLoop", "Run", "Runner", "Scenario"]

if TYPE_CHECKING:
    from motionbase.system.closed_loop import ClosedLoop
    from motionbase.system.runs import TRUE_MOTION, Run, Runner, Scenario
else:
    __getattr__, __dir__ = lazily(
        __name__, {"closed_loop": ("ClosedLoop",), "runs": ("TRUE_MOTION", "Run", "Runner", "Scenario")}
    )
