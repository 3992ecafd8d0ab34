"""A live ring copied to another machine over TCP: a server beside the writer, a client that writes the copy."""

from motionbase.ring.mirror.client import Mirror
from motionbase.ring.mirror.server import Server

__all__ = ["Mirror", "Server"]
