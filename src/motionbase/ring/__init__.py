"""The shared record of a run: one writer, any number of readers, nobody waits."""

from motionbase.ring.reader import Batch, Reader, ReaderState
from motionbase.ring.schema import Channel, Schema
from motionbase.ring.standard import hexapod_schema
from motionbase.ring.writer import Writer

__all__ = ["Batch", "Channel", "Reader", "ReaderState", "Schema", "Writer", "hexapod_schema"]
