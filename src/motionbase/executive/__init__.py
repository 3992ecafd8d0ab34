"""The real-time executive: whole ticks, a fixed order of jobs, a native loop, a safe end."""

from motionbase.executive.control import Warnings
from motionbase.executive.executive import Executive, Mode
from motionbase.executive.realtime import Grant, RealTime
from motionbase.executive.report import Report, Stop
from motionbase.executive.schedule import Job, NativeJob, Schedule, native_job
from motionbase.executive.timing import Clock, Limits

__all__ = [
    "Clock", "Executive", "Grant", "Job", "Limits", "Mode", "NativeJob", "RealTime", "Report", "Schedule", "Stop",
    "Warnings", "native_job",
]  # fmt: skip
