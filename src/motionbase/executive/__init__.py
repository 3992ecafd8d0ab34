"""The real-time executive: whole ticks, jobs in a fixed order, a native loop, a safe stop."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = [
    "Clock", "Executive", "Grant", "Job", "Limits", "Mode", "NativeJob", "RealTime", "ReplaceableJob", "Report",
    "Schedule", "Stop", "Warnings", "native_job", "recording_on",
]  # fmt: skip

if TYPE_CHECKING:
    from motionbase.executive.control import Warnings
    from motionbase.executive.executive import Executive, Mode
    from motionbase.executive.realtime import Grant, RealTime
    from motionbase.executive.replaceable import ReplaceableJob
    from motionbase.executive.report import Report, Stop
    from motionbase.executive.schedule import Job, NativeJob, Schedule, native_job, recording_on
    from motionbase.executive.timing import Clock, Limits
else:  # the supervisor and the watch for ESTOP files need no compiler
    _HOMES = {
        "control": ("Warnings",),
        "executive": ("Executive", "Mode"),
        "realtime": ("Grant", "RealTime"),
        "replaceable": ("ReplaceableJob",),
        "report": ("Report", "Stop"),
        "schedule": ("Job", "NativeJob", "Schedule", "native_job", "recording_on"),
        "timing": ("Clock", "Limits"),
    }
    __getattr__, __dir__ = lazily(__name__, _HOMES)
