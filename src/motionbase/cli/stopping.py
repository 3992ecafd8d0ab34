"""For cli/kinematics_watch.py only, until it imports it from ring itself."""

from motionbase.ring.gentle import stop_requested as stop_requested
